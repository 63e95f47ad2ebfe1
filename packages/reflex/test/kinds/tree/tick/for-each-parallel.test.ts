import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { Doors } from '../../../kernel/world.ts'
import { differenceOf, payloads } from '../leaves/leaf-world.ts'
import { type Forest, forest, type ForestOptions, leaf, n } from './tree-world.ts'

/** Looks an item up with a tool, and writes the result and a note. */
const look = (): NodeSource => n('tool', { id: 'look', tool: 'find', args: { host: '${bb.item}' }, output: 'found' })
const note = (): NodeSource => n('set', { id: 'note', key: 'notes', expression: 'bb.item .. "=" .. bb.found' })
const body = (): NodeSource => n('sequence', { id: 'body' }, [look(), note()])

async function over(
  items: JsonObject[string],
  params: JsonObject = {},
  options: ForestOptions & { readonly child?: NodeSource } = {},
): Promise<{ tree: Forest; doors: Doors }> {
  const doors = new Doors()
  const { child = body(), ...rest } = options
  const tree = await forest(
    n('for_each', { id: 'each', collection_key: 'items', index_key: 'index', parallel: true, ...params }, [child]),
    {
      ports: { tool: doors.port() },
      input: { items },
      ...rest,
      tree: { board: { item: {}, index: {}, found: {}, notes: {} }, ...rest.tree },
    },
  )
  return { tree, doors }
}

const asked = ({ open }: Doors): unknown[] => open.map(({ args }) => ((args as JsonObject).args as JsonObject).host)

describe('a parallel loop over items', () => {
  test('ticks all items side by side, each with its own item, and merges what they write in their order', async () => {
    const { tree, doors } = await over(['a', 'b', 'c'])
    expect(asked(doors)).toEqual(['a', 'b', 'c'])
    for (const place of [2, 0, 1]) {
      doors.door(place).settle(place + 1)
      await tree.pass(0)
    }
    expect([tree.run.status, tree.get('notes'), tree.get('found')]).toEqual(['completed', ['a=1', 'b=2', 'c=3'], [1, 2, 3]])
    expect([tree.get('item'), tree.get('index'), tree.get('_for_each.each')]).toEqual([undefined, undefined, undefined])
    expect(tree.get('_for_each_results')).toEqual(['a', 'b', 'c'].map((item, index) => ({ index, status: 'success', item })))
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('max_concurrent bounds the items between start and end', async () => {
    const { tree, doors } = await over(['a', 'b', 'c', 'd', 'e'], { max_concurrent: 2 })
    const ended = new Set<number>()
    for (let count = 0; count < 5; count++) {
      expect(doors.open.length - ended.size).toBeLessThanOrEqual(2)
      const next = doors.open.findLastIndex((_, place) => !ended.has(place))
      ended.add(next)
      doors.door(next).settle(next)
      await tree.pass(0)
    }
    expect([tree.run.status, asked(doors)]).toEqual(['completed', ['a', 'b', 'c', 'd', 'e']])
  })

  test('an item that fails ends the loop: the others are halted, no other begins, and what was done is merged', async () => {
    const { tree, doors } = await over(['a', 'b', 'c', 'd'], { max_concurrent: 3 })
    doors.door(0).settle(1)
    await tree.pass(0)
    doors.door(1).fail(new Error('no route'))
    await tree.pass(0)
    expect([tree.run.status, asked(doors), doors.open.map(({ signal }) => signal.aborted)]).toEqual([
      'failed',
      ['a', 'b', 'c', 'd'],
      [false, false, true, true],
    ])
    expect([tree.get('notes'), tree.get('_for_each_results')]).toEqual([
      'a=1',
      [
        { index: 0, status: 'success', item: 'a' },
        { index: 1, status: 'failure', item: 'b' },
        { index: 2, status: 'cancelled', item: 'c' },
        { index: 3, status: 'cancelled', item: 'd' },
      ],
    ])
    expect(tree.get('_failure_reason')).toMatch('item 1 failed')
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('with continue_on_failure a failed item is noted, and the loop succeeds', async () => {
    const { tree, doors } = await over(['a', 'b'], { continue_on_failure: true })
    doors.door(0).fail(new Error('no route'))
    doors.door(1).settle(2)
    await tree.pass(0)
    expect([tree.run.status, tree.get('notes')]).toEqual(['completed', 'b=2'])
    expect((tree.get('_for_each_results') as readonly JsonObject[]).map(({ status }) => status)).toEqual(['failure', 'success'])
  })

  test.each([
    [{ merge_strategy: 'last_wins' }, 'b=2', [1, 2]],
    [{ merge_strategy: 'first_wins', per_key_strategies: { found: 'last_wins' } }, 'a=1', 2],
  ])('%j', async (params, notes, found) => {
    const { tree, doors } = await over(['a', 'b'], { per_key_strategies: { found: 'collect' }, ...params })
    doors.door(0).settle(1)
    doors.door(1).settle(2)
    await tree.pass(0)
    expect([tree.get('notes'), tree.get('found')]).toEqual([notes, found])
  })

  test('two items that write one key are a conflict under fail', async () => {
    const { tree, doors } = await over(['a', 'b'], { merge_strategy: 'fail', per_key_strategies: { found: 'collect' } })
    doors.door(0).settle(1)
    doors.door(1).settle(2)
    await tree.pass(0)
    expect([tree.run.status, tree.get('notes'), tree.get('found')]).toEqual(['failed', undefined, [1, 2]])
    expect(payloads(tree, 'tree.parallel.conflict')).toMatchObject([{ parallel_node_id: 'each', key: 'notes', writer_count: 2 }])
  })

  test('an item that does not fit its schema fails without being ticked', async () => {
    const { tree, doors } = await over(
      [1, 'two', 3],
      { continue_on_failure: true },
      { child: look(), tree: { board: { item: { type: 'int' }, index: {}, found: {} } } },
    )
    expect(asked(doors)).toEqual([1, 3])
    doors.door(0).settle(1)
    doors.door(1).settle(3)
    await tree.pass(0)
    expect([tree.run.status, (tree.get('_for_each_results') as readonly JsonObject[]).map(({ status }) => status)]).toEqual([
      'completed',
      ['success', 'failure', 'success'],
    ])
  })

  test('loops can stand in loops and in references, and run again with more items', async () => {
    const inner = {
      format: 1 as const,
      id: 'inner',
      board: { row: {}, cell: {}, sum: {} },
      root: n('for_each', { id: 'cells', collection_key: 'row', item_key: 'cell', parallel: true }, [
        n('set', { id: 'add', key: 'sum', expression: 'bb.cell * 2' }),
      ]),
    }
    const root = n('for_each', { id: 'rows', collection_key: 'items', parallel: true }, [
      n('subtree_ref', { id: 'ref', tree_name: 'inner', bind: { row: 'item' }, export: { sums: 'sum' } }),
    ])
    const tree = await forest(n('sequence', { id: 'all' }, [root, leaf('next')]), {
      scripts: {
        next: [
          {
            items: [
              [1, 2],
              [3, 4, 5],
              [6, 7],
            ],
          },
          'S',
        ],
      },
      trees: [inner],
      input: {
        items: [
          [1, 2],
          [3, 4],
        ],
      },
      stays: true,
      tree: { board: { item: {}, sums: {} } },
    })
    expect(tree.get('sums')).toEqual([
      [2, 4],
      [6, 8],
    ])
    await tree.event('again')
    expect(tree.get('sums')).toEqual([
      [2, 4],
      [6, 8, 10],
      [12, 14],
    ])
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('is halted with all of its items, also after the process has died', async () => {
    const { tree, doors } = await over(['a', 'b', 'c'])
    await tree.run.cancel('user_request')
    await tree.pass(0)
    expect([tree.run.status, doors.open.map(({ signal }) => signal.aborted)]).toEqual(['cancelled', [true, true, true]])
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('has at most 1000 items', async () => {
    const { tree } = await over(Array.from({ length: 1001 }, (_, i) => i))
    expect([tree.run.status, payloads(tree, 'tree.failed')[0]?.error_message]).toEqual([
      'failed',
      'each has 1001 items, and a parallel loop has at most 1000',
    ])
  })
})
