import { RunnableLambda } from '@langchain/core/runnables'
import { createAgent, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { activate, life, propose, RELEASE } from '../session/world.ts'
import { CopyingChatModel, ScriptedChatModel } from './chat-model.ts'
import { inTurn } from './script.ts'

const ASKS = { call: 'weather', args: { city: 'Rome' } }

function weather() {
  return tool(
    async ({ city }) => {
      if (city === 'Atlantis') throw new Error('no such city')
      return { city, sky: 'sunny' }
    },
    { name: 'weather', description: 'The weather of a city.', schema: z.object({ city: z.string() }) },
  )
}

describe('an agent of LangChain', () => {
  it.each([
    ['binds its tools', (answer: ReturnType<typeof inTurn>) => new ScriptedChatModel(answer)],
    ['copies its model for its tools', (answer: ReturnType<typeof inTurn>) => new CopyingChatModel(answer)],
  ])('is a run for each turn, if it %s', async (_, make) => {
    const { reflex, troubles } = life()
    const agent = createAgent({ model: make(inTurn(ASKS, 'It is sunny.')), tools: [weather()], systemPrompt: 'Be brief.' })
    const wrapped = reflex.wrap({ framework: 'langchain', agent, strictIntercept: true })
    let run = ''
    const { messages } = await wrapped.run('the weather?', { onStart: (id) => (run = id) })
    expect(messages.map(({ type, text }) => [type, text])).toEqual([
      ['human', 'the weather?'],
      ['ai', ''],
      ['tool', '{"city":"Rome","sky":"sunny"}'],
      ['ai', 'It is sunny.'],
    ])
    expect(troubles.map(String)).toEqual([])
    expect((await reflex.find(run)).value).toEqual({ text: 'It is sunny.' })
    const { state } = await reflex.runtime.peek(run)
    // What the tool gave, not the message that LangChain makes of it.
    expect(Object.values(state.root.reader().snapshot())).toContainEqual({ ok: true, value: { city: 'Rome', sky: 'sunny' } })
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('is wrapped by its middleware, which leaves errors of tools to LangChain', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedChatModel(inTurn({ call: 'weather', args: { city: 'Atlantis' } }, ASKS, 'It is sunny.'))
    const agent = createAgent({ model, tools: [weather()], middleware: [reflex.langchain()] })
    const ask = (text: string) => agent.invoke({ messages: [{ role: 'user', content: text }] })
    const wrapped = reflex.wrap({ framework: 'langchain', agent: ask, strictIntercept: true })
    let run = ''
    const { messages } = await wrapped.run('the weather?', { onStart: (id) => (run = id) })
    expect(messages.map(({ text }) => text)).toContain('Error: no such city\n Please fix your mistakes.')
    expect(messages.at(-1)?.text).toBe('It is sunny.')
    expect(troubles.map(String)).toEqual([])
    expect(JSON.stringify(await reflex.trace(run)).split('the agent calls a tool')).toHaveLength(3)
  })

  it('streams what its model writes for the agent, in each form of streams', async () => {
    const world = life()
    await activate(world, RELEASE, ['set_tag'])
    const setTag = tool(async () => 'set', { name: 'set_tag', description: 'Sets a tag.', schema: z.object({ tag: z.string() }) })
    const model = new ScriptedChatModel((last) => [last.includes('SKILL_RESULT') ? 'Released.' : `Now.\n${propose({ tag: 'v1' })}`])
    const agent = createAgent({ model, tools: [setTag] })
    const wrapped = world.reflex.wrap({ framework: 'langchain', agent, name: 'guide', config: { streamMode: 'messages' } })
    let seen = ''
    for await (const piece of await wrapped.stream('release v1')) seen += (piece as unknown as readonly [{ readonly text: string }])[0].text
    expect(seen).toBe('Now.\nReleased.')
    const events = world.reflex.wrap({
      framework: 'langchain',
      agent: async () => {
        const texts: string[] = []
        const input = { messages: [{ role: 'user', content: 'release v1 again' }] }
        for await (const { event, data } of agent.streamEvents(input, { version: 'v2' }))
          if (event === 'on_chat_model_stream') texts.push((data as { readonly chunk: { readonly text: string } }).chunk.text)
        return texts.join('')
      },
    })
    expect(await events.run('x')).toBe('Now.\nReleased.')
    expect(world.troubles.map(String)).toEqual([])
  })

  it('reaches the models within a runnable', async () => {
    const { reflex } = life()
    const failing = new ScriptedChatModel(inTurn(new Error('overloaded')))
    const spare = new ScriptedChatModel(inTurn('from the spare'))
    const model = RunnableLambda.from((text: string) => text)
      .pipe(failing.withConfig({ tags: ['a'] }))
      .withFallbacks([spare])
    const wrapped = reflex.wrap({
      framework: 'langchain',
      model,
      strictIntercept: true,
      agent: async (text: string) => (await model.invoke(text)).text,
    })
    let run = ''
    expect(await wrapped.run('hi', { onStart: (id) => (run = id) })).toBe('from the spare')
    expect(JSON.stringify(await reflex.trace(run)).split('the agent asks its model')).toHaveLength(3)
  })

  it.each([
    ['the name of a model', 'openai:gpt-test'],
    ['a frozen model', Object.freeze(new ScriptedChatModel(inTurn()))],
    ['no chat model', { invoke: () => 'hi' }],
  ])('is refused with %s, and nothing is changed', (_, model) => {
    const { reflex } = life()
    const other = new ScriptedChatModel(inTurn())
    const models = [other, model]
    expect(() => reflex.wrap({ framework: 'langchain', agent: async () => 'x', models })).toThrow(
      expect.objectContaining({ code: 'R2150', rule: 'E_CANNOT_INTERCEPT' }),
    )
    expect(Object.hasOwn(other, '_generate')).toBe(false)
  })

  it('is refused if LangChain looks its model up by name, and taken with the middleware', () => {
    const { reflex } = life()
    const named = createAgent({ model: 'openai:gpt-test', tools: [] })
    expect(() => reflex.wrap({ framework: 'langchain', agent: named })).toThrow(expect.objectContaining({ code: 'R2150' }))
    const taken = createAgent({ model: 'openai:gpt-test', tools: [], middleware: [reflex.langchain()] })
    expect(reflex.wrap({ framework: 'langchain', agent: taken })).toBeDefined()
  })

  it('ends a turn whose stream is read no more', async () => {
    const { reflex } = life()
    const agent = createAgent({ model: new ScriptedChatModel(inTurn('a long reply of many words')), tools: [] })
    const wrapped = reflex.wrap({ framework: 'langchain', agent, config: { streamMode: 'messages' } })
    for await (const _ of await wrapped.stream('hi')) break
    await expect.poll(async () => (await reflex.runs()).map(({ status }) => status), { timeout: 20_000 }).toEqual(['completed'])
  })

  it('passes everything through outside of a turn', async () => {
    const { reflex } = life()
    const { model } = reflex.langgraph({ model: new ScriptedChatModel(inTurn('hello', 'again')) })
    expect((await model.invoke('hi')).text).toBe('hello')
    let text = ''
    for await (const chunk of await model.stream('hi')) text += chunk.text
    expect(text).toBe('again')
    expect(await reflex.runs()).toEqual([])
  })
})
