import { describe, expect, test } from 'vitest'
import { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import { type SchedulerOptions, TickScheduler } from '../../../../src/kinds/tree/seed/tick-scheduler.ts'
import type { TreeForm } from '../../../../src/kinds/tree/seed/tree-form.ts'
import type { TreeHost } from '../../../../src/kinds/tree/seed/tree-host.ts'
import { n } from '../tick/tree-world.ts'
import { answers, Scripted, world } from './seed-world.ts'

function driven(form: Omit<TreeForm, 'id'>, host: TreeHost = {}, options: SchedulerOptions = {}, triggers: readonly string[] = ['go']) {
  const made = world(form, host)
  const scheduler = new TickScheduler({ clock: made.clock, events: made.bus, ...options })
  scheduler.add(made.tree, triggers)
  return { ...made, scheduler }
}
const act = (fn: string): ReturnType<typeof n> => n('action', { id: fn, fn })
const never = (): Promise<'SUCCESS'> => new Promise(() => undefined)

describe('the tick loop', () => {
  test('an event starts a tree, which is ticked until it has ended', () => {
    const { tree, bus, types } = driven({ root: act('f') }, { functions: { f: answers('RRRS') } })
    bus.emit('go')
    expect([tree.status, types().filter((type) => type === 'tree.tick.complete').length]).toEqual(['COMPLETED', 4])
  })

  test('a tree that uses its budget yields, and the next event resumes it', () => {
    const calls: string[] = []
    const { tree, bus, types } = driven({ tick_budget: 5, root: act('f') }, { functions: { f: answers('R', calls) } })
    bus.emit('go')
    expect([tree.status, calls.length, types().includes('tree.budget.yield')]).toEqual(['YIELDED', 5, true])
    bus.emit('go')
    expect([tree.status, calls.length]).toEqual(['YIELDED', 10])
  })

  test('a tree that waits is ticked when its operation ends, and yields nothing meanwhile', async () => {
    let settle: (status: 'SUCCESS') => void = () => undefined
    const slow = (): Promise<'SUCCESS'> => new Promise((resolve) => (settle = resolve))
    const { tree, bus } = driven({ root: act('slow') }, { functions: { slow } }, { mode: 'event_driven' })
    bus.emit('go')
    expect([tree.status, tree.wantsTick]).toEqual(['RUNNING', false])
    settle('SUCCESS')
    await tree.settled()
    expect(tree.status).toBe('COMPLETED')
  })

  test('a tree that is polled is ticked every 100 ms', async () => {
    const node = new Scripted('a', 'RRRS', (ctx) => ctx.addAsync('op'))
    const { tree, bus, clock } = driven({ root: node }, {}, { mode: 'polling' })
    bus.emit('go')
    expect(node.seen).toHaveLength(1)
    await clock.advance(99)
    expect(node.seen).toHaveLength(1)
    await clock.advance(201)
    expect([node.seen.length, tree.status]).toEqual([4, 'COMPLETED'])
    await clock.advance(1000)
    expect(node.seen).toHaveLength(4)
  })

  // proves: tree 85
  test('an event for a tree that is RUNNING waits for its next poll', async () => {
    const seen: unknown[] = []
    const node = new Scripted('a', 'RRS', (ctx) => {
      ctx.addAsync('op')
      seen.push(ctx.event)
    })
    const { bus, clock } = driven({ root: node })
    bus.emit('go')
    bus.emit('go', { second: true })
    expect(seen).toHaveLength(1)
    await clock.advance(100)
    expect(seen).toEqual([
      { type: 'go', payload: {} },
      { type: 'go', payload: { second: true } },
    ])
  })

  test('a tree that a node runs inside its tick is run afterwards', () => {
    let asked = 0
    const node = new Scripted('a', 'S', () => {
      if (asked++ === 0) expect(made.scheduler.run(made.tree)).toBeUndefined()
    })
    const made = driven({ root: node }, {}, {}, [])
    expect([made.tree.tick().status, node.tickCount]).toEqual(['SUCCESS', 2])
  })
})

describe('the watchdog', () => {
  // proves: tree 2
  test('a tree that nobody ticks fails at its limit', async () => {
    const { tree, bus, clock, events } = driven(
      { max_tick_duration_ms: 50, root: act('never') },
      { functions: { never } },
      { mode: 'event_driven' },
    )
    bus.emit('go')
    await clock.advance(49)
    expect(tree.status).toBe('RUNNING')
    await clock.advance(51)
    expect(tree.status).toBe('FAILED')
    const timeouts = events.filter(({ type }) => type === 'tree.watchdog.timeout')
    expect(timeouts.map(({ severity }) => severity)).toEqual(['critical'])
  })

  test('a removed tree is left alone', async () => {
    const { tree, bus, clock, scheduler } = driven({ max_tick_duration_ms: 50, root: act('never') }, { functions: { never } })
    bus.emit('go')
    scheduler.remove(tree)
    await clock.advance(1000)
    bus.emit('go')
    expect([tree.status, scheduler.trees]).toEqual(['RUNNING', []])
  })
})

describe('recovery', () => {
  test('the third failure in a minute runs the recovery tree, with the failures', async () => {
    const recovery: BehaviorTree = new BehaviorTree({ id: 'rescue', root: new Scripted('help', 'SF') })
    const { tree, bus, clock, types } = driven(
      { recovery_tree: 'rescue', root: act('f') },
      { functions: { f: answers('F') } },
      { recovery: { find: (name) => (name === 'rescue' ? recovery : undefined) } },
    )
    bus.emit('go')
    await clock.advance(61_000)
    bus.emit('go')
    bus.emit('go')
    expect(recovery.status).toBe('IDLE')
    bus.emit('go')
    expect([recovery.status, types().includes('tree.fallback')]).toEqual(['COMPLETED', false])
    expect(recovery.blackboard.get('_failure_context')).toMatchObject({ tree_id: tree.id, failure_trace: [{ node_id: 'f' }] })
    for (let i = 0; i < 3; i++) bus.emit('go')
    expect([recovery.status, types().filter((type) => type === 'tree.fallback').length]).toEqual(['FAILED', 1])
  })
})
