import { createAgent, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { activate, life, propose, RELEASE } from '../session/world.ts'
import { CopyingChatModel, ScriptedChatModel } from './chat-model.ts'
import { inTurn } from './script.ts'

const ASKS = { call: 'weather', args: { city: 'Rome' } }

function weather() {
  const cities: string[] = []
  const made = tool(
    async ({ city }: { city: string }) => {
      if (city === 'Atlantis') throw new Error('no such city')
      cities.push(city)
      return { city, sky: 'sunny' }
    },
    { name: 'weather', description: 'The weather of a city.', schema: z.object({ city: z.string() }) },
  )
  return { tool: made, cities }
}

describe('an agent of LangChain', () => {
  it.each([
    ['binds its tools', new ScriptedChatModel(inTurn(ASKS, 'It is sunny.'))],
    ['copies its model for its tools', new CopyingChatModel(inTurn(ASKS, 'It is sunny.'))],
  ])('is a run for each turn, if it %s', async (_, model) => {
    const { reflex, troubles } = life()
    const { tool: look, cities } = weather()
    const agent = createAgent({ model, tools: [look], systemPrompt: 'Be brief.' })
    const wrapped = reflex.wrap({ framework: 'langchain', agent, strictIntercept: true })
    let run = ''
    const { messages } = await wrapped.run('the weather?', { onStart: (id) => (run = id) })
    expect(messages.map(({ type, text }) => [type, text])).toEqual([
      ['human', 'the weather?'],
      ['ai', ''],
      ['tool', '{"city":"Rome","sky":"sunny"}'],
      ['ai', 'It is sunny.'],
    ])
    expect(cities).toEqual(['Rome'])
    expect(troubles.map(String)).toEqual([])
    const trace = JSON.stringify(await reflex.trace(run))
    expect(trace).toContain('weather')
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('is wrapped by its middleware, which leaves errors of tools to LangChain', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedChatModel(inTurn({ call: 'weather', args: { city: 'Atlantis' } }, ASKS, 'It is sunny.'))
    const { tool: look } = weather()
    const agent = createAgent({ model, tools: [look], middleware: [reflex.langchain()] })
    const wrapped = reflex.wrap({
      framework: 'langchain',
      agent: (text: string) => agent.invoke({ messages: [{ role: 'user', content: text }] }),
      strictIntercept: true,
    })
    const { messages } = await wrapped.run('the weather?')
    expect(messages.map(({ text }) => text)).toContain('Error: no such city\n Please fix your mistakes.')
    expect(messages.at(-1)?.text).toBe('It is sunny.')
    expect(troubles.map(String)).toEqual([])
  })

  it.each(['text', 'tool'] as const)('carries skills out, proposed by %s', async (carrier) => {
    const world = life()
    const { reflex, troubles } = world
    await activate(world, RELEASE, ['set_tag'])
    const tags: unknown[] = []
    const setTag = tool(
      async (args) => {
        tags.push(args)
        return 'set'
      },
      { name: 'set_tag', description: 'Sets a tag.', schema: z.object({ tag: z.string() }) },
    )
    const proposal =
      carrier === 'text' ? propose({ tag: 'v1' }) : { call: 'reflex_propose', args: { skill_id: 'release.tag', inputs: { tag: 'v1' } } }
    const model = new ScriptedChatModel(inTurn(proposal, 'Released.'))
    const agent = createAgent({ model, tools: [setTag], systemPrompt: 'Be brief.' })
    const wrapped = reflex.wrap({ framework: 'langchain', agent, carrier })
    const { messages } = await wrapped.run('release v1')
    expect(troubles.map(String)).toEqual([])
    expect(messages.map(({ type, text }) => [type, text])).toEqual([
      ['human', 'release v1'],
      ['ai', 'Released.'],
    ])
    expect(tags).toEqual([{ tag: 'v1' }])
    expect(model.script.requests).toHaveLength(2)
    expect(model.script.requests[0]?.at(-1)?.text).toContain('release.tag')
    expect(messages.at(-1)).toMatchObject({ usage_metadata: { input_tokens: 20 } })
  })
})
