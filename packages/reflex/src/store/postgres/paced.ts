import type { Host } from '../../kernel/index.ts'

/** Does something when it is asked to: at once, then at most once in so many milliseconds, and never twice at the same time. */
export class Paced {
  readonly #host: Host
  readonly #pauseMs: number
  readonly #act: () => Promise<void>
  /** The time of the host's monotonic clock from which it may be done again. */
  #next = Number.NEGATIVE_INFINITY
  #isActing = false
  #isAsked = false
  #cancelTimer: (() => void) | undefined

  /** `act` does not reject. */
  constructor(host: Host, pauseMs: number, act: () => Promise<void>) {
    this.#host = host
    this.#pauseMs = pauseMs
    this.#act = act
  }

  ask(): void {
    this.#isAsked = true
    if (this.#isActing || this.#cancelTimer !== undefined) return
    const wait = this.#next - this.#host.monotonic()
    if (wait <= 0) return void this.#perform()
    this.#cancelTimer = this.#host.at(this.#host.now() + Math.ceil(wait), () => void this.#perform(), true)
  }

  /** Forgets what was asked for. */
  stop(): void {
    this.#isAsked = false
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  async #perform(): Promise<void> {
    this.#cancelTimer = undefined
    this.#isActing = true
    this.#isAsked = false
    this.#next = this.#host.monotonic() + this.#pauseMs
    await this.#act()
    this.#isActing = false
    if (this.#isAsked) this.ask()
  }
}
