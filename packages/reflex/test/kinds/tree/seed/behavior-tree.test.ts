import { describe, expect, test } from 'vitest'
import { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { InvalidResumeTokenError, TreeDefinitionError } from '../../../../src/kinds/tree/board/errors.ts'
import { BT } from '../../../../src/kinds/tree/formats/builders.ts'
import { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import type { Fault } from '../../../../src/kernel/index.ts'
import type { FunctionContext } from '../../../../src/kinds/tree/tick/function-port.ts'
import { TickContext } from '../../../../src/kinds/tree/seed/tick-context.ts'
import { n } from '../tick/tree-world.ts'
import { answers, reasonOf, Scripted, world } from './seed-world.ts'

const act = (fn: string, id = fn): ReturnType<typeof n> => n('action', { id, fn })

describe('ticks in memory', () => {
  test('a tick is synchronous and gives its result', () => {
    const calls: string[] = []
    const { tree, types } = world(
      { root: n('sequence', { id: 'all' }, [act('a'), act('b')]) },
      { functions: { a: answers('S', calls, 'a'), b: answers('S', calls, 'b') } },
    )
    expect(tree.status).toBe('IDLE')
    expect(tree.tick()).toMatchObject({
      status: 'SUCCESS',
      run_status: 'SUCCESS',
      tree_status: 'COMPLETED',
      tick_count: 1,
      nodes_ticked: 3,
    })
    expect([calls, types()]).toEqual([
      ['a', 'b'],
      ['tree.completed', 'tree.tick.complete'],
    ])
  })

  test('each tick ticks the root once, and a tree that has ended begins again', () => {
    const calls: string[] = []
    const { tree } = world(
      { root: n('sequence', {}, [act('a'), act('b')]) },
      { functions: { a: answers('S', calls, 'a'), b: answers('RRS', calls, 'b') } },
    )
    expect([tree.tick().status, tree.tick().status, tree.tick().status]).toEqual(['RUNNING', 'RUNNING', 'SUCCESS'])
    expect(calls).toEqual(['a', 'b', 'b', 'b'])
    expect([tree.tick().status, calls.length]).toEqual(['SUCCESS', 6])
  })

  // proves: tree 33
  test('a tree yields at its budget, and its token resumes it once', () => {
    const { tree, events } = world({ tick_budget: 5, root: act('f') }, { functions: { f: answers('R') } })
    const results = Array.from({ length: 5 }, () => tree.tick())
    expect(results.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'YIELDED'])
    const token = results[4]?.resume_token ?? ''
    expect(events.find(({ type }) => type === 'tree.budget.yield')?.payload).toMatchObject({
      tree_id: 'main',
      tick_count: 5,
      resume_token: token,
    })
    expect(tree.tick().status).toBe('YIELDED')
    expect(() => tree.resume('other')).toThrow(InvalidResumeTokenError)
    expect(tree.status).toBe('YIELDED')
    expect(tree.resume(token).status).toBe('RUNNING')
    expect(() => tree.resume(token)).toThrow(InvalidResumeTokenError)
    tree.reset()
    expect(() => tree.resume(token)).toThrow(InvalidResumeTokenError)
    expect(tree.status).toBe('IDLE')
  })

  test('an event resumes a tree that has yielded', () => {
    const { tree } = world({ tick_budget: 1, root: act('f') }, { functions: { f: answers('RS') } })
    expect(tree.tick().status).toBe('YIELDED')
    expect(tree.tick(new TickContext({ event: { go: true } })).status).toBe('SUCCESS')
  })

  test('a promise is RUNNING until a tick after it has settled', async () => {
    const { tree } = world(
      { board: { answer: { type: 'int' } }, root: act('slow') },
      {
        functions: {
          slow: async ({ blackboard }) => {
            await Promise.resolve()
            blackboard.set('answer', 42)
            return 'SUCCESS' as const
          },
        },
      },
    )
    expect(tree.tick().status).toBe('RUNNING')
    await tree.settled()
    expect([tree.wantsTick, tree.tick().status, tree.blackboard.get('answer')]).toEqual([true, 'SUCCESS', 42])
  })

  test('values go both ways between the blackboard of the host and the nodes', () => {
    const { tree } = world(
      { board: { in: { type: 'int', default: 1 }, out: { type: 'int' } }, root: act('add') },
      { functions: { add: ({ blackboard }) => (blackboard.set('out', Number(blackboard.get('in')) + 1), 'SUCCESS') } },
    )
    expect(tree.blackboard.get('in')).toBe(1)
    tree.blackboard.set('in', 5)
    tree.tick()
    expect(tree.blackboard.get('out')).toBe(6)
    tree.blackboard.set('in', 10)
    tree.tick()
    expect(tree.blackboard.get('out')).toBe(11)
  })

  test('a new execution begins without what the last one wrote, and keeps inputs', () => {
    const seen: unknown[] = []
    const { tree } = world(
      { board: { in: {}, out: {} }, root: act('look') },
      {
        functions: {
          look: ({ blackboard }) => (seen.push([blackboard.get('in'), blackboard.get('out')]), blackboard.set('out', 1), 'SUCCESS'),
        },
      },
    )
    tree.blackboard.set('in', 'x')
    tree.tick()
    expect(tree.blackboard.get('out')).toBe(1)
    tree.tick()
    expect(seen).toEqual([
      ['x', undefined],
      ['x', undefined],
    ])
  })

  test('what trees share stands on the blackboard above theirs', () => {
    const globals = new TypedBlackboard(undefined, 'global')
    const make = (fn: string): ReturnType<typeof world> =>
      world(
        { id: fn, board: { shared: { type: 'int' } }, root: act(fn) },
        {
          globals,
          functions: {
            put: ({ blackboard }) => (blackboard.setGlobal('shared', 7), 'SUCCESS'),
            take: ({ blackboard }) => (blackboard.get('shared') === 7 ? 'SUCCESS' : 'FAILURE'),
          },
        },
      )
    const [put, take] = [make('put'), make('take')]
    expect([take.tree.tick().status, put.tree.tick().status, take.tree.tick().status]).toEqual(['FAILURE', 'SUCCESS', 'SUCCESS'])
    put.tree.reset()
    expect(globals.get('shared')).toBe(7)
  })

  // proves: tree 44
  test('a cancelled execution aborts its operations and cannot be continued', async () => {
    const signals: AbortSignal[] = []
    const { tree, types } = world(
      { root: n('sequence', {}, [act('slow')]) },
      { functions: { slow: ({ signal }) => (signals.push(signal), new Promise(() => undefined)) } },
    )
    expect(tree.tick().status).toBe('RUNNING')
    expect(tree.cancel('reload')).toMatchObject({ status: 'FAILURE', tree_status: 'FAILED' })
    expect([signals[0]?.aborted, tree.root.status, reasonOf(tree)]).toEqual([true, 'FAILURE', expect.stringContaining('reload')])
    expect(types()).toContain('tree.cancelled')
    tree.tick()
    expect(signals).toHaveLength(2)
  })

  test('a node that waits without progress fails, and its parent continues', async () => {
    const { tree, clock } = world(
      { max_tick_duration_ms: 50, root: n('selector', {}, [act('stuck'), act('ok')]) },
      {
        functions: { stuck: () => new Promise(() => undefined), ok: answers('S') },
      },
    )
    expect(tree.tick().status).toBe('RUNNING')
    expect(tree.nextDue).toBe(clock.now() + 50)
    await clock.advance(60)
    expect(tree.tick()).toMatchObject({ status: 'SUCCESS', stuck_node: 'stuck' })
  })

  test('models and tools are services, and nothing is made up without them', async () => {
    const llm = n('llm_call', { id: 'ask', prompt: 'hi', response_key: 'reply', max_retries: 0 })
    const lacking = world({ board: { reply: {} }, root: llm })
    lacking.tree.tick()
    expect(lacking.tree.tick()).toMatchObject({ status: 'FAILURE' })
    expect(reasonOf(lacking.tree)).toContain('llmClient')
    const services = {
      llmClient: { complete: async () => ({ text: 'hello', usage: { input: 1, output: 1 } }) },
      toolExecutor: { execute: () => 3 },
    }
    const tool = n('tool', { id: 'count', tool: 'count', output: 'number' })
    const { tree } = world({ board: { reply: {}, number: {} }, root: n('sequence', {}, [llm, tool]) }, { services })
    expect(tree.tick().status).toBe('RUNNING')
    await tree.settled()
    while (tree.tick().status === 'RUNNING') await Promise.resolve()
    expect([tree.status, tree.blackboard.get('number')]).toEqual(['COMPLETED', 3])
    expect(tree.blackboard.get('reply')).toMatchObject({ content: 'hello' })
  })

  test('a tree that is ticked cannot be ticked by its own nodes', () => {
    let nested: unknown
    const made = world({
      root: new Scripted('self', 'S', () => {
        try {
          made.tree.tick()
        } catch (thrown) {
          nested = thrown
        }
      }),
    })
    expect(made.tree.tick().status).toBe('SUCCESS')
    expect(nested).toMatchObject({ code: 'R1239' })
  })
})

describe('failures in memory', () => {
  // proves: tree 105
  test('the tree and its blackboard have the trace, and the next execution begins with none', () => {
    const root = n('selector', { id: 'any' }, [...Array.from({ length: 60 }, (_, i) => n('fail', { id: `f${i}`, reason: 'no' })), act('f')])
    const { tree, events } = world({ root }, { functions: { f: answers('FS') } })
    expect(tree.tick().status).toBe('FAILURE')
    expect([tree.failureTrace.length, tree.failureTrace.at(-1)]).toEqual([50, expect.objectContaining({ node_id: 'any' })])
    expect(tree.blackboard.get('_failure_trace')).toEqual(tree.failureTrace)
    expect(events.find(({ type }) => type === 'tree.failed')?.payload).toMatchObject({ total_errors: 62, failure_node: 'f' })
    expect([tree.tick().status, tree.failureTrace.length]).toEqual(['SUCCESS', 50])
    expect(tree.failureTrace.every(({ recovered }) => recovered === true)).toBe(true)
    expect(events.filter(({ type }) => type === 'tree.failed')).toHaveLength(1)
  })
})

describe('the shape of a tree', () => {
  test('it knows its nodes, their paths and its depth', () => {
    const { tree } = world({ root: n('sequence', { id: 'top' }, [n('inverter', { id: 'not' }, [act('f')]), act('g')]) })
    expect([tree.nodeCount, tree.maxDepth, tree.getNodeById('f')?.parent?.id]).toEqual([4, 3, 'not'])
    expect(tree.getNodePath('f').map(({ id }) => id)).toEqual(['top', 'not', 'f'])
    expect(tree.getNodeById('none')).toBeUndefined()
  })

  test('a tree without a name or a root, and two nodes of one id are refused', () => {
    expect(() => world({ id: '', root: act('f') })).toThrow(/name/)
    expect(() => world({ id: 'a', root: undefined as never })).toThrow(/root/)
    expect(() => world({ root: n('sequence', {}, [act('f'), act('f')]) })).toThrow(/already that of a node/)
  })

  test('a tree in memory has the checks of a file: children, parameters, types', () => {
    const rule = (root: ReturnType<typeof n>): string | undefined => {
      try {
        world({ root })
        return undefined
      } catch (thrown) {
        return (thrown as Fault).rule
      }
    }
    const wrong = [n('sequence', { id: 's' }), n('inverter', { id: 'i' }), n('timeout', { timeout_ms: 0 }, [act('f')]), n('no_such', {})]
    expect(wrong.map(rule)).toEqual(['E2006', 'E2006', 'E4002', 'E4002'])
    const all = (): unknown => world({ root: n('sequence', {}, [n('inverter', { id: 'i' }), n('action', { id: 'a' })]) })
    expect(all).toThrow(TreeDefinitionError)
    expect(all).toThrow(expect.objectContaining({ errors: [expect.anything(), expect.anything()] }))
  })

  test('what the builders make is a tree, with the functions that it was given', () => {
    const seen: unknown[] = []
    const tree = new BehaviorTree(
      BT.tree('built', {
        blackboard: { done: 'bool' },
        root: BT.sequence([
          BT.action('first', { fn: ({ blackboard }: FunctionContext) => (seen.push('first'), blackboard.set('done', true), 'SUCCESS') }),
          BT.condition('second', { condition: 'bb.done' }),
        ]),
      }),
    )
    expect([tree.id, tree.tick().status, seen, tree.blackboard.get('done')]).toEqual(['built', 'SUCCESS', ['first'], true])
  })

  test('an action has the contract of its function', () => {
    const functions = { f: { run: () => 'SUCCESS' as const, contract: { inputs: { need: 'int' } } } }
    const { tree } = world({ board: { need: { type: 'int' } }, root: act('f') }, { functions })
    expect([tree.tick().status, tree.failureTrace[0]]).toEqual(['FAILURE', expect.objectContaining({ error_code: 'E2001' })])
    tree.blackboard.set('need', 1)
    expect(tree.tick().status).toBe('SUCCESS')
  })

  test('a listener is told of each status, and may throw', () => {
    const { tree } = world({ root: act('f') }, { functions: { f: answers('RS') } })
    const seen: string[] = []
    tree.onStatusChange((_, before, after) => {
      seen.push(`${before} ${after}`)
      throw new Error('no')
    })
    tree.tick()
    tree.tick()
    expect(seen).toEqual(['IDLE RUNNING', 'RUNNING COMPLETED'])
  })
})
