import { array, assert, constantFrom, dictionary, integer, jsonValue, oneof, property, record, subarray, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, copyJson, isObject, type Json } from '../../../../src/kernel/index.ts'
import { mergeWrites } from '../../../../src/kinds/tree/board/merge.ts'
import { MergeStrategyType } from '../../../../src/kinds/tree/board/merge-strategy.ts'
import { ParallelMerger } from '../../../../src/kinds/tree/board/parallel-merger.ts'
import { setInternal } from '../../../../src/kinds/tree/board/internal-writes.ts'
import { scopeOf, TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { valuePreview } from '../../../../src/kinds/tree/board/value-text.ts'

const KEYS = ['a', 'b', 'c'] as const
const LIMIT = 200

const json = jsonValue({ maxDepth: 2, stringUnit: 'binary' }).map((value) => copyJson(value, 'value'))

/** An operation in one of the scopes that are there; `pick` chooses it. */
const operation = record({
  pick: integer({ min: 0, max: 100 }),
  key: constantFrom(...KEYS),
  value: json,
  verb: constantFrom('set', 'setGlobal', 'delete', 'child', 'staged', 'clear', 'internal', 'merge'),
})

/** A scope of the model: plain maps. */
interface Model {
  readonly parent: Model | undefined
  readonly values: Map<string, Json>
  readonly staged: Map<string, Json> | undefined
}

function chainOf(scope: Model): Model[] {
  return scope.parent === undefined ? [scope] : [scope, ...chainOf(scope.parent)]
}

/** The merged view, written down layer by layer: root, staged global values, inner scopes. */
function view(scope: Model): Record<string, Json> {
  const chain = chainOf(scope).toReversed()
  const layers = [chain[0]?.values, ...chain.map(({ staged }) => staged), ...chain.slice(1).map(({ values }) => values)]
  return Object.fromEntries(layers.flatMap((layer) => [...(layer ?? [])]))
}

function globalsOf(scope: Model): Map<string, Json> {
  const stage = chainOf(scope).find(({ staged }) => staged !== undefined)?.staged
  return stage ?? chainOf(scope).at(-1)?.values ?? new Map<string, Json>()
}

function sizeOf(scopes: readonly Model[]): number {
  const entries = scopes.flatMap(({ values, staged }) => [...values, ...(staged ?? [])])
  return entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value)), 0)
}

class Pair {
  readonly scopes: { readonly board: TypedBlackboard; readonly model: Model }[]

  constructor(limit: number) {
    const board = new TypedBlackboard(undefined, 'root', { limit })
    for (const key of KEYS) board.register(key, 'any')
    this.scopes = [{ board, model: { parent: undefined, values: new Map(), staged: undefined } }]
  }

  get models(): Model[] {
    return this.scopes.map(({ model }) => model)
  }

  /** Writes to the model unless that would exceed the limit. */
  put(target: Map<string, Json>, key: string, value: Json, limit: number): boolean {
    const before = target.get(key)
    target.set(key, value)
    if (sizeOf(this.models) <= limit) return true
    if (before === undefined) target.delete(key)
    else target.set(key, before)
    return false
  }
}

test('a blackboard behaves as nested maps do, and counts its size exactly', () => {
  assert(
    property(array(operation, { maxLength: 40 }), constantFrom(LIMIT, 1_000_000), (operations, limit) => {
      const pair = new Pair(limit)
      for (const { pick, key, value, verb } of operations) {
        const { board, model } = pair.scopes[pick % pair.scopes.length] ?? pair.scopes[0] ?? never()
        if (verb === 'set') expect(board.trySet(key, value).ok).toBe(pair.put(model.values, key, value, limit))
        else if (verb === 'setGlobal')
          expect(succeeds(() => board.setGlobal(key, value))).toBe(pair.put(globalsOf(model), key, value, limit))
        else if (verb === 'delete') expect(board.delete(key)).toBe(model.values.delete(key))
        else if (verb === 'clear') {
          board.clear()
          for (const known of KEYS) model.values.delete(known)
          model.staged?.clear()
        } else if (verb === 'internal') {
          if (!pair.put(model.values, `_${key}`, value, limit)) continue
          setInternal(scopeOf(board), `_${key}`, value)
        } else if (verb === 'child' || verb === 'staged') {
          const child = board.createChildScope('scope', { staged: verb === 'staged' })
          pair.scopes.push({ board: child, model: { parent: model, values: new Map(), staged: verb === 'staged' ? new Map() : undefined } })
        } else mergeInto(pair, board, model, limit)
        expect(board.getSizeBytes()).toBe(sizeOf(pair.models))
        for (const known of KEYS) expect(board.has(known)).toBe(view(model)[known] !== undefined)
      }
      for (const { board, model } of pair.scopes) {
        expect(board.snapshot()).toEqual(view(model))
        for (const known of KEYS) expect(board.get(known)).toEqual(view(model)[known] ?? null)
      }
    }),
  )
})

/** Merges the children of a scope under last_wins: in the model, the later child overwrites. */
function mergeInto(pair: Pair, board: TypedBlackboard, model: Model, limit: number): void {
  const children = pair.scopes.filter((scope) => scope.model.parent === model)
  new ParallelMerger('last_wins').merge(
    board,
    children.map((child) => child.board),
  )
  const local = new Map(children.flatMap((child) => [...child.model.values].filter(([key]) => !key.startsWith('_'))))
  const global = new Map(children.flatMap((child) => [...(child.model.staged ?? [])]))
  for (const child of children) {
    child.model.values.clear()
    child.model.staged?.clear()
  }
  for (const [key, value] of local) pair.put(model.values, key, value, limit)
  for (const [key, value] of global) pair.put(globalsOf(model), key, value, limit)
}

function succeeds(call: () => void): boolean {
  try {
    call()
    return true
  } catch {
    return false
  }
}

function never(): never {
  throw new Error('there is always a root')
}

const strategy = constantFrom(...Object.values(MergeStrategyType))
const dict = dictionary(constantFrom('x', 'y', 'z'), oneof(integer(), dictionary(constantFrom('p', 'q'), integer())))
const children = array(dictionary(constantFrom(...KEYS, '_r'), oneof(json, dict)), { maxLength: 4 })

/** Combines values as the reference describes it, in the plainest way; undefined if they cannot be combined. */
function naive(type: MergeStrategyType, values: readonly Json[]): Json | undefined {
  if (values.length === 1) return values[0]
  switch (type) {
    case 'last_wins':
      return values[values.length - 1]
    case 'first_wins':
      return values[0]
    case 'collect':
      return [...values]
    case 'merge_dict':
      return values.every(isObject) ? deepMerged(values) : undefined
    default:
      return undefined
  }
}

/** The keys of all objects; where every later value of a key is an object again, one level deeper. */
function deepMerged(objects: readonly { readonly [key: string]: Json }[]): Json {
  const keys = new Set(objects.flatMap((object) => Object.keys(object)))
  return Object.fromEntries(
    [...keys].map((key) => {
      const values = objects.flatMap((object) => (Object.hasOwn(object, key) ? [object[key] ?? null] : []))
      const rest = values.slice(values.findLastIndex((value) => !isObject(value)) + 1).filter(isObject)
      return [key, rest.length === 0 ? (values.at(-1) ?? null) : deepMerged(rest)]
    }),
  )
}

test('merged writes equal a naive combination, key by key', () => {
  assert(
    property(children, strategy, subarray([...KEYS]), tuple(strategy, strategy, strategy), (writes, usual, chosen, others) => {
      const keys = Object.fromEntries(chosen.map((key, i) => [key, others[i] ?? usual]))
      const given = writes.map((values, index) => ({
        index,
        id: `c${index}`,
        writes: new Map(Object.entries(values as Record<string, Json>)),
      }))
      const merged = mergeWrites(given, { default: usual, keys }, () => undefined)
      const result = new Map(merged.writes)
      for (const key of KEYS) {
        const values = writes.flatMap((values) => (Object.hasOwn(values, key) ? [copyJson(values[key], key)] : []))
        const expected = values.length === 0 ? undefined : naive(keys[key] ?? usual, values)
        expect(canonicalJson(result.get(key) ?? null)).toBe(canonicalJson(expected ?? null))
        expect(result.has(key)).toBe(expected !== undefined)
        expect(merged.conflicts.some((conflict) => conflict.key === key)).toBe((keys[key] ?? usual) === 'fail' && values.length > 1)
      }
      expect(result.has('_r')).toBe(false)
      expect(merged.faults.length).toBe(
        KEYS.filter((key) => !result.has(key) && writes.some((values) => Object.hasOwn(values, key))).length,
      )
    }),
  )
})

test('a preview has at most 100 characters and does not throw', () => {
  assert(property(jsonValue(), (value) => valuePreview(value).length <= 100))
})
