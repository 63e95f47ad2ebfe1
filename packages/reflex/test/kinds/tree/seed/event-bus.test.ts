import { describe, expect, test } from 'vitest'
import { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { EventBus } from '../../../../src/kinds/tree/seed/event-bus.ts'
import { TickContext } from '../../../../src/kinds/tree/seed/tick-context.ts'
import { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import { Scripted, world } from './seed-world.ts'

describe('subscriptions', () => {
  // proves: tree 51
  test('handlers come by priority, then in their order, and one that throws does not stop the others', () => {
    const said: string[] = []
    const bus = new EventBus({ log: (message) => said.push(message) })
    const seen: string[] = []
    bus.subscribe('e', () => seen.push('a'))
    bus.subscribe('e', () => seen.push('b'))
    bus.subscribe(
      'e',
      () => {
        seen.push('high')
        throw new Error('no')
      },
      { priority: 5, name: 'thrower' },
    )
    const stop = bus.subscribe('e', () => seen.push('low'), { priority: -1 })
    bus.emit('e')
    stop()
    bus.emit('e')
    expect(seen).toEqual(['high', 'a', 'b', 'low', 'high', 'a', 'b'])
    expect(said).toEqual(['thrower has thrown', 'thrower has thrown'])
  })

  test('a wildcard takes all types below it', () => {
    const bus = new EventBus()
    const seen: string[] = []
    bus.subscribe('tool.*', ({ type }) => seen.push(type))
    bus.subscribeAll(({ type }) => seen.push(`all ${type}`))
    for (const type of ['tool.call.success', 'tool', 'toolbox.open']) bus.emit(type)
    expect(seen).toEqual(['tool.call.success', 'all tool.call.success', 'all tool', 'all toolbox.open'])
  })

  // proves: tree 52, tree UB-09
  test('a handler that reads what an earlier one has written is a warning, once', () => {
    const run = (first: 'writes' | 'reads', key: string): unknown[] => {
      const [board, bus] = [new TypedBlackboard(), new EventBus()]
      board.registerMany({ k: 'int', other: 'int' })
      bus.watch(board)
      const warnings: unknown[] = []
      bus.subscribe('handler.conflict.warning', ({ payload }) => warnings.push(payload))
      const writes = (): void => void bus.subscribe('e', () => board.set('k', 1), { name: 'writer' })
      const reads = (): void => void bus.subscribe('e', () => void board.get(key), { name: 'reader' })
      for (const make of first === 'writes' ? [writes, reads] : [reads, writes]) make()
      bus.emit('e')
      bus.emit('e')
      return warnings
    }
    expect(run('writes', 'k')).toEqual([{ event_type: 'e', key: 'k', writer: 'writer', reader: 'reader' }])
    expect(run('reads', 'k')).toEqual([])
    expect(run('writes', 'other')).toEqual([])
  })

  test('events of one key are one while they are held, unless they are critical', () => {
    const bus = new EventBus()
    const seen: string[] = []
    bus.subscribeAll(({ type }) => seen.push(type))
    const release = bus.hold()
    for (const severity of ['info', 'info', 'critical', 'critical'] as const) bus.emit(severity, {}, { severity, dedupeKey: 'same' })
    release()
    release()
    expect(seen).toEqual(['info', 'critical', 'critical'])
  })
})

describe('events of a tick', () => {
  // proves: tree 80, tree RC-02
  test('they are delivered in their order after the tick', () => {
    const order: string[] = []
    const node = new Scripted('a', 'S', (ctx) => {
      ctx.emit('one')
      ctx.emit('two')
      order.push('tick')
    })
    const { tree, bus } = world({ root: node })
    bus.subscribe('one', () => order.push(`one ${tree.isTicking}`))
    bus.subscribe('two', () => order.push('two'))
    tree.tick()
    expect(order).toEqual(['tick', 'one false', 'two'])
  })

  // proves: tree 81
  test('a handler that asks for a tick gets it after the delivery, and ticks do not nest', () => {
    const order: string[] = []
    let depth = 0
    let most = 0
    const node = new Scripted('a', 'S', (ctx) => {
      most = Math.max(most, ++depth)
      order.push('tick')
      ctx.emit('again')
      depth--
    })
    const { tree, bus } = world({ root: node })
    let left = 1
    bus.subscribe('again', () => {
      order.push('asked')
      if (left-- > 0) bus.afterwards(() => void tree.tick())
    })
    bus.subscribe('again', () => order.push('other handler'))
    tree.tick()
    expect([order, most]).toEqual([['tick', 'asked', 'other handler', 'tick', 'asked', 'other handler'], 1])
  })

  // proves: tree 82
  test('of 1001 events in a tick the first is dropped, with one warning, and critical ones stay', () => {
    const said: string[] = []
    const bus = new EventBus({ log: (message) => said.push(message) })
    const seen: string[] = []
    bus.subscribeAll(({ type }) => seen.push(type))
    const release = bus.hold()
    bus.emit('first', {}, { severity: 'critical' })
    for (let i = 0; i < 1000; i++) bus.emit(`e${i}`)
    release()
    expect([seen.length, seen[0], seen[1], bus.dropped, said.length]).toEqual([1000, 'first', 'e1', 1, 1])
  })

  // proves: tree 83
  test('an exception in a tick still delivers the events', () => {
    const clock = { now: () => 0, at: () => () => undefined, entropy: () => '1' }
    const bus = new EventBus({ clock })
    const seen: string[] = []
    bus.subscribe('before', () => seen.push('before'))
    const tree: BehaviorTree = new BehaviorTree(
      { id: 'main', root: { type: 'tool', id: 't', params: { tool: 'x' } } },
      {
        clock,
        events: bus,
        services: {
          toolExecutor: {
            execute() {
              bus.emit('before')
              throw new Error('the tool is broken')
            },
          },
        },
      },
    )
    tree.tick()
    expect(tree.tick().status).toBe('FAILURE')
    expect([seen, bus.isBusy, tree.isTicking]).toEqual([['before'], false, false])
  })

  // proves: tree 84
  test('events of one tree are held while another one is ticked', () => {
    const order: string[] = []
    const bus = new EventBus()
    bus.subscribe('inner', () => order.push('inner delivered'))
    const inner = new BehaviorTree({ id: 'x', root: new Scripted('a', 'S', (ctx) => ctx.emit('inner')) }, { events: bus })
    const outer = new Scripted('b', 'S', () => {
      inner.tick()
      order.push('outer ends')
    })
    new BehaviorTree({ id: 'y', root: outer }, { events: bus }).tick(new TickContext())
    expect(order).toEqual(['outer ends', 'inner delivered'])
  })
})
