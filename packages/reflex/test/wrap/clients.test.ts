import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { AuthenticationError } from 'openai'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { anthropicFixture } from './dialects/anthropic-fixture.ts'
import type { Fixture, Said } from './dialects/fixture.ts'
import { chatFixture, responsesFixture } from './dialects/openai-fixtures.ts'
import { scriptedFetch } from './drivers/script-server.ts'
import { activate, connection, life, type Life, propose, RELEASE } from './session/world.ts'

const SCRIPT: readonly string[] = [`I tag it.\n${propose({ tag: 'v1' })}`, 'It is tagged.']
const TEXT = 'I tag it.\nIt is tagged.'
const ask = { model: 'm', messages: [{ role: 'user', content: 'release v1' }] } as const

function fetchOf(fixture: Fixture, script: readonly (string | readonly Said[])[] = SCRIPT): typeof fetch {
  const left = [...script]
  return scriptedFetch(fixture, {
    reply: async () => {
      const next = left.shift() ?? 'ok'
      return typeof next === 'string' ? [next] : next
    },
  })
}

const openAi = (fixture: Fixture): OpenAI => new OpenAI({ apiKey: 'k', fetch: fetchOf(fixture), maxRetries: 0 })
const claude = (): Anthropic => new Anthropic({ apiKey: 'k', fetch: fetchOf(anthropicFixture), maxRetries: 0 })

async function world(): Promise<Life> {
  const one = life()
  await activate(one, RELEASE, ['set_tag'])
  return one
}

/** Runs code as the one turn of an agent, with a client that is wrapped in place or, by a factory, by proxies. */
async function turn<Client extends object, Value>(llm: Client, act: (client: Client) => Promise<Value>, isFactory = false): Promise<Value> {
  const { reflex, troubles } = await world()
  const tools = { set_tag: () => 'ok' }
  const agent = isFactory
    ? reflex.wrap(
        ({ llm: own }) =>
          () =>
            act(own),
        { llm, tools },
      )
    : reflex.wrap({ agent: () => act(llm), llm, tools })
  const value = await agent.run(undefined)
  expect(troubles.map(String)).toEqual([])
  return value
}

async function collected<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe.each([
  ['in place', false],
  ['by a factory', true],
])('a client that is wrapped %s', (_, isFactory) => {
  it('of OpenAI gives its helpers the reply without blocks', async () => {
    const completion = await turn(
      openAi(chatFixture),
      (client) => client.chat.completions.stream({ ...ask, messages: [...ask.messages] }).finalChatCompletion(),
      isFactory,
    )
    expect(completion.choices[0]?.message.content).toBe(TEXT)
    const parsed = await turn(
      openAi(chatFixture),
      (client) => client.chat.completions.parse({ ...ask, messages: [...ask.messages] }),
      isFactory,
    )
    expect(parsed.choices[0]?.message).toMatchObject({ content: TEXT, parsed: null })
  })

  it('of OpenAI gives the helpers of responses the reply without blocks', async () => {
    const texts: string[] = []
    const response = await turn(
      openAi(responsesFixture),
      (client) => {
        const stream = client.responses.stream({ model: 'm', input: 'release v1' })
        stream.on('response.output_text.delta', ({ delta }) => void texts.push(delta))
        return stream.finalResponse()
      },
      isFactory,
    )
    expect(texts.join('')).toBe(TEXT)
    expect(response).toMatchObject({ output_text: TEXT, usage: { input_tokens: 20, output_tokens: 10 } })
  })

  it('of Anthropic gives its helper the events and the message without blocks', async () => {
    const texts: string[] = []
    const message = await turn(
      claude(),
      (client) => {
        const stream = client.messages.stream({ ...ask, messages: [...ask.messages], max_tokens: 9 })
        stream.on('text', (text) => void texts.push(text))
        return stream.finalMessage()
      },
      isFactory,
    )
    expect(texts.join('')).toBe(TEXT)
    expect(message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')).toBe(TEXT)
    expect(message.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 })
  })
})

describe('the promise of a client', () => {
  it('has the HTTP response beside the reply', async () => {
    const { data, response, request_id } = await turn(openAi(chatFixture), (client) =>
      client.chat.completions.create({ ...ask, messages: [...ask.messages] }).withResponse(),
    )
    expect([data.choices[0]?.message.content, response.status, request_id]).toEqual([TEXT, 200, 'req_1'])
    const streamed = await turn(claude(), async (client) => {
      const request = { ...ask, messages: [...ask.messages], max_tokens: 9, stream: true as const }
      const found = await client.messages.create(request).withResponse()
      return { ...found, events: await collected(found.data) }
    })
    expect(streamed.request_id).toBe('req_1')
    expect(streamed.events.at(-1)).toEqual({ type: 'message_stop' })
  })

  it('gives the reply as a response that the agent reads by itself', async () => {
    const whole = await turn(openAi(chatFixture), (client) =>
      client.chat.completions.create({ ...ask, messages: [...ask.messages] }).asResponse(),
    )
    expect(await whole.json()).toMatchObject({ choices: [{ message: { content: TEXT } }] })
    const events = await turn(openAi(responsesFixture), async (client) => {
      const response = await client.responses.create({ model: 'm', input: 'release v1', stream: true }).asResponse()
      return response.text()
    })
    expect(events).toMatch(/^event: response\.created\ndata: \{/)
    expect(events).toContain('event: response.completed')
    expect(events).not.toContain('SKILL_PROPOSE')
  })

  it('gives a stream that can be split, and read as lines', async () => {
    const [left, right] = await turn(openAi(chatFixture), async (client) => {
      const stream = await client.chat.completions.create({ ...ask, messages: [...ask.messages], stream: true })
      return Promise.all(stream.tee().map((one) => collected(one)))
    })
    expect(left).toEqual(right)
    const lines = await turn(openAi(chatFixture), async (client) => {
      const stream = await client.chat.completions.create({ ...ask, messages: [...ask.messages], stream: true })
      return new Response(stream.toReadableStream()).text()
    })
    const text = lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as OpenAI.ChatCompletionChunk).choices[0]?.delta.content ?? '')
    expect(text.join('')).toBe(TEXT)
  })

  it('ends a stream whose controller is aborted, and carries out nothing of it', async () => {
    const one = await world()
    const llm = openAi(chatFixture)
    const tagged: unknown[] = []
    const agent = one.reflex.wrap({
      agent: async () => {
        const stream = await llm.chat.completions.create({ ...ask, messages: [...ask.messages], stream: true })
        for await (const chunk of stream) if (chunk.choices[0]?.delta.content !== undefined) stream.controller.abort()
        return stream.controller.signal.aborted
      },
      llm,
      tools: { set_tag: (args: unknown) => tagged.push(args) },
    })
    expect(await agent.run(undefined)).toBe(true)
    expect(tagged).toEqual([])
  })

  it('rejects with the error of the client', async () => {
    const refused: typeof fetch = async () => Response.json({ error: { message: 'no key' } }, { status: 401 })
    const llm = new OpenAI({ apiKey: 'k', fetch: refused, maxRetries: 0 })
    const { reflex } = life()
    const agent = reflex.wrap({
      agent: async () => llm.chat.completions.create({ ...ask, messages: [...ask.messages], stream: true }),
      llm,
    })
    await expect(agent.run(undefined)).rejects.toBeInstanceOf(AuthenticationError)
  })
})

it('gives a resumed agent the reply of the record by the same helpers, without a request', async () => {
  const store = memoryStore()
  const first = life({ store: connection(store), closes: false })
  await activate(first, RELEASE, ['set_tag'])
  const begun = Promise.withResolvers<string>()
  const wrapped = ({ reflex }: Life, llm: Anthropic, hold: Promise<void>) =>
    reflex.wrap({
      name: 'claude',
      agent: async () => {
        const text = await llm.messages.stream({ ...ask, messages: [...ask.messages], max_tokens: 9 }).finalText()
        begun.resolve(text)
        await hold
        return text
      },
      llm,
      tools: { set_tag: () => 'ok' },
    })
  void wrapped(first, claude(), new Promise(() => undefined)).run(undefined, { id: 'otter' })
  const told = await begun.promise
  for (let i = 0; i < 20; i++) await first.host.advance(20)
  const second = life({ store, at: first.host.now() + 3_600_000 })
  const silent = new Anthropic({ apiKey: 'k', fetch: () => Promise.reject(new Error('no request')), maxRetries: 0 })
  expect(await wrapped(second, silent, Promise.resolve()).resume('otter')).toBe(told)
})
