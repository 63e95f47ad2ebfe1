import { describe, expect, test } from 'vitest'
import type { FunctionContext } from '../../../../src/kinds/tree/tick/function-port.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

/** A function that never answers, unless a test ends it. */
function endless(): {
  readonly fn: (context: FunctionContext) => Promise<'SUCCESS'>
  readonly ends: (() => void)[]
  readonly aborted: string[]
  context: FunctionContext | undefined
} {
  const world = {
    ends: [] as (() => void)[],
    aborted: [] as string[],
    context: undefined as FunctionContext | undefined,
    fn: (context: FunctionContext): Promise<'SUCCESS'> => {
      world.context = context
      context.signal.addEventListener('abort', () => world.aborted.push(context.nodeId))
      return new Promise((resolve) => world.ends.push(() => resolve('SUCCESS')))
    },
  }
  return world
}

function types(tree: Forest): string[] {
  return tree.events.map(([type]) => type)
}
function payload(tree: Forest, type: string): unknown {
  return tree.events.find(([name]) => name === type)?.[1]
}

describe('the watchdog', () => {
  // proves: tree 1
  test('a leaf that is RUNNING for ever fails after the limit of the tree, with one event', async () => {
    const tree = await forest(leaf('poll'), { scripts: { poll: ['R'] }, tree: { max_tick_duration_ms: 50, tick_budget: 3 } })
    expect(tree.run.status).not.toBe('failed')
    await tree.pass(60)
    expect(tree.run.status).toBe('failed')
    expect(types(tree).filter((type) => type === 'tree.watchdog.timeout')).toHaveLength(1)
    expect(payload(tree, 'tree.watchdog.timeout')).toMatchObject({
      node_id: 'poll',
      node_path: 'poll',
      running_duration_ms: 50,
      timeout_ms: 50,
      severity: 'critical',
      error_code: 'E3003',
    })
    expect(payload(tree, 'tree.failed')).toMatchObject({ failure_node: 'poll', error_code: 'E3003' })
  })

  test('a leaf that takes its time to answer RUNNING again and again is stuck, too', async () => {
    const ends: (() => void)[] = []
    const poll = (): Promise<'RUNNING'> => new Promise((resolve) => ends.push(() => resolve('RUNNING')))
    const root = n('selector', {}, [n('action', { id: 'poll', fn: 'poll' }), leaf('other')])
    const tree = await forest(root, { functions: { poll }, scripts: { other: ['S'] }, tree: { max_tick_duration_ms: 50 } })
    for (let i = 0; i < 3 && tree.run.status !== 'completed'; i++) {
      await tree.pass(20)
      ends.at(-1)?.()
      await tree.pass(0)
    }
    expect([tree.run.status, types(tree)]).toEqual(['completed', expect.arrayContaining(['tree.watchdog.timeout'])])
  })

  // proves: tree 2, tree UB-01
  test('a tree that nothing ticks is judged by its alarm', async () => {
    const { fn, aborted } = endless()
    const tree = await forest(n('action', { id: 'hang', fn: 'hang' }), { functions: { hang: fn }, tree: { max_tick_duration_ms: 50 } })
    await tree.pass(49)
    expect(tree.run.status).not.toBe('failed')
    await tree.pass(1)
    expect([tree.run.status, aborted]).toEqual(['failed', ['hang']])
  })

  // proves: tree 3
  test('the limit is 60 seconds unless the tree states another', async () => {
    const { fn } = endless()
    const tree = await forest(n('action', { id: 'hang', fn: 'hang' }), { functions: { hang: fn } })
    await tree.pass(59_999)
    expect(tree.run.status).not.toBe('failed')
    await tree.pass(1)
    expect(tree.run.status).toBe('failed')
  })

  // proves: tree 4
  test('a selector continues with its next child', async () => {
    const { fn } = endless()
    const root = n('selector', {}, [n('action', { id: 'hang', fn: 'hang' }), leaf('ok')])
    const tree = await forest(root, { functions: { hang: fn }, scripts: { ok: ['S'] }, tree: { max_tick_duration_ms: 50 } })
    await tree.pass(50)
    expect([tree.run.status, tree.states().hang, types(tree).includes('tree.failed')]).toEqual(['completed', 'FAILURE', false])
  })

  // proves: tree 5
  test('a write is progress, and the limit begins again after it', async () => {
    let writes = true
    const step = {
      reads: true,
      run: ({ blackboard }: FunctionContext) => {
        if (writes) blackboard.set('at', Math.random())
        return 'RUNNING' as const
      },
    }
    const tree = await forest(n('action', { id: 'step', fn: 'step' }), {
      functions: { step },
      tree: { max_tick_duration_ms: 50, tick_budget: 1, board: { at: {} } },
      stays: true,
    })
    for (let i = 0; i < 4; i++) {
      await tree.pass(40)
      await tree.event({ tick: i })
    }
    expect(tree.run.status).not.toBe('failed')
    expect(types(tree)).not.toContain('tree.failed')
    writes = false
    await tree.pass(49)
    expect(types(tree)).not.toContain('tree.failed')
    await tree.pass(1)
    expect(types(tree)).toContain('tree.failed')
  })

  // proves: tree 6
  test('markProgress postpones the judgement, and answering RUNNING does not', async () => {
    const hang = endless()
    const tree = await forest(n('action', { id: 'hang', fn: 'hang' }), {
      functions: { hang: hang.fn },
      tree: { max_tick_duration_ms: 1000 },
    })
    await tree.pass(900)
    hang.context?.markProgress()
    await tree.pass(900)
    expect(tree.run.status).not.toBe('failed')
    await tree.pass(100)
    expect(tree.run.status).toBe('failed')
  })

  // proves: tree 7
  test('a sibling that writes does not keep a dead one alive', async () => {
    const { fn } = endless()
    const busy = {
      reads: true,
      run: ({ blackboard }: FunctionContext) => {
        blackboard.set('at', Math.random())
        return 'RUNNING' as const
      },
    }
    const root = n('parallel', { policy: 'require_one', on_child_fail: 'continue' }, [
      n('action', { id: 'busy', fn: 'busy' }),
      n('action', { id: 'dead', fn: 'dead' }),
    ])
    const tree = await forest(root, {
      functions: { busy, dead: fn },
      tree: { max_tick_duration_ms: 50, tick_budget: 1, board: { at: {} } },
      stays: true,
    })
    for (let i = 0; i < 2; i++) {
      await tree.pass(25)
      await tree.event({ tick: i })
    }
    expect([tree.states().busy, tree.states().dead]).toEqual(['RUNNING', 'FAILURE'])
    expect(types(tree).filter((type) => type === 'tree.watchdog.timeout')).toHaveLength(1)
  })

  // proves: tree 9
  test('it warns once before the limit, and again only after progress', async () => {
    const hang = endless()
    const root = n('parallel', {}, [n('action', { id: 'hang', fn: 'hang' }), n('wait', { id: 'wait', wait_ms: 200_000 })])
    const tree = await forest(root, { functions: { hang: hang.fn }, stays: true })
    const warnings = (): number => types(tree).filter((type) => type === 'tree.watchdog.warning').length
    await tree.pass(30_000)
    expect(warnings()).toBe(1)
    expect(payload(tree, 'tree.watchdog.warning')).toMatchObject({ node_id: 'hang', warning_threshold_ms: 30_000, timeout_ms: 60_000 })
    await tree.event('look')
    await tree.pass(10_000)
    expect(warnings()).toBe(1)
    hang.context?.markProgress()
    await tree.pass(29_000)
    expect(warnings()).toBe(1)
    await tree.pass(2000)
    expect(warnings()).toBe(2)
  })

  test('a leaf that waits for a time of its own is never taken for stuck', async () => {
    const tree = await forest(n('wait', { id: 'wait', wait_ms: 500_000 }), { tree: { max_tick_duration_ms: 50 } })
    await tree.pass(499_999)
    expect([tree.run.status, types(tree)]).toEqual(['suspended', []])
    await tree.pass(1)
    expect(tree.run.status).toBe('completed')
  })
})

describe('limits of time', () => {
  // proves: tree 38, tree UB-07
  test('the smaller of the limit that the tree states and the timeout of the node counts', async () => {
    const run = async (timeout: number, limit: number): Promise<Forest> =>
      forest(n('action', { id: 'hang', fn: 'hang', timeout }), { functions: { hang: endless().fn }, tree: { max_tick_duration_ms: limit } })
    const outer = await run(1000, 50)
    await outer.pass(50)
    const inner = await run(50, 1000)
    await inner.pass(50)
    expect([payload(outer, 'tree.failed'), payload(inner, 'tree.failed')]).toMatchObject([{ error_code: 'E3003' }, { error_code: 'E6001' }])
  })

  test('an execution ends at its limit, also while its tick waits for a leaf', async () => {
    const root = n('sequence', {}, [n('wait', { wait_ms: 100_000 })])
    const tree = await forest(root, { tree: { max_execution_ms: 1000 } })
    await tree.pass(1000)
    expect([tree.run.status, payload(tree, 'tree.cancelled')]).toMatchObject([
      'failed',
      { reason: 'timeout', async_operations_cancelled: 0 },
    ])
  })

  test('a cancelled run stops every operation, wherever its tick stands', async () => {
    const one = endless()
    const two = endless()
    const root = n('sequence', {}, [n('parallel', {}, [n('action', { id: 'one', fn: 'one' }), n('action', { id: 'two', fn: 'two' })])])
    const tree = await forest(root, { functions: { one: one.fn, two: two.fn } })
    await tree.run.cancel('user_request')
    await tree.pass(0)
    expect([tree.run.status, one.aborted, two.aborted]).toEqual(['cancelled', ['one'], ['two']])
    expect(payload(tree, 'tree.cancelled')).toMatchObject({ reason: 'user_request', async_operations_cancelled: 2, node_id: 'two' })
    expect(tree.get('_failure_reason')).toMatch('cancelled:user_request')
  })
})
