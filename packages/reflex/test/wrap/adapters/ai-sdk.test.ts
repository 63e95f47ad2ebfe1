import { generateText, stepCountIs, tool, ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { life } from '../session/world.ts'
import { ScriptedLanguageModel } from './language-model.ts'

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
})
