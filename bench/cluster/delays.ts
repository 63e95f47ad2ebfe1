/** The delays of one tenant's turns, from due to begun, in milliseconds. */
export class Delays {
  readonly #all: number[] = []
  #isSorted = true

  add(ms: number): void {
    this.#all.push(ms)
    this.#isSorted = false
  }

  addAll(delays: Delays): void {
    for (const ms of delays.#all) this.add(ms)
  }

  get count(): number {
    return this.#all.length
  }

  /** Returns the delay that a share of the turns does not exceed; 0 without turns. */
  at(share: number): number {
    if (!this.#isSorted) this.#all.sort((a, b) => a - b)
    this.#isSorted = true
    return this.#all[Math.min(this.#all.length - 1, Math.floor(this.#all.length * share))] ?? 0
  }
}

/** The numbers of turns in a cluster at one moment. */
export interface Sample {
  readonly at: number
  readonly waiting: number
  readonly admitted: number
  readonly running: number
}
