import { digest, type Host } from '../../kernel/index.ts'

/** The clock of an imported run: its time is that of the transcript, and its random numbers follow from its name. Timers keep the time of the host. */
export class TranscriptClock implements Host {
  readonly #host: Host
  readonly #name: string
  #now: number
  #drawn = 0

  /** `now`: the time at which it begins, in milliseconds since the epoch. */
  constructor(host: Host, name: string, now: number) {
    this.#host = host
    this.#name = name
    this.#now = now
  }

  /** Sets the time, unless it is before the time of what was recorded. */
  advance(time: number | undefined): void {
    if (time !== undefined && time > this.#now) this.#now = time
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#host.monotonic()
  }

  entropy(): string {
    return digest(`${this.#name}\n${this.#drawn++}`).slice(0, 32)
  }

  turn(callback: () => void): void {
    this.#host.turn(callback)
  }

  at(time: number, callback: () => void, background?: boolean): () => void {
    return this.#host.at(this.#host.now() + Math.max(0, time - this.#now), callback, background)
  }
}
