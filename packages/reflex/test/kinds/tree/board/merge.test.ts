import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../../src/kernel/index.ts'
import { type MergeStrategies, mergeWrites } from '../../../../src/kinds/tree/board/merge.ts'
import { MERGE_STRATEGIES, MergeStrategyType, mergeStrategyType } from '../../../../src/kinds/tree/board/merge-strategy.ts'
import { ParallelMerger } from '../../../../src/kinds/tree/board/parallel-merger.ts'
import type { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { boardOf, faultOf } from './board-fixtures.ts'

const { LAST_WINS, FIRST_WINS, COLLECT, MERGE_DICT, FAIL_ON_CONFLICT } = MergeStrategyType

/** Merges values of one key, one for each child. */
function mergeValues(strategy: MergeStrategyType, values: readonly Json[], keys?: MergeStrategies['keys']) {
  const children = values.map((value, index) => ({ index, id: `c${index}`, writes: new Map([['k', value]]) }))
  const { writes, conflicts, faults } = mergeWrites(
    children,
    { default: strategy, ...(keys === undefined ? {} : { keys }) },
    () => undefined,
  )
  return { value: Object.fromEntries(writes)['k'], conflicts, rules: faults.map(({ rule }) => rule) }
}

describe('merged writes', () => {
  // proves: tree 102
  test.each<[MergeStrategyType, Json, Json]>([
    [LAST_WINS, { b: 2 }, { a: { y: 3 } }],
    [FIRST_WINS, { a: { x: 1 } }, { a: { x: 1 } }],
    [COLLECT, [{ a: { x: 1 } }, { b: 2 }], [{ a: { x: 1 } }, { b: 2 }, { a: { y: 3 } }]],
    [MERGE_DICT, { a: { x: 1 }, b: 2 }, { a: { x: 1, y: 3 }, b: 2 }],
  ])('of one, two and three children: %s', (strategy, two, three) => {
    const values = [{ a: { x: 1 } }, { b: 2 }, { a: { y: 3 } }]
    expect(mergeValues(strategy, [])).toEqual({ value: undefined, conflicts: [], rules: [] })
    expect(mergeValues(strategy, values.slice(0, 1))).toEqual({ value: values[0], conflicts: [], rules: [] })
    expect(mergeValues(strategy, values.slice(0, 2)).value).toEqual(two)
    expect(mergeValues(strategy, values).value).toEqual(three)
  })

  test.each(Object.values(MergeStrategyType))('of a single child are unchanged: %s', (strategy) => {
    for (const value of [1, null, 'x', [1], { a: 1 }]) expect(mergeValues(strategy, [value])).toEqual({ value, conflicts: [], rules: [] })
  })

  // proves: tree 28
  test('conflict under fail, also with equal values', () => {
    const { value, conflicts, rules } = mergeValues(FAIL_ON_CONFLICT, [1, 1])
    expect(value).toBeUndefined()
    expect(conflicts).toEqual([{ key: 'k', writers: ['c0', 'c1'], previews: ['1', '1'] }])
    expect(rules).toEqual(['E8001'])
  })

  test('under merge_dict must be objects; later values and lists replace earlier ones', () => {
    expect(mergeValues(MERGE_DICT, [{ a: 1 }, 5]).rules).toEqual(['E8002'])
    expect(mergeValues(MERGE_DICT, [{ a: 1 }, null]).rules).toEqual(['E8002'])
    expect(
      mergeValues(MERGE_DICT, [
        { a: [1], b: { c: 1 } },
        { a: [2], b: 3 },
      ]).value,
    ).toEqual({ a: [2], b: 3 })
    const hostile = JSON.parse('{"__proto__": {"x": 1}}') as Json
    const { value } = mergeValues(MERGE_DICT, [hostile, JSON.parse('{"__proto__": {"y": 2}}') as Json])
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1,"y":2}}')
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('follow the places of the children, leave out keys of the runtime, and have strategies by key', () => {
    const children = [
      {
        index: 2,
        id: 'c',
        writes: new Map<string, Json>([
          ['k', 'c'],
          ['_k', 1],
          ['only', 1],
        ]),
      },
      {
        index: 0,
        id: 'a',
        writes: new Map<string, Json>([
          ['l', 'a'],
          ['k', 'a'],
          ['@g', 1],
        ]),
      },
      {
        index: 1,
        id: 'b',
        writes: new Map<string, Json>([
          ['l', 'b'],
          ['@g', 2],
        ]),
      },
    ]
    const { writes } = mergeWrites(children, { default: LAST_WINS, keys: { l: COLLECT, g: FIRST_WINS } }, () => undefined)
    expect(writes).toEqual([
      ['l', ['a', 'b']],
      ['k', 'c'],
      ['@g', 1],
      ['only', 1],
    ])
  })
})

describe('the names of strategies', () => {
  test('are those of the seed, in any spelling (C8)', () => {
    const names = ['last_wins', 'Last-Wins', 'FIRST_WINS', 'collect', 'merge-dict', 'fail', 'fail_on_conflict', 'FAIL-ON-CONFLICT']
    expect(names.map(mergeStrategyType)).toEqual(['last_wins', 'last_wins', 'first_wins', 'collect', 'merge_dict', 'fail', 'fail', 'fail'])
    expect(faultOf(() => mergeStrategyType('colect'))).toMatchObject({ code: 'R1202', rule: 'E4002', fix: 'write "collect"' })
    expect(faultOf(() => mergeStrategyType('')).code).toBe('R1202')
    expect(
      MERGE_STRATEGIES[FAIL_ON_CONFLICT].merge('k', [
        [0, 1],
        [1, 2],
      ]),
    ).toEqual([undefined, ["Conflict on key 'k': 2 writers"]])
  })
})

describe('a merger', () => {
  const schemas = { a: 'int', b: 'int', c: 'int', list: 'list', any: 'any' }

  /** Makes children of a root that write values by key. */
  function childrenOf(board: TypedBlackboard, ...writes: Readonly<Record<string, unknown>>[]): TypedBlackboard[] {
    return writes.map((values, i) => {
      const child = board.createChildScope(`child${i}`)
      for (const [key, value] of Object.entries(values)) child.set(key, value)
      return child
    })
  }

  // proves: tree 27, tree 29
  test('keeps a key in conflict, writes the others, and reports each conflict', () => {
    const { board, events } = boardOf(schemas)
    board.set('a', 0)
    const merger = new ParallelMerger('fail')
    const result = merger.merge(board, childrenOf(board, { a: 1, b: 1 }, { a: 1, c: 2 }))
    expect(result).toMatchObject({ mergedKeys: ['b', 'c'], hasConflicts: true, errors: [{ code: 'R1271', rule: 'E8001' }] })
    expect(result.conflicts).toEqual(["Conflict on key 'a': 2 writers (child0, child1)"])
    expect(board.snapshot()).toEqual({
      a: 0,
      b: 1,
      c: 2,
      _parallel_conflicts: [{ key: 'a', writers: ['child0', 'child1'], previews: ['1', '1'] }],
    })
    expect(events).toMatchObject([
      {
        type: 'tree.parallel.conflict',
        severity: 'warning',
        payload: {
          key: 'a',
          writer_count: 2,
          alias: 'parallel.merge.conflict',
          children: [
            { child_id: 'child0', value_preview: '1' },
            { child_id: 'child1', value_preview: '1' },
          ],
        },
      },
    ])
  })

  test('collects by default, and refuses a list for a key that is none (C3, C4)', () => {
    const { board } = boardOf(schemas)
    board.set('a', 0)
    const result = new ParallelMerger().merge(board, childrenOf(board, { a: 1, any: 'x', list: [1] }, { a: 2, any: 'y', b: 1 }))
    expect(board.snapshot()).toEqual({ a: 0, any: ['x', 'y'], list: [1], b: 1 })
    expect(result).toMatchObject({
      mergedKeys: ['any', 'list', 'b'],
      conflicts: [],
      hasConflicts: false,
      errors: [
        { code: 'R1272', rule: 'E8002', data: { key: 'a', types: ['int', 'int'], merge_strategy: 'collect' }, cause: { rule: 'E1002' } },
      ],
    })
    expect(board.get('_parallel_conflicts')).toBeNull()
  })

  test('has strategies for keys, and moves the values', () => {
    const { board } = boardOf(schemas, { limit: 300 })
    const merger = new ParallelMerger(LAST_WINS)
    merger.configure('any', 'merge-dict')
    const children = childrenOf(board, { any: { x: 'x'.repeat(100) }, a: 1 }, { any: { y: 'y'.repeat(100) }, a: 2 })
    const result = merger.merge(board, children)
    expect(result.errors).toEqual([])
    expect(board.snapshot()).toEqual({ any: { x: 'x'.repeat(100), y: 'y'.repeat(100) }, a: 2 })
    expect(children.map((child) => child.debugInfo()['key_count'])).toEqual([0, 0])
  })

  // proves: tree 78
  test('writes global values that children have staged, which siblings do not see before', () => {
    const { board } = boardOf({ ...schemas, tree: 'int' })
    const tree = board.createChildScope('tree')
    board.set('a', 0)
    const [first, second] = ['c0', 'c1'].map((name) => tree.createChildScope(name, { staged: true }))
    if (first === undefined || second === undefined) throw new Error('two children')
    const inner = first.createChildScope('inner')
    inner.setGlobal('a', 1)
    expect([inner.get('a'), first.get('a'), second.get('a'), board.get('a')]).toEqual([1, 1, 0, 0])
    expect(first.snapshot()).toEqual({ a: 1 })
    second.set('tree', 3)
    second.setGlobal('a', 2)
    const result = new ParallelMerger(LAST_WINS).merge(tree, [first, second])
    expect(result.mergedKeys).toEqual(['tree', 'a'])
    expect([board.snapshot(), tree.snapshot()]).toEqual([{ a: 2 }, { a: 2, tree: 3 }])
    expect(first.has('tree')).toBe(true)
  })

  test('in a child of another parallel node stages global values once more', () => {
    const { board } = boardOf(schemas)
    const outer = board.createChildScope('outer', { staged: true })
    const inner = outer.createChildScope('inner', { staged: true })
    inner.setGlobal('a', 1)
    new ParallelMerger().merge(outer, [inner])
    expect([board.has('a'), outer.get('a')]).toEqual([false, 1])
    new ParallelMerger().merge(board, [outer])
    expect(board.get('a')).toBe(1)
  })

  test('does not send a value through its schema twice', () => {
    const { board } = boardOf({ t: z.string().transform((text) => text.length) })
    const [child] = childrenOf(board, { t: 'abc' })
    if (child === undefined) throw new Error('one child')
    expect(new ParallelMerger().merge(board, [child])).toMatchObject({ mergedKeys: ['t'], errors: [] })
    expect(board.get('t')).toBe(3)
  })

  test('reports a key that the parent does not have, and refuses scopes of others', () => {
    const { board } = boardOf(schemas)
    const child = board.createChildScope('child')
    child.register('mine', 'int')
    child.set('mine', 1)
    expect(new ParallelMerger().merge(board, [child]).errors).toMatchObject([{ rule: 'E1001' }])
    expect(faultOf(() => new ParallelMerger().merge(board, [board])).code).toBe('R1090')
    expect(faultOf(() => new ParallelMerger().merge(child, [board.createChildScope('sibling')])).code).toBe('R1090')
    expect(faultOf(() => new ParallelMerger('sum')).code).toBe('R1202')
  })
})
