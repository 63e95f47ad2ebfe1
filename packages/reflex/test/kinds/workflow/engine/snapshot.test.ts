import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../../../src/kernel/ports/virtual-host.ts'
import {
  createRegistry,
  type EngineSnapshot,
  type GuardRegistry,
  loadWorkflow,
  type ReflexEngine,
  restoreEngine,
  type Workflow,
} from '../../../../src/kinds/workflow/index.ts'
import {
  agentOf,
  asking,
  boardText,
  caught,
  engineOf,
  flow,
  log,
  messageOf,
  onward,
  registryOf,
  stackText,
  stepAll,
  writing,
} from './kit.ts'
import { calmWorlds, worlds } from './worlds.ts'

const leaf = flow('leaf', { l: {} }, [])
const child = flow('child', { c: { calls: 'leaf', map: { deep: 'leafed' } }, d: {} }, [['c', 'd']])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])
const all: readonly Workflow[] = [leaf, child, main]
const script = { a: writing({ x: 1 }), l: writing({ leafed: [1, { two: null }] }), d: writing({ made: 'm' }), z: writing({ end: 1 }) }

/** The snapshot without what differs from moment to moment. */
function essence({ createdAt: _, suspension: __, status: ___, ...rest }: EngineSnapshot): unknown {
  return rest
}

function final(engine: ReflexEngine): string {
  const { currentBlackboard, currentNodeId, stack, executionTree, status } = engine.snapshot()
  const tree = executionTree.records.map(
    (record) => `${record.parentWorkflowId}/${record.parentNodeId} ${record.status} ${record.childInvocationIds.length}`,
  )
  return JSON.stringify([status, currentNodeId, boardText(currentBlackboard), stackText(stack), tree])
}

describe('a snapshot', () => {
  // proves: workflow 1.4b, workflow 2.4b, workflow 2.7e, workflow 2.9a, workflow r12a, workflow r12b, workflow r15g
  test('has the place of a session, as JSON', async () => {
    const host = virtualHost()
    const engine = engineOf(all, agentOf(script), { host })
    const id = await engine.init('main', { blackboard: [{ key: 's', value: 0 }] })
    for (let i = 0; i < 3; i++) await engine.step()
    const snapshot = engine.snapshot()
    const source = { workflowId: 'main', stackDepth: 0 }
    const at = host.now()
    const [outer, inner] = engine.executionTree().records
    expect(snapshot).toEqual({
      version: '2',
      createdAt: new Date(at).toISOString(),
      sessionId: id,
      status: 'running',
      currentWorkflowId: 'leaf',
      currentNodeId: 'l',
      currentBlackboard: [],
      stack: [
        {
          workflowId: 'child',
          currentNodeId: 'c',
          returnMap: [{ parentKey: 'deep', childKey: 'leafed' }],
          blackboard: [],
          invocationId: outer?.invocationId,
        },
        {
          workflowId: 'main',
          currentNodeId: 'go',
          returnMap: [{ parentKey: 'got', childKey: 'made' }],
          blackboard: [
            { key: 's', value: 0, source: { ...source, nodeId: '__init__' }, timestamp: at },
            { key: 'x', value: 1, source: { ...source, nodeId: 'a' }, timestamp: at },
          ],
        },
      ],
      skipInvocation: false,
      workflowIds: ['leaf', 'child', 'main'],
      executionTree: { records: engine.executionTree().records },
      currentInvocationId: inner?.invocationId,
    })
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })

  // proves: workflow r12b
  test('is detached: changes of the snapshot do not affect the session, nor the reverse', async () => {
    const engine = engineOf(all, agentOf(script))
    await engine.init('main')
    await engine.step()
    const snapshot = engine.snapshot()
    const text = JSON.stringify(snapshot)
    await engine.run()
    expect(JSON.stringify(snapshot)).toBe(text)
    snapshot.currentBlackboard.length = 0
    snapshot.workflowIds.push('other')
    const [frame] = engine.snapshot().currentBlackboard
    if (frame !== undefined) Object.assign(frame, { key: 'changed', value: 'changed' })
    Object.assign(engine.snapshot(), { currentNodeId: 'elsewhere' })
    expect(engine.blackboard().has('x')).toBe(true)
    expect(engine.snapshot().workflowIds).toEqual(['leaf', 'child', 'main'])
  })

  // proves: workflow 6.1f, workflow r12d, workflow r18i
  test('restores to the same place, emits nothing, and continues equally from every step', async () => {
    const calm = engineOf(all, agentOf(script))
    const expected = log(calm)
    await calm.init('main')
    await stepAll(calm)
    for (let steps = 0; ; steps++) {
      const engine = engineOf(all, agentOf(script))
      const before = log(engine)
      await engine.init('main')
      for (let i = 0; i < steps && engine.status() === 'running'; i++) await engine.step()
      const snapshot = engine.snapshot()
      const again = restoreEngine(JSON.parse(JSON.stringify(snapshot)) as EngineSnapshot, registryOf(...all), agentOf(script))
      expect(essence(again.snapshot())).toEqual(essence(snapshot))
      expect([again.status(), again.sessionId(), again.currentNode(), stackText(again.stack())]).toEqual([
        engine.status(),
        engine.sessionId(),
        engine.currentNode(),
        stackText(engine.stack()),
      ])
      expect(boardText(again.blackboard().entries())).toBe(boardText(engine.blackboard().entries()))
      expect(
        again
          .blackboard()
          .entries()
          .map((entry) => entry.timestamp),
      ).toEqual(
        engine
          .blackboard()
          .entries()
          .map((entry) => entry.timestamp),
      )
      const after = log(again)
      if (snapshot.status === 'completed') break
      expect(await again.run()).toEqual({ status: 'completed' })
      expect([...before, ...after]).toEqual(expected)
      expect(final(again)).toBe(final(calm))
    }
  })

  test('taken inside a handler restores to that moment', async () => {
    const engine = engineOf(all, agentOf(script))
    const taken: EngineSnapshot[] = []
    engine.onAny(() => taken.push(engine.snapshot()))
    await engine.init('main')
    await engine.run()
    for (const snapshot of taken.filter(({ status }) => status === 'running')) {
      const again = restoreEngine(snapshot, registryOf(...all), agentOf(script))
      expect(await again.run()).toEqual({ status: 'completed' })
      expect(new Set(again.blackboard().keys())).toEqual(new Set(engine.blackboard().keys()))
    }
  })

  test('at any step of any workflow ends like the undisturbed session, with equal boards, sources and calls', async () => {
    await fc.assert(
      fc.asyncProperty(calmWorlds, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), async (world, breaks) => {
        const calm = engineOf(world.workflows, world.agent())
        const broken = { engine: engineOf(world.workflows, world.agent()) }
        await calm.init(world.root, { blackboard: world.seeds })
        await broken.engine.init(world.root, { blackboard: world.seeds })
        const [expected, seen] = [log(calm), [] as string[]]
        for (const breaking of breaks) {
          if (calm.status() !== 'running') break
          if (breaking) broken.engine = restoreEngine(broken.engine.snapshot(), registryOf(...world.workflows), world.agent())
          const events = log(broken.engine)
          expect(await broken.engine.step()).toEqual(await calm.step())
          seen.push(...events)
          // Handlers of this round must not hear the next one.
          events.push = () => 0
          expect(final(broken.engine)).toBe(final(calm))
        }
        expect(seen).toEqual(expected)
      }),
    )
  })

  test('in the middle of any control by the host continues like the undisturbed session', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const calm = engineOf(world.workflows, world.agent())
        let broken = engineOf(world.workflows, world.agent())
        await calm.init(world.root, { blackboard: world.seeds })
        await broken.init(world.root, { blackboard: world.seeds })
        for (const order of world.orders) {
          broken = restoreEngine(
            JSON.parse(JSON.stringify(broken.snapshot())) as EngineSnapshot,
            registryOf(...world.workflows),
            world.agent(),
          )
          // A restored session always waits; one that was unwound or pushed to does not.
          if (order.do === 'answer') continue
          await world.obey(calm, order)
          await world.obey(broken, order)
          expect(final(broken)).toBe(final(calm))
        }
      }),
    )
  })

  test('of a suspended session keeps its question and accepts its answer', async () => {
    const host = virtualHost()
    const ask = { text: 'Sure?', due: 1000, otherwise: 'no' }
    const agent = agentOf({
      a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'person', ask } : onward(it, { answer: it.input })),
    })
    const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])
    const engine = engineOf([pair], agent, { host })
    await engine.init('pair')
    await engine.run()
    const snapshot = engine.snapshot()
    expect(snapshot.suspension).toMatchObject({ name: 'a', about: { reason: 'person', ...ask }, due: host.now() + 1000 })
    const again = restoreEngine(snapshot, registryOf(pair), agent, { host })
    expect([again.status(), again.snapshot().suspension]).toEqual(['suspended', snapshot.suspension])
    expect(await again.resume('yes')).toEqual({ status: 'completed' })
    expect(again.blackboard().get('answer')).toBe('yes')

    const late = restoreEngine(snapshot, registryOf(pair), agent, { host })
    await host.advance(2000)
    expect(await late.run()).toEqual({ status: 'completed' })
    expect(late.blackboard().get('answer')).toBe('no')
  })

  test('keeps the answer of a failed decision', async () => {
    let broken = true
    const agent = agentOf({
      a: async (it) => {
        if (it.input !== undefined && broken) throw new Error('down')
        return asking('answer')(it)
      },
    })
    const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])
    const engine = engineOf([pair], agent)
    await engine.init('pair')
    await engine.run()
    await engine.resume('yes')
    broken = false
    const again = restoreEngine(engine.snapshot(), registryOf(pair), agent)
    expect(await again.run()).toEqual({ status: 'completed' })
    expect(again.blackboard().get('answer')).toBe('yes')
  })

  test('keeps the entries of a node with a reserved name', async () => {
    const odd = flow('odd', { __push__: {}, __x: {}, z: {} }, [
      ['__push__', '__x'],
      ['__x', 'z'],
    ])
    const agent = agentOf({ __push__: writing({ p: 1 }), __x: writing({ q: 2 }) })
    const engine = engineOf([odd], agent)
    await engine.init('odd')
    await engine.step()
    await engine.step()
    const again = restoreEngine(engine.snapshot(), registryOf(odd), agent)
    expect(boardText(again.blackboard().entries())).toBe('p=1 odd/__push__@0, q=2 odd/__x@0')
  })
})

describe('restoring', () => {
  async function snapshotAt(steps: number): Promise<EngineSnapshot> {
    const engine = engineOf(all, agentOf(script))
    await engine.init('main')
    for (let i = 0; i < steps; i++) await engine.step()
    return engine.snapshot()
  }
  const restore = (snapshot: unknown, registry = registryOf(...all), guards?: GuardRegistry) =>
    restoreEngine(snapshot as EngineSnapshot, registry, agentOf(script), guards === undefined ? {} : { guards })

  // proves: workflow r7j, workflow r12c, workflow D9, workflow D13
  test('is refused with the texts that users know', async () => {
    const snapshot = await snapshotAt(3)
    const bare = createRegistry({ warn: () => undefined })
    bare.register(leaf)
    expect(await messageOf(() => restore(snapshot, bare))).toBe(
      "EngineError: Cannot restore: registry is missing workflow(s): 'child', 'main'",
    )
    expect(await messageOf(() => restore({ ...snapshot, currentWorkflowId: 'gone' }))).toBe(
      "EngineError: Cannot restore: current workflow 'gone' not found in registry",
    )
    expect(await messageOf(() => restore({ ...snapshot, currentNodeId: 'gone' }))).toBe(
      "EngineError: Cannot restore: current node 'gone' not found in workflow 'leaf'",
    )
    expect(await messageOf(() => restore({ ...snapshot, currentNodeId: 'toString' }))).toContain("current node 'toString' not found")
    const stack = (frame: object) => [{ ...snapshot.stack[0], ...frame }]
    expect(await messageOf(() => restore({ ...snapshot, stack: stack({ workflowId: 'gone' }) }))).toBe(
      "EngineError: Cannot restore: stack frame references workflow 'gone' not found in registry",
    )
    expect(await messageOf(() => restore({ ...snapshot, stack: stack({ currentNodeId: 'gone' }) }))).toBe(
      "EngineError: Cannot restore: stack frame references node 'gone' not found in workflow 'child'",
    )
    expect(await messageOf(() => restore({ ...snapshot, version: '99' }))).toBe('EngineError: Cannot restore: version "99" is not known')
    expect(await messageOf(() => restore({ ...snapshot, status: 'nonsense' }))).toBe(
      'EngineError: Cannot restore: status "nonsense" is not known',
    )
    expect(await messageOf(() => restore({ ...snapshot, status: 'idle' }))).toBe('EngineError: Cannot restore: status "idle" is not known')
  })

  test.each([null, undefined, 7, 'text', [], {}, { version: '2', status: 'running' }])('of %j is refused', async (value) => {
    expect(await caught(() => restore(value))).toMatchObject({ name: 'EngineError', code: 'R2058' })
  })

  test('only throws EngineError for a damaged snapshot', async () => {
    const snapshot = await snapshotAt(3)
    const paths: (readonly (string | number)[])[] = []
    const walk = (value: unknown, path: readonly (string | number)[]): void => {
      paths.push(path)
      if (Array.isArray(value)) value.forEach((item, i) => walk(item, [...path, i]))
      else if (typeof value === 'object' && value !== null) for (const [key, item] of Object.entries(value)) walk(item, [...path, key])
    }
    walk(snapshot, [])
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths.slice(1)), fc.oneof(fc.jsonValue(), fc.constant(undefined)), async (path, value) => {
        const damaged = structuredClone(snapshot) as unknown
        const place = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], damaged)
        ;(place as Record<string | number, unknown>)[path.at(-1) ?? ''] = value
        try {
          const engine = restore(damaged)
          await engine.run()
          expect(['running', 'suspended', 'completed']).toContain(engine.status())
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'EngineError' })
        }
      }),
      { numRuns: 400 },
    )
  })

  // proves: workflow r12e
  test('reads version "1", which had no execution tree', async () => {
    const { executionTree: _, currentInvocationId: __, suspension: ___, ...rest } = await snapshotAt(3)
    const old = { ...rest, version: '1', stack: rest.stack.map(({ invocationId: ____, ...frame }) => frame) }
    const engine = restore(old)
    expect(engine.executionTree().records).toEqual([])
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(boardText(engine.blackboard().entries())).toBe('x=1 main/a@0, got="m" main/go@0, end=1 main/z@0')
  })

  test('reads snapshots of the original: UUIDs as names of calls', async () => {
    const text = JSON.stringify(await snapshotAt(3)).replaceAll(/"(\d+)f"/g, '"0b9e60f2-96c6-4bd5-a29d-$1f"')
    const engine = restore(JSON.parse(text))
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('gives new calls unused names, also if the tree was cut off', async () => {
    const engine = engineOf([
      leaf,
      flow('twice', { a: { calls: 'leaf' }, b: { calls: 'leaf' }, c: { calls: 'leaf' } }, [
        ['a', 'b'],
        ['b', 'c'],
      ]),
    ])
    await engine.init('twice')
    for (let i = 0; i < 5; i++) await engine.step()
    const again = restoreEngine({ ...engine.snapshot(), executionTree: { records: [] } }, engine.registry, agentOf())
    const id = again.snapshot().currentInvocationId
    await again.run()
    expect(again.executionTree().records.map(({ invocationId }) => invocationId)).not.toContain(id)
  })

  // proves: workflow r7j, workflow r12c, workflow D13
  test('gives functions to guards that are stored by name, and refuses unknown names', async () => {
    const guarded: Workflow = {
      ...flow('guarded', { a: {}, b: {} }, []),
      edges: [{ id: 'a-b', from: 'a', to: 'b', event: 'E', guard: { type: 'custom', name: 'isOpen', evaluate: () => true } }],
    }
    const snapshot = await (async () => {
      const engine = engineOf([guarded])
      await engine.init('guarded')
      return engine.snapshot()
    })()
    const stripped = (): ReturnType<typeof registryOf> => {
      const copy = JSON.parse(JSON.stringify(guarded)) as Workflow
      return registryOf(copy)
    }
    expect(await messageOf(() => restore(snapshot, stripped(), {}))).toBe(
      "EngineError: Cannot restore: workflow 'guarded', edge 'a-b' has an unresolved custom guard",
    )
    expect(await messageOf(() => restore(snapshot, stripped(), { toString: () => true as never }))).toContain('unresolved custom guard')
    expect(await restore(snapshot, stripped(), { isOpen: () => true }).run()).toEqual({ status: 'completed' })
    expect(await restore(snapshot, registryOf(loadWorkflow(JSON.stringify(guarded), { guards: { isOpen: () => true } }))).run()).toEqual({
      status: 'completed',
    })
  })

  test('replaces the session of an engine in use', async () => {
    const engine = engineOf(all, agentOf(script))
    await engine.init('main')
    await engine.run()
    const snapshot = await snapshotAt(4)
    engine.restore(snapshot)
    expect([engine.sessionId(), engine.status(), engine.currentNode()?.id]).toEqual([snapshot.sessionId, 'running', snapshot.currentNodeId])
    const id = engine.sessionId()
    await caught(() => engine.restore({ ...snapshot, version: '3' }))
    expect(engine.sessionId()).toBe(id)
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow 4.3b
  test('leaves persistence to the engine: load, restore, continue', async () => {
    const kept = new Map<string, EngineSnapshot>()
    const persistence = {
      save: async (id: string, state: EngineSnapshot) => void kept.set(id, state),
      load: async (id: string) => kept.get(id) ?? null,
    }
    const agent = agentOf({ ...script, l: asking('leafed') })
    const engine = engineOf(all, agent, { persistence })
    const id = await engine.init('main')
    await engine.run()
    const state = await persistence.load(id)
    if (state === null) throw new Error('nothing was saved')
    const again = restoreEngine(state, registryOf(...all), agent, { persistence })
    expect(await again.resume('late')).toEqual({ status: 'completed' })
    expect(kept.get(id)?.status).toBe('completed')
  })
})

describe('ids of invocations', () => {
  const child = flow('child', { c: {} }, [])
  const main = flow('main', { go: { calls: 'child' }, again: { calls: 'child' } }, [['go', 'again']])

  test('are unique over sessions, also of one engine', async () => {
    const ids: string[] = []
    for (const engine of [engineOf([child, main]), engineOf([child, main])]) {
      for (let session = 0; session < 2; session++) {
        await engine.init('main')
        await engine.run()
        ids.push(...engine.executionTree().keys())
      }
    }
    expect([ids.length, new Set(ids).size]).toEqual([8, 8])
  })

  test('of a snapshot of an earlier release, without the session, are completed with it', async () => {
    const engine = engineOf([child, main])
    await engine.init('main')
    await engine.step()
    const session = engine.sessionId()
    const old = JSON.parse(JSON.stringify(engine.snapshot()).replaceAll(`${session}:`, '')) as EngineSnapshot
    expect(old.currentInvocationId).toMatch(/^\d+f$/)
    const restored = restoreEngine(old, registryOf(child, main), agentOf())
    expect([...restored.executionTree().keys()]).toEqual([...engine.executionTree().keys()])
    await restored.run()
    expect(restored.executionTree().records.map(({ status }) => status)).toEqual(['completed', 'completed'])
  })
})
