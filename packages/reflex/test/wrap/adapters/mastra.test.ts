import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { life } from '../session/world.ts'
import { mastraModel } from './frameworks.ts'
import { ScriptedLanguageModel } from './language-model.ts'

const weather = (readOnlyHint = false) =>
  createTool({
    id: 'weather',
    description: 'The weather.',
    inputSchema: z.object({ city: z.string() }),
    mcp: { annotations: { readOnlyHint } },
    execute: async ({ city }) => ({ weather: `${city}: sunny` }),
  })

describe('an agent of Mastra', () => {
  it('is a run for each turn', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const settings = reflex.mastra({
      id: 'sunny',
      name: 'Sunny',
      instructions: 'Help.',
      model: mastraModel(model),
      tools: { weather: weather() },
    })
    const agent = reflex.wrap({ framework: 'mastra', agent: new Agent(settings) })
    let run = ''
    const output = await agent.run('the weather?', { onStart: (id) => (run = id) })
    expect(output.text).toBe('It is sunny.')
    expect(troubles.map(String)).toEqual([])
    const trace = JSON.stringify(await reflex.trace(run))
    expect(trace).toContain('weather')
    expect((await reflex.find(run)).program[0]).toBe('turn:Sunny')
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('can choose its model and its tools by the context of a request', async () => {
    const { reflex } = life()
    const model = new ScriptedLanguageModel([{ call: 'weather', args: { city: 'Rome' } }], 'It is sunny.')
    const settings = reflex.mastra({
      id: 'sunny',
      name: 'Sunny',
      instructions: 'Help.',
      model: () => mastraModel(model),
      tools: async () => ({ weather: weather() }),
    })
    const agent = reflex.wrap({ framework: 'mastra', agent: new Agent(settings), strictIntercept: true })
    let run = ''
    const input = { messages: [{ role: 'user' as const, content: 'the weather?' }], maxSteps: 3 }
    expect((await agent.run(input, { onStart: (id) => (run = id) })).text).toBe('It is sunny.')
    expect(JSON.stringify(await reflex.trace(run)).match(/the agent calls a tool/g)).toHaveLength(1)
  })

  it('can have several models of which each is asked when the one before has failed', async () => {
    const { reflex } = life()
    const models = [new ScriptedLanguageModel({ fails: 'overloaded' }), new ScriptedLanguageModel('hello')]
    const settings = reflex.mastra({
      id: 'sunny',
      name: 'Sunny',
      instructions: 'Help.',
      model: models.map((model) => ({ model: mastraModel(model), maxRetries: 0 })),
    })
    // Mastra writes failures of models to the console.
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const agent = reflex.wrap({ framework: 'mastra', agent: new Agent(settings) })
    let run = ''
    expect((await agent.run('hi', { onStart: (id) => (run = id) })).text).toBe('hello')
    expect(JSON.stringify(await reflex.trace(run)).match(/the agent asks its model/g)).toHaveLength(2)
  })

  it('repeats a tool after a crash only if the tool says that it only reads', async () => {
    const { reflex } = life()
    const tools = { weather: weather(true), send: weather() }
    const model = new ScriptedLanguageModel('hi')
    const settings = reflex.mastra({ id: 'sunny', name: 'Sunny', instructions: 'Help.', model: mastraModel(model), tools })
    await reflex.wrap({ framework: 'mastra', agent: new Agent(settings) }).run('hi')
    const { def } = reflex.runtime.programs.find('turn:Sunny') ?? {}
    expect(def).toMatchObject({
      tools: [
        { name: 'weather', sideEffects: 'none' },
        { name: 'send', sideEffects: 'external' },
      ],
    })
  })

  // proves: skill 104
  it('refuses a model that Mastra looks up by its name, and an agent that was built past its adapter', () => {
    const { reflex } = life()
    const settings = { id: 'sunny', name: 'Sunny', instructions: 'Help.', model: 'openai/gpt-5' }
    expect(() => reflex.mastra(settings)).toThrow(
      expect.objectContaining({ code: 'R2150', fix: expect.stringContaining('ModelRouterLanguageModel') as unknown }),
    )
    const past = [new Agent(settings), new Agent({ ...settings, model: mastraModel(new ScriptedLanguageModel('hi')) })]
    for (const agent of past)
      expect(() => reflex.wrap({ framework: 'mastra', agent })).toThrow(
        expect.objectContaining({ code: 'R2150', fix: expect.stringContaining('reflex.mastra') as unknown }),
      )
  })
})
