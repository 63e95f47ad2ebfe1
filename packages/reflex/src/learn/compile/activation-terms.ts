import { stem } from '../../kinds/skill/gate/words.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { MinedPattern } from '../mine/pattern.ts'
import type { RunShape } from '../shapes/call-sequence.ts'
import { chooseCues } from './choose-cues.ts'
import { bitsOf, type CueRow, ideasOf, keywordCandidates, labelCandidates } from './cue-candidates.ts'
import { cueWordsOf } from './cue-words.ts'

/** The words with which users ask for a skill. */
export interface ActivationTerms {
  readonly labels: readonly string[]
  readonly keywords: readonly string[]
}

/** A term that fewer runs have is an accident. */
const FEWEST = 3
/** The most stems, and the most phrases, that are counted for one pattern. */
const MOST_TERMS = 5_000
/** The most that cues are made of: each is a bit of an integer. */
const MOST_STEMS = 16
const MOST_PHRASES = 24
const LONGEST_KEYWORD = 60
/** A distinctive term is in so many times as large a share of the runs of its pattern as of the others. */
const LIFT = 2

/** The number of runs with a term: of those with the pattern, and of all. */
interface TermCount {
  inside: number
  all: number
}

/** The terms of one pattern. */
interface PatternTerms {
  /** The calls of the pattern, and those of skills that were made of it: a run that has either was asked for the same. */
  readonly calls: readonly string[]
  /** The number of runs that have one of them. */
  runs: number
  readonly stems: Map<string, TermCount>
  readonly phrases: Map<string, TermCount>
  distinctive?: DistinctiveTerms
}

/** The terms that tell the runs of a pattern from others, in the order of their bits, and all runs by those that they have. */
interface DistinctiveTerms {
  readonly stems: readonly string[]
  readonly phrases: readonly string[]
  readonly rows: Map<string, CueRow>
}

/**
 * Finds the words of users that tell runs with a pattern from the others (reference skill 1.22). The reference takes the terms with the highest
 * log-odds one by one; they are often the same word in several phrases, and approve what only a neighbour is asked for. So terms are chosen for
 * what they recognize together. The runs are visited three times: first with `collect`, then with `count`, then with `compare`. Runs in any order
 * give the same terms, unless one pattern has more than 5,000 of them.
 */
export class TermCounter {
  readonly #patterns: readonly PatternTerms[]
  #runs = 0

  /** `known`: the skills that may have been executed in the runs. */
  constructor(patterns: readonly Pick<MinedPattern, 'symbols' | 'hash'>[], known: readonly Pick<Manifest, 'id' | 'provenance'>[] = []) {
    this.#patterns = patterns.map(({ symbols, hash }) => ({
      calls: [symbols, ...known.filter(({ provenance }) => provenance.pattern === hash).map(({ id }) => [`skill:${id}`])].map(callText),
      runs: 0,
      stems: new Map<string, TermCount>(),
      phrases: new Map<string, TermCount>(),
    }))
  }

  /** Counts the terms of a run for the patterns that it has. */
  collect(shape: RunShape): void {
    const words = cueWordsOf(shape)
    if (words === undefined) return
    const has = callsOf(shape)
    this.#runs++
    for (const pattern of this.#patterns) {
      if (!has(pattern)) continue
      pattern.runs++
      collectTerms(pattern.stems, words.stems)
      collectTerms(pattern.phrases, words.phrases)
    }
  }

  /** Counts the collected terms in all runs. */
  count(shape: RunShape): void {
    const words = cueWordsOf(shape)
    if (words === undefined) return
    for (const { stems, phrases } of this.#patterns) {
      countTerms(stems, words.stems)
      countTerms(phrases, words.phrases)
    }
  }

  /** Notes which of the distinctive terms a run has. */
  compare(shape: RunShape): void {
    const words = cueWordsOf(shape)
    if (words === undefined) return
    const has = callsOf(shape)
    for (const pattern of this.#patterns) {
      const { stems, phrases, rows } = (pattern.distinctive ??= this.#distinctiveOf(pattern))
      const bits = { words: bitsOf(stems, words.stems), phrases: bitsOf(phrases, words.phrases) }
      const key = `${bits.words} ${bits.phrases}`
      const { inside, outside } = rows.get(key) ?? { inside: 0, outside: 0 }
      const isInside = has(pattern)
      rows.set(key, { ...bits, inside: inside + (isInside ? 1 : 0), outside: outside + (isInside ? 0 : 1) })
    }
  }

  /** Returns the terms that recognize the most runs of a pattern and hardly another run. */
  terms(index: number): ActivationTerms {
    const pattern = this.#patterns[index]
    if (pattern?.distinctive === undefined) return { labels: [], keywords: [] }
    const { stems, phrases, rows } = pattern.distinctive
    const all = [...rows.values()]
    const ideas = ideasOf(stems.length, all)
    const words = commonWords(pattern)
    const labels = labelCandidates(
      stems.map((one) => words.get(one) ?? one),
      ideas,
    )
    const chosen = chooseCues(labels, keywordCandidates(phrases, stems, ideas), all)
    return {
      labels: chosen.labels.map(({ text }) => text).filter((text) => text !== ''),
      keywords: chosen.keywords.map(({ text }) => text),
    }
  }

  #distinctiveOf({ runs, stems, phrases }: PatternTerms): DistinctiveTerms {
    const others = this.#runs - runs
    return {
      stems: distinctive(stems, runs, others, MOST_STEMS),
      phrases: distinctive(phrases, runs, others, MOST_PHRASES),
      rows: new Map(),
    }
  }
}

function callsOf({ sequences }: RunShape): (pattern: PatternTerms) => boolean {
  const texts = sequences.map(({ symbols }) => callText(symbols))
  return ({ calls }) => calls.some((call) => texts.some((text) => text.includes(call)))
}

function callText(symbols: readonly string[]): string {
  return `\n${symbols.join('\n')}\n`
}

function collectTerms(counts: Map<string, TermCount>, terms: ReadonlySet<string>): void {
  for (const term of terms) {
    const count = counts.get(term)
    if (count !== undefined) count.inside++
    else if (counts.size < MOST_TERMS) counts.set(term, { inside: 1, all: 0 })
  }
}

function countTerms(counts: ReadonlyMap<string, TermCount>, terms: ReadonlySet<string>): void {
  for (const term of terms) {
    const count = counts.get(term)
    if (count !== undefined) count.all++
  }
}

/**
 * Returns the terms whose share of the runs exceeds that of the others the most, single words first. Shares are compared as products of
 * integers.
 */
function distinctive(counts: ReadonlyMap<string, TermCount>, runs: number, others: number, most: number): readonly string[] {
  return [...counts]
    .filter(([term, { inside }]) => inside >= FEWEST && term.length <= LONGEST_KEYWORD)
    .map(([term, { inside, all }]) => ({ term, inside, own: inside * others, other: (all - inside) * runs }))
    .filter(({ own, other }) => own >= LIFT * other)
    .sort((a, b) => b.own - b.other - (a.own - a.other) || b.inside - a.inside || (a.term < b.term ? -1 : 1))
    .slice(0, most)
    .map(({ term }) => term)
    .sort((a, b) => a.split(' ').length - b.split(' ').length)
}

/** Returns for each stem the word that most runs of a pattern have. */
function commonWords({ phrases }: PatternTerms): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  const sorted = [...phrases].sort(([a, one], [b, other]) => other.inside - one.inside || (a < b ? -1 : 1))
  for (const [phrase] of sorted) if (!phrase.includes(' ') && !words.has(stem(phrase))) words.set(stem(phrase), phrase)
  return words
}
