import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../src/app/reflex.ts'
import {
  createEngine,
  createRegistry,
  evaluateGuard,
  loadWorkflow,
  type BlackboardReader,
  type BuiltinGuard,
  type Decision,
  type EngineEvents,
  restoreEngine,
  type RunnableAgent,
  type Workflow,
} from '../../../src/kinds/workflow/index.ts'
import { agentOf, caught, engineOf, flow, messageOf, onward } from './engine/kit.ts'
import { board } from './fixtures.ts'

// The claims of docs/claims/workflow.md that no other test proves.

// proves: workflow 2.6c, workflow 2.6d
test('two joining paths lead to the same node, each by the event of its edge', async () => {
  const meeting: Workflow = {
    ...flow('meeting', { a: {}, left: {}, right: {}, end: {} }, []),
    edges: [
      { id: 'e1', from: 'a', to: 'left', event: 'LEFT' },
      { id: 'e2', from: 'a', to: 'right', event: 'RIGHT' },
      { id: 'e3', from: 'left', to: 'end', event: 'NEXT' },
      { id: 'e4', from: 'right', to: 'end', event: 'NEXT' },
    ],
  }
  for (const side of ['left', 'right']) {
    const agent = agentOf({
      a: async ({ validEdges }): Promise<Decision> => {
        const edge = validEdges.find(({ event }) => event === side.toUpperCase())
        return { type: 'advance', edge: edge?.id ?? '' }
      },
    })
    const engine = engineOf([meeting], agent)
    await engine.init('meeting')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(agent.asked.map(({ node }) => node.id)).toEqual(['a', side, 'end'])
  }
})

// proves: workflow 1.2a
test('a board takes any number of entries', async () => {
  const blackboard = Array.from({ length: 50_000 }, (_, i) => ({ key: `k${i % 7}`, value: i }))
  const engine = engineOf([flow('w', { a: {} }, [])])
  await engine.init('w', { blackboard })
  expect(await engine.run()).toEqual({ status: 'completed' })
  const read = engine.blackboard()
  expect([read.entries().length, read.get('k0'), read.getAll('k0').length]).toEqual([50_000, 49_994, 7143])
})

// proves: workflow 1.2b
test('built-in guards return true or false for every JSON value', () => {
  const type = fc.constantFrom<BuiltinGuard['type']>('exists', 'not-exists', 'equals', 'not-equals')
  fc.assert(
    fc.property(type, fc.jsonValue(), fc.jsonValue(), fc.boolean(), (kind, value, held, there) => {
      const reader = board(there ? { k: held } : {})
      expect(evaluateGuard({ type: kind, key: 'k', value }, reader)).toBeTypeOf('boolean')
    }),
  )
})

// proves: workflow 2.8g
test('a guard gets a reader that cannot write', async () => {
  const readers: BlackboardReader[] = []
  const evaluate = (reader: BlackboardReader): boolean => {
    readers.push(reader)
    reader.entries().length = 0
    Reflect.set(reader.get('order') as object, 'total', 0)
    for (const entry of reader.local()) Reflect.set(entry, 'value', 'spoilt')
    return true
  }
  const engine = engineOf([flow('w', { a: {}, b: {} }, [['a', 'b', { type: 'custom', evaluate }]])])
  await engine.init('w', { blackboard: [{ key: 'order', value: { total: 84 } }] })
  expect(await engine.run()).toEqual({ status: 'completed' })
  const [reader] = readers
  expect(Object.getOwnPropertyNames(Object.getPrototypeOf(reader)).toSorted()).toEqual(
    ['constructor', 'entries', 'get', 'getAll', 'has', 'keys', 'local'].toSorted(),
  )
  expect(engine.blackboard().entries()).toMatchObject([{ key: 'order', value: { total: 84 } }])
})

// proves: workflow r10k, workflow r10l
test('unmet contracts are reported, and do not stop a run', async () => {
  const unmet = flow(
    'unmet',
    { a: { outputs: [{ key: 'promised', guaranteed: true }] }, b: { inputs: [{ key: 'order', required: true }] } },
    [['a', 'b']],
  )
  const engine = engineOf([unmet])
  expect(engine.registry.verify('unmet')).toEqual({
    workflowId: 'unmet',
    valid: false,
    warnings: [
      expect.objectContaining({
        code: 'MISSING_REQUIRED_INPUT',
        workflowId: 'unmet',
        nodeId: 'b',
        key: 'order',
        message: expect.stringContaining('"order"') as string,
      }),
    ],
  })
  await engine.init('unmet')
  expect(await engine.run()).toEqual({ status: 'completed' })
})

// proves: workflow r10h, workflow C9
test('a registry refuses for the first failing check, in the order of its checks', () => {
  const taken = flow('taken', { a: {} }, [])
  const registry = createRegistry()
  registry.register(taken)
  const circle = flow('w', { a: {}, b: {}, c: {} }, [
    ['a', 'b'],
    ['b', 'a'],
    ['b', 'c'],
  ])
  // Each has the mistake that the one after it has not, and all mistakes that come after that.
  const endless: Workflow = { ...circle, edges: [...circle.edges, { id: 'out', from: 'c', to: 'a', event: 'NEXT' }] }
  const lost: Workflow = { ...endless, edges: [...endless.edges, { id: 'lost', from: 'c', to: 'nowhere', event: 'NEXT' }] }
  const misnamed: Workflow = { ...lost, nodes: { ...lost.nodes, c: { id: 'z', spec: {} } } }
  const homeless: Workflow = { ...misnamed, entry: 'nowhere' }
  const empty: Workflow = { ...homeless, nodes: {} }
  const codes = [{ ...empty, id: 'taken' }, empty, homeless, misnamed, lost, endless, circle].map((workflow) => {
    try {
      registry.register(workflow)
      return 'taken in'
    } catch (thrown) {
      return (thrown as { code: string }).code
    }
  })
  expect(codes).toEqual([
    'DUPLICATE_WORKFLOW_ID',
    'EMPTY_WORKFLOW',
    'INVALID_ENTRY_NODE',
    'NODE_ID_MISMATCH',
    'INVALID_EDGE',
    'NO_TERMINAL_NODES',
    'CYCLE_DETECTED',
  ])
})

// proves: workflow 2.4d, workflow 2.6e, workflow 2.8i
test.each<[string, (workflow: Workflow) => void, string]>([
  ['a call without a return map', ({ nodes }) => Object.assign(nodes.a ?? {}, { invokes: { workflowId: 'c' } }), 'has no return map'],
  ['a call of nothing', ({ nodes }) => Object.assign(nodes.a ?? {}, { invokes: { returnMap: [] } }), 'names no workflow'],
  [
    'a return map of no texts',
    ({ nodes }) => Object.assign(nodes.a ?? {}, { invokes: { workflowId: 'c', returnMap: [{ parentKey: 1, childKey: 'x' }] } }),
    'has no return map',
  ],
  [
    'an input map that is not a list',
    ({ nodes }) => Object.assign(nodes.a ?? {}, { invokes: { workflowId: 'c', returnMap: [], inputMap: {} } }),
    'is not a list of pairs',
  ],
  ['an edge without an id', ({ edges: [edge] }) => Reflect.deleteProperty(edge ?? {}, 'id'), 'has no id'],
  ['an edge without an event', ({ edges: [edge] }) => Reflect.deleteProperty(edge ?? {}, 'event'), 'has no event'],
  ['a guard without a key', ({ edges: [edge] }) => Object.assign(edge ?? {}, { guard: { type: 'exists' } }), 'has no key'],
])('a registry refuses a part without what its type demands: %s', async (_, spoil, message) => {
  const workflow = flow('w', { a: {}, b: {} }, [['a', 'b']])
  spoil(workflow)
  const refused = await caught(() => createRegistry().register(workflow))
  expect(refused).toMatchObject({
    code: 'SCHEMA_VIOLATION',
    message: expect.stringContaining(message) as string,
    finding: { code: 'R1058' },
  })
})

// proves: workflow r14g, workflow r16j
test('the scope that an unwind discards has no return map', async () => {
  const child = flow('child', { c: {} }, [])
  const main = flow('main', { go: { calls: 'child', map: { got: 'made' } } }, [])
  const engine = engineOf(
    [child, main],
    agentOf({ c: async () => ({ type: 'suspend', reason: 'stuck', writes: [{ key: 'made', value: 1 }] }) }),
  )
  await engine.init('main')
  await engine.run()
  const told: EngineEvents['stack:unwind'][] = []
  engine.on('stack:unwind', (payload) => told.push(payload))
  engine.unwindToDepth(0)
  expect(told).toMatchObject([
    {
      discardedFrames: [{ workflowId: 'child', currentNodeId: 'c', returnMap: [], blackboard: [{ key: 'made' }] }],
      targetDepth: 0,
      restoredWorkflow: { id: 'main' },
      restoredNode: { id: 'go' },
      reinvoke: false,
    },
  ])
  expect(engine.blackboard().has('got')).toBe(false)
})

// proves: workflow 4.1a
test.each([undefined, null, {}, { resolve: 'advance' }])('an engine needs an agent: %j is none', async (agent) => {
  const nobody = agent as unknown as RunnableAgent
  const registry = createRegistry()
  expect(await messageOf(() => createEngine(registry, nobody))).toBe('EngineError: an engine needs an agent')
  const engine = engineOf([flow('w', { a: {} }, [])])
  await engine.init('w')
  expect(await messageOf(() => restoreEngine(engine.snapshot(), engine.registry, nobody))).toContain('needs an agent')
})

// proves: workflow 1.2c, workflow r8k
test('the page about workflows states the contract of guards and the scope of a cursor', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../../docs/kinds/workflow.md'), 'utf8').replaceAll(/\s+/g, ' ')
  for (const said of ['it is pure, it ends, and it answers at once', 'a cursor belongs to one board', 'listen to `blackboard:write`']) {
    expect(page).toContain(said)
  }
})

// proves: workflow r3d
test('a resuming step is running while it is under way', async () => {
  const seen: string[] = []
  const agent = agentOf({
    a: async (it): Promise<Decision> => {
      seen.push(engine.status())
      return seen.length === 1 ? { type: 'suspend', reason: 'wait' } : onward(it)
    },
  })
  const engine = engineOf([flow('w', { a: {} }, [])], agent)
  await engine.init('w')
  await engine.step()
  seen.push(engine.status())
  await engine.step()
  expect(seen).toEqual(['running', 'suspended', 'running'])
})

// proves: workflow d-guards
test('a guard that is a function needs a name and a version if the store is durable', async () => {
  const workdir = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-claims-')))
  onTestFinished(() => rmSync(workdir, { recursive: true, force: true }))
  const guarded = (named: object): Workflow => flow('w', { a: {}, b: {} }, [['a', 'b', { type: 'custom', evaluate: () => true, ...named }]])
  const durable = new Reflex({ workdir })
  onTestFinished(() => durable.close())
  await expect(durable.run(guarded({}))).rejects.toMatchObject({
    code: 'R5008',
    message: expect.stringContaining('without a name') as string,
  })
  await expect(durable.run(guarded({ name: 'open' }))).rejects.toMatchObject({
    message: expect.stringContaining('without a version') as string,
  })
  expect((await durable.run(guarded({ name: 'open', version: '1' }))).status).toBe('completed')
  const memory = new Reflex({ workdir, store: 'memory:' })
  onTestFinished(() => memory.close())
  expect((await memory.run(guarded({}))).status).toBe('completed')
})

// proves: workflow r11f
test('names and lists of nodes may be empty in a file; a custom guard needs a name', async () => {
  const edge = { id: '', from: '', to: '', event: '' }
  expect(loadWorkflow({ id: '', entry: '', nodes: {}, edges: [{ ...edge, guard: { type: 'exists', key: '' } }] })).toMatchObject({
    id: '',
    nodes: {},
    edges: [edge],
  })
  const nameless = { id: 'w', entry: '', nodes: {}, edges: [{ ...edge, guard: { type: 'custom' } }] }
  expect(await caught(() => loadWorkflow(nameless))).toMatchObject({ code: 'SCHEMA_VIOLATION' })
})
