import { isObject, type Json } from '../../../kernel/index.ts'
import { didYouMean, quote, quoteAll, suggest } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { typeOf } from './value-text.ts'

/** The ways to combine the values that several children of a parallel node write to one key. */
export const MergeStrategyType = {
  LAST_WINS: 'last_wins',
  FIRST_WINS: 'first_wins',
  COLLECT: 'collect',
  MERGE_DICT: 'merge_dict',
  FAIL_ON_CONFLICT: 'fail',
} as const
export type MergeStrategyType = (typeof MergeStrategyType)[keyof typeof MergeStrategyType]

const TYPES = Object.values(MergeStrategyType)
/** Other names, after `-` and capital letters are gone. */
const ALIASES: ReadonlyMap<string, MergeStrategyType> = new Map([['fail_on_conflict', 'fail']])

/** Returns the strategy of a name: `-` and `_` are the same, and so are small and capital letters. Throws `R1202` for an unknown name. */
export function mergeStrategyType(name: string): MergeStrategyType {
  const word = name.toLowerCase().replaceAll('-', '_')
  const type = TYPES.find((known) => known === word) ?? ALIASES.get(word)
  if (type !== undefined) return type
  const guess = suggest(word, TYPES)
  const hint = didYouMean(guess)
  throw faults.make('R1202', `there is no merge strategy ${quote(name)}${hint === undefined ? '' : `; ${hint}`}`, {
    rule: 'E4002',
    fix: guess === undefined ? `write one of ${quoteAll(TYPES)}` : `write ${quote(guess)}`,
  })
}

/** A value and the place of the child that wrote it. */
export type ChildValue = readonly [index: number, value: Json]

/** Combines the values of several children for one key. The values come in the order of the children; there are at least two. */
export interface MergeStrategy {
  /** Returns the value to write, or undefined for none; and warnings. Throws `R1272` if it cannot combine the values. */
  merge(key: string, values: readonly ChildValue[]): readonly [value: Json | undefined, warnings: readonly string[]]
}

/** The value of the last child that wrote the key. */
export class LastWinsStrategy implements MergeStrategy {
  merge(_key: string, values: readonly ChildValue[]): readonly [Json | undefined, readonly string[]] {
    return [values.at(-1)?.[1], []]
  }
}

/** The value of the first child that wrote the key. */
export class FirstWinsStrategy implements MergeStrategy {
  merge(_key: string, values: readonly ChildValue[]): readonly [Json | undefined, readonly string[]] {
    return [values[0]?.[1], []]
  }
}

/** The list of all values. A value that is a list is one item. */
export class CollectStrategy implements MergeStrategy {
  merge(_key: string, values: readonly ChildValue[]): readonly [Json | undefined, readonly string[]] {
    return [values.map(([, value]) => value), []]
  }
}

/** One object of all values: objects inside are combined as well, and of other values the last counts. */
export class MergeDictStrategy implements MergeStrategy {
  merge(key: string, values: readonly ChildValue[]): readonly [Json | undefined, readonly string[]] {
    const objects = values.map(([, value]) => value)
    if (objects.every(isObject)) return [objects.reduce<Json>(mergeDeep, {}), []]
    const types = objects.map(typeOf)
    throw faults.make('R1272', `the values of ${quote(key)} are not all objects: ${types.join(', ')}`, {
      rule: 'E8002',
      path: key,
      fix: 'let each child write an object, or choose another merge strategy',
      data: { key, types, merge_strategy: MergeStrategyType.MERGE_DICT },
    })
  }
}

/** No value: two writers of one key are a conflict, also with equal values. */
export class FailOnConflictStrategy implements MergeStrategy {
  merge(key: string, values: readonly ChildValue[]): readonly [Json | undefined, readonly string[]] {
    return [undefined, [`Conflict on key '${key}': ${values.length} writers`]]
  }
}

/** The strategies by type. */
export const MERGE_STRATEGIES: Readonly<Record<MergeStrategyType, MergeStrategy>> = {
  last_wins: new LastWinsStrategy(),
  first_wins: new FirstWinsStrategy(),
  collect: new CollectStrategy(),
  merge_dict: new MergeDictStrategy(),
  fail: new FailOnConflictStrategy(),
}

function mergeDeep(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after
  const merged = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(after)) {
    const earlier = merged.get(key)
    merged.set(key, earlier === undefined ? value : mergeDeep(earlier, value))
  }
  return Object.fromEntries(merged)
}
