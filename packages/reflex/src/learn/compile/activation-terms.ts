import type { MinedPattern } from '../mine/pattern.ts'
import type { RunShape } from '../shapes/call-sequence.ts'

/** The words with which users ask for a skill. */
export interface ActivationTerms {
  readonly labels: readonly string[]
  readonly keywords: readonly string[]
}

const MOST_LABELS = 5
const MOST_KEYWORDS = 8
/** A term that fewer runs have is an accident. */
const FEWEST = 3
/** The most terms that are counted for one pattern, and the most of one run. */
const MOST_TERMS = 5_000
const MOST_IN_RUN = 300
const LABEL = /^[a-z0-9_-]{1,40}$/
const LONGEST_KEYWORD = 60
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_-]*/gu
const STOP = new Set(
  'a an and any are as at be but by can do for from get go has have he her him his i if in into is it its just let me my no not of off on or our out please she so some than that the their them then there these they this to up us was we were what when where which who will with would you your'.split(
    ' ',
  ),
)

/**
 * Finds the words of users in runs with a pattern against those in the others (reference skill 1.22). The runs are visited twice: first with
 * `collect`, then with `count`. Runs in any order give the same terms, unless one pattern has more than 5,000 of them.
 */
export class TermCounter {
  readonly #patterns: readonly { readonly needle: string; readonly inside: Map<string, number>; readonly all: Map<string, number> }[]
  #runs = 0
  readonly #with: number[]

  constructor(patterns: readonly Pick<MinedPattern, 'symbols'>[]) {
    this.#patterns = patterns.map(({ symbols }) => ({ needle: `\n${symbols.join('\n')}\n`, inside: new Map(), all: new Map() }))
    this.#with = patterns.map(() => 0)
  }

  /** Counts the terms of a run for the patterns that it has. */
  collect(shape: RunShape): void {
    const calls = shape.sequences.map(({ symbols }) => `\n${symbols.join('\n')}\n`)
    const terms = termsOf(shape)
    this.#runs++
    for (const [i, { needle, inside }] of this.#patterns.entries()) {
      if (!calls.some((text) => text.includes(needle))) continue
      this.#with[i] = (this.#with[i] ?? 0) + 1
      for (const term of terms) if (inside.has(term) || inside.size < MOST_TERMS) inside.set(term, (inside.get(term) ?? 0) + 1)
    }
  }

  /** Counts the collected terms in all runs. */
  count(shape: RunShape): void {
    const terms = termsOf(shape)
    for (const { inside, all } of this.#patterns)
      for (const term of terms) if ((inside.get(term) ?? 0) >= FEWEST) all.set(term, (all.get(term) ?? 0) + 1)
  }

  /** Returns the terms of a pattern with the highest log-odds; only those that its runs have more often than the others. */
  terms(index: number): ActivationTerms {
    const { inside, all } = this.#patterns[index] ?? { inside: new Map<string, number>(), all: new Map<string, number>() }
    const own = this.#with[index] ?? 0
    const scored = [...inside]
      .filter(([, count]) => count >= FEWEST)
      .map(([term, count]) => ({ term, count, odds: logOdds(count, own) - logOdds((all.get(term) ?? count) - count, this.#runs - own) }))
      .filter(({ odds }) => odds > 0)
      .sort((a, b) => b.odds - a.odds || b.count - a.count || (a.term < b.term ? -1 : 1))
      .map(({ term }) => term)
    return {
      labels: scored.filter((term) => LABEL.test(term)).slice(0, MOST_LABELS),
      keywords: scored.filter((term) => term.length <= LONGEST_KEYWORD).slice(0, MOST_KEYWORDS),
    }
  }
}

function logOdds(count: number, of: number): number {
  return Math.log((count + 0.5) / (of - count + 0.5))
}

/** Returns the words and the groups of two and three words in the texts of users. */
function termsOf({ sequences }: RunShape): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const text of new Set(sequences.flatMap(({ texts }) => texts.map(([, text]) => text)))) {
    const words = text.toLowerCase().match(WORD) ?? []
    for (let i = 0; i < words.length && terms.size < MOST_IN_RUN; i++)
      for (let length = 1; length <= 3 && i + length <= words.length; length++) {
        const group = words.slice(i, i + length)
        if (!STOP.has(group[0] ?? '') && !STOP.has(group.at(-1) ?? '') && !group.some((word) => word.includes('secret')))
          terms.add(group.join(' '))
      }
  }
  return terms
}
