import { describe, expect, test } from 'vitest'
import { createEngine, createRegistry, type RunnableAgent } from '../../../../src/kinds/workflow/index.ts'
import type { Decision, DecisionContext, Workflow } from '../../../../src/kinds/workflow/types/index.ts'

const workflow = (): Workflow => ({
  id: 'w',
  entry: 'a',
  nodes: { a: { id: 'a', spec: { deep: { list: [1] } } }, b: { id: 'b', spec: {} } },
  edges: [{ id: 'e', from: 'a', to: 'b', event: 'NEXT' }],
})

function engineOf(agent: RunnableAgent) {
  const registry = createRegistry()
  registry.register(workflow())
  return createEngine(registry, agent)
}

describe('the values that an agent gets', () => {
  test.each<[string, (context: DecisionContext) => unknown]>([
    ['an edge', ({ validEdges }) => Object.assign(validEdges[0] ?? {}, { to: 'zzz' })],
    ['the edges', ({ workflow: { edges } }) => edges.pop()],
    ['a node', ({ workflow: { nodes } }) => delete nodes.b],
  ])('cannot be used to change the program: %s', async (_, change) => {
    const engine = engineOf({
      async resolve(context): Promise<Decision> {
        expect(() => change(context)).toThrow(TypeError)
        const [edge] = context.validEdges
        return edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id }
      },
    })
    await engine.init('w')
    await engine.step()
    expect(engine.currentNode()?.id).toBe('b')
    expect(engine.currentWorkflow()).toEqual(workflow())
  })

  // What agents of other languages and libraries answer with need not be a promise of ours.
  // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
  const promiseLike = (how: PropertyDescriptor): object => Object.defineProperties({}, Object.fromEntries([['then', how]]))
  const boom = (): never => {
    throw new Error('boom')
  }
  test.each([
    ['throws', promiseLike({ value: boom })],
    ['throws when it is looked at', promiseLike({ get: boom })],
  ])('a promise of its own that %s suspends, and the engine goes on', async (_, answer) => {
    let nonsense = true
    const engine = engineOf({
      resolve: ({ validEdges: [edge] }) => {
        if (nonsense) return answer as unknown as Promise<Decision>
        return Promise.resolve(edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id })
      },
    })
    await engine.init('w')
    expect(await engine.run()).toMatchObject({ status: 'error', error: { nodeId: 'a' } })
    nonsense = false
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test.each([
    ['a deadline out of reach', { text: 'q', due: 1e16 }],
    ['a deadline in the past', { text: 'q', due: -5 }],
    ['options that are none', { text: 'q', options: [{}] }],
    ['no text', { options: [] }],
    ['a schema that is none', { text: 'q', schema: 5 }],
    ['nothing like a question', 5],
  ])('a question with %s is refused before it is recorded', async (_, ask) => {
    const engine = engineOf({ resolve: async () => ({ type: 'suspend', reason: 'asks', ask }) as unknown as Decision })
    await engine.init('w')
    expect(await engine.run()).toMatchObject({ status: 'error', error: { error: { code: 'R2053' } } })
  })
})

test('endless recursion ends with a fault, and the run can be viewed', async () => {
  const registry = createRegistry()
  registry.register({
    id: 'self',
    entry: 'a',
    nodes: { a: { id: 'a', spec: {}, invokes: { workflowId: 'self', returnMap: [] } } },
    edges: [],
  })
  const engine = createEngine(registry, { resolve: async () => ({ type: 'complete' }) })
  await engine.init('self')
  const { status, error } = (await engine.run()) as { status: string; error: { error: { cause: { code: string } } } }
  expect([status, error.error.cause.code, engine.stack().length]).toEqual(['error', 'R2018', 4999])
})

describe('a definition', () => {
  test('is copied when it is registered: later edits have no effect, and it is not frozen', async () => {
    const own = workflow()
    own.metadata = { version: 1 }
    const guard = { type: 'not-exists' as const, key: 'x' }
    for (const edge of own.edges) edge.guard = guard
    const registry = createRegistry()
    registry.register(own)
    own.nodes.b = { id: 'b', spec: { late: true } }
    own.nodes.a = { id: 'a', spec: {} }
    own.edges.push({ id: 'f', from: 'b', to: 'a', event: 'NEXT' })
    own.metadata.version = 2
    Object.assign(guard, { type: 'exists' })
    const seen: unknown[] = []
    const agent: RunnableAgent = {
      async resolve({ node, validEdges: [edge], workflow: { metadata } }) {
        seen.push(node.spec, metadata)
        return edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id }
      },
    }
    const engine = createEngine(registry, agent)
    await engine.init('w')
    own.entry = 'b'
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(seen).toEqual([{ deep: { list: [1] } }, { version: 1 }, {}, { version: 1 }])
    expect(registry.verify('w').valid).toBe(true)
  })

  // proves: workflow 1.4d, workflow 2.1b, workflow 2.3b
  test('reaches agents as a frozen copy: an agent that changes it fails, and the next decision uses the registered definition', async () => {
    const own = workflow()
    own.metadata = { tags: ['t'] }
    const registry = createRegistry()
    registry.register(own)
    const seen: unknown[] = []
    const spoils: RunnableAgent = {
      async resolve({ node, workflow: { metadata } }) {
        seen.push(JSON.stringify([node.spec, metadata]))
        if (seen.length === 1) Object.assign(node.spec, { more: 1 })
        if (seen.length === 2 && Array.isArray(metadata?.tags)) metadata.tags.push('u')
        return { type: 'advance', edge: 'e' }
      },
    }
    const engine = createEngine(registry, spoils)
    await engine.init('w')
    expect(await engine.run()).toMatchObject({ status: 'error', error: { nodeId: 'a' } })
    expect(await engine.run()).toMatchObject({ status: 'error', error: { nodeId: 'a' } })
    await engine.step()
    const as = JSON.stringify([workflow().nodes.a?.spec, { tags: ['t'] }])
    expect(seen).toEqual([as, as, as])
    expect([own.metadata, registry.get('w')?.metadata, Object.isFrozen(own.nodes.a?.spec)]).toEqual([
      { tags: ['t'] },
      { tags: ['t'] },
      false,
    ])
  })
})
