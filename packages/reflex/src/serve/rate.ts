import { serveFaults } from '../protocol/faults.ts'

/** Counts the requests of each token in minutes, as a bucket that fills evenly. */
export class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #buckets = new Map<string, { left: number; at: number }>()

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /** Counts a request. Throws `R6008` with the seconds until the next one is accepted. */
  count(name: string): void {
    const now = this.#now()
    const bucket = this.#buckets.get(name) ?? { left: this.#perMinute, at: now }
    const left = Math.min(this.#perMinute, bucket.left + ((now - bucket.at) * this.#perMinute) / 60_000)
    this.#buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now })
    if (left >= 1) return
    const seconds = Math.max(1, Math.ceil(((1 - left) * 60) / this.#perMinute))
    throw serveFaults.make('R6008', `${name} has made ${this.#perMinute} requests in a minute`, {
      fix: `try again in ${seconds} s`,
      data: { retryAfter: seconds },
    })
  }
}
