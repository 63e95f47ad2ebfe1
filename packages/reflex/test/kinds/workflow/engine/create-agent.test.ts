import { describe, expect, test } from 'vitest'
import { SPEC_ATTRIBUTES } from '../../../../src/agents/read-spec.ts'
import {
  type BuiltInSpec,
  createAgent,
  createEngine,
  createRegistry,
  defineAgent,
  type RunnableAgent,
  workflow,
} from '../../../../src/kinds/workflow/index.ts'

const refund = workflow({
  id: 'refund',
  entry: 'read',
  board: { total: { type: 'number' }, state: { enum: ['paid', 'declined'] }, note: { type: 'string' } },
  nodes: { read: {}, ask: {}, pay: {}, decline: {} },
  edges: [
    { from: 'read', to: 'ask' },
    { from: 'ask', to: 'pay', event: 'YES' },
    { id: 'no', from: 'ask', to: 'decline', event: 'NO' },
  ],
})

function engineOf(agent: RunnableAgent): ReturnType<typeof createEngine> {
  const registry = createRegistry()
  registry.register(refund)
  return createEngine(registry, agent)
}

describe('createAgent', () => {
  const agent = createAgent<typeof refund>({
    read: async ({ take }) => take('NEXT', { total: 84 }),
    ask: ({ board, input, take, wait }) =>
      input === undefined ? wait('asks', { text: `Refund ${board.get('total')}?` }) : take(input === 'yes' ? 'YES' : 'no'),
    pay: ({ done }) => done({ state: 'paid' }),
    decline: () => undefined,
  })

  test('decides with one function for each node, by events and by ids', async () => {
    const engine = engineOf(agent)
    await engine.init('refund')
    expect(await engine.run()).toEqual({ status: 'suspended', reason: 'asks', ask: { text: 'Refund 84?' } })
    expect(await engine.resume('yes')).toEqual({ status: 'completed' })
    expect([engine.currentNode()?.id, engine.blackboard().get('state')]).toEqual(['pay', 'paid'])
    await engine.init('refund')
    await engine.run()
    expect(await engine.resume('no')).toEqual({ status: 'completed' })
    expect(engine.currentNode()?.id).toBe('decline')
  })

  test('fails if a handler names none of several edges, or a closed one', async () => {
    const handlers = { read: () => undefined, pay: () => undefined, decline: () => undefined }
    for (const [ask, code] of [
      [() => undefined, 'R2052'],
      // @ts-expect-error -- no edge of the workflow
      [({ take }) => take('MAYBE'), 'R2050'],
    ] as const satisfies readonly (readonly [Parameters<typeof createAgent<typeof refund>>[0]['ask'], string])[]) {
      const engine = engineOf(createAgent<typeof refund>({ ...handlers, ask }))
      await engine.init('refund')
      expect(await engine.run()).toMatchObject({ status: 'error', error: { nodeId: 'ask', error: { code } } })
    }
  })

  test('leaves nodes without a handler to another agent, or fails with the handler to add', async () => {
    const child = { id: 'child', entry: 'c', nodes: { c: { id: 'c', spec: {} } }, edges: [] }
    for (const others of [undefined, createAgent({ c: ({ done }) => done() })]) {
      const engine = engineOf(
        createAgent<typeof refund>({ read: () => undefined, ask: () => undefined, pay: () => undefined, decline: () => undefined }, others),
      )
      engine.registry.register(child)
      await engine.init('refund')
      engine.pushWorkflow('child')
      const result = await engine.step()
      if (others === undefined) expect(result).toMatchObject({ status: 'suspended', reason: 'Decision agent threw an error' })
      else expect(result).toMatchObject({ status: 'popped' })
    }
  })
})

test('defineAgent returns the agent unchanged', () => {
  const agent = { resolve: async () => ({ type: 'complete' }) as const }
  expect(defineAgent<typeof refund>(agent)).toBe(agent)
})

test('the types of specs have the fields of the built-in agents', () => {
  const named: Record<keyof BuiltInSpec<string>, true> = {
    agent: true,
    classify: true,
    extract: true,
    pick: true,
    template: true,
    rules: true,
    go: true,
    because: true,
    writes: true,
    tool: true,
    args: true,
    ask: true,
    options: true,
    schema: true,
    due: true,
    otherwise: true,
    show: true,
    prompt: true,
    system: true,
    model: true,
    fallback: true,
    budget: true,
    temperature: true,
    maxTokens: true,
    effort: true,
    timeout: true,
    tryTimeout: true,
    retries: true,
    attach: true,
    providerOptions: true,
    cache: true,
    tools: true,
    toolChoice: true,
    maxTurns: true,
  }
  expect(Object.keys(named).sort()).toEqual([...SPEC_ATTRIBUTES].sort())
})
