/** The parameters k1 and b of BM25: the saturation of repeated words, and the effect of the text length. */
const SATURATION = 1.2
const LENGTH = 0.75
/** The number of words that are indexed per text: a longer text is found by its beginning. */
const WORDS = 2_000

/** A search result. */
export interface SearchHit {
  readonly id: string
  /** Above 0; comparable only within one search. */
  readonly score: number
}

/**
 * A full-text index in memory, ranked by BM25: a text ranks higher if it contains rare words of the query, contains them often,
 * and is short. The same texts in the same order give the same ranks; of two equal texts, the one added last comes first.
 */
export class TextIndex {
  readonly #postings = new Map<string, Map<string, number>>()
  readonly #texts = new Map<string, { readonly words: ReadonlyMap<string, number>; readonly length: number; readonly at: number }>()
  #added = 0
  #length = 0

  get size(): number {
    return this.#texts.size
  }

  /** Adds a text, and replaces one of the same id. */
  add(id: string, text: string): void {
    this.remove(id)
    const words = new Map<string, number>()
    const all = wordsOf(text).slice(0, WORDS)
    for (const word of all) words.set(word, (words.get(word) ?? 0) + 1)
    for (const [word, count] of words) {
      const posting = this.#postings.get(word) ?? new Map<string, number>()
      this.#postings.set(word, posting.set(id, count))
    }
    this.#texts.set(id, { words, length: all.length, at: this.#added++ })
    this.#length += all.length
  }

  remove(id: string): void {
    const text = this.#texts.get(id)
    if (text === undefined) return
    for (const word of text.words.keys()) {
      const posting = this.#postings.get(word)
      posting?.delete(id)
      if (posting?.size === 0) this.#postings.delete(word)
    }
    this.#texts.delete(id)
    this.#length -= text.length
  }

  /** Returns the best texts for a query, best first; empty if no word is known. */
  search(query: string, limit: number): readonly SearchHit[] {
    const scores = new Map<string, number>()
    const mean = this.#length / Math.max(1, this.#texts.size)
    for (const word of new Set(wordsOf(query).slice(0, WORDS))) {
      const posting = this.#postings.get(word)
      if (posting === undefined) continue
      const rarity = Math.log(1 + (this.#texts.size - posting.size + 0.5) / (posting.size + 0.5))
      for (const [id, count] of posting) {
        const length = this.#texts.get(id)?.length ?? mean
        const weight = (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH + (LENGTH * length) / Math.max(1, mean)))
        scores.set(id, (scores.get(id) ?? 0) + rarity * weight)
      }
    }
    const at = (id: string): number => this.#texts.get(id)?.at ?? 0
    return [...scores]
      .map(([id, score]) => ({ id, score }))
      .sort((a, b) => b.score - a.score || at(b.id) - at(a.id))
      .slice(0, Math.max(0, limit))
  }
}

/** Returns the words of a text for comparison: lower case, letters and digits of any script. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
