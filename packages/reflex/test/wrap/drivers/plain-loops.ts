import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type Fields, fieldsOf, listOf } from '../../../src/wrap/dialects/loose.ts'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { anthropicFixture } from '../dialects/anthropic-fixture.ts'
import { type Fixture, parsed, TOOL } from '../dialects/fixture.ts'
import { chatFixture, responsesFixture } from '../dialects/openai-fixtures.ts'
import type { DrivenAgent, DrivenParts, DrivenTurn, Driver, Mode } from '../driver.ts'
import { scriptedFetch } from './script-server.ts'

const SYSTEM = 'Be brief.'
const MODEL = 'm'

type AnsweredCall = readonly [id: string, value: string]

/** A loop about a client, as a user of it writes it. */
interface Loop<Client> {
  readonly name: string
  readonly fixture: Fixture
  client(fetch: typeof globalThis.fetch): Client
  /** The object whose function `create` asks the model. */
  owner(client: Client): { create: unknown }
  /** Asks the model, and returns its whole response. */
  ask(client: Client, history: readonly Fields[], mode: Mode): Promise<Fields>
  /** The messages that a response adds to the history. */
  said(response: Fields): readonly Fields[]
  answers(calls: readonly AnsweredCall[]): readonly Fields[]
}

async function collected(stream: AsyncIterable<unknown>): Promise<Fields[]> {
  const chunks: Fields[] = []
  for await (const chunk of stream) chunks.push(fieldsOf(chunk))
  return chunks
}

const newOpenAi = (fetch: typeof globalThis.fetch): OpenAI => new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 })

const chatLoop: Loop<OpenAI> = {
  name: 'a loop about chat completions of OpenAI',
  fixture: chatFixture,
  client: newOpenAi,
  owner: (client) => client.chat.completions,
  ask: async (client, history, mode) => {
    const request = { model: MODEL, messages: history as never, tools: [{ type: 'function', function: TOOL }] as never }
    if (mode === 'whole') return fieldsOf(await client.chat.completions.create(request))
    return chatFixture.joined(await collected(await client.chat.completions.create({ ...request, stream: true })))
  },
  said: (response) => {
    const { content, tool_calls } = fieldsOf(fieldsOf(listOf(response['choices'])[0])['message'])
    return [{ role: 'assistant', content, ...(listOf(tool_calls).length > 0 && { tool_calls }) }]
  },
  answers: (calls) => calls.map(([tool_call_id, content]) => ({ role: 'tool', tool_call_id, content })),
}

const responsesLoop: Loop<OpenAI> = {
  name: 'a loop about responses of OpenAI',
  fixture: responsesFixture,
  client: newOpenAi,
  owner: (client) => client.responses,
  ask: async (client, history, mode) => {
    const [, ...input] = history
    const request = { model: MODEL, instructions: SYSTEM, input: input as never, tools: [{ type: 'function', ...TOOL }] as never }
    if (mode === 'whole') return fieldsOf(await client.responses.create(request))
    return responsesFixture.joined(await collected(await client.responses.create({ ...request, stream: true })))
  },
  said: (response) => listOf(response['output']).map(fieldsOf),
  answers: (calls) => calls.map(([call_id, output]) => ({ type: 'function_call_output', call_id, output })),
}

const anthropicLoop: Loop<Anthropic> = {
  name: 'a loop about messages of Anthropic',
  fixture: anthropicFixture,
  client: (fetch) => new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 }),
  owner: (client) => client.messages,
  ask: async (client, history, mode) => {
    const [, ...messages] = history
    const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }]
    const request = { model: MODEL, max_tokens: 100, system: SYSTEM, messages: messages as never, tools: tools as never }
    if (mode === 'whole') return fieldsOf(await client.messages.create(request))
    return anthropicFixture.joined(await collected(await client.messages.create({ ...request, stream: true })))
  },
  said: (response) => [{ role: 'assistant', content: response['content'] }],
  answers: (calls) => [{ role: 'user', content: calls.map(([tool_use_id, content]) => ({ type: 'tool_result', tool_use_id, content })) }],
}

/** One turn of a conversation. */
interface ChatTurn {
  readonly text: string
  readonly chat: string
}

class LoopAgent<Client extends object> implements DrivenAgent {
  readonly #loop: Loop<Client>
  readonly #parts: DrivenParts
  readonly #client: Client
  readonly #asked: Client
  readonly #wrapped: Wrapped<ChatTurn, string>
  readonly #create: unknown
  readonly #histories = new Map<string, readonly Fields[]>()

  constructor(loop: Loop<Client>, parts: DrivenParts) {
    this.#loop = loop
    this.#parts = parts
    const fetch = scriptedFetch(loop.fixture, parts.model)
    this.#client = loop.client(fetch)
    this.#asked = parts.isBypassing === true ? loop.client(fetch) : this.#client
    this.#create = loop.owner(this.#client).create
    const { reflex, carrier, tools, strictIntercept = false } = parts
    const options = { name: 'loop', tools, llm: this.#client, carrier, strictIntercept }
    const agent = (turn: ChatTurn): Promise<string> => this.#turn(turn)
    this.#wrapped = reflex.wrap({ ...options, agent })
    if (parts.isWrappedTwice === true) {
      this.#wrapped = reflex.wrap(this.#wrapped)
      reflex.wrap({ ...options, agent: () => null })
    }
  }

  run({ text, chat = text, options }: DrivenTurn): Promise<string> {
    return this.#wrapped.run({ text, chat }, options)
  }

  resume(run: string): Promise<string> {
    return this.#wrapped.resume(run)
  }

  history(chat: string): string {
    return JSON.stringify(this.#histories.get(chat) ?? [])
  }

  edit(chat: string, from: string, to: string): void {
    this.#histories.set(chat, JSON.parse(this.history(chat).replaceAll(from, to)) as Fields[])
  }

  unwrap(): void {
    this.#wrapped.unwrap()
  }

  isOriginal(): boolean {
    return this.#loop.owner(this.#client).create === this.#create
  }

  async #turn({ text, chat }: ChatTurn): Promise<string> {
    const loop = this.#loop
    const { mode, tools } = this.#parts
    const before = this.#histories.get(chat) ?? [{ role: 'system', content: SYSTEM }]
    const history: Fields[] = [...before, { role: 'user', content: text }]
    for (;;) {
      const response = await loop.ask(this.#asked, history, mode)
      history.push(...loop.said(response))
      const { parts } = loop.fixture.dialect.reply(response)
      const calls = parts.filter((part) => part.kind === 'call')
      if (calls.length === 0) {
        this.#histories.set(chat, history)
        return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
      }
      const results = calls.map(async ({ id, name, arguments: args }): Promise<AnsweredCall> => {
        const given = typeof args === 'string' ? parsed(args) : args
        return [id, String(await tools[name]?.execute(given as Fields))]
      })
      history.push(...loop.answers(await Promise.all(results)))
    }
  }
}

function loopDriver<Client extends object>(loop: Loop<Client>): Driver {
  return {
    name: loop.name,
    fixture: loop.fixture,
    modes: ['whole', 'stream'],
    make: (parts) => new LoopAgent(loop, parts),
    wrapFrozen: (reflex) => {
      const llm = loop.client(fetch)
      Object.freeze(loop.owner(llm))
      return reflex.wrap({ agent: () => null, llm })
    },
  }
}

/** Loops about the clients of OpenAI and Anthropic, with their real packages. */
export const PLAIN_LOOPS: readonly Driver[] = [loopDriver(chatLoop), loopDriver(responsesLoop), loopDriver(anthropicLoop)]
