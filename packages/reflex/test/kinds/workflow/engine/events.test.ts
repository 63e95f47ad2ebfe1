import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  restoreEngine,
  type BlackboardEntry,
  type EngineEvent,
  type EngineEvents,
  type EngineSnapshot,
  type ReflexEngine,
} from '../../../../src/kinds/workflow/index.ts'
import { agentOf, boardText, engineOf, flow, log, onward, registryOf, stackText, stepAll, writing } from './kit.ts'
import { worlds } from './worlds.ts'

const child = flow('child', { c: {}, d: {} }, [['c', 'd']])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made', also: 'more' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z', { type: 'exists', key: 'got' }],
])
const script = {
  a: writing({ x: 1, y: 2 }),
  c: writing({ made: 1 }),
  d: writing({ more: 2 }),
  go: async (it: Parameters<typeof onward>[0]) => onward(it),
  z: writing({ end: 1 }),
}

/** Where the engine says it is, in one line. */
function place(engine: ReflexEngine): string {
  const { currentWorkflowId, currentNodeId, currentBlackboard, stack, status } = engine.snapshot()
  const edges = engine
    .validEdges()
    .map(({ id }) => id)
    .join(' ')
  const here = `${engine.currentWorkflow()?.id}/${engine.currentNode()?.id}`
  expect(`${currentWorkflowId}/${currentNodeId}`).toBe(here)
  expect(boardText(currentBlackboard)).toBe(boardText(engine.blackboard().local()))
  expect(boardText(engine.currentBlackboard()?.entriesFrom(0)[0] ?? [])).toBe(boardText(engine.blackboard().local()))
  expect(engine.currentBlackboard()?.cursor()).toBe(currentBlackboard.length)
  expect(stackText(stack)).toBe(stackText(engine.stack()))
  expect(status).toBe(engine.status())
  const keys = (entries: readonly BlackboardEntry[]) => entries.map(({ key }) => key).join(' ')
  return ` | ${here} ${status} [${keys(currentBlackboard)}] edges(${edges}) stack(${stack.map((frame) => `${frame.workflowId}/${frame.currentNodeId} [${keys(frame.blackboard)}]`).join(' ')})`
}

describe('the events of a session', () => {
  // proves: workflow 1.4i, workflow 1.4k, workflow 2.4b, workflow 2.7a, workflow 2.9b, workflow 2.10g, workflow 3.2e, workflow 3.2g
  // proves: workflow 3.2h, workflow 3.2k, workflow 3.2l, workflow 3.2m, workflow 3.2n, workflow 3.2o, workflow 4.4a, workflow r5.1a
  // proves: workflow r5.1c, workflow r5.6b, workflow r5.6c, workflow r5.6e, workflow r5.8a, workflow r16d, workflow r16e, workflow r16f
  // proves: workflow r16g, workflow r16h, workflow r16k, workflow C7, workflow C8, workflow D5, workflow r18h
  test('are in the order of the seed, each with the state at its moment', async () => {
    const engine = engineOf([child, main], agentOf(script))
    const events = log(engine, place)
    await engine.init('main', { blackboard: [{ key: 's', value: 0 }] })
    await engine.run()
    expect(events).toEqual([
      'init main | main/a running [] edges(a-go) stack()',
      'write main: s=0 main/__init__@0 | main/a running [s] edges(a-go) stack()',
      'enter main/a | main/a running [s] edges(a-go) stack()',
      'exit main/a | main/a running [s] edges(a-go) stack()',
      'edge main/a-go | main/a running [s] edges(a-go) stack()',
      'write main: x=1 main/a@0, y=2 main/a@0 | main/a running [s x y] edges(a-go) stack()',
      'enter main/go | main/go running [s x y] edges() stack()',
      'record main/go > child active | child/c running [] edges(c-d) stack(main/go [s x y])',
      'push child on main/go(s=0 main/__init__@0, x=1 main/a@0, y=2 main/a@0) | child/c running [] edges(c-d) stack(main/go [s x y])',
      'enter child/c | child/c running [] edges(c-d) stack(main/go [s x y])',
      'exit child/c | child/c running [] edges(c-d) stack(main/go [s x y])',
      'edge child/c-d | child/c running [] edges(c-d) stack(main/go [s x y])',
      'write child: made=1 child/c@1 | child/c running [made] edges(c-d) stack(main/go [s x y])',
      'enter child/d | child/d running [made] edges() stack(main/go [s x y])',
      'write child: more=2 child/d@1 | child/d running [made more] edges() stack(main/go [s x y])',
      'write main: got=1 main/go@0 | main/go running [s x y got also] edges(go-z) stack()',
      'write main: also=2 main/go@0 | main/go running [s x y got also] edges(go-z) stack()',
      'pop to main main/go(s=0 main/__init__@0, x=1 main/a@0, y=2 main/a@0) | main/go running [s x y got also] edges(go-z) stack()',
      'enter main/go | main/go running [s x y got also] edges(go-z) stack()',
      'exit main/go | main/go running [s x y got also] edges(go-z) stack()',
      'edge main/go-z | main/go running [s x y got also] edges(go-z) stack()',
      'enter main/z | main/z running [s x y got also] edges() stack()',
      'write main: end=1 main/z@0 | main/z running [s x y got also end] edges() stack()',
      'complete main | main/z completed [s x y got also end] edges() stack()',
    ])
  })

  // proves: workflow 1.4g, workflow 2.10e, workflow 3.2j, workflow 3.2k, workflow r5.5a, workflow r16l, workflow C5
  test('of a suspension with writes are first the writes, then the suspension', async () => {
    const engine = engineOf(
      [child],
      agentOf({ c: async () => ({ type: 'suspend', reason: 'ask ana', writes: [{ key: 'asked', value: 'ana' }] }) }),
    )
    const events = log(engine, place)
    await engine.init('child')
    events.length = 0
    expect(await engine.step()).toEqual({ status: 'suspended', reason: 'ask ana' })
    expect(events).toEqual([
      'write child: asked="ana" child/c@0 | child/c running [asked] edges(c-d) stack()',
      'suspend c: ask ana | child/c suspended [asked] edges(c-d) stack()',
    ])
  })

  // proves: workflow 3.2k, workflow 3.4g, workflow r16m
  test('of an error have no writes, and the engine is already suspended', async () => {
    const engine = engineOf([child], agentOf({ c: async () => ({ type: 'advance', edge: 'no', writes: [{ key: 'k', value: 1 }] }) }))
    const events = log(engine, place)
    await engine.init('child')
    events.length = 0
    await engine.step()
    expect(events).toEqual(["error c: Decision agent chose invalid edge 'no' | child/c suspended [] edges(c-d) stack()"])
  })

  test('begin each session with engine:init', async () => {
    const engine = engineOf([child, main], agentOf(script))
    const ids: unknown[] = []
    engine.on('engine:init', (payload) => ids.push(payload))
    const first = await engine.init('main')
    const second = await engine.init('child')
    expect(ids).toEqual([
      { sessionId: first, workflow: main },
      { sessionId: second, workflow: child },
    ])
  })

  test('have the question of a suspension, like the result', async () => {
    const ask = { text: 'Refund?', options: [{ value: 'YES' }, { value: 'NO', label: 'No' }], due: 1000, otherwise: 'NO' }
    const engine = engineOf([child], agentOf({ c: async () => ({ type: 'suspend', reason: 'person', ask, by: 'rules' }) }))
    const told: unknown[] = []
    engine.on('engine:suspend', (payload) => told.push(payload))
    await engine.init('child')
    expect(await engine.run()).toEqual({ status: 'suspended', reason: 'person', ask })
    expect(told).toEqual([{ reason: 'person', nodeId: 'c', ask }])
  })

  // proves: workflow 2.6d, workflow 3.2i, workflow r5.6b, workflow r16c, workflow r16g, workflow r16h, workflow r16i, workflow r16k
  // proves: workflow r18g
  test('have complete payloads of their own', async () => {
    const payloads = new Map<EngineEvent, EngineEvents[EngineEvent]>()
    const engine = engineOf([child, main], agentOf(script))
    engine.onAny((event, payload) => payloads.set(event, payload))
    await engine.init('main')
    await engine.run()
    expect(payloads.get('node:enter')).toEqual({ node: main.nodes.z, workflow: main })
    expect(payloads.get('node:exit')).toEqual({ node: main.nodes.go, workflow: main })
    expect(payloads.get('edge:traverse')).toEqual({ edge: main.edges[1], workflow: main })
    expect(payloads.get('engine:complete')).toEqual({ workflow: main })
    const id = engine.executionTree().records[0]?.invocationId
    const returnMap = [
      { parentKey: 'got', childKey: 'made' },
      { parentKey: 'also', childKey: 'more' },
    ]
    expect(payloads.get('workflow:push')).toMatchObject({ frame: { workflowId: 'main', currentNodeId: 'go', returnMap }, workflow: child })
    expect(payloads.get('workflow:pop')).toMatchObject({ frame: { workflowId: 'main', currentNodeId: 'go', returnMap }, workflow: main })
    expect(payloads.get('execution:record')).toEqual({
      record: {
        invocationId: id,
        parentWorkflowId: 'main',
        parentNodeId: 'go',
        childWorkflowId: 'child',
        returnMap,
        status: 'active',
        childInvocationIds: [],
      },
    })
  })
})

describe('values passed to handlers and agents (C3)', () => {
  // proves: workflow 1.1c, workflow 2.7g, workflow 2.10b, workflow 5c, workflow C3
  test('cannot be used to change the session', async () => {
    const engine = engineOf([child, main], agentOf(script))
    const handed: unknown[] = []
    engine.onAny((_, payload) => handed.push(payload))
    await engine.init('main', { blackboard: [{ key: 's', value: { deep: [1] } }] })
    await engine.step()
    await engine.step()
    const before = JSON.stringify(engine.snapshot())
    handed.push(
      engine.stack(),
      engine.blackboard().entries(),
      engine.blackboard().getAll('s'),
      engine.blackboard().local(),
      engine.blackboard().keys(),
      engine.blackboard().get('s'),
    )
    handed.push(
      engine.currentBlackboard()?.entriesFrom(0),
      engine.executionTree(),
      engine.activeExecutions(),
      engine.snapshot(),
      engine.validEdges(),
    )
    const walked = new Set<unknown>([
      child,
      main,
      ...Object.values(main.nodes),
      ...Object.values(child.nodes),
      ...main.edges,
      ...child.edges,
    ])
    const spoil = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || walked.has(value)) return
      walked.add(value)
      for (const key of Reflect.ownKeys(value)) spoil((value as Record<PropertyKey, unknown>)[key])
      for (const key of Object.keys(value)) Reflect.set(value, key, 'spoilt')
      Reflect.set(value, 'more', 1)
      if (Array.isArray(value)) Reflect.set(value, 'length', 0)
    }
    spoil(handed)
    const { createdAt: _, ...after } = engine.snapshot()
    expect(after).toEqual({ ...(JSON.parse(before) as EngineSnapshot), createdAt: undefined })
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(boardText(engine.blackboard().entries())).toBe(
      's={"deep":[1]} main/__init__@0, x=1 main/a@0, y=2 main/a@0, got=1 main/go@0, also=2 main/go@0, end=1 main/z@0',
    )
  })

  // proves: workflow C3
  test('do not change later if they are copies of a moment', async () => {
    const engine = engineOf([child, main], agentOf(script))
    const frames: [string, unknown][] = []
    const keep = (frame: unknown) => frames.push([JSON.stringify(frame), frame])
    engine.on('workflow:push', ({ frame }) => keep(frame))
    engine.on('workflow:pop', ({ frame }) => keep(frame))
    engine.on('execution:record', ({ record }) => keep(record))
    engine.on('node:enter', () => {
      keep(engine.stack())
      keep(engine.executionTree())
      keep(engine.blackboard().entries())
    })
    await engine.init('main')
    await engine.run()
    for (const [then, now] of frames) expect(JSON.stringify(now)).toBe(then)
  })

  test('are the same for every handler: no handler can change a payload for the others', async () => {
    const own = new Set<unknown>([child, main, ...Object.values(main.nodes), ...Object.values(child.nodes), ...main.edges, ...child.edges])
    const loose: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null || own.has(value)) return
      if (!Object.isFrozen(value)) loose.push(path)
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`)
    }
    const engine = engineOf(
      [child, main],
      agentOf({ ...script, z: async () => ({ type: 'suspend', reason: 'r', ask: { text: 't', options: [{ value: 'v' }] } }) }),
    )
    engine.onAny((event, payload) => look(payload, event))
    await engine.init('main', { blackboard: [{ key: 's', value: { deep: [1] } }] })
    await engine.run()
    engine.pushWorkflow('child')
    engine.popWorkflow()
    engine.pushWorkflow('child')
    engine.unwindToDepth(0)
    expect(loose).toEqual([])
  })

  test('keep the stack that an agent has stored', async () => {
    let kept = ''
    let stack: readonly { readonly blackboard: readonly BlackboardEntry[] }[] = []
    const agent = agentOf({
      ...script,
      d: async (it) => {
        stack = it.stack
        kept = 'x y'
        return onward(it, { more: 2 })
      },
    })
    const engine = engineOf([child, main], agent)
    await engine.init('main')
    await engine.run()
    expect(stack[0]?.blackboard.map(({ key }) => key).join(' ')).toBe(kept)
  })

  test('are copies of given values, whose owner may change them', async () => {
    const own = { list: [1] }
    const engine = engineOf([child], agentOf({ c: writing({ own }) }))
    await engine.init('child', { blackboard: [{ key: 'seed', value: own }] })
    await engine.step()
    own.list.push(2)
    expect([engine.blackboard().get('seed'), engine.blackboard().get('own')]).toEqual([{ list: [1] }, { list: [1] }])
  })

  // proves: workflow r8g
  test('have a reader that is live for its own scope and fixed for those of the callers', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main')
    const root = engine.blackboard()
    const cursor = engine.currentBlackboard()
    expect([root.get('x'), cursor?.cursor()]).toEqual([undefined, 0])
    await engine.step()
    expect([root.get('x'), cursor?.cursor()]).toEqual([1, 2])
    await engine.step()
    const inner = engine.blackboard()
    await engine.step()
    expect(inner.keys()).toEqual(['made', 'x', 'y'])
    await engine.run()
    expect(inner.keys()).toEqual(['made', 'more', 'x', 'y'])
    expect(root.keys()).toEqual(['x', 'y', 'got', 'also', 'end'])
  })

  test('have a reader that still works after the handler', async () => {
    const engine = engineOf([child], agentOf(script))
    let kept = engine.blackboard()
    await engine.init('child')
    engine.on('node:exit', () => {
      kept = engine.blackboard()
      expect(kept.has('made')).toBe(false)
    })
    await engine.step()
    expect(kept.get('made')).toBe(1)
  })
})

/** A devtools mirror: knows nothing but the events, as JSON. */
class Mirror {
  boards: BlackboardEntry[][] = []
  place: string[] = []
  status = 'idle'

  hear(event: EngineEvent, payload: EngineEvents[EngineEvent]): void {
    const told = JSON.parse(JSON.stringify(payload)) as EngineEvents[EngineEvent]
    const handlers: { readonly [Event in EngineEvent]?: (payload: EngineEvents[Event]) => void } = {
      'engine:init': ({ workflow }) => {
        this.boards = [[]]
        this.place = [`${workflow.id}/`]
        this.status = 'running'
      },
      'node:enter': ({ node, workflow }) => void (this.place[this.place.length - 1] = `${workflow.id}/${node.id}`),
      'blackboard:write': ({ entries }) => void this.boards[entries[0]?.source.stackDepth ?? 0]?.push(...entries),
      'workflow:push': ({ workflow }) => {
        this.boards.push([])
        this.place.push(`${workflow.id}/`)
      },
      'workflow:pop': () => this.cut(this.boards.length - 1),
      'stack:unwind': ({ targetDepth }) => this.cut(targetDepth + 1),
      'engine:complete': () => void (this.status = 'completed'),
      'engine:suspend': () => void (this.status = 'suspended'),
      'engine:error': () => void (this.status = 'suspended'),
    }
    ;(handlers[event] as ((payload: unknown) => void) | undefined)?.(told)
  }

  cut(length: number): void {
    this.boards.length = length
    this.place.length = length
  }

  get text(): string {
    return this.boards.map((board, depth) => `${this.place[depth]} ${boardText(board)}`).join('\n')
  }
}

function engineText(engine: ReflexEngine): string {
  const { currentBlackboard, currentNodeId, currentWorkflowId, stack } = engine.snapshot()
  const frames = [...stack]
    .reverse()
    .map(({ workflowId, currentNodeId: node, blackboard }) => `${workflowId}/${node} ${boardText(blackboard)}`)
  return [...frames, `${currentWorkflowId}/${currentNodeId} ${boardText(currentBlackboard)}`].join('\n')
}

describe('a mirror built from events only', () => {
  // proves: workflow 1.6a
  test("shows the engine's boards and places after every call, whatever the host and the agent do", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const engine = engineOf(world.workflows, world.agent())
        const mirror = new Mirror()
        engine.onAny((event, payload) => mirror.hear(event, payload))
        await engine.init(world.root, { blackboard: world.seeds })
        expect(mirror.text).toBe(engineText(engine))
        for (const order of world.orders) {
          await world.obey(engine, order)
          expect(mirror.text).toBe(engineText(engine))
        }
      }),
    )
  })

  // proves: workflow r12d, workflow r12f
  test('is correct after a restored session', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main')
    await engine.step()
    await engine.step()
    const again = restoreEngine(engine.snapshot(), registryOf(child, main), agentOf(script))
    const events = log(again)
    expect(events).toEqual([])
    await stepAll(again)
    expect(events).toEqual([
      'exit child/c',
      'edge child/c-d',
      'write child: made=1 child/c@1',
      'enter child/d',
      'write child: more=2 child/d@1',
      'write main: got=1 main/go@0',
      'write main: also=2 main/go@0',
      'pop to main main/go(x=1 main/a@0, y=2 main/a@0)',
      'enter main/go',
      'exit main/go',
      'edge main/go-z',
      'enter main/z',
      'write main: end=1 main/z@0',
      'complete main',
    ])
  })
})

describe('an async handler that rejects', () => {
  const two = flow('w', { a: {}, b: {} }, [['a', 'b']])

  test('does not end the process: its error is thrown by the current step', async () => {
    const engine = engineOf([two], agentOf())
    await engine.init('w')
    const heard: string[] = []
    // oxlint-disable-next-line no-misused-promises -- what a program without types does
    engine.on('node:exit', async () => {
      await Promise.resolve()
      throw new Error('the page is gone')
    })
    engine.on('node:enter', ({ node }) => void heard.push(node.id))
    await expect(engine.step()).rejects.toThrow('the page is gone')
    expect([heard, engine.currentNode()?.id]).toEqual([['b'], 'b'])
    expect(await engine.step()).toMatchObject({ status: 'completed' })
  })

  test('has its error thrown by the next call if it rejects later', async () => {
    const engine = engineOf([two], agentOf())
    await engine.init('w')
    const { promise, reject } = Promise.withResolvers<void>()
    // oxlint-disable-next-line no-misused-promises -- what a program without types does
    engine.on('node:exit', () => promise)
    expect(await engine.step()).toMatchObject({ status: 'advanced' })
    reject(new Error('late'))
    await promise.catch(() => undefined)
    expect(await engine.run()).toMatchObject({ status: 'error', error: { error: { message: 'late' } } })
  })
})
