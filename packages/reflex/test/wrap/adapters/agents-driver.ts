import {
  Agent,
  type AgentInputItem,
  type FunctionTool,
  type Model,
  type ModelRequest,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { fieldsOf, type Fields } from '../../../src/wrap/dialects/loose.ts'
import { agentsFixture } from '../dialects/framework-fixtures.ts'
import { type Said, TOOL } from '../dialects/fixture.ts'
import type { DrivenAgent, DrivenModel, DrivenParts, DrivenTool, Driver } from '../driver.ts'

setTracingDisabled(true)

/** A model of the OpenAI Agents SDK that replies what its test says. */
class DrivenAgentsModel implements Model {
  readonly #model: DrivenModel

  constructor(model: DrivenModel) {
    this.#model = model
  }

  async getResponse(request: ModelRequest): Promise<never> {
    return agentsFixture.response(await this.#reply(request)) as never
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<never> {
    yield* agentsFixture.chunks(await this.#reply(request), 7) as readonly never[]
  }

  #reply(request: ModelRequest): Promise<readonly Said[]> {
    return this.#model.reply({ ...request })
  }
}

function drivenTool(name: string, given: DrivenTool): FunctionTool {
  const { sideEffects, idempotent } = given
  const made = tool({
    name,
    description: TOOL.description,
    strict: false,
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    execute: (args) => given.execute(fieldsOf(args)),
  })
  return Object.assign(made, { sideEffects, idempotent }) as unknown as FunctionTool
}

interface TurnInput {
  readonly text: string
  readonly chat: string
}

function make({ reflex, mode, carrier, model, tools, strictIntercept, isWrappedTwice, isBypassing }: DrivenParts): DrivenAgent {
  const own = Object.entries(tools).map(([name, given]) => drivenTool(name, given))
  const asked = new DrivenAgentsModel(model)
  const modelProvider = { getModel: (): Model => asked }
  const before = [modelProvider.getModel, ...own.map(({ invoke }) => invoke)]
  const agent = new Agent({
    name: 'driven',
    instructions: 'Be brief.',
    tools: own.filter(({ name }) => name === TOOL.name),
    ...(isBypassing === true && { model: new DrivenAgentsModel(model) }),
  })
  const runner = new Runner({ modelProvider: isWrappedTwice === true ? reflex.openaiAgents(modelProvider) : modelProvider })
  const chats = new Map<string, AgentInputItem[]>()
  const act = async ({ text, chat }: TurnInput): Promise<string> => {
    const input: AgentInputItem[] = [...(chats.get(chat) ?? []), { role: 'user', content: text }]
    const result = await runner.run(agent, input, { stream: mode === 'stream' } as { stream: false })
    if (mode === 'stream') await (result as unknown as { readonly completed: Promise<void> }).completed
    chats.set(chat, result.history)
    return String(result.finalOutput)
  }
  const settings = { framework: 'openai-agents', carrier, runner, tools: own, name: 'driven' } as const
  const once = reflex.wrap({ ...settings, ...(strictIntercept !== undefined && { strictIntercept }), agent: act })
  const wrapped = isWrappedTwice === true ? reflex.wrap(once as Wrapped<TurnInput, string>) : once
  return {
    run: ({ text, chat = text, options }) => wrapped.run({ text, chat }, options),
    resume: (run) => wrapped.resume(run),
    history: (chat) => JSON.stringify(chats.get(chat) ?? []),
    edit: (chat, from, to) =>
      void chats.set(chat, JSON.parse(JSON.stringify(chats.get(chat) ?? []).replaceAll(from, to)) as AgentInputItem[]),
    unwrap: () => wrapped.unwrap(),
    isOriginal: () => [modelProvider.getModel, ...own.map(({ invoke }) => invoke)].every((each, i) => each === before[i]),
  }
}

export const agentsDriver: Driver = {
  name: 'OpenAI Agents SDK',
  fixture: agentsFixture,
  modes: ['whole', 'stream'],
  make,
  wrapFrozen: (reflex) => {
    const model: Fields & Model = Object.freeze({
      getResponse: () => Promise.reject(new Error('unused')),
      getStreamedResponse: () => [] as never,
    })
    return reflex.wrap({ framework: 'openai-agents', model, agent: (text: string) => text })
  },
}
