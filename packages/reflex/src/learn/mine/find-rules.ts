import { digest } from '../../kernel/index.ts'
import type { CollapsedLog } from './collapse.ts'
import type { FilteredWord, FilteredWords } from './filters.ts'
import { type FoundRules, Generalisation } from './generalisation.ts'
import type { MiningParams } from './params.ts'
import type { MinedPattern } from './pattern.ts'
import type { Reason, Rejections } from './rejected.ts'
import type { RowReader } from './rows.ts'
import type { CostUnit } from './statistics.ts'
import { figuresOf } from './times.ts'
import { byCoverage, isPart, isRedundant } from './words.ts'

/** The number of patterns whose rules are found together, so that each run is read once for all of them. */
const TOGETHER = 16
/** Rules are proposed at most so many times. */
const ROUNDS = 3

interface RuleWorld {
  readonly params: MiningParams
  readonly unit: CostUnit
  readonly rejections: Rejections
  readonly rows: RowReader
}

/** A pattern with the word that it is made of. */
export interface RuledWord {
  readonly symbols: Int32Array
  readonly support: number
  readonly pattern: MinedPattern
}

/**
 * Reads the arguments of words, finds their rules, and keeps those that are not redundant, beginning with the word that covers the most calls. The
 * arguments of a word that a kept one makes redundant are not read. A word inside one that a skill cannot do, because a model or a person
 * gives a value or because it is a loop, is redundant too. Counts every word that is not kept.
 */
export async function findRules(
  log: CollapsedLog,
  { words, repetitions }: Pick<FilteredWords, 'words' | 'repetitions'>,
  world: RuleWorld,
): Promise<readonly RuledWord[]> {
  const kept: RuledWord[] = []
  const unusable: Pick<FilteredWord, 'symbols' | 'support'>[] = [...repetitions]
  const rejected = (word: Pick<FilteredWord, 'symbols' | 'support'>, reason: Reason, detail?: string): void =>
    world.rejections.add({ symbols: word.symbols, support: word.support, reason, ...(detail === undefined ? {} : { detail }) })
  const waiting = [...byCoverage(words)]
  while (waiting.length > 0) {
    const batch: FilteredWord[] = []
    while (batch.length < TOGETHER && waiting.length > 0) {
      const [word] = waiting.splice(0, 1)
      if (word === undefined) break
      if (isRedundant(word, kept)) rejected(word, 'redundancy')
      else batch.push(word)
    }
    for (const generalised of await generalise(log, batch, world)) {
      const { word, rules } = generalised
      const result = rules.result()
      const success = 'reason' in result ? 0 : successOf(word, result.exceptions)
      if ('reason' in result) {
        if (result.reason !== 'exceptions') unusable.push(word)
        rejected(word, result.reason, result.detail)
      } else if (success < world.params.success) rejected(word, 'exceptions', success.toFixed(3))
      else if (isRedundant(word, kept)) rejected(word, 'redundancy')
      else kept.push({ symbols: word.symbols, support: word.support, pattern: patternOf(log, generalised, result, world.unit, success) })
    }
  }
  const isUsable = (word: RuledWord): boolean => !unusable.some((other) => isPart(word, other))
  for (const word of kept) if (!isUsable(word)) rejected(word, 'redundancy', 'a part of what a skill cannot do')
  return kept.filter(isUsable)
}

/** Returns the share of occurrences that succeeded and for which the rules hold. Unknown outcomes are left out. */
function successOf({ statistics: { known, succeeded } }: FilteredWord, exceptions: number): number {
  return known === 0 ? 1 : (succeeded - exceptions) / known
}

function patternOf(log: CollapsedLog, { word, places }: Generalised, rules: FoundRules, unit: CostUnit, success: number): MinedPattern {
  const { symbols, support, isMaximal, statistics } = word
  const { occurrences, baseline, candidate, ratio } = statistics
  const texts = Array.from(symbols, (symbol) => log.textOf(symbol))
  const share = support / log.log.runs.length
  const figures = figuresOf(log.log, places, symbols.length)
  return {
    hash: patternHash(texts),
    symbols: texts,
    support,
    share,
    occurrences,
    success,
    isMaximal,
    unit,
    baseline,
    candidate,
    ratio,
    ...figures,
    ...rules,
  }
}

/** Returns the identity of a pattern. */
export function patternHash(symbols: readonly string[]): string {
  return digest(symbols.join('\n')).slice(0, 32)
}

interface Generalised {
  readonly word: FilteredWord
  readonly rules: Generalisation
  /** The places of the occurrences that succeeded. */
  readonly places: readonly number[]
}

async function generalise(log: CollapsedLog, words: readonly FilteredWord[], { params, rows }: RuleWorld): Promise<readonly Generalised[]> {
  const all = words.map((word): Generalised => {
    const { length } = word.symbols
    const places = Array.from(word.occurrences, (place) => log.from[place] ?? 0)
    const isWhole = (place: number): boolean => log.log.ok.subarray(place, place + length).every((ok) => ok !== 0)
    const succeeded = places.filter(isWhole)
    const failed = places.filter((place) => !isWhole(place))
    return { word, places: succeeded, rules: new Generalisation(length, succeeded, failed, params.agreement) }
  })
  await rows.visit(all.flatMap(({ rules }) => rules.first()))
  let open = all
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    await rows.visit(open.flatMap(({ rules }) => rules.propose()))
    if (round < ROUNDS - 1) open = open.filter(({ rules }) => rules.widen())
  }
  return all
}
