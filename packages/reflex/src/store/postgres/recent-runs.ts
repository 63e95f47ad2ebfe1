import type { Host } from '../../kernel/index.ts'

/** Milliseconds for which a commit is remembered at least, and half of the longest time. */
const RECENT_MS = 1000

/** The runs to which this process has committed in the last seconds. */
export class RecentRuns {
  readonly #host: Host
  #newer = new Set<string>()
  #older = new Set<string>()
  /** The time of the monotonic clock at which the newer ones become the older ones. */
  #until = 0

  constructor(host: Host) {
    this.#host = host
  }

  add(runs: Iterable<string>): void {
    this.#turn()
    for (const run of runs) this.#newer.add(run)
  }

  all(): Iterable<string> {
    this.#turn()
    return new Set([...this.#older, ...this.#newer])
  }

  #turn(): void {
    const now = this.#host.monotonic()
    if (now < this.#until) return
    this.#older = now < this.#until + RECENT_MS ? this.#newer : new Set()
    this.#newer = new Set()
    this.#until = now + RECENT_MS
  }
}
