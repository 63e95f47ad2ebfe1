import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { type Answer, type Forest, forest, leaf, n } from './tree-world.ts'

function over(items: Json | undefined, params: JsonObject = {}, script: readonly Answer[] = ['S']): Promise<Forest> {
  return forest(n('for_each', { id: 'each', collection_key: 'items', index_key: 'index', ...params }, [leaf('a')]), {
    scripts: { a: script },
    input: items === undefined ? {} : { items },
    tree: { board: { items: {}, item: {}, index: {} } },
  })
}

describe('a loop over items', () => {
  // proves: tree 53, tree UB-10
  test.each([[[]], [{}]])('over none succeeds, and nothing is ticked: %j', async (none) => {
    const tree = await over(none)
    expect([tree.run.status, tree.calls, tree.get('_for_each_results')]).toEqual(['completed', [], []])
  })

  // proves: tree 54
  test('fails with a reason if there are too few', async () => {
    const few = await over([], { min_items: 1 })
    expect([few.run.status, few.calls, few.get('_for_each_results')]).toEqual(['failed', [], []])
    expect(few.get('_failure_reason')).toContain('at least 1')
    const enough = await over([1, 2, 3], { min_items: 3 })
    expect([enough.run.status, enough.calls.length]).toEqual(['completed', 3])
  })

  // proves: tree 55
  test.each([[undefined], [null], ['text'], [3]])('fails over what is no collection: %j', async (value) => {
    const tree = await over(value)
    expect([tree.run.status, tree.calls, tree.get('_for_each_results')]).toEqual(['failed', [], []])
    expect(tree.get('_failure_reason')).toContain('items')
  })

  test('ends with the first failure, or notes it; the results are there in both cases', async () => {
    const script: readonly Answer[] = ['S', 'F', 'S']
    const stopped = await over(['x', 'y', 'z'], {}, script)
    expect([stopped.run.status, stopped.get('_for_each_results')]).toEqual([
      'failed',
      [
        { index: 0, status: 'success', item: 'x' },
        { index: 1, status: 'failure', item: 'y' },
      ],
    ])
    const whole = await over(['x', 'y', 'z'], { continue_on_failure: true }, script)
    expect([whole.run.status, (whole.get('_for_each_results') as readonly JsonObject[]).map(({ status }) => status)]).toEqual([
      'completed',
      ['success', 'failure', 'success'],
    ])
  })

  test('reads the latest of many writes of one tick', async () => {
    const items = Array.from({ length: 200 }, (_, i) => i)
    const add = n('set', { key: 'sum', expression: 'bb.sum + bb.item + bb.index' })
    const tree = await forest(n('for_each', { collection_key: 'items', index_key: 'index' }, [add]), {
      input: { items, sum: 0 },
      tree: { board: { items: {}, item: {}, index: {}, sum: {} } },
    })
    expect([tree.run.status, tree.get('sum'), tree.get('item'), tree.get('index')]).toEqual(['completed', 39_800, undefined, undefined])
  })

  test('stays at an item while its child is RUNNING, and leaves no key behind', async () => {
    const tree = await forest(n('for_each', { collection_key: 'items', index_key: 'index' }, [n('wait', { wait_ms: 10 })]), {
      input: { items: { a: 1, b: 2 } },
      stays: true,
      tree: { board: { item: {}, index: {} } },
    })
    expect([tree.get('item'), tree.get('index')]).toEqual([{ key: 'a', value: 1 }, 0])
    await tree.pass(10)
    expect([tree.get('item'), tree.get('index')]).toEqual([{ key: 'b', value: 2 }, 1])
    await tree.pass(10)
    expect([tree.get('item'), tree.get('index'), tree.get('_for_each_results')]).toEqual([
      undefined,
      undefined,
      [
        { index: 0, status: 'success', item: { key: 'a', value: 1 } },
        { index: 1, status: 'success', item: { key: 'b', value: 2 } },
      ],
    ])
  })

  test('goes over the items that were there when it began', async () => {
    const grow = n('set', { key: 'items', value: [] })
    const tree = await forest(n('for_each', { collection_key: 'items' }, [n('sequence', {}, [grow, leaf('a')])]), {
      scripts: { a: ['S'] },
      input: { items: [1, 2] },
      tree: { board: { item: {} } },
    })
    expect([tree.run.status, tree.calls.length]).toEqual(['completed', 2])
  })

  test('does not touch a key of the tree that has the name of its item when it has no items', async () => {
    const tree = await forest(n('for_each', { collection_key: 'items' }, [leaf('a')]), {
      scripts: { a: ['S'] },
      input: { items: [], item: 'mine' },
    })
    expect(tree.get('item')).toBe('mine')
  })

  test('fails if an item does not fit its schema, with its results', async () => {
    const tree = await forest(n('for_each', { collection_key: 'items' }, [leaf('a')]), {
      scripts: { a: ['S'] },
      input: { items: [1, 'two'] },
      tree: { board: { item: { type: 'int' } } },
    })
    expect([tree.run.status, tree.calls.length, tree.get('item')]).toEqual(['failed', 1, undefined])
    expect((tree.get('_for_each_results') as readonly JsonObject[]).map(({ status }) => status)).toEqual(['success', 'failure'])
  })
})
