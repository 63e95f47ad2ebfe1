import { experimental_streamTextLowMemory, generateText, stepCountIs, tool, ToolLoopAgent, type ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../../src/store/index.ts'
import type { Reflex } from '../../../src/wrap/index.ts'
import { life } from '../session/world.ts'
import { ScriptedLanguageModel, type ScriptedReply } from './language-model.ts'

const weather = () =>
  tool({ description: 'The weather.', inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `${city}: sunny` })

describe('an agent of the AI SDK', () => {
  it('is a run for each turn', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const agent = reflex.wrap({
      framework: 'ai-sdk',
      model,
      tools: { weather: weather() },
      stopWhen: stepCountIs(5),
      agent: async (prompt: string, { settings }) => (await generateText({ ...settings, prompt })).text,
    })
    let run = ''
    expect(await agent.run('the weather?', { onStart: (id) => (run = id) })).toBe('It is sunny.')
    expect(troubles.map(String)).toEqual([])
    const trace = JSON.stringify(await reflex.trace(run))
    expect(trace).toContain('weather')
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('can be a ToolLoopAgent', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const agent = reflex.wrap({ framework: 'ai-sdk', agent: new ToolLoopAgent(reflex.aiSdk({ model, tools: { weather: weather() } })) })
    expect((await agent.run('the weather?')).text).toBe('It is sunny.')
    expect(troubles.map(String)).toEqual([])
    const built = reflex.wrap((settings) => new ToolLoopAgent(settings), {
      framework: 'ai-sdk',
      model,
      tools: { weather: weather() },
      id: 'sunny',
    })
    expect((await built.run({ prompt: 'the weather?' })).text).toBe('ok')
    const [row] = await reflex.runs()
    expect(row?.program[0]).toBe('turn:sunny')
  })

  it('needs no tools', async () => {
    const { reflex } = life()
    const agent = reflex.wrap({
      framework: 'ai-sdk',
      model: new ScriptedLanguageModel('hello'),
      agent: async (prompt: string, { settings }) => generateText({ ...settings, prompt }),
    })
    const { text } = await agent.run('hi')
    expect(text).toBe('hello')
  })

  it('asks again as its SDK does, and each attempt is recorded', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedLanguageModel({ fails: 'overloaded' }, 'hello')
    let run = ''
    const { text } = await sunny(reflex, { model }).run('hi', { onStart: (id) => (run = id) })
    expect(text).toBe('hello')
    expect(troubles.map(String)).toEqual([])
    const { lines } = await reflex.trace(run)
    expect(JSON.stringify(lines).match(/the agent asks its model/g)).toHaveLength(2)
  })

  // A life that ends in the middle of the second request, and one that continues its turn.
  async function continued(first: ScriptedReply, second: string, tools: ToolSet = {}): Promise<readonly ScriptedLanguageModel[]> {
    const store = memoryStore()
    const one = life({ store, closes: false })
    const asked = Promise.withResolvers<void>()
    const hanging = new ScriptedLanguageModel(() => {
      if (hanging.requests.length === 1) return first
      asked.resolve()
      return new Promise(() => undefined)
    })
    // The record cannot have the signal of an input.
    void sunny(one.reflex, { model: hanging, tools }).run({ prompt: 'hi', abortSignal: new AbortController().signal }, { id: 'otter' })
    await asked.promise
    // What has settled becomes durable while the model is asked.
    for (let i = 0; i < 30; i++) await one.host.advance(10)
    const two = life({ store, at: one.host.now() + 3_600_000 })
    const model = new ScriptedLanguageModel(second)
    const resumed = sunny(two.reflex, { model, tools }).resume('otter')
    await two.host.drain()
    expect((await resumed).text).toBe(second)
    expect(JSON.stringify(await two.reflex.trace('otter'))).not.toContain('divergence')
    return [hanging, model]
  }

  it('asks again after a crash as well', async () => {
    const [before, after] = await continued({ fails: 'overloaded' }, 'hello')
    expect([before?.requests.length, after?.requests.length]).toEqual([2, 1])
  })

  it('tells its model of a tool that has failed in the same words after a crash', async () => {
    const failing = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new RangeError('out of paper')
      },
    })
    const [before, after] = await continued([{ call: 'print', args: {} }], 'sorry', { print: failing })
    expect(JSON.stringify(before?.requests[1]?.prompt)).toContain('out of paper')
    expect(after?.requests[0]?.prompt).toEqual(before?.requests[1]?.prompt)
  })

  it('streams with little memory to one reader', async () => {
    const { reflex } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const agent = reflex.wrap({
      framework: 'ai-sdk',
      model,
      tools: { weather: weather() },
      stopWhen: stepCountIs(5),
      agent: (prompt: string, { settings }) => experimental_streamTextLowMemory({ ...settings, prompt }),
    })
    let run = ''
    let text = ''
    for await (const piece of (await agent.stream('the weather?', { onStart: (id) => (run = id) })).textStream) text += piece
    expect(text).toBe('It is sunny.')
    while ((await reflex.find(run)).status !== 'completed') await new Promise(setImmediate)
    expect(JSON.stringify(await reflex.trace(run)).match(/the agent asks its model|the agent calls a tool/g)).toHaveLength(3)
  })

  it('records the result of a tool that gives preliminary ones', async () => {
    const { reflex } = life()
    const counting = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 'counting'
        yield 'three'
      },
    })
    const model = new ScriptedLanguageModel([{ call: 'counting', args: {} }], 'three')
    await sunny(reflex, { model, tools: { counting } }).run('count')
    expect(JSON.stringify(model.requests[1]?.prompt.at(-1))).toContain('"value":"three"')
    const [row] = await reflex.runs()
    const board = (await reflex.runtime.peek(row?.id ?? '')).state.root.reader().snapshot()
    expect(Object.entries(board).find(([key]) => key.startsWith('~r.tool/'))?.[1]).toEqual({ ok: true, value: 'three' })
  })

  it('keeps the models and tools that a step chooses within the turn', async () => {
    const { reflex } = life()
    const other = new ScriptedLanguageModel('the other one')
    const prepared = reflex.aiSdk({
      model: new ScriptedLanguageModel('the first one'),
      prepareStep: () => ({ model: other }),
    })
    const agent = reflex.wrap({ framework: 'ai-sdk', agent: new ToolLoopAgent(prepared), strictIntercept: true })
    expect((await agent.run([{ role: 'user', content: 'hi' }])).text).toBe('the other one')
  })

  it('keeps the turn of an agent that one of its tools calls apart', async () => {
    const { reflex } = life()
    const inner = sunny(reflex, { model: new ScriptedLanguageModel('inner') })
    const ask = tool({ inputSchema: z.object({}), execute: async () => (await inner.run('hi')).text })
    const model = new ScriptedLanguageModel([{ call: 'ask', args: {} }], 'outer')
    const outer = reflex.wrap((settings) => new ToolLoopAgent(settings), { framework: 'ai-sdk', model, tools: { ask }, id: 'outer' })
    let text = ''
    for await (const piece of (await outer.stream('hi', { id: 'otter' })).textStream) text += piece
    expect(text).toBe('outer')
    expect(JSON.stringify(model.requests[1]?.prompt.at(-1))).toContain('inner')
    expect(JSON.stringify(await reflex.trace('otter')).match(/the agent calls a tool/g)).toHaveLength(1)
  })

  it('makes an agent that it calls, and a tool that is one, a part of its turn', async () => {
    const { reflex } = life()
    const inner = sunny(reflex, { model: new ScriptedLanguageModel('first', 'second') })
    const ask = { ...tool({ inputSchema: z.object({}), execute: async () => (await inner.run('again')).text }), agent: true }
    const model = new ScriptedLanguageModel([{ call: 'ask', args: {} }], 'outer')
    const outer = reflex.wrap({
      framework: 'ai-sdk',
      model,
      tools: { ask },
      stopWhen: stepCountIs(3),
      agent: async (prompt: string, { settings }) => {
        const { text } = await inner.run(prompt)
        return `${text} ${(await generateText({ ...settings, prompt })).text}`
      },
    })
    expect(await outer.run('hi')).toBe('first outer')
    expect(JSON.stringify(model.requests[1]?.prompt.at(-1))).toContain('second')
    expect(await reflex.runs()).toHaveLength(1)
  })

  // proves: skill 107
  it('passes the calls of its settings through outside of a turn', async () => {
    const { reflex } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const settings = reflex.aiSdk({ model, tools: { weather: weather() } })
    expect((await new ToolLoopAgent(settings).generate({ prompt: 'the weather?' })).text).toBe('It is sunny.')
    expect(await reflex.runs()).toEqual([])
  })

  // proves: skill 102, skill 103
  it('is wrapped once, and its settings are left as they are', async () => {
    const { reflex } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const given = { model, tools: { weather: weather() } }
    const functions = (): unknown[] => [Reflect.get(model, 'doGenerate'), Reflect.get(given.tools.weather, 'execute')]
    const before = functions()
    const once = reflex.aiSdk(given)
    const twice = reflex.aiSdk(once)
    expect([twice.model, twice.tools.weather]).toEqual([once.model, once.tools.weather])
    const built = new ToolLoopAgent(twice)
    const agent = reflex.wrap({ framework: 'ai-sdk', agent: built })
    expect(reflex.wrap({ framework: 'ai-sdk', agent: built })).toBe(agent)
    expect(reflex.wrap(agent)).toBe(agent)
    let run = ''
    await agent.run('the weather?', { onStart: (id) => (run = id) })
    expect(JSON.stringify(await reflex.trace(run)).match(/the agent calls a tool/g)).toHaveLength(1)
    expect(functions()).toEqual(before)
    agent.unwrap()
    expect(reflex.wrap({ framework: 'ai-sdk', agent: built })).not.toBe(agent)
  })

  // proves: skill 104
  it('refuses what it cannot intercept, and says what to write', () => {
    const { reflex } = life()
    const model = new ScriptedLanguageModel('hi')
    const refused = (act: () => unknown, details: object): void => expect(act).toThrow(expect.objectContaining(details))
    const build = { code: 'R2150', rule: 'E_CANNOT_INTERCEPT', fix: expect.stringContaining('reflex.aiSdk') as unknown }
    refused(() => reflex.wrap({ framework: 'ai-sdk', agent: new ToolLoopAgent({ model }) }), build)
    const half = { ...reflex.aiSdk({ model }), tools: { weather: weather() } }
    refused(() => reflex.wrap({ framework: 'ai-sdk', agent: new ToolLoopAgent(half) }), build)
    refused(() => reflex.aiSdk({ model: 'openai/gpt-5' }), {
      code: 'R2150',
      path: 'model',
      fix: expect.stringContaining('gateway(') as unknown,
    })
    refused(() => reflex.aiSdk({ model: { complete: () => 'hi' } }), { code: 'R2150' })
    refused(() => reflex.aiSdk({ model: { ...unknownVersion, specificationVersion: 'v9' } }), { code: 'R2160', path: 'model' })
    refused(() => reflex.aiSdk({ model: unknownVersion }), { code: 'R2160' })
    refused(() => reflex.wrap({ framework: 'ai-sd' as 'ai-sdk', agent: () => 'hi', model }), { code: 'R2155', fix: 'write ai-sdk' })
    refused(() => reflex.wrap({ framework: 'ai-sdk', agent: { generate: 1 } }), { code: 'R2155', path: 'agent' })
    refused(() => reflex.wrap({ framework: 'ai-sdk', agent: undefined as unknown as object }), { code: 'R2155' })
  })

  // proves: skill 105
  it('reports an agent that asks its model past its settings, and refuses it if it is strict', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedLanguageModel('past you')
    const agent = async (prompt: string) => (await generateText({ model, prompt })).text
    expect(await reflex.wrap({ framework: 'ai-sdk', agent, model }).run('hi')).toBe('past you')
    expect(troubles).toMatchObject([{ code: 'R2151', rule: 'adapter.no_intercept' }])
    const strict = reflex.wrap({ framework: 'ai-sdk', agent, model, strictIntercept: true })
    await expect(strict.run('hi')).rejects.toMatchObject({ code: 'R2151' })
    // A stream has begun before anyone can know.
    expect(await strict.stream('hi')).toBe('ok')
    while (troubles.length < 2) await new Promise(setImmediate)
    expect(troubles[1]).toMatchObject({ code: 'R2151', severity: 'error' })
  })
})

const unknownVersion = { doGenerate: () => undefined, doStream: () => undefined }

interface Sunny {
  readonly model: ScriptedLanguageModel
  readonly tools?: ToolSet
}

function sunny(reflex: Reflex, { model, tools = {} }: Sunny) {
  return reflex.wrap((settings) => new ToolLoopAgent(settings), { framework: 'ai-sdk', model, tools, id: 'sunny' })
}
