import type { Wait } from './frame.ts'
import type { Host } from './host.ts'
import type { State } from './state.ts'

/** Wakes a run when the earliest of its waits is due. */
export class Alarm {
  readonly #state: State
  readonly #host: Host
  readonly #ring: (wait: Wait) => void
  #armed: Wait | undefined
  #stop: (() => void) | undefined

  constructor(state: State, host: Host, ring: (wait: Wait) => void) {
    this.#state = state
    this.#host = host
    this.#ring = ring
  }

  /** Looks again for the earliest. */
  set(): void {
    const next = earliest(this.#state.waits.values())
    if (next === this.#armed) return
    this.stop()
    if (next?.due === undefined) return
    this.#armed = next
    this.#stop = this.#host.at(next.due, () => {
      this.#armed = undefined
      this.#ring(next)
      this.set()
    })
  }

  /** Lets go of a wait that something else has met, which would keep the process alive. */
  check(): void {
    if (this.#armed !== undefined && this.#state.waits.get(this.#armed.id) !== this.#armed) this.set()
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#armed = undefined
  }
}

function earliest(waits: Iterable<Wait>): Wait | undefined {
  let least: Wait | undefined
  for (const wait of waits) if (wait.due !== undefined && wait.due < (least?.due ?? Number.POSITIVE_INFINITY)) least = wait
  return least
}
