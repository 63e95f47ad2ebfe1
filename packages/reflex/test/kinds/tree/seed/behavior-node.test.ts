import { describe, expect, test } from 'vitest'
import { NodeContract } from '../../../../src/kinds/tree/board/contract.ts'
import { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import type { RunStatus } from '../../../../src/kinds/tree/model/run-status.ts'
import { BehaviorNode } from '../../../../src/kinds/tree/seed/behavior-node.ts'
import { TickContext } from '../../../../src/kinds/tree/seed/tick-context.ts'
import { n } from '../tick/tree-world.ts'
import { reasonOf, Scripted, world } from './seed-world.ts'

describe('nodes of a host', () => {
  // proves: tree 8
  test('runningSince is there while the node is RUNNING, and does not move', async () => {
    const node = new Scripted('a', 'RRS')
    const { tree, clock } = world({ root: node })
    expect([node.status, node.runningSince]).toEqual(['FRESH', undefined])
    tree.tick()
    const since = node.runningSince?.getTime()
    expect([node.status, since]).toEqual(['RUNNING', clock.now()])
    await clock.advance(10)
    tree.tick()
    expect(node.runningSince?.getTime()).toBe(since)
    tree.tick()
    expect([node.status, node.runningSince, node.tickCount]).toEqual(['SUCCESS', undefined, 3])
  })

  test('nodes of a host stand among those of the catalogue', () => {
    const [a, b, c] = [new Scripted('a', 'F'), new Scripted('b', 'RS'), new Scripted('c')]
    const { tree } = world({ root: { type: 'selector', id: 'top', children: [{ type: 'inverter', id: 'not', children: [b] }, a, c] } })
    expect([tree.tick().status, tree.tick().status]).toEqual(['RUNNING', 'SUCCESS'])
    expect([a.tickCount, b.tickCount, c.tickCount]).toEqual([1, 2, 1])
    expect(tree.getNodeById('top')?.tickCount).toBe(2)
  })

  test('a throw is a failure with its reason, and the rest of the tree continues', () => {
    const bad = new Scripted('bad', 'S', () => {
      throw new Error('out of paper')
    })
    const { tree } = world({ root: { type: 'selector', id: 'top', children: [bad, new Scripted('ok')] } })
    expect([tree.tick().status, bad.status, tree.blackboard.get('_failure_reason')]).toEqual(['SUCCESS', 'FAILURE', 'out of paper'])
  })

  test('a node says why it fails, and one that answers no status fails', () => {
    class Refuses extends BehaviorNode {
      override _tick(ctx: TickContext): RunStatus {
        return ctx.fail('not today')
      }
    }
    class Odd extends BehaviorNode {
      override _tick(): RunStatus {
        return 'MAYBE' as RunStatus
      }
    }
    const refused = world({ root: new Refuses('no') })
    expect(refused.tree.tick().failure_trace).toMatchObject([{ node_id: 'no', reason: 'not today' }])
    const odd = world({ root: new Odd('odd') })
    expect(odd.tree.tick().failure_trace?.[0]?.reason).toContain('no status')
  })

  test('a composite of a host ticks its children itself', () => {
    class Both extends BehaviorNode {
      override _tick(ctx: TickContext): RunStatus {
        const all = this.children.map((child) => child.tick(ctx))
        return all.includes('RUNNING') ? 'RUNNING' : all.includes('FAILURE') ? 'FAILURE' : 'SUCCESS'
      }
    }
    const [a, b] = [new Scripted('a', 'S'), new Scripted('b', 'RS')]
    const { tree } = world({ root: new Both('both', { children: [a, b] }) })
    expect([tree.tick().status, a.status, b.status]).toEqual(['RUNNING', 'SUCCESS', 'RUNNING'])
    expect(tree.getRunningNodes().map(({ id }) => id)).toEqual(['both', 'b'])
    expect([tree.tick().status, a.tickCount, b.tickCount]).toEqual(['SUCCESS', 2, 2])
    expect(b.seen[0]?.parentPath).toEqual(['both', 'b'])
  })

  test('a parent halts the child that it abandons', () => {
    const child = new Scripted('child', 'R')
    class Gives extends BehaviorNode {
      #count = 0
      override _tick(ctx: TickContext): RunStatus {
        if (this.#count++ === 0) return child.tick(ctx)
        child.reset()
        return 'SUCCESS'
      }
    }
    const { tree } = world({ root: new Gives('gives', { children: [child] }) })
    tree.tick()
    expect([tree.tick().status, child.status, child.resets]).toEqual(['SUCCESS', 'FRESH', 2])
  })

  test('reset makes a RUNNING node FRESH and keeps its count', () => {
    const a = new Scripted('a', 'R')
    const { tree } = world({ root: n('sequence', { id: 's' }, [a as never]) })
    tree.tick()
    a.reset()
    expect([a.status, a.runningSince, a.tickCount]).toEqual(['FRESH', undefined, 1])
    expect(a.debugInfo()).toMatchObject({ id: 'a', name: 'a', status: 'FRESH', tick_count: 1, running_since: null, path: 'a' })
  })

  test('a reset of a tree resets each node once', () => {
    const [a, b] = [new Scripted('a', 'S'), new Scripted('b', 'R')]
    const { tree } = world({ root: n('sequence', { id: 's' }, [a as never, b as never]) })
    tree.tick()
    const before = [a.resets, b.resets]
    tree.reset()
    expect([a.resets, b.resets]).toEqual(before.map((count) => count + 1))
  })

  test('a node that stands alone can be ticked, on a blackboard of its host', () => {
    const board = new TypedBlackboard()
    board.register('n', 'int')
    const node = new Scripted('alone', 'RS', (ctx) => ctx.blackboard.set('n', 3))
    const ctx = new TickContext({ blackboard: board })
    expect([node.tick(ctx), node.tick(ctx), board.get('n'), node.tickCount]).toEqual(['RUNNING', 'SUCCESS', 3, 2])
  })

  test('a child is ticked by its parent only', () => {
    const child = new Scripted('child')
    world({ root: new Scripted('parent', 'S', undefined, { children: [child] }) })
    expect(() => child.tick(new TickContext())).toThrow(/ticked by/)
  })

  // proves: tree 113
  test('ids follow the pattern of names', () => {
    for (const id of ['a', 'A1_-']) expect(new Scripted(id).id).toBe(id)
    for (const id of ['', '1a', '_a', '-a', 'a b', 'a.b']) expect(() => new Scripted(id)).toThrow(/no id/)
  })

  test('each node says how a failure reaches its parent', () => {
    const child = new Scripted('child')
    const parent = new Scripted('parent', 'S', undefined, { children: [child] })
    const { tree } = world({ root: n('inverter', { id: 'not' }, [parent as never]) })
    expect(['not', 'parent', 'child'].map((id) => tree.getNodeById(id)?.propagatesFailure)).toEqual(['invert', 'policy', 'leaf'])
  })

  test('a node has one place', () => {
    const a = new Scripted('a')
    const top = new Scripted('top', 'S', undefined, { children: [a] })
    expect(() => new Scripted('other', 'S', undefined, { children: [a] })).toThrow(/already/)
    world({ root: top })
    expect(() => world({ root: top })).toThrow(/already/)
  })
})

class Declared extends Scripted {
  static override contract(): NodeContract {
    return new NodeContract({ inputs: { need: 'int' }, outputs: { made: 'int' } })
  }
}

describe('contracts of nodes', () => {
  // proves: tree 111
  test('a node whose input is missing fails, is not executed, and counts the tick', () => {
    const node = new Declared('d')
    const { tree } = world({ root: node })
    expect([tree.tick().status, node.seen.length, node.tickCount]).toEqual(['FAILURE', 0, 1])
    tree.blackboard.set('need', 1)
    expect([tree.tick().status, node.seen.length, node.tickCount]).toEqual(['SUCCESS', 1, 2])
  })

  // proves: tree 110
  test('an undeclared access is a warning, and the node still succeeds', () => {
    const node = new Declared('d', 'S', (ctx) => ctx.blackboard.set('other', ctx.blackboard.get('more')))
    const { tree, events } = world({ board: { other: {}, more: {} }, root: n('sequence', { id: 's' }, [node as never]) })
    tree.blackboard.set('need', 1)
    tree.blackboard.set('more', 2)
    expect(tree.tick().status).toBe('SUCCESS')
    const violations = events.filter(({ type }) => type === 'node.contract.violation')
    expect(violations.map(({ severity, payload }) => [severity, payload['node_id']])).toEqual([
      ['warning', 'd'],
      ['warning', 'd'],
    ])
  })

  test('keys of the runtime need no declaration', () => {
    const node = new Declared('d', 'S', (ctx) => void ctx.blackboard.get('_failure_reason'))
    const { tree, types } = world({ root: node })
    tree.blackboard.set('need', 1)
    expect([tree.tick().status, types().includes('node.contract.violation')]).toEqual(['SUCCESS', false])
  })
})

describe('the context of a tick', () => {
  // proves: tree 112
  test('operations of a context with another blackboard are those of the tree', async () => {
    const pending: TickContext[] = []
    const node = new Scripted('a', 'RS', (ctx) => {
      if (pending.length > 0) return
      const child = ctx.withBlackboard(new TypedBlackboard())
      child.addAsync('op')
      pending.push(child)
    })
    const { tree } = world({ root: node })
    expect([tree.tick().status, tree.wantsTick, node.seen[0]?.hasPendingAsync()]).toEqual(['RUNNING', false, true])
    const settled = tree.settled()
    pending[0]?.completeAsync('op')
    await settled
    expect(tree.tick().status).toBe('SUCCESS')
  })

  test('an operation belongs to the execution: it is pending in later ticks, and its end wakes the tree', async () => {
    const node = new Scripted('a', 'RRRS', (ctx) => {
      if (node.seen.length === 1) ctx.addAsync('op')
    })
    const { tree } = world({ root: node })
    tree.tick()
    for (const event of ['first', 'second']) {
      tree.tick(new TickContext({ event }))
      expect([tree.wantsTick, node.seen.at(-1)?.asyncPending.has('op')]).toEqual([false, true])
    }
    const settled = tree.settled()
    node.seen[0]?.completeAsync('op')
    await settled
    expect([tree.tick().status, tree.lastContext.hasPendingAsync()]).toEqual(['SUCCESS', false])
  })

  test('its signal is aborted when the execution is cancelled, and its id names the execution', () => {
    const node = new Scripted('a', 'R')
    const { tree } = world({ root: node })
    tree.tick()
    const signals = [node.seen[0]?.signal]
    expect([signals[0]?.aborted, node.seen[0]?.executionId]).toEqual([false, 'main@1'])
    tree.cancel()
    tree.tick()
    signals.push(node.seen[1]?.signal)
    expect([signals.map((signal) => signal?.aborted), node.seen[1]?.executionId]).toEqual([[true, false], 'main@2'])
  })

  test('its path has all nodes from the root on, once each', () => {
    const node = new Scripted('leaf', 'S', (ctx) => void paths.push(ctx.pathText))
    const paths: string[] = []
    world({ root: n('sequence', { id: 'top' }, [n('inverter', { id: 'not' }, [node as never])]) }).tree.tick()
    expect(paths).toEqual(['top > not > leaf'])
  })

  test('with tracing each tick of a node is an event, and without none is', () => {
    const { tree, events } = world({ root: n('sequence', { id: 'top' }, [new Scripted('a') as never]) })
    const ticks = (): unknown[] =>
      events.filter(({ type }) => type === 'node.tick').map(({ payload: { node_id, status } }) => [node_id, status])
    tree.tick()
    expect(ticks()).toEqual([])
    tree.tick(new TickContext({ traceEnabled: true }))
    expect(ticks()).toEqual([
      ['top', 'SUCCESS'],
      ['a', 'SUCCESS'],
    ])
    expect(events.find(({ type }) => type === 'node.tick')).toMatchObject({ severity: 'debug', payload: { node_type: 'sequence' } })
  })

  test('it counts, and its budget can be exceeded', () => {
    const ctx = new TickContext({ tickCount: 7, tickBudget: 5 })
    expect([ctx.budgetRemaining(), ctx.budgetExceeded()]).toEqual([-2, true])
    ctx.popPath()
    ctx.pushPath('a')
    ctx.pushPath('b')
    expect(ctx.pathText).toBe('a > b')
    expect(() => ctx.pushPath('a')).toThrow(RangeError)
    expect(() => new TickContext({ tickBudget: 0 })).toThrow(RangeError)
    expect(() => new TickContext({ tickCount: -1 })).toThrow(RangeError)
  })

  test('an unknown operation can be completed, and that is progress', async () => {
    let now = 5
    const ctx = new TickContext({ now: () => now })
    now = 9
    ctx.completeAsync('none')
    expect([ctx.lastProgressAt, ctx.elapsedMs()]).toEqual([9, 4])
  })

  test('a tree is cancelled before its next tick', () => {
    const node = new Scripted('a', 'R')
    const { tree } = world({ root: node })
    tree.tick()
    const ctx = new TickContext()
    ctx.requestCancellation('budget')
    expect([tree.tick(ctx).status, node.seen.length]).toEqual(['FAILURE', 1])
    expect(reasonOf(tree)).toContain('budget')
  })

  test('a node that requests the cancellation ends its execution with the next tick, and no other one', () => {
    const node = new Scripted('a', 'RSS', (ctx) => {
      if (node.seen.length < 3) ctx.requestCancellation('enough')
    })
    const { tree } = world({ root: node })
    expect([tree.tick().status, tree.lastContext.cancellationRequested]).toEqual(['RUNNING', true])
    expect([tree.tick().status, node.seen.length, reasonOf(tree)]).toEqual(['FAILURE', 1, 'cancelled:enough'])
    // It succeeds and requests it in one tick: the next execution has no request.
    expect([tree.tick().status, tree.tick().status, node.seen.length]).toEqual(['SUCCESS', 'SUCCESS', 3])
  })

  // proves: tree 6
  test('progress keeps the watchdog away, and RUNNING alone does not', async () => {
    let isBusy = true
    const node = new Scripted('busy', 'R', (ctx) => {
      ctx.addAsync('x')
      if (isBusy) ctx.markProgress()
    })
    const { tree, clock } = world({ max_tick_duration_ms: 50, root: node })
    tree.tick()
    for (let i = 0; i < 3; i++) {
      await clock.advance(40)
      expect(tree.tick().status).toBe('RUNNING')
    }
    isBusy = false
    await clock.advance(60)
    expect(tree.tick()).toMatchObject({ status: 'FAILURE', stuck_node: 'busy' })
  })
})
