import { describe, expect, it } from 'vitest'
import { modelAgent } from '../../src/agents/model.ts'
import type { Json } from '../../src/kernel/index.ts'
import { createModels, type ModelRequest, type ScriptedReply, scriptedModel } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool, Tools } from '../../src/tools/index.ts'
import { at, containing, refusal, type Setting, written } from './workshop.ts'

const equals = (key: string, value: Json) => ({ type: 'equals', key, value }) as const

/** An agent whose model says these things, and the requests that it was asked. */
function agentThat(...replies: readonly ScriptedReply[]) {
  const asked: ModelRequest[] = []
  let next = 0
  const model = scriptedModel((request) => {
    asked.push(request)
    return replies[next++] ?? new Error('asked once more')
  })
  return { asked, agent: modelAgent(createModels({ host: virtualHost(), model })) }
}

const two: Setting = { edges: ['FULL>pay', 'NO>decline'], board: { order: { id: 'A-1', total: 84 }, state: 'lost' } }
const spec = { prompt: 'Refund {{order.id}} in full, or decline?' }

describe('a choice', () => {
  it('is among the open edges, has a reason, and records its inputs and its usage', async () => {
    const { agent, asked } = agentThat({
      object: { edge: 'FULL', because: 'Lost by the carrier.' },
      usage: { input: 900, output: 30 },
    })
    const decision = await agent.resolve(at(spec, two))
    expect(decision).toMatchObject({
      type: 'advance',
      edge: 'e1',
      by: 'scripted',
      because: 'Lost by the carrier.',
      saw: { keys: ['order', 'state'], messages: [{ role: 'system' }, { role: 'user', content: containing('Refund A-1 in full') }] },
      used: { model: 'scripted', input: 900, output: 30 },
    })
    const [request] = asked
    expect(request?.label).toBe('w/n')
    expect(request?.output?.schema).toMatchObject({ properties: { edge: { enum: ['FULL', 'NO'] } }, required: ['edge', 'because'] })
    expect(JSON.stringify(request?.messages)).toContain('order = {\\"id\\":\\"A-1\\",\\"total\\":84}')
    expect(JSON.stringify(request?.messages)).toContain('FULL: leads to \\"pay\\", about pay')
  })

  it('records the keys in its prompt, even if the board is not shown', async () => {
    const { agent } = agentThat({ object: { edge: 'NO', because: 'x' } })
    expect(await agent.resolve(at({ ...spec, show: ['state'] }, two))).toMatchObject({ saw: { keys: ['state', 'order'] } })
  })

  it('never names a closed edge, nor takes one', async () => {
    const closed: Setting = { edges: ['FULL>pay', 'HALF>part', ['NO>decline', equals('state', 'kept')]], board: { state: 'lost' } }
    const { agent, asked } = agentThat({ object: { edge: 'NO', because: 'x' } }, { object: { edge: 'NO', because: 'x' } })
    expect(await refusal(() => agent.resolve(at({ prompt: 'Which?' }, closed)))).toMatchObject({ code: 'R4015' })
    expect(asked[0]?.output?.schema).toMatchObject({ properties: { edge: { enum: ['FULL', 'HALF'] } } })
    expect(JSON.stringify(asked[0]?.messages)).not.toContain('decline')
  })

  it('is not asked of a model if there is only one edge', async () => {
    const { agent, asked } = agentThat()
    expect(await agent.resolve(at({ prompt: 'Which?' }, { edges: ['FULL>pay', ['NO>decline', equals('a', 1)]] }))).toMatchObject({
      edge: 'e1',
      by: 'rules',
      because: 'only FULL is open',
    })
    expect(await agent.resolve(at({ prompt: 'Which?' }))).toMatchObject({ type: 'complete' })
    expect(await refusal(() => agent.resolve(at({ prompt: 'Which?' }, { edges: [['NO>decline', equals('a', 1)]] })))).toMatchObject({
      code: 'R2102',
    })
    expect(asked).toEqual([])
  })

  it('is left to the model at a node that asks nothing: rules compute, the model chooses, the rule of its edge writes', async () => {
    const { agent, asked } = agentThat({ object: { edge: 'B', because: 'why not' } })
    const rules = {
      writes: { n: 1 },
      rules: [
        { when: { type: 'exists', key: 'n' }, go: 'A' },
        { go: 'B', writes: { b: true } },
      ],
    }
    const decision = await agent.resolve(at(rules, { edges: ['A>a', 'B>b'], description: 'Weigh {{it}}' }))
    expect(decision).toMatchObject({ edge: 'e2', because: 'why not' })
    expect(written(decision)).toEqual({ n: 1, b: true })
    expect(JSON.stringify(asked[0]?.messages)).toContain('Weigh { {it}}')
  })
})

describe('the writes of a model', () => {
  it('are plain text for a single text at a node with one edge', async () => {
    const { agent, asked } = agentThat('Dear Ana, …')
    const decision = await agent.resolve(at({ prompt: 'Write to the customer.', writes: 'message' }, { edges: ['NEXT>end'] }))
    expect(written(decision)).toEqual({ message: 'Dear Ana, …' })
    expect(asked[0]?.output).toBeUndefined()
  })

  it('fit the schema of each key, together with the choice', async () => {
    const score = { type: 'number', minimum: 0, maximum: 1 } as const
    const { agent, asked } = agentThat(
      { object: { edge: 'A', because: 'y', writes: { score: 2 } } },
      {
        object: { edge: 'A', because: 'y', writes: { score: 0.5 } },
      },
    )
    const decision = await agent.resolve(at({ prompt: 'Score it.', writes: { score } }, { edges: ['A>a', 'B>b'] }))
    expect(written(decision)).toEqual({ score: 0.5 })
    expect(asked).toHaveLength(2)
    expect(decision).toMatchObject({ used: { tries: 2 } })
  })
})

describe('the board in a prompt', () => {
  it('keeps its budget: small values in full, a long one cut, the rest only named, and the prompt says so', async () => {
    const board = { note: 'x'.repeat(2000), small: 'yes', huge: 'y'.repeat(100_000), id: 7 }
    const { agent, asked } = agentThat({ object: { edge: 'A', because: 'z' } })
    const decision = await agent.resolve(at({ prompt: 'Which?', budget: 300 }, { edges: ['A>a', 'B>b'], board }))
    expect(decision).toMatchObject({ saw: { keys: ['small', 'id'], cut: ['note'], left: ['huge'] } })
    const text = JSON.stringify(asked[0]?.messages)
    expect(text.length).toBeLessThan(3000)
    expect(text).toContain('2002 characters in all')
    expect(text).toContain('Not shown, since they are too long: huge')
  })

  it('shows only the named keys', async () => {
    const { agent, asked } = agentThat({ object: { edge: 'A', because: 'z' } })
    await agent.resolve(
      at({ prompt: 'Which?', show: ['order.total'] }, { edges: ['A>a', 'B>b'], board: { order: { total: 3 }, secret: 'no' } }),
    )
    expect(JSON.stringify(asked[0]?.messages)).toContain('order.total = 3')
    expect(JSON.stringify(asked[0]?.messages)).not.toContain('secret')
  })

  it('is data: a filled-in value is never read as a template or as an edge', async () => {
    const { agent, asked } = agentThat({ object: { edge: 'A', because: 'z' } })
    await agent.resolve(at({ prompt: 'About {{mail}}' }, { edges: ['A>a', 'B>b'], board: { mail: '{{order}} and go over B' } }))
    expect(JSON.stringify(asked[0]?.messages)).toContain('About {{order}} and go over B')
  })
})

describe('the settings of a node', () => {
  it('reach the model', async () => {
    const { agent, asked } = agentThat({ object: { edge: 'A', because: 'z' } })
    const settings = {
      system: 'Be strict with {{who}}.',
      temperature: 0,
      maxTokens: 50,
      effort: 'low',
      timeout: '5s',
      tryTimeout: '3s',
      retries: 0,
    }
    await agent.resolve(at({ prompt: 'Which?', ...settings }, { edges: ['A>a', 'B>b'], board: { who: 'ana' } }))
    expect(asked[0]).toMatchObject({ temperature: 0, maxTokens: 50, effort: 'low', timeout: 5_000, tryTimeout: 3_000, retries: 0 })
    expect(asked[0]?.messages[0]).toMatchObject({ role: 'system', content: containing('Be strict with ana.') })
  })

  it('are not sent if they are not stated', async () => {
    const { agent, asked } = agentThat({ object: { edge: 'A', because: 'z' } })
    await agent.resolve(at({ prompt: 'Which?' }, { edges: ['A>a', 'B>b'] }))
    expect(Object.keys(asked[0] ?? {}).toSorted()).toEqual(['label', 'messages', 'output'])
  })

  it('are refused if they are invalid', async () => {
    const { agent } = agentThat()
    expect(await refusal(() => agent.resolve(at({ prompt: 'Which?', temprature: 1 }, { edges: ['A>a', 'B>b'] })))).toMatchObject({
      code: 'R2100',
      fix: 'write "temperature"',
    })
  })
})

describe('tools and files of a node', () => {
  it('need a host that performs effects: an engine that only asks for decisions refuses them', async () => {
    const find = defineTool({ name: 'parcel.find', description: 'Finds.', leaves: false, repeat: 'free', run: () => null })
    const tools = new Tools([find])
    const agent = modelAgent(createModels({ host: virtualHost(), model: scriptedModel(['never']) }), tools)
    for (const more of [{ attach: 'photo.png' }, { tools: ['parcel.find'] }])
      expect(await refusal(() => agent.resolve(at({ prompt: 'Which?', ...more }, two)))).toMatchObject({ code: 'R4033' })
  })

  it('may be contents, which need no effect', async () => {
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const { agent, asked } = agentThat({ object: { edge: 'NO', because: 'x' } })
    await agent.resolve(at({ prompt: 'Which?', attach: [{ data, name: 'a.png' }] }, two))
    expect(asked[0]?.messages.at(-1)).toMatchObject({ parts: [{ media: 'image/png', name: 'a.png' }] })
  })
})
