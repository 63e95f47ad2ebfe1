import { describe, expect, test } from 'vitest'
import type { FunctionContext, FunctionRegistry } from '../../../../src/kinds/tree/tick/function-port.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'
import { payloads } from './leaf-world.ts'

const action = (fn: string): ReturnType<typeof n> => n('action', { id: fn, fn })

async function call(functions: FunctionRegistry, board = {}): Promise<Forest> {
  return forest(n('selector', {}, [action('f'), leaf('next')]), { functions, scripts: { next: ['S'] }, tree: { board } })
}

describe('functions', () => {
  // proves: tree 21, tree 22, tree UB-04
  test('a value that does not fit makes the node fail, and the tick continues', async () => {
    const tree = await call(
      { f: { reads: true, run: ({ blackboard }) => (blackboard.set('n', 'abc'.repeat(100)), 'SUCCESS') } },
      { n: { type: 'int', default: 1 } },
    )
    expect([tree.run.status, tree.get('n'), tree.states()]).toMatchObject(['completed', 1, { f: 'FAILURE', next: 'SUCCESS' }])
    const [event] = payloads(tree, 'blackboard.validation.failed')
    expect(event).toMatchObject({ error_code: 'E1002', key: 'n', expected_schema: 'int', node_path: 'f' })
    expect(event?.value_preview).toHaveProperty(
      'length',
      expect.toSatisfy((length) => length <= 104),
    )
  })

  // proves: tree 23
  test('an earlier valid write is kept', async () => {
    const run = ({ blackboard }: FunctionContext): 'SUCCESS' => {
      blackboard.set('a', 1)
      blackboard.set('n', 'x')
      blackboard.set('b', 2)
      return 'SUCCESS'
    }
    const tree = await call({ f: { reads: true, run } }, { a: {}, b: {}, n: { type: 'int' } })
    expect([tree.get('a'), tree.get('n'), tree.get('b')]).toEqual([1, undefined, undefined])
  })

  // proves: tree 25
  test('a value that cannot be serialised is a failure of the node', async () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const tree = await call({ f: { reads: true, run: ({ blackboard }) => (blackboard.set('a', circular), 'SUCCESS') } }, { a: {} })
    expect([tree.run.status, tree.states().f]).toEqual(['completed', 'FAILURE'])
  })

  // proves: tree 106
  test('a failure without a reason gets one, and what is no status is a failure', async () => {
    const reasons = await Promise.all(
      [() => 'FAILURE' as const, () => true, () => undefined, () => 3 as never].map(async (run) => {
        const tree = await forest(action('f'), { functions: { f: { reads: true, run } } })
        return tree.get('_failure_reason')
      }),
    )
    expect(reasons).toEqual([
      'action f returned FAILURE',
      'the function answered true, which is no status',
      'the function answered nothing, which is no status',
      'the function answered 3, which is no status',
    ])
  })

  test('a rejection is a failure with the message of the function', async () => {
    const tree = await call({ f: () => Promise.reject(new Error('no disk')), g: () => 'SUCCESS' })
    expect([tree.run.status, tree.get('_failure_trace.0') ?? tree.get('_failure.0')]).toMatchObject([
      'completed',
      { reason: 'the function f failed: no disk', recovered: true },
    ])
  })

  test('a promise is RUNNING, is not called again, and is aborted when its node is halted', async () => {
    let calls = 0
    let aborted = false
    const f = ({ signal }: FunctionContext): Promise<'SUCCESS'> => {
      calls++
      signal.addEventListener('abort', () => (aborted = true))
      return new Promise(() => undefined)
    }
    const root = n('timeout', { timeout_ms: 100 }, [action('f')])
    const tree = await forest(root, { functions: { f }, stays: true })
    await tree.event('look')
    expect([tree.states().f, calls, aborted]).toEqual(['RUNNING', 1, false])
    await tree.pass(100)
    expect([calls, aborted, payloads(tree, 'tree.failed')]).toMatchObject([1, true, [{ error_code: 'E6001' }]])
  })

  test('a function of a condition answers at once', async () => {
    const condition = (fn: string): ReturnType<typeof n> => n('condition', { id: fn, condition: { fn } })
    const functions: FunctionRegistry = { yes: { reads: true, run: () => true }, later: () => Promise.resolve(true) }
    const yes = await forest(condition('yes'), { functions })
    const later = await forest(condition('later'), { functions })
    expect([yes.run.status, later.run.status, later.get('_failure_reason')]).toMatchObject([
      'completed',
      'failed',
      'the function later returned a promise; a condition answers at once',
    ])
  })

  test('a function knows its node in a referenced tree, and reads what was written before', async () => {
    const seen: unknown[] = []
    const f = {
      reads: true,
      run: ({ nodeId, nodePath, blackboard }: FunctionContext) => (
        seen.push(nodeId, nodePath, blackboard.get('_failure_trace')), 'SUCCESS' as const
      ),
    }
    const inner = { format: 1 as const, id: 'inner', root: action('f') }
    const root = n('selector', {}, [n('fail', { id: 'first' }), n('subtree_ref', { id: 'ref', tree_name: 'inner' })])
    await forest(root, { functions: { f }, trees: [inner] })
    expect(seen).toMatchObject(['f', 'ref/f', [{ node_id: 'first' }]])
  })
})
