import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { Agent, Runner, setTracingDisabled, tool as agentsTool } from '@openai/agents'
import { createAgent, tool as chatTool } from 'langchain'
import { z } from 'zod'
import type { Reflex, TurnOptions } from '../../../src/wrap/index.ts'
import { ScriptedAgentsModel } from './agents-model.ts'
import { ScriptedChatModel } from './chat-model.ts'
import type { Answer } from './script.ts'

setTracingDisabled(true)

/** A tool as no framework says it: its argument is one text. */
export interface PlainTool {
  readonly argument: string
  readonly sideEffects?: 'none' | 'external'
  readonly idempotent?: boolean
  act(value: string): Promise<unknown>
}

export interface Parts {
  readonly reflex: Reflex
  readonly answer: Answer
  readonly tools: Readonly<Record<string, PlainTool>>
  readonly strictIntercept?: boolean
}

/** An agent of a framework: its turns give the text of its last message. */
export interface FrameworkWorld {
  run(text: string, options?: TurnOptions): Promise<string>
  resume(run: string): Promise<string>
  /** Runs a turn whose output arrives in pieces, and returns what its reader saw. */
  stream(text: string, options?: TurnOptions): Promise<string>
  /** The same without Reflex. */
  bare(text: string): Promise<string>
  unwrap(): void
  /** What the model was asked: a text for each message. */
  requests(): string[][]
  /** The functions that are replaced. */
  functions(): unknown[]
}

export interface Framework {
  readonly name: 'openai-agents' | 'langchain' | 'langgraph'
  make(parts: Parts): FrameworkWorld
}

const openAiAgents: Framework = {
  name: 'openai-agents',
  make({ reflex, answer, tools, strictIntercept }) {
    const model = new ScriptedAgentsModel(answer)
    const provider = model.provider
    const own = Object.entries(tools).map(([name, { argument, act, sideEffects, idempotent }]) => {
      const made = agentsTool({
        name,
        description: `${name}s`,
        parameters: z.object({ [argument]: z.string() }),
        execute: (args) => act((args as Record<string, string>)[argument] ?? ''),
      })
      return Object.assign(made, { sideEffects, idempotent })
    })
    const runner = new Runner({ modelProvider: provider, tracingDisabled: true })
    const agent = new Agent({ name: 'sender', instructions: 'Be brief.', tools: own })
    const before = [provider.getModel, ...own.map(({ invoke }) => invoke)]
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner, ...(strictIntercept !== undefined && { strictIntercept }) })
    const textOf = ({ finalOutput }: { finalOutput?: unknown }): string => String(finalOutput)
    return {
      run: async (text, options) => textOf(await wrapped.run(text, options)),
      resume: async (run) => textOf(await wrapped.resume(run)),
      stream: async (text, options) => {
        let seen = ''
        for await (const event of await wrapped.stream(text, options)) {
          const { type, data } = event as { type: string; data?: { type: string; delta?: string } }
          if (type === 'raw_model_stream_event' && data?.type === 'output_text_delta') seen += data.delta
        }
        return seen
      },
      bare: async (text) => textOf(await runner.run(agent, text)),
      unwrap: () => wrapped.unwrap(),
      requests: () =>
        model.requests.map(({ input, systemInstructions }) => [
          systemInstructions ?? '',
          ...(typeof input === 'string' ? [input] : input.map((item) => JSON.stringify(item))),
        ]),
      functions: () => [provider.getModel, ...own.map(({ invoke }) => invoke)].map((each, i) => each === before[i]),
    }
  },
}

function chatTools(tools: Parts['tools']) {
  return Object.entries(tools).map(([name, { argument, act, sideEffects, idempotent }]) =>
    chatTool((args: Record<string, string>) => act(args[argument] ?? ''), {
      name,
      description: `${name}s`,
      schema: z.object({ [argument]: z.string() }),
      metadata: { sideEffects, idempotent },
    }),
  )
}

interface ChatState {
  readonly messages: readonly { readonly text: string }[]
}

interface ChatAgent {
  invoke(state: object): Promise<ChatState>
  stream(state: object, config: object): Promise<AsyncIterable<unknown>>
}

function chatWorld(framework: 'langchain' | 'langgraph', { reflex, answer, tools, strictIntercept }: Parts, build: (model: ScriptedChatModel, tools: ReturnType<typeof chatTools>) => ChatAgent): FrameworkWorld {
  const model = new ScriptedChatModel(answer)
  const own = chatTools(tools)
  const before = [model._generate, model._streamResponseChunks, model.bindTools, ...own.map(({ invoke }) => invoke)]
  const agent = build(model, own)
  const wrapped = reflex.wrap({
    framework,
    agent,
    ...(framework === 'langgraph' && { model, tools: own }),
    name: 'sender',
    config: { streamMode: 'messages' },
    ...(strictIntercept !== undefined && { strictIntercept }),
  })
  const textOf = ({ messages }: ChatState): string => messages.at(-1)?.text ?? ''
  return {
    run: async (text, options) => textOf(await wrapped.run(text, options)),
    resume: async (run) => textOf(await wrapped.resume(run)),
    stream: async (text, options) => {
      let seen = ''
      for await (const piece of await wrapped.stream(text, options)) {
        const [message] = piece as [{ type: string; text: string }]
        if (message.type === 'ai') seen += message.text
      }
      return seen
    },
    bare: async (text) => textOf(await agent.invoke({ messages: [{ role: 'user', content: text }] })),
    unwrap: () => wrapped.unwrap(),
    requests: () => model.script.requests.map((messages) => messages.map((each) => JSON.stringify([each.content, (each as { tool_calls?: unknown }).tool_calls]))),
    functions: () =>
      [model._generate, model._streamResponseChunks, model.bindTools, ...own.map(({ invoke }) => invoke)].map((each, i) => each === before[i]),
  }
}

const langChain: Framework = {
  name: 'langchain',
  make: (parts) => chatWorld('langchain', parts, (model, tools) => createAgent({ model, tools, systemPrompt: 'Be brief.' }) as unknown as ChatAgent),
}

const langGraph: Framework = {
  name: 'langgraph',
  make: (parts) =>
    chatWorld('langgraph', parts, (model, tools) => {
      const bound = model.bindTools(tools)
      return new StateGraph(MessagesAnnotation)
        .addNode('model', async ({ messages }) => ({ messages: [await bound.invoke(messages) as never] }))
        .addNode('tools', new ToolNode(tools))
        .addEdge(START, 'model')
        .addConditionalEdges('model', toolsCondition)
        .addEdge('tools', 'model')
        .compile() as unknown as ChatAgent
    }),
}

export const frameworks: readonly Framework[] = [openAiAgents, langChain, langGraph]
