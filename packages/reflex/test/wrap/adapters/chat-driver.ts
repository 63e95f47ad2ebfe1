import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { createAgent, tool } from 'langchain'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { type Fields, fieldsOf, without } from '../../../src/wrap/dialects/loose.ts'
import { langFixture } from '../dialects/framework-fixtures.ts'
import { type Said, TOOL } from '../dialects/fixture.ts'
import type { DrivenAgent, DrivenModel, DrivenParts, DrivenTool, Driver } from '../driver.ts'

/** A chat model of LangChain that replies what its test says. */
class DrivenChatModel extends BaseChatModel {
  readonly #model: DrivenModel

  constructor(model: DrivenModel) {
    super({})
    this.#model = model
  }

  _llmType(): string {
    return 'driven'
  }

  override bindTools(tools: BindToolsInput[]): Runnable {
    const described = tools.map((each) => ({ type: 'function', function: { ...TOOL, name: fieldsOf(each)['name'] } }))
    return this.withConfig({ tools: described } as object)
  }

  override async _generate(messages: BaseMessage[], options: object): Promise<ChatResult> {
    const { generations } = langFixture.response(await this.#reply(messages, options))
    // A state of LangGraph takes messages of one id for the same message.
    const message = (given: object): AIMessage => new AIMessage(without(given, 'id', 'lc_kwargs'))
    return { generations: (generations as ChatResult['generations']).map((each) => ({ ...each, message: message(each.message) })) }
  }

  override async *_streamResponseChunks(messages: BaseMessage[], options: object): AsyncGenerator<ChatGenerationChunk> {
    for (const chunk of langFixture.chunks(await this.#reply(messages, options), 7)) {
      const { text, message } = chunk as { text: string; message: object }
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(fieldsOf(message)) })
    }
  }

  #reply(messages: BaseMessage[], options: object): Promise<readonly Said[]> {
    return this.#model.reply({ tools: fieldsOf(options)['tools'], messages: messages.map(plainMessage) })
  }
}

/** A message without its class. */
function plainMessage(message: BaseMessage): Fields {
  const { type, content, name, tool_calls, tool_call_id } = fieldsOf(message)
  return {
    type,
    content,
    ...(name !== undefined && { name }),
    ...(tool_calls !== undefined && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  }
}

function drivenTool(name: string, given: DrivenTool) {
  const { sideEffects, idempotent } = given
  return tool((args) => given.execute(fieldsOf(args)), {
    name,
    description: TOOL.description,
    schema: { type: 'object', properties: {}, additionalProperties: true },
    metadata: { sideEffects, idempotent },
  })
}

type Tools = ReturnType<typeof drivenTool>[]

interface State {
  readonly messages: BaseMessage[]
}

/** An agent of either framework, as far as the driver uses it. */
interface ChatAgent {
  invoke(state: State): Promise<State>
  stream(state: State, config: object): Promise<AsyncIterable<unknown>>
}

function langChain(model: DrivenChatModel, tools: Tools): ChatAgent {
  return createAgent({ model, tools, systemPrompt: 'Be brief.' })
}

function langGraph(model: DrivenChatModel, tools: Tools): ChatAgent {
  const bound = model.bindTools(tools)
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({
      messages: [(await bound.invoke([new SystemMessage('Be brief.'), ...messages])) as AIMessage],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile()
}

interface TurnInput {
  readonly text: string
  readonly chat: string
}

/** Reads a stream of an agent to its end, and returns its last state. */
async function lastState(agent: ChatAgent, state: State): Promise<State> {
  let last = state
  for await (const piece of await agent.stream(state, { streamMode: ['messages', 'values'] })) {
    const [kind, value] = piece as [string, unknown]
    if (kind === 'values') last = value as State
  }
  return last
}

function driver(framework: 'langchain' | 'langgraph', build: typeof langChain): Driver {
  const make = ({ reflex, mode, carrier, model, tools, strictIntercept, isWrappedTwice, isBypassing }: DrivenParts): DrivenAgent => {
    const own = Object.entries(tools).map(([name, given]) => drivenTool(name, given))
    const asked = new DrivenChatModel(model)
    const functions = (): unknown[] => [
      ...['_generate', '_streamResponseChunks', 'bindTools'].map((name) => fieldsOf(asked)[name]),
      ...own.map((each) => fieldsOf(each)['invoke']),
    ]
    const before = functions()
    const settings = { model: asked, tools: own }
    if (isWrappedTwice === true) reflex.langgraph(settings)
    const agent = build(
      isBypassing === true ? new DrivenChatModel(model) : asked,
      own.filter(({ name }) => name === TOOL.name),
    )
    const chats = new Map<string, BaseMessage[]>()
    const act = async ({ text, chat }: TurnInput): Promise<string> => {
      const state = { messages: [...(chats.get(chat) ?? []), new HumanMessage(text)] }
      const { messages } = await (mode === 'stream' ? lastState(agent, state) : agent.invoke(state))
      chats.set(chat, messages)
      return messages.at(-1)?.text ?? ''
    }
    const once = reflex.wrap({
      framework,
      carrier,
      ...settings,
      name: 'driven',
      ...(strictIntercept !== undefined && { strictIntercept }),
      agent: act,
    })
    const wrapped = isWrappedTwice === true ? reflex.wrap(once as Wrapped<TurnInput, string>) : once
    return {
      run: ({ text, chat = text, options }) => wrapped.run({ text, chat }, options),
      resume: (run) => wrapped.resume(run),
      history: (chat) => JSON.stringify(chats.get(chat) ?? []),
      edit: (chat, from, to) => {
        for (const message of chats.get(chat) ?? [])
          if (typeof message.content === 'string') message.content = message.content.replaceAll(from, to)
      },
      unwrap: () => wrapped.unwrap(),
      isOriginal: () => functions().every((each, i) => each === before[i]),
    }
  }
  return {
    name: framework === 'langchain' ? 'LangChain' : 'LangGraph',
    fixture: langFixture,
    modes: ['whole', 'stream'],
    make,
    wrapFrozen: (reflex) =>
      reflex.wrap({
        framework,
        model: Object.freeze(new DrivenChatModel({ reply: () => Promise.reject(new Error('unused')) })),
        agent: (text: string) => text,
      }),
  }
}

export const langChainDriver = driver('langchain', langChain)
export const langGraphDriver = driver('langgraph', langGraph)
