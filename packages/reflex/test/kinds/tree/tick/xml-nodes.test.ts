import { describe, expect, test } from 'vitest'
import { forest, leaf, n } from './tree-world.ts'

const board = (...keys: readonly string[]) => ({ board: Object.fromEntries(keys.map((key) => [key, {}])) })

describe('nodes that BehaviorTree.CPP has', () => {
  test('a switch ticks the child whose case is the value, else the last, and halts the one that it leaves', async () => {
    const root = n('switch', { key: 'mode', cases: ['day', 2] }, [leaf('a'), leaf('b'), leaf('c')])
    const set = (value: string | number) => n('set', { key: 'mode', value })
    for (const [value, child] of [
      ['day', 'a'],
      [2, 'b'],
      ['2', 'b'],
      ['x', 'c'],
    ] as const) {
      const { calls } = await forest(n('sequence', {}, [set(value), root]), {
        scripts: { a: ['S'], b: ['S'], c: ['S'] },
        tree: board('mode'),
      })
      expect(calls).toEqual([child])
    }
    const tree = await forest(n('reactive_sequence', {}, [leaf('w'), root]), {
      scripts: {
        w: [
          { status: 'success', mode: 'day' },
          { status: 'success', mode: 2 },
        ],
        a: ['R'],
        b: ['S'],
      },
      tree: board('mode'),
    })
    expect([tree.calls, tree.states().a, tree.run.status]).toEqual([['w', 'a', 'w', 'b'], 'FRESH', 'completed'])
  })

  test('unset deletes a key, and succeeds without one', async () => {
    const root = n('sequence', {}, [n('unset', { key: 'a' }), n('set', { key: 'a', value: 1 }), n('unset', { key: 'a' })])
    const tree = await forest(root, { tree: board('a') })
    expect([tree.run.status, tree.get('a')]).toEqual(['completed', undefined])
  })

  test('retries can have no end', async () => {
    const { run, calls } = await forest(n('retry', { max_retries: -1 }, [leaf('a')]), {
      scripts: { a: ['F', 'F', 'F', 'F', 'F', 'F', 'S'] },
    })
    expect([run.status, calls.length]).toEqual(['completed', 7])
  })

  test('a parallel node can fail with its nth failure, before success is impossible', async () => {
    const children = [leaf('a'), leaf('b'), leaf('c'), leaf('d')]
    const scripts = { a: ['F'], b: ['F'], c: ['R', 'S'], d: ['R', 'S'] } as const
    const params = { policy: 'require_n', n: 2 }
    expect((await forest(n('parallel', params, children), { scripts })).run.status).toBe('completed')
    expect((await forest(n('parallel', { ...params, max_failures: 2 }, children), { scripts })).run.status).toBe('failed')
  })

  test('a function that is a condition gets arguments, and keys as such', async () => {
    const seen: unknown[] = []
    const condition = { fn: 'open', args: { side: 'left' }, inputs: { door: 'door' } }
    const { run } = await forest(n('sequence', {}, [n('set', { key: 'door', value: 7 }), n('condition', { condition })]), {
      tree: board('door'),
      functions: {
        open: (_, args) => {
          seen.push(args)
          return true
        },
      },
    })
    expect([run.status, seen]).toEqual(['completed', [{ side: 'left', door: 7 }]])
  })

  test('assignments after a node and outputs of functions can be for all trees', async () => {
    const write = n('action', { fn: 'write', outputs: { left: '@rest' } })
    const tree = await forest(n('sequence', {}, [n('succeed', { on_success: { '@mode': '2 + 1' } }), write]), {
      functions: {
        write: ({ blackboard }) => {
          blackboard.set('left', 3)
          return 'SUCCESS'
        },
      },
    })
    expect([tree.get('@mode'), tree.get('@rest')]).toEqual([3, 3])
  })

  test('a function gets keys as arguments, and writes under the names of its ports', async () => {
    const move = n('action', { fn: 'move', args: { speed: 2 }, inputs: { goal: 'target', none: 'absent' }, outputs: { left: 'rest' } })
    const seen: unknown[] = []
    const tree = await forest(n('sequence', {}, [n('set', { key: 'target', value: 'door' }), move]), {
      tree: board('target', 'absent', 'rest'),
      functions: {
        move: ({ blackboard }, args) => {
          seen.push(args)
          blackboard.set('left', 3)
          return 'SUCCESS'
        },
      },
    })
    expect([tree.run.status, seen, tree.get('rest')]).toEqual(['completed', [{ speed: 2, goal: 'door' }], 3])
  })
})
