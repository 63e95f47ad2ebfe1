import type { CollapsedLog } from '../../packages/reflex/src/learn/mine/collapse.ts'

/** Counts, in one pass over a log, the runs of every word of up to so many calls: what one writes first. Returns the number of words. */
export function countWords({ symbol, run, plain }: CollapsedLog, maxLength: number): number {
  const table = new WordTable()
  for (let from = 0; from < symbol.length; from++) {
    let word = 0
    for (let length = 1; length <= maxLength; length++) {
      const next = symbol[from + length - 1] ?? -1
      if (next < 0) break
      word = table.longer(word, next, 2 * plain)
      table.seen(word, run[from] ?? 0)
    }
  }
  return table.size
}

/** A table of words with their numbers, which doubles when it is half full. */
class WordTable {
  size = 1
  #keys = new Float64Array(2 ** 16).fill(-1)
  #words = new Int32Array(2 ** 16)
  #support = new Int32Array(2 ** 16)
  #last = new Int32Array(2 ** 16).fill(-1)

  longer(word: number, symbol: number, symbols: number): number {
    const key = word * symbols + symbol
    let slot = this.#slot(key)
    if (this.#keys[slot] === key) return this.#words[slot] ?? 0
    if (this.size * 2 >= this.#keys.length) {
      this.#grow()
      slot = this.#slot(key)
    }
    this.#keys[slot] = key
    this.#words[slot] = this.size
    return this.size++
  }

  seen(word: number, run: number): void {
    if (this.#last[word] === run) return
    this.#last[word] = run
    this.#support[word] = (this.#support[word] ?? 0) + 1
  }

  #slot(key: number): number {
    const mask = this.#keys.length - 1
    let slot = (Math.imul(key % 0x7fffffff, 0x9e3779b1) >>> 9) & mask
    while (this.#keys[slot] !== -1 && this.#keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [keys, words] = [this.#keys, this.#words]
    this.#keys = new Float64Array(keys.length * 2).fill(-1)
    this.#words = new Int32Array(keys.length * 2)
    for (const [i, key] of keys.entries()) {
      if (key === -1) continue
      const slot = this.#slot(key)
      this.#keys[slot] = key
      this.#words[slot] = words[i] ?? 0
    }
    this.#support = grown(this.#support, 0)
    this.#last = grown(this.#last, -1)
  }
}

function grown(column: Int32Array, empty: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2).fill(empty)
  larger.set(column)
  return larger
}
