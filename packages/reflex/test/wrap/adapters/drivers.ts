import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool, ToolLoopAgent, type ToolSet } from 'ai'
import type { Reflex, TurnOptions } from '../../../src/wrap/index.ts'
import { sdkFixture } from '../dialects/framework-fixtures.ts'
import type { Fields } from '../../../src/wrap/dialects/loose.ts'
import { type Fixture, TOOL } from '../dialects/fixture.ts'
import { mastraModel } from './frameworks.ts'
import type { DrivenAgent, DrivenModel, DrivenParts, DrivenTool, DrivenTurn, Driver } from '../driver.ts'

/** A model of the AI SDK's interface that says what its test says. As a client of a provider, it gives up when its signal does. */
class DrivenLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'driven'
  readonly modelId = 'driven-1'
  readonly supportedUrls = {}
  readonly #model: DrivenModel

  constructor(model: DrivenModel) {
    this.#model = model
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return sdkFixture.response(await this.#said(options)) as unknown as LanguageModelV4GenerateResult
  }

  async doStream(options: LanguageModelV4CallOptions) {
    const chunks = sdkFixture.chunks(await this.#said(options), 7)
    return { stream: ReadableStream.from(chunks as unknown as readonly LanguageModelV4StreamPart[]) }
  }

  #said(options: LanguageModelV4CallOptions) {
    const { abortSignal, ...request } = options
    const aborted = new Promise<never>((_, reject) => {
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error), { once: true })
    })
    return Promise.race([this.#model.reply(request as never), aborted])
  }
}

type Tools = Readonly<Record<string, DrivenTool>>

/** What an agent gives at its end, as far as a driver reads it. */
interface Output {
  readonly text: string | PromiseLike<string>
  readonly messages: readonly unknown[] | PromiseLike<readonly unknown[]>
}

/** The input of a turn, as its record has it. */
interface TurnInput {
  readonly messages: readonly unknown[]
}

interface WrappedAgent {
  run(input: TurnInput, options?: TurnOptions): Promise<unknown>
  stream(input: TurnInput, options?: TurnOptions): Promise<unknown>
  resume(run: string): Promise<unknown>
  unwrap(): void
}

interface Driving {
  readonly reflex: Reflex
  readonly isStreamed: boolean
  readonly outputOf: (given: unknown) => Output
}

/** Drives an agent that keeps no messages by itself. */
function driven(wrapped: WrappedAgent, { reflex, isStreamed, outputOf }: Driving): DrivenAgent {
  const chats = new Map<string, unknown[]>()
  let others = 0
  return {
    async run({ text, chat = `other ${others++}`, options = {} }: DrivenTurn) {
      const messages = chats.get(chat) ?? []
      chats.set(chat, messages)
      messages.push({ role: 'user', content: text })
      const input = { messages: [...messages] }
      let run = ''
      const onStart = (id: string): void => {
        run = id
        options.onStart?.(id)
      }
      const output = outputOf(
        await (isStreamed ? wrapped.stream(input, { ...options, onStart }) : wrapped.run(input, { ...options, onStart })),
      )
      messages.push(...(await output.messages))
      const said = await output.text
      // A stream is there before its turn has ended.
      if (isStreamed) await ended(reflex, run)
      return said
    },
    resume: async (run) => outputOf(await wrapped.resume(run)).text,
    history: (chat) => JSON.stringify(chats.get(chat) ?? []),
    edit(chat, from, to) {
      chats.set(chat, JSON.parse(JSON.stringify(chats.get(chat) ?? []).replaceAll(from, to)) as unknown[])
    },
    unwrap: () => wrapped.unwrap(),
  }
}

/** Waits for the end of a turn, and throws its failure. */
async function ended(reflex: Reflex, run: string): Promise<void> {
  const { status, value } = await reflex.find(run)
  if (status === 'failed') throw Object.assign(new Error('the turn has failed'), value)
  if (status === 'completed' || status === 'cancelled') return
  await new Promise(setImmediate)
  return ended(reflex, run)
}

function sdkOutput(given: unknown): Output {
  const { text, responseMessages } = given as { readonly text: string; readonly responseMessages: readonly ModelMessage[] }
  return { text, messages: responseMessages }
}

function mastraOutput(given: unknown): Output {
  const { text, response } = given as { readonly text: string; readonly response: PromiseLike<{ readonly messages: readonly unknown[] }> }
  return { text, messages: (async () => (await response).messages)() }
}

function sdkTools(tools: Tools): ToolSet {
  const inputSchema = jsonSchema(TOOL.parameters as never)
  return Object.fromEntries(
    Object.entries(tools).map(([name, given]) => [
      name,
      { ...given, ...tool({ description: TOOL.description, inputSchema, execute: async (args) => given.execute(args as never) }) },
    ]),
  )
}

function mastraTools(tools: Tools) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, given]) => {
      const annotations = { readOnlyHint: given.sideEffects === 'none', idempotentHint: given.idempotent === true }
      const inputSchema = TOOL.parameters as never
      return [
        name,
        createTool({
          id: name,
          description: TOOL.description,
          inputSchema,
          mcp: { annotations },
          execute: async (args) => given.execute(args),
        }),
      ]
    }),
  )
}

/** Tells the tools that the model knows from those that are for skills alone. */
function split(tools: Tools): { readonly shown: Tools; readonly hidden: Tools } {
  const { [TOOL.name]: search, ...hidden } = tools
  return { shown: search === undefined ? {} : { [TOOL.name]: search }, hidden }
}

/** The options of Reflex. */
function optionsOf({ carrier, strictIntercept }: DrivenParts) {
  return { name: 'driven', carrier, ...(strictIntercept !== undefined && { strictIntercept }) }
}

function sdkSettings({ reflex, model, tools, isWrappedTwice }: DrivenParts) {
  const { shown, hidden } = split(tools)
  if (Object.keys(hidden).length > 0) reflex.aiSdk({ tools: sdkTools(hidden) })
  const settings = {
    model: new DrivenLanguageModel(model),
    tools: sdkTools(shown),
    instructions: 'Be brief.',
    stopWhen: stepCountIs(20),
    maxRetries: 0,
    onError: () => undefined,
  }
  return isWrappedTwice === true ? reflex.aiSdk(reflex.aiSdk(settings)) : settings
}

/** A function that calls generateText or streamText. */
const functionDriver: Driver = {
  name: 'generateText and streamText',
  fixture: sdkFixture,
  modes: ['whole', 'stream'],
  make(parts) {
    const { reflex, mode, isBypassing, isWrappedTwice } = parts
    const given = sdkSettings(parts)
    const wrapped = reflex.wrap({
      framework: 'ai-sdk',
      ...given,
      ...optionsOf(parts),
      agent: ({ messages }: { readonly messages: ModelMessage[] }, { settings }) => {
        const own = { ...given, ...(isBypassing === true ? {} : settings), messages }
        return mode === 'stream' ? streamText(own) : generateText(own)
      },
    })
    const agent = (isWrappedTwice === true ? reflex.wrap(wrapped) : wrapped) as unknown as WrappedAgent
    return driven(agent, { reflex, isStreamed: mode === 'stream', outputOf: sdkOutput })
  },
}

const toolLoopDriver: Driver = {
  name: 'ToolLoopAgent',
  fixture: sdkFixture,
  modes: ['whole', 'stream'],
  make(parts) {
    const { reflex, mode, isBypassing } = parts
    const given = sdkSettings(parts)
    const past = new ToolLoopAgent(given)
    const wrapped = reflex.wrap({
      framework: 'ai-sdk',
      ...optionsOf(parts),
      agent: isBypassing === true ? { run: (input: never) => past.generate(input) } : new ToolLoopAgent(reflex.aiSdk(given)),
    })
    return driven(wrapped as unknown as WrappedAgent, { reflex, isStreamed: mode === 'stream', outputOf: sdkOutput })
  },
}

/** Mastra adds the time of a message for itself; no provider is sent that. */
const mastraFixture: Fixture = {
  ...sdkFixture,
  dialect: {
    ...sdkFixture.dialect,
    messages: (request) => JSON.parse(JSON.stringify(sdkFixture.dialect.messages(request), withoutMastra)) as Fields[],
  },
}

function withoutMastra(key: string, value: unknown): unknown {
  return key === 'providerOptions' ? undefined : value
}

const mastraDriver: Driver = {
  name: 'Mastra',
  fixture: mastraFixture,
  modes: ['whole', 'stream'],
  make(parts) {
    const { reflex, mode, isBypassing, isWrappedTwice, model, tools } = parts
    const { shown, hidden } = split(tools)
    if (Object.keys(hidden).length > 0) reflex.mastra({ tools: mastraTools(hidden) })
    const given = {
      id: 'driven',
      name: 'driven',
      instructions: 'Be brief.',
      model: mastraModel(new DrivenLanguageModel(model)),
      tools: mastraTools(shown),
      defaultOptions: { maxSteps: 20 },
    }
    const past = new Agent(given)
    const settings = isWrappedTwice === true ? reflex.mastra(reflex.mastra(given)) : reflex.mastra(given)
    const wrapped = reflex.wrap({
      framework: 'mastra',
      ...optionsOf(parts),
      agent: isBypassing === true ? { run: ({ messages }: { messages: never }) => past.generate(messages) } : new Agent(settings),
    })
    return driven(wrapped as unknown as WrappedAgent, { reflex, isStreamed: mode === 'stream', outputOf: mastraOutput })
  },
}

export const DRIVERS: readonly Driver[] = [functionDriver, toolLoopDriver, mastraDriver]
