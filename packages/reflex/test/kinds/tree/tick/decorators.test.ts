import { describe, expect, test } from 'vitest'
import { type Forest, forest, leaf, n } from './tree-world.ts'

function haltedOf({ events }: Forest): readonly unknown[] {
  return events.filter(([type]) => type === 'tree.node.cancelled').map(([, payload]) => payload.node_id)
}

describe('times', () => {
  // proves: tree 8
  test('a node is RUNNING since the tick in which it became so, and since nothing when it is not', async () => {
    const tree = await forest(n('sequence', { id: 'all' }, [n('wait', { id: 'w', wait_ms: 100 }), leaf('a')]), {
      scripts: { a: ['S'] },
      stays: true,
    })
    const since = (): unknown => (tree.run.state.root.position as readonly unknown[]).at(-2)
    const first = since()
    expect(first).toEqual([1, 0, [tree.host.now() + 100]])
    await tree.pass(50)
    await tree.event('look')
    expect(since()).toEqual(first)
    await tree.pass(50)
    expect(since()).toBe(2)
  })

  test('a timeout halts a child that is RUNNING for too long, without any event', async () => {
    const slow = n('timeout', { id: 't', timeout_ms: 40 }, [n('wait', { id: 'w', wait_ms: 100 })])
    const tree = await forest(n('selector', {}, [slow, leaf('b')]), { scripts: { b: ['S'] } })
    await tree.pass(39)
    expect([tree.run.status, tree.get('_timeout_triggered')]).toEqual(['suspended', undefined])
    await tree.pass(1)
    expect([tree.run.status, tree.calls, tree.states().w, tree.get('_timeout_triggered')]).toEqual(['completed', ['b'], 'FRESH', true])
    expect(tree.get('_failure.0')).toMatchObject({ node_id: 't', error_code: 'E6001', recovered: true })
  })

  test('a child that ends in the tick of its timeout keeps its answer', async () => {
    const tree = await forest(n('timeout', { timeout_ms: 40 }, [n('wait', { wait_ms: 40 })]))
    await tree.pass(40)
    expect([tree.run.status, tree.get('_timeout_triggered')]).toEqual(['completed', false])
  })

  test('a retry pauses between attempts, and does not tick its child in between', async () => {
    const tree = await forest(n('retry', { max_retries: 2, backoff_ms: 50 }, [leaf('a')]), { scripts: { a: ['F', 'F', 'S'] } })
    await tree.pass(49)
    await tree.event('early')
    expect(tree.calls).toEqual(['a'])
    await tree.pass(1)
    expect(tree.calls).toEqual(['a', 'a'])
    await tree.pass(50)
    expect([tree.run.status, tree.calls.length]).toEqual(['completed', 3])
  })

  test('a retry never ticks its child twice in a tick, and each attempt that fails is recorded', async () => {
    const tree = await forest(n('retry', { max_retries: 2 }, [leaf('a')]), { scripts: { a: ['F'] } })
    const ticks = (await tree.records()).filter((text) => text.includes('"ok"')).length
    expect([tree.run.status, tree.calls.length, ticks]).toEqual(['failed', 3, 3])
    expect(tree.get('_failure_count')).toMatchObject({ total: 4 })
  })

  test('a delay ticks its child once its time has come, and passes RUNNING', async () => {
    const tree = await forest(n('delay', { id: 'd', delay_ms: 50 }, [n('wait', { id: 'w', wait_ms: 10 })]))
    expect(tree.states()).toEqual({ d: 'RUNNING', w: 'FRESH' })
    await tree.pass(50)
    expect(tree.states()).toEqual({ d: 'RUNNING', w: 'RUNNING' })
    await tree.pass(10)
    expect(tree.run.status).toBe('completed')
  })

  test('a delay beside a leaf for which the tick waits is not forgotten', async () => {
    const tree = await forest(n('parallel', {}, [n('delay', { delay_ms: 50 }, [leaf('a')]), leaf('b')]), {
      scripts: { a: ['S'], b: ['S'] },
    })
    await tree.pass(50)
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['b', 'a']])
  })

  test('a cooldown begins with an end of the child and outlives executions; a child that is RUNNING or skipped does not begin it', async () => {
    const tree = await forest(n('cooldown', { id: 'c', cooldown_ms: 100 }, [n('wait', { wait_ms: 10, skip_if: 'bb.skip' })]), {
      stays: true,
      input: { skip: true },
    })
    expect(tree.states().c).toBe('FRESH')
    const other = await forest(n('cooldown', { id: 'c', cooldown_ms: 100 }, [n('wait', { wait_ms: 10 })]), { stays: true })
    await other.pass(10)
    expect(other.states().c).toBe('SUCCESS')
    await other.pass(99)
    await other.event(1)
    expect(other.states().c).toBe('FAILURE')
    await other.pass(1)
    await other.event(2)
    expect(other.states().c).toBe('RUNNING')
  })
})

describe('halting', () => {
  const deep = n('parallel', { id: 'p' }, [
    n('sequence', { id: 's' }, [leaf('a'), n('wait', { id: 'w1', wait_ms: 1_000, on_halted: { halted: '"w1"' } })]),
    n('timeout', { id: 't', timeout_ms: 900 }, [
      n('for_each', { id: 'f', collection_key: 'items' }, [n('wait', { id: 'w2', wait_ms: 1_000 })]),
    ]),
  ])

  test('a guard that becomes false halts everything below it, deepest first, and leaves no key of a loop behind', async () => {
    const tree = await forest(n('guard', { id: 'g', condition: 'ctx.tick_count < 2' }, [deep]), {
      scripts: { a: ['S'] },
      stays: true,
      input: { items: [1] },
      tree: { board: { item: {}, halted: {} } },
    })
    expect(tree.states()).toEqual({
      g: 'RUNNING',
      p: 'RUNNING',
      s: 'RUNNING',
      a: 'SUCCESS',
      w1: 'RUNNING',
      t: 'RUNNING',
      f: 'RUNNING',
      w2: 'RUNNING',
    })
    await tree.event('look')
    expect(tree.states()).toEqual({ g: 'FAILURE', p: 'FRESH', s: 'FRESH', a: 'FRESH', w1: 'FRESH', t: 'FRESH', f: 'FRESH', w2: 'FRESH' })
    expect(haltedOf(tree)).toEqual(['w1', 's', 'w2', 'f', 't', 'p'])
  })

  test('what is RUNNING in a cancelled child of a parallel is halted before its scope is gone', async () => {
    const tree = await forest(n('parallel', { id: 'both', policy: 'require_one' }, [deep, n('delay', { delay_ms: 20 }, [leaf('b')])]), {
      scripts: { a: ['S'], b: ['S'] },
      input: { items: [1], item: 'mine' },
      tree: { board: { halted: {} } },
    })
    await tree.pass(20)
    expect(tree.run.status).toBe('completed')
    expect(haltedOf(tree)).toEqual(['w1', 's', 'w2', 'f', 't', 'p'])
    // The loop and the assignment wrote in scopes that are gone: the keys outside are as they were.
    expect([tree.get('item'), tree.get('halted')]).toEqual(['mine', undefined])
    expect([...(tree.run.state.root.subs?.keys() ?? [])]).toEqual([])
  })

  test('while_do_else halts the branch that is left', async () => {
    const tree = await forest(n('while_do_else', {}, [leaf('c'), n('wait', { id: 'w', wait_ms: 100 }), leaf('b')]), {
      scripts: { c: ['S', 'S', 'F'], b: ['S'] },
    })
    await tree.event(1)
    expect(tree.states().w).toBe('RUNNING')
    await tree.event(2)
    expect([tree.run.status, tree.calls, tree.states().w]).toEqual(['completed', ['c', 'c', 'c', 'b'], 'FRESH'])
  })

  test('a reactive selector halts what a better child makes needless', async () => {
    const tree = await forest(n('reactive_selector', {}, [leaf('a'), n('wait', { id: 'w', wait_ms: 100 })]), { scripts: { a: ['F', 'S'] } })
    expect(tree.states().w).toBe('RUNNING')
    await tree.event(1)
    expect([tree.run.status, tree.states().w, haltedOf(tree)]).toEqual(['completed', 'FRESH', ['w']])
  })
})

describe('conditions around a node', () => {
  const over = (params: Parameters<typeof n>[1]): Promise<Forest> =>
    forest(n('sequence', { id: 'all' }, [n('action', { id: 'a', fn: 'a', ...params }), leaf('b')]), {
      scripts: { a: ['F'], b: ['S'] },
      stays: true,
      tree: { board: { yes: { default: true }, x: {}, y: {} } },
    })

  test.each([
    [{ skip_if: 'bb.yes' }, 'FRESH', 'SUCCESS', ['b']],
    [{ success_if: 'bb.yes' }, 'SUCCESS', 'SUCCESS', ['b']],
    [{ failure_if: 'bb.yes' }, 'FAILURE', 'FAILURE', []],
    [{ while: 'not bb.yes' }, 'FRESH', 'SUCCESS', ['b']],
    // In the order of BehaviorTree.CPP.
    [{ skip_if: 'true', success_if: 'true', failure_if: 'true' }, 'FAILURE', 'FAILURE', []],
    [{ skip_if: 'true', success_if: 'true' }, 'SUCCESS', 'SUCCESS', ['b']],
    // A condition that cannot be evaluated does not hold.
    [{ skip_if: 'bb.yes < 1' }, 'FAILURE', 'FAILURE', ['a']],
  ])('%j', async (params, a, all, calls) => {
    const tree = await over(params)
    expect([tree.states().a, tree.states().all, tree.calls]).toEqual([a, all, calls])
  })

  test('assignments follow the end of a node; the last is made after both', async () => {
    const tree = await over({ on_success: { x: '"success"' }, on_failure: { x: '"failure"' }, after: { y: 'bb.x .. "!"' } })
    expect([tree.get('x'), tree.get('y')]).toEqual(['failure', 'failure!'])
  })

  test('assignments are also made for a node that succeeds without being ticked', async () => {
    const tree = await over({ success_if: 'true', on_success: { x: '"success"' } })
    expect([tree.get('x'), tree.calls]).toEqual(['success', ['b']])
  })

  test('a node is halted and skipped as soon as its `while` is false', async () => {
    const wait = n('wait', { id: 'w', wait_ms: 100, while: 'ctx.tick_count < 2', on_halted: { x: 'ctx.node_id' } })
    const tree = await forest(n('sequence', {}, [wait, leaf('b')]), { scripts: { b: ['S'] }, tree: { board: { x: {} } } })
    expect(tree.states().w).toBe('RUNNING')
    await tree.event(1)
    expect([tree.run.status, tree.states().w, tree.get('x'), tree.calls]).toEqual(['completed', 'FRESH', 'w', ['b']])
  })

  test('a root that is skipped is no failure', async () => {
    const tree = await forest(n('action', { id: 'a', fn: 'a', skip_if: 'true' }), { scripts: { a: ['S'] } })
    expect([tree.run.status, tree.calls]).toEqual(['completed', []])
  })
})

describe('on_failure of a tree', () => {
  test('runs after the root has failed, and the tree fails nevertheless', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R', 'F'], b: ['R', 'S'] }, tree: { on_failure: leaf('b') } })
    expect([tree.run.status, tree.calls]).toEqual(['failed', ['a', 'a', 'b', 'b']])
  })

  test('does not run after a success', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['S'], b: ['S'] }, tree: { on_failure: leaf('b') } })
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['a']])
  })
})
