/** Why a word is not mined, in the order of the filters. */
export const REASONS = [
  'support',
  'closed',
  'length',
  'primitive',
  'success',
  'cost',
  'cohesion',
  'variety',
  'needs_loop',
  'secret_slot',
  'generative_slot',
  'exceptions',
  'redundancy',
] as const
export type Reason = (typeof REASONS)[number]

/** A word that was rejected, with the figure that decided. */
export interface RejectedWord {
  readonly symbols: readonly string[]
  readonly support: number
  readonly reason: Reason
  readonly detail?: string
}

/** A word before its symbols are texts. */
interface Candidate {
  readonly support: number
  /** The numbers of its symbols, which are compared as their texts are. */
  readonly symbols: Int32Array
  readonly reason: Reason
  readonly detail?: string
}

/** Counts every rejected word, and keeps the first of them in the order of reports. */
export class Rejections {
  readonly counts: Record<Reason, number> = Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Record<Reason, number>
  readonly #most: number
  readonly #compare: (a: number, b: number) => number
  #kept: Candidate[] = []
  /** The least support that can still be among the kept ones. */
  #least = 0

  /** `most`: the number of words that are listed; `compare`: the order of symbols. */
  constructor(most: number, compare: (a: number, b: number) => number) {
    this.#most = most
    this.#compare = compare
  }

  add(candidate: Candidate): void {
    this.counts[candidate.reason]++
    this.#keep(candidate)
  }

  /** Adds many words of one reason, without making an object of each. */
  addAll(
    reason: Reason,
    length: number,
    symbol: Int32Array,
    words: { readonly support: ArrayLike<number>; readonly first: ArrayLike<number> },
  ): void {
    this.counts[reason] += words.support.length
    for (let i = 0; i < words.support.length; i++) {
      const [support, first] = [words.support[i] ?? 0, words.first[i] ?? 0]
      if (support >= this.#least) this.#keep({ support, symbols: symbol.subarray(first, first + length), reason })
    }
  }

  /** Returns the kept words: those of the most runs first, then the longer ones, then by their symbols. */
  list(textOf: (symbol: number) => string): readonly RejectedWord[] {
    this.#cut()
    return this.#kept.map(({ symbols, ...rest }) => ({ symbols: Array.from(symbols, textOf), ...rest }))
  }

  #keep(candidate: Candidate): void {
    if (candidate.support < this.#least || this.#most === 0) return
    this.#kept.push(candidate)
    if (this.#kept.length >= this.#most * 4) this.#cut()
  }

  #cut(): void {
    this.#kept.sort((a, b) => byReport(a, b, this.#compare))
    if (this.#kept.length < this.#most) return
    this.#kept = this.#kept.slice(0, this.#most)
    this.#least = this.#kept.at(-1)?.support ?? 0
  }
}

/** The order of reports: more runs first, then more calls, then the order of the symbols. */
export function byReport(
  a: { readonly support: number; readonly symbols: ArrayLike<number> },
  b: { readonly support: number; readonly symbols: ArrayLike<number> },
  compare: (a: number, b: number) => number,
): number {
  if (a.support !== b.support) return b.support - a.support
  if (a.symbols.length !== b.symbols.length) return b.symbols.length - a.symbols.length
  for (let i = 0; i < a.symbols.length; i++) {
    const order = compare(a.symbols[i] ?? 0, b.symbols[i] ?? 0)
    if (order !== 0) return order
  }
  return 0
}
