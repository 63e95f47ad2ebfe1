import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { Doors } from '../../../kernel/world.ts'
import { forest, leaf, n } from './tree-world.ts'

const append = (id: string): ReturnType<typeof n> => n('action', { id, fn: 'append' })
/** Appends the event that the tree handles to a list. */
const functions = {
  append: ({
    blackboard,
    event,
  }: {
    readonly blackboard: { get(key: string): unknown; set(key: string, value: unknown): void }
    readonly event: Json | undefined
  }) => {
    blackboard.set('seen', [...((blackboard.get('seen') ?? []) as readonly Json[]), event ?? 'none'])
    return 'SUCCESS' as const
  },
}
const board = { seen: {}, x: {} }

describe('events', () => {
  test('each begins an execution of a tree that stays, and a message closes it', async () => {
    const tree = await forest(append('a'), { functions, stays: true, tree: { board }, input: { _event: 'first' } })
    await tree.event('second')
    await tree.event('third')
    expect([tree.run.status, tree.get('seen')]).toEqual(['suspended', ['first', 'second', 'third']])
    await tree.message('close', null)
    expect([tree.run.status, tree.run.state.ended?.value]).toEqual(['completed', { status: 'SUCCESS', seen: ['first', 'second', 'third'] }])
  })

  test('tick a tree that is RUNNING, and do not begin it again', async () => {
    const tree = await forest(n('reactive_sequence', {}, [append('a'), n('wait', { wait_ms: 100 })]), { functions, tree: { board } })
    await tree.event('one')
    await tree.event('two')
    await tree.pass(100)
    expect([tree.run.status, tree.get('seen')]).toEqual(['completed', ['none', 'one', 'two', 'two']])
  })

  test('that come while a tick waits for a leaf are handled in order after it, before the run is closed', async () => {
    const doors = new Doors()
    const ports = { function: doors.port(true) }
    const tree = await forest(n('sequence', {}, [leaf('a'), n('set', { key: 'x', expression: 'ctx.event' })]), {
      ports,
      stays: true,
      tree: { board },
    })
    for (const body of ['one', 'two']) await tree.event(body)
    await tree.message('close', null)
    expect([doors.open.length, tree.get('x')]).toEqual([1, undefined])
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      doors.door(i).settle({ status: 'success' })
      await tree.pass(0)
      seen.push(tree.get('x'))
    }
    expect([seen, tree.run.status]).toEqual([[null, 'one', 'two'], 'completed'])
  })

  test('that come in the last tick of a tree that does not stay change nothing', async () => {
    const doors = new Doors()
    const tree = await forest(leaf('a'), { ports: { function: doors.port(true) } })
    await tree.event('late')
    doors.door().settle({ status: 'success' })
    await tree.pass(0)
    expect([tree.run.status, doors.open.length]).toEqual(['completed', 1])
  })
})

describe('a leaf for which a tick waits', () => {
  test('keeps what the nodes above it know', async () => {
    const doors = new Doors()
    const each = n('for_each', { collection_key: 'items', index_key: 'index' }, [leaf('a')])
    const tree = await forest(each, {
      ports: { function: doors.port(true) },
      input: { items: ['x', 'y'] },
      tree: { board: { item: {}, index: {} } },
    })
    const seen: unknown[] = []
    for (let i = 0; i < 2; i++) {
      seen.push([tree.get('item'), tree.get('index')])
      doors.door(i).settle({ status: 'success' })
      await tree.pass(0)
    }
    expect([seen, tree.run.status]).toEqual([
      [
        ['x', 0],
        ['y', 1],
      ],
      'completed',
    ])
  })

  test('becomes RUNNING when it says that it takes longer, and the other nodes are ticked meanwhile', async () => {
    const doors = new Doors()
    const tree = await forest(n('parallel', { id: 'p' }, [leaf('a'), n('wait', { id: 'w', wait_ms: 10 })]), {
      ports: { function: doors.port(true) },
    })
    expect(tree.states()).toEqual({ p: 'FRESH', a: 'FRESH', w: 'FRESH' })
    doors.door().part({ running: true })
    await tree.pass(0)
    expect(tree.states()).toEqual({ p: 'RUNNING', a: 'RUNNING', w: 'RUNNING' })
    await tree.pass(10)
    expect(tree.states().w).toBe('SUCCESS')
    doors.door().settle({ status: 'success' })
    await tree.pass(0)
    expect([tree.run.status, doors.open.length]).toEqual(['completed', 1])
  })

  test('is aborted when what it stands in is halted, and its late result changes nothing', async () => {
    const doors = new Doors()
    const guarded = n('guard', { condition: 'ctx.tick_count < 3' }, [leaf('a')])
    const tree = await forest(guarded, { ports: { function: doors.port(true) }, stays: true })
    doors.door().part({ running: true })
    await tree.pass(0)
    await tree.event(1)
    expect(doors.door().signal.aborted).toBe(false)
    await tree.event(2)
    expect(doors.door().signal.aborted).toBe(true)
    const before = JSON.stringify(tree.run.state.root.position)
    doors.door().settle({ status: 'success' })
    await tree.pass(0)
    expect(JSON.stringify(tree.run.state.root.position)).toBe(before)
  })
})

describe('max_execution_ms', () => {
  test('halts everything and fails the tree', async () => {
    const tree = await forest(n('sequence', { id: 's' }, [n('wait', { id: 'w', wait_ms: 500 })]), { tree: { max_execution_ms: 100 } })
    await tree.pass(99)
    expect(tree.run.status).toBe('suspended')
    await tree.pass(1)
    expect([tree.run.status, tree.states()]).toEqual(['failed', { s: 'FAILURE', w: 'FAILURE' }])
    expect(tree.events.filter(([type]) => type === 'tree.cancelled')).toMatchObject([
      ['tree.cancelled', { tree_id: 'main', reason: 'timeout' }],
    ])
  })

  test('holds for each execution of a tree that stays', async () => {
    const tree = await forest(n('wait', { id: 'w', wait_ms: 60 }), { stays: true, tree: { max_execution_ms: 100 } })
    await tree.pass(60)
    await tree.event('again')
    await tree.pass(60)
    expect([tree.run.status, tree.states().w]).toEqual(['suspended', 'SUCCESS'])
  })
})

describe('the clock', () => {
  const idle = n('reactive_selector', { id: 'all' }, [
    n('sequence', {}, [n('condition', { condition: 'bb.alarm' }), leaf('a')]),
    n('parallel', {}, [n('always_succeed', {}, [n('fail')]), n('condition', { condition: 'true' })]),
  ])

  test('a tick on which nothing changes is no record, also one that begins an execution', async () => {
    const tree = await forest(idle, { input: { alarm: false }, scripts: { a: ['S'] }, tree: { tick_every: 100 } })
    await tree.pass(100)
    const before = (await tree.records()).length
    await tree.pass(100_000)
    expect([(await tree.records()).length, tree.states().all, tree.run.status]).toEqual([before, 'SUCCESS', 'suspended'])
  })

  test('a tick that is no record leaves no trace: what follows is the same after a restart', async () => {
    const tree = await forest(n('sequence', {}, [n('condition', { condition: 'ctx.event == "go"' }), n('wait', { wait_ms: 500 })]), {
      tree: { tick_every: 100 },
    })
    await tree.pass(10_000)
    await tree.event('go')
    const [status, number] = tree.run.state.root.position as readonly [number, number]
    expect([status, number]).toEqual([1, 2])
  })

  test('a recorded tick costs 40 bytes besides its input, and 20 for a RUNNING node that counts', async () => {
    const running = await forest(n('sequence', {}, [n('succeed'), n('wait', { wait_ms: 5_000 })]), { stays: true })
    for (let i = 0; i < 20; i++) await running.event(i)
    const outputs = (await running.records()).slice(-20).map((text) => JSON.stringify((JSON.parse(text) as Json[]).at(-1)))
    expect(Math.max(...outputs.map(({ length }) => length))).toBeLessThanOrEqual(40)
    const counting = await forest(n('repeater', { count: 500 }, [n('succeed')]))
    const sizes = (await counting.records()).slice(10, 490).map(({ length }) => length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40 + 20)
  })

  test('a tree that ticks by the clock is closed by a message', async () => {
    const tree = await forest(n('succeed'), { tree: { tick_every: 100 } })
    await tree.pass(1_000)
    await tree.message('close', null)
    expect(tree.run.status).toBe('completed')
  })
})
