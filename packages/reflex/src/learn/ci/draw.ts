import { digestFraction } from '../../kernel/index.ts'

/** Draws that a seed decides: the same seed gives the same draws in every process. */
export class Draw {
  readonly #seed: number
  #count = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Returns one of a list; undefined for an empty list. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    this.#count++
    return items[Math.floor(digestFraction(`fuzz ${this.#seed} ${this.#count}`) * items.length)]
  }
}
