import { type ClosedLevel, type ClosedWord, closedWords } from './closed-words.ts'
import type { CollapsedLog } from './collapse.ts'
import type { MiningParams } from './params.ts'
import { byReport, type Reason, type Rejections } from './rejected.ts'
import { type CostUnit, LevelStatistics, type WordStatistics } from './statistics.ts'
import { isRepetition } from './words.ts'

/** A word that passed the filters that need no arguments. */
export interface FilteredWord extends ClosedWord {
  readonly statistics: WordStatistics
  /** The places of its occurrences in the collapsed log, from left to right, without overlaps. */
  readonly occurrences: Int32Array
}

interface FilterWorld {
  readonly params: MiningParams
  /** The least number of runs. */
  readonly least: number
  readonly unit: CostUnit
  readonly rejections: Rejections
}

/** Returns the order of the symbols of a collapsed log: that of their texts, a repeated call after the single one. */
export function compareSymbols({ plain }: CollapsedLog): (a: number, b: number) => number {
  const rank = (symbol: number): number => (symbol < plain ? 2 * symbol : 2 * (symbol - plain) + 1)
  return (a, b) => rank(a) - rank(b)
}

/** What the filters that need no arguments leave. */
export interface FilteredWords {
  /** The number of words that were looked at. */
  readonly considered: number
  readonly words: readonly FilteredWord[]
  /** The words that repeat a shorter one: what is a part of them belongs to a loop. */
  readonly repetitions: readonly ClosedWord[]
}

/** Applies the filters that need no arguments, in their order, and counts every word that was looked at. */
export function filterWords(log: CollapsedLog, world: FilterWorld): FilteredWords {
  const { params, least, unit, rejections } = world
  const words: FilteredWord[] = []
  const repetitions: ClosedWord[] = []
  let considered = 0
  for (const level of closedWords(log, least, params.maxLength)) {
    considered += level.words.length + level.open.length + level.rare.count
    rejections.addAll('support', level.length, log.symbol, level.rare)
    const open = { support: level.open.map(({ support }) => support), first: level.open.map(({ first }) => first) }
    rejections.addAll('closed', level.length, log.symbol, open)
    const statistics = new LevelStatistics(log, level, { unit, ...params }).all()
    const passed = level.words.map((word, i) => {
      const figures = statistics[i]
      const rejected = figures === undefined ? undefined : rejectionOf(log, word, figures, params)
      if (rejected?.reason === 'primitive') repetitions.push(word)
      if (rejected !== undefined) rejections.add({ symbols: word.symbols, support: word.support, ...rejected })
      return rejected === undefined ? figures : undefined
    })
    words.push(...withOccurrences(level, passed))
  }
  return { considered, repetitions, words: words.sort((a, b) => byReport(a, b, compareSymbols(log))) }
}

/** Returns the words of a level that have figures, with their occurrences. */
function withOccurrences(level: ClosedLevel, passed: readonly (WordStatistics | undefined)[]): readonly FilteredWord[] {
  const found = passed.map((statistics) => new Int32Array(statistics?.occurrences ?? 0))
  const counts = new Int32Array(passed.length)
  level.visit((word, place) => {
    const list = found[word]
    if (list === undefined || list.length === 0) return
    const at = counts[word] ?? 0
    list[at] = place
    counts[word] = at + 1
  })
  return level.words.flatMap((word, i) => {
    const [statistics, occurrences] = [passed[i], found[i]]
    return statistics === undefined || occurrences === undefined ? [] : [{ ...word, statistics, occurrences }]
  })
}

/** Returns the first filter that a word does not pass. */
function rejectionOf(
  { plain }: CollapsedLog,
  { symbols, support, prefixSupport, suffixSupport }: ClosedWord,
  { known, succeeded, ratio, left, right }: WordStatistics,
  params: MiningParams,
): { readonly reason: Reason; readonly detail?: string } | undefined {
  if (symbols.length < params.minLength) return { reason: 'length', detail: String(symbols.length) }
  if (isRepetition(symbols)) return { reason: 'primitive' }
  if (succeeded < params.success * known) return { reason: 'success', detail: share(succeeded / known) }
  if (!(ratio <= params.cost + ROUNDING)) return { reason: 'cost', detail: Number.isFinite(ratio) ? share(ratio) : 'nothing to save' }
  const cohesion = Math.min(support / prefixSupport, support / suffixSupport)
  if (cohesion < params.cohesion) return { reason: 'cohesion', detail: share(cohesion) }
  if (Math.min(left, right) < params.variety) return { reason: 'variety', detail: `${left} before, ${right} after` }
  return symbols.some((symbol) => symbol >= plain) ? { reason: 'needs_loop' } : undefined
}

/** 0.0048 / 0.008 is a little more than 0.6. */
const ROUNDING = 1e-9

function share(value: number): string {
  return value.toFixed(3)
}
