import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type Answer, type Forest, forest, leaf, n } from './tree-world.ts'

const eventsOf = ({ events }: Forest, wanted: string): readonly JsonObject[] =>
  events.filter(([type]) => type === wanted).map(([, payload]) => payload)

/** A parallel node over leaves a, b, c, … with these scripts. */
function over(params: JsonObject, scripts: readonly (readonly Answer[])[], more: Parameters<typeof forest>[1] = {}): Promise<Forest> {
  const names = ['a', 'b', 'c', 'd'].slice(0, scripts.length)
  const byName = Object.fromEntries(names.map((name, i) => [name, scripts[i] ?? []]))
  return forest(n('parallel', { id: 'p', ...params }, names.map(leaf)), { ...more, scripts: { ...byName, ...more.scripts } })
}

/** A leaf that is RUNNING for so long. */
const wait = (id: string, wait_ms = 1_000): NodeSource => n('wait', { id, wait_ms })
const set = (id: string, key: string, value: string | number): NodeSource => n('set', { id, key, value })

describe('keys that several children write', () => {
  // proves: tree 26, tree 27, tree 28, tree 29, tree UB-05
  test.each(['require_all', 'require_one', 'require_n'])('are a failure under `fail`, whatever the policy: %s', async (policy) => {
    const tree = await over({ policy, n: 1, merge_strategy: 'fail' }, [[{ k: 1, mine: 'a' }], [{ k: 1 }], [{ free: 3 }]], {
      input: { k: 'before' },
    })
    expect([tree.run.status, tree.get('k'), tree.get('mine'), tree.get('free')]).toEqual(['failed', 'before', 'a', 3])
    const conflict = { key: 'k', writers: ['a', 'b'], child_values: ['1', '1'] }
    expect([tree.get('_parallel_conflicts'), tree.get('_parallel_p_conflicts')]).toEqual([[conflict], [conflict]])
    expect(eventsOf(tree, 'tree.parallel.conflict')).toEqual([
      {
        tree_id: 'main',
        parallel_node_id: 'p',
        key: 'k',
        writer_count: 2,
        children: [
          { child_id: 'a', value_preview: '1' },
          { child_id: 'b', value_preview: '1' },
        ],
      },
    ])
  })

  test('are no failure if one child writes them, and an old report does not stay', async () => {
    const tree = await over({ merge_strategy: 'fail' }, [[{ k: 1 }, 'S'], [{ k: 1 }]], { stays: true })
    expect(tree.states().p).toBe('FAILURE')
    await tree.event('again')
    expect([tree.states().p, tree.get('k'), tree.get('_parallel_conflicts')]).toEqual(['SUCCESS', 1, undefined])
  })

  // proves: tree 102
  const deep = [{ k: { a: { x: 1 }, l: [1] } }, { k: { a: { y: 2 } } }, { k: { a: { x: 3 }, l: [2] } }] as const
  test.each([
    ['collect', deep.map(({ k }) => k)],
    ['first_wins', deep[0].k],
    ['last_wins', deep[2].k],
    ['merge_dict', { a: { x: 3, y: 2 }, l: [2] }],
  ])('are combined in the order of the children: %s', async (merge_strategy, merged) => {
    const three = await over(
      { merge_strategy },
      deep.map((writes) => [writes]),
    )
    const one = await over({ merge_strategy }, [[deep[0]], ['S']])
    expect([three.get('k'), one.get('k')]).toEqual([merged, deep[0].k])
  })

  test('are collected unless the node says otherwise, or the key does', async () => {
    const tree = await over({ merge: {}, per_key_strategies: { last: 'last_wins' } }, [[{ k: 1, last: 1 }], [{ k: 2, last: 2 }]])
    expect([tree.get('k'), tree.get('last')]).toEqual([[1, 2], 2])
  })

  test('fail the node with E8002 if the values cannot be combined, or do not fit the schema', async () => {
    const scalar = await over({ merge_strategy: 'merge_dict' }, [[{ k: 1 }], [{ k: 2 }]])
    const typed = await over({}, [[{ k: 1 }], [{ k: 2 }]], { tree: { board: { k: { type: 'int' } } } })
    for (const tree of [scalar, typed]) {
      expect([tree.run.status, tree.get('k')]).toEqual(['failed', undefined])
      expect(tree.get('_failure.0')).toMatchObject({ node_id: 'p', error_code: 'E8002' })
    }
  })
})

describe('what a child sees', () => {
  // proves: tree 75, tree 76, tree 77, tree 79, tree RC-01
  test('is what was there before, and its own writes, in every pass', async () => {
    const seen: string[] = []
    const child = (name: string, answers: readonly ('RUNNING' | 'SUCCESS')[]) => {
      let pass = 0
      return {
        reads: true,
        run: ({ blackboard }: { readonly blackboard: { get(key: string): unknown; set(key: string, value: unknown): void } }) => {
          seen.push(`${name} sees ${String(blackboard.get('k'))}`)
          if (name === 'a') blackboard.set('k', `a${pass}`)
          return answers[pass++] ?? 'SUCCESS'
        },
      }
    }
    const tree = await forest(n('parallel', {}, [leaf('a'), leaf('b')]), {
      functions: { a: child('a', ['RUNNING', 'RUNNING', 'SUCCESS']), b: child('b', ['RUNNING', 'RUNNING', 'SUCCESS']) },
      input: { k: 'before' },
    })
    expect(seen).toEqual(['a sees before', 'b sees before', 'a sees a0', 'b sees before', 'a sees a1', 'b sees before'])
    expect(tree.get('k')).toBe('a2')
  })

  test('both keys that a sequence writes reach the board, once the node has ended', async () => {
    const tree = await forest(
      n('parallel', {}, [n('sequence', {}, [set('a', 'x', 1), wait('w', 50), set('b', 'y', 2)]), set('c', 'z', 3)]),
      { input: { x: 0, y: 0, z: 0 } },
    )
    expect([tree.get('x'), tree.get('z')]).toEqual([0, 0])
    await tree.pass(50)
    expect([tree.get('x'), tree.get('y'), tree.get('z')]).toEqual([1, 2, 3])
  })

  // proves: tree 78
  test('is not what another one writes for all trees, until they are merged', async () => {
    const board = { g: { global: true }, copy: {} }
    const shared = n('set', { id: 'a', key: 'g', value: 'new', global: true })
    const tree = await forest(
      n('sequence', {}, [
        n('parallel', {}, [shared, n('set', { id: 'b', key: 'copy', expression: 'bb.g' }), wait('w', 50)]),
        n('set', { id: 'c', key: 'after', expression: 'bb.g' }),
      ]),
      { tree: { board: { ...board, after: {} } } },
    )
    expect(tree.get('@g')).toBeUndefined()
    await tree.pass(50)
    expect([tree.run.status, tree.get('copy'), tree.get('after'), tree.get('@g')]).toEqual(['completed', null, 'new', 'new'])
  })

  test('a scope in which nothing is written leaves nothing in the journal', async () => {
    const tree = await forest(n('parallel', {}, [n('condition', { condition: 'true' }), n('succeed')]))
    expect((await tree.records()).filter((text) => text.includes('"open"'))).toEqual([])
  })
})

describe('failures of children', () => {
  // proves: tree 95, tree EP-02
  test('one success is enough: the others are cancelled in that pass', async () => {
    const scripts = { a: ['S'], b: [{ status: 'FAILURE', reason: 'the disk is full' }] } as const
    const children = [leaf('a'), leaf('b'), wait('c'), n('delay', { id: 'd', delay_ms: 9 }, [leaf('a')]), wait('e')]
    const tree = await forest(n('parallel', { id: 'p', policy: 'require_one' }, children), { scripts })
    expect(tree.run.status).toBe('completed')
    expect(tree.get('_parallel_summary')).toEqual({
      successes: 1,
      failures: 1,
      cancelled: 3,
      total: 5,
      policy: 'require_one',
      status: 'success',
    })
    expect(tree.get('_parallel_child_errors')).toEqual([{ child_id: 'b', child_index: 1, error: 'the disk is full' }])
    expect(eventsOf(tree, 'tree.node.cancelled').map(({ node_id }) => node_id)).toEqual(['c', 'd', 'e'])
    expect(eventsOf(tree, 'tree.parallel.child_failed')).toEqual([
      { tree_id: 'main', parallel_node_id: 'p', child_id: 'b', child_index: 1, error_message: 'the disk is full' },
    ])
  })

  // proves: tree 96
  test('with `continue` it stays RUNNING until the others have ended', async () => {
    const children = [leaf('a'), leaf('b'), wait('c', 10), wait('d', 20), wait('e', 30)]
    const tree = await forest(n('parallel', { id: 'p', policy: 'require_one', on_child_fail: 'continue' }, children), {
      scripts: { a: ['S'], b: ['F'] },
      stays: true,
    })
    for (const state of ['RUNNING', 'RUNNING', 'RUNNING', 'SUCCESS']) {
      expect(tree.states().p).toBe(state)
      await tree.pass(10)
    }
    expect(tree.get('_parallel_summary')).toMatchObject({ successes: 4, failures: 1, cancelled: 0 })
  })

  // proves: tree 97
  test('a failure decides when all must succeed, and what others wrote is kept', async () => {
    const tree = await forest(n('parallel', {}, [leaf('a'), leaf('b'), n('sequence', {}, [set('s', 'lost', 1), wait('c')])]), {
      scripts: { a: [{ k: 'kept' }], b: [{ status: 'FAILURE', failed: 1 }] },
      tree: { board: { lost: {} } },
    })
    expect([tree.run.status, tree.get('k'), tree.get('failed'), tree.get('lost')]).toEqual(['failed', 'kept', undefined, undefined])
  })

  test('what a failed child wrote is merged if the node says so', async () => {
    const tree = await over({ merge_failed: true }, [['S'], [{ status: 'FAILURE', failed: 1 }]])
    expect([tree.run.status, tree.get('failed')]).toEqual(['failed', 1])
  })

  // proves: tree 98
  test('the node fails as soon as too few can succeed', async () => {
    const tree = await over({ policy: 'require_n', n: 2 }, [['F'], ['F'], ['F'], ['R']])
    expect([tree.run.status, tree.calls]).toEqual(['failed', ['a', 'b', 'c', 'd']])
  })

  // proves: tree 99
  test('with `retry` a failed child is ticked again, with nothing of its last attempt, before it counts', async () => {
    const tree = await over({ on_child_fail: 'retry', max_child_retries: 2 }, [['S'], [{ status: 'FAILURE', k: 1 }, 'F', 'S']])
    expect([tree.run.status, tree.calls, tree.get('k')]).toEqual(['completed', ['a', 'b', 'b', 'b'], undefined])
    const lost = await over({ on_child_fail: 'retry', max_child_retries: 1 }, [['S'], ['F', 'F', 'S']])
    expect([lost.run.status, lost.calls]).toEqual(['failed', ['a', 'b', 'b']])
  })

  test('a child that is ticked again does not take the turn of those that are RUNNING', async () => {
    const tree = await over({ on_child_fail: 'retry', max_concurrent: 2 }, [
      ['F', 'S'],
      ['R', 'R', 'S'],
      ['R', 'S'],
    ])
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['a', 'b', 'c', 'b', 'c', 'a', 'b']])
  })
})

describe('passes', () => {
  // proves: tree 100
  test('there are never more children between their beginning and their end than allowed', async () => {
    const children = [30, 10, 20, 10, 10].map((ms, i) => wait(`w${i}`, ms))
    const tree = await forest(n('parallel', { id: 'p', max_concurrent: 2 }, children), { stays: true })
    const counts: number[] = []
    for (let step = 0; step < 6; step++) {
      counts.push(Object.entries(tree.states()).filter(([id, state]) => id !== 'p' && state === 'RUNNING').length)
      await tree.pass(10)
    }
    expect([tree.states().p, counts]).toEqual(['SUCCESS', [2, 2, 2, 2, 0, 0]])
  })

  // proves: tree 101
  test('a child that has ended is not ticked again, unless the node has no memory', async () => {
    const scripts = [['S'], ['R', 'R', 'S']] as const
    expect((await over({}, scripts)).calls.join('')).toBe('abbb')
    expect((await over({ memory: false }, scripts)).calls.join('')).toBe('ababab')
  })

  test('what decided stays, also without memory', async () => {
    const tree = await over({ memory: false, policy: 'require_one', on_child_fail: 'continue' }, [
      [{ k: 1 }, 'F'],
      ['R', 'R', 'F'],
    ])
    expect([tree.run.status, tree.get('k'), tree.calls.join('')]).toEqual(['completed', 1, 'abbb'])
  })
})
