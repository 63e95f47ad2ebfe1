import { type Fault, isFault, type Json } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { isReserved } from './board-faults.ts'
import { type ChildValue, MERGE_STRATEGIES, MergeStrategyType } from './merge-strategy.ts'
import { typeOf, valuePreview } from './value-text.ts'

/** What a child of a parallel node has written. */
export interface ChildWrites {
  /** The place among the children, from 0. */
  readonly index: number
  readonly id: string
  readonly writes: ReadonlyMap<string, Json>
}

/** The strategy of each key. */
export interface MergeStrategies {
  readonly default: MergeStrategyType
  readonly keys?: Readonly<Record<string, MergeStrategyType>>
}

/** A key that several children wrote under the strategy `fail`. */
export interface MergeConflict {
  readonly key: string
  /** The ids of the children. */
  readonly writers: readonly string[]
  /** The beginning of each value. */
  readonly previews: readonly string[]
}

/** The combined writes of the children of a parallel node. */
export interface MergedWrites {
  /** The values to write, in the order in which the keys were first written. */
  readonly writes: readonly (readonly [key: string, value: Json])[]
  readonly conflicts: readonly MergeConflict[]
  /** The reasons why keys are not written: `R1271` for each conflict, `R1272` for values that cannot be combined. */
  readonly faults: readonly Fault[]
}

interface Writer {
  readonly id: string
  readonly value: ChildValue
}

/**
 * Combines the writes of children. A value that only one child wrote is unchanged under every strategy; keys of the runtime are left out. `check`
 * returns the fault for a value that may not be written to the parent. A key that is refused does not affect the others. Pure.
 */
export function mergeWrites(
  children: readonly ChildWrites[],
  strategies: MergeStrategies,
  check: (key: string, value: Json) => Fault | undefined,
): MergedWrites {
  const writes: [string, Json][] = []
  const conflicts: MergeConflict[] = []
  const refused: Fault[] = []
  for (const [key, writers] of writersByKey(children)) {
    const strategy = strategyOf(strategies, key)
    try {
      const value = combined(key, writers, strategy)
      if (value === undefined) {
        conflicts.push(conflictOf(key, writers))
        refused.push(conflictFault(key, writers))
        continue
      }
      const fault = check(key, value)
      if (fault === undefined) writes.push([key, value])
      else refused.push(fault.rule === 'E1002' ? misfit(key, writers, strategy, fault) : fault)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      refused.push(thrown)
    }
  }
  return { writes, conflicts, faults: refused }
}

function writersByKey(children: readonly ChildWrites[]): Map<string, Writer[]> {
  const byKey = new Map<string, Writer[]>()
  for (const { index, id, writes } of children.toSorted((a, b) => a.index - b.index)) {
    for (const [key, value] of writes) {
      if (isReserved(key)) continue
      const writers = byKey.get(key) ?? []
      writers.push({ id, value: [index, value] })
      byKey.set(key, writers)
    }
  }
  return byKey
}

/** Global writes of a child of a parallel node stand in its scope under this prefix until they are merged. */
export const GLOBAL_PREFIX = '@'

function strategyOf({ default: usual, keys = {} }: MergeStrategies, key: string): MergeStrategyType {
  const name = key.startsWith(GLOBAL_PREFIX) ? key.slice(GLOBAL_PREFIX.length) : key
  return (Object.hasOwn(keys, name) ? keys[name] : undefined) ?? usual
}

function combined(key: string, writers: readonly Writer[], strategy: MergeStrategyType): Json | undefined {
  const values = writers.map(({ value }) => value)
  return values.length === 1 ? values[0]?.[1] : MERGE_STRATEGIES[strategy].merge(key, values)[0]
}

function conflictOf(key: string, writers: readonly Writer[]): MergeConflict {
  return { key, writers: writers.map(({ id }) => id), previews: previewsOf(writers) }
}

function previewsOf(writers: readonly Writer[]): string[] {
  return writers.map(({ value: [, value] }) => valuePreview(value))
}

function conflictFault(key: string, writers: readonly Writer[]): Fault {
  const ids = writers.map(({ id }) => id).join(', ')
  return faults.make('R1271', `${writers.length} children wrote ${quote(key)}: ${ids}`, {
    rule: 'E8001',
    path: key,
    fix: 'let each child write a key of its own, or choose another merge strategy for the key',
    data: {
      key,
      writer_count: writers.length,
      child_values: previewsOf(writers),
      merge_strategy: MergeStrategyType.FAIL_ON_CONFLICT,
      children: writers.map(({ id, value: [, value] }) => ({ child_id: id, value_preview: valuePreview(value) })),
    },
  })
}

function misfit(key: string, writers: readonly Writer[], strategy: MergeStrategyType, cause: Fault): Fault {
  const how = writers.length === 1 ? `${writers[0]?.id} wrote` : `${strategy} gives`
  return faults.make('R1272', `the value that ${how} for ${quote(key)} does not fit its schema`, {
    rule: 'E8002',
    path: key,
    fix: strategy === 'collect' ? `register ${quote(key)} as a list, or choose another merge strategy` : 'choose another merge strategy',
    data: { key, types: writers.map(({ value: [, value] }) => typeOf(value)), merge_strategy: strategy },
    cause,
  })
}
