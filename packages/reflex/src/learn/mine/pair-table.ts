/** The largest table that has a place for every possible pair: 16 MB. */
const LARGEST_DIRECT = 2 ** 22
/** An odd number with well mixed bits (2^32 divided by the golden ratio). */
const MIX = 0x9e3779b1

/**
 * Numbers pairs of names in the order in which they come first. It is exact: pairs are compared whole, so two pairs never get one number.
 * Every pair has a place of its own if that is small enough, otherwise a place is searched from a mixed start.
 */
export class PairTable {
  count = 0
  readonly #names: number
  readonly #direct: Int32Array | undefined
  readonly #slots: Int32Array
  /** The parts of each pair, by its number. */
  readonly first: Int32Array
  readonly second: Int32Array
  readonly #mask: number

  /** `names`: every name is below it; `most`: at most so many pairs are numbered. */
  constructor(names: number, most: number) {
    this.#names = names
    const isDirect = names * names <= Math.min(LARGEST_DIRECT, Math.max(65_536, most * 8))
    const slots = isDirect ? 0 : 2 ** Math.ceil(Math.log2(Math.max(16, most * 2)))
    this.#direct = isDirect ? new Int32Array(names * names) : undefined
    this.#slots = new Int32Array(slots)
    const pairs = isDirect ? Math.min(most, names * names) : most
    this.first = new Int32Array(pairs)
    this.second = new Int32Array(pairs)
    this.#mask = slots - 1
  }

  /** Returns the number of a pair, which is the next one for a new pair. */
  number(first: number, second: number): number {
    const direct = this.#direct
    if (direct !== undefined) {
      const place = first * this.#names + second
      const known = direct[place] ?? 0
      if (known > 0) return known - 1
      direct[place] = this.#add(first, second) + 1
      return this.count - 1
    }
    let slot = (Math.imul(Math.imul(first, MIX) ^ (second + 0x7f4a7c15), MIX) >>> 7) & this.#mask
    for (let held = this.#slots[slot] ?? 0; held > 0; held = this.#slots[slot] ?? 0) {
      if (this.first[held - 1] === first && this.second[held - 1] === second) return held - 1
      slot = (slot + 1) & this.#mask
    }
    this.#slots[slot] = this.#add(first, second) + 1
    return this.count - 1
  }

  #add(first: number, second: number): number {
    this.first[this.count] = first
    this.second[this.count] = second
    return this.count++
  }
}
