import { type Fields, fieldsOf, listOf, textOf } from '../dialects/loose.ts'
import { cannotIntercept } from '../session/intercept.ts'
import { messageMaker } from './chat-messages.ts'
import { isChatMiddleware } from './chat-middleware.ts'
import { chatModelsOf, wrapChatModel } from './chat-models.ts'
import { wrapChatTool } from './chat-tools.ts'
import type { Adapter, DeclareTool, FrameworkContext, FrameworkTurn, NoteRestore, OutputReader } from './contract.ts'
import { isReadInPieces, readToEnd } from './taps.ts'

/** Agents of `createAgent` and graphs of LangGraph: the same models and tools, the same methods. */
export function chatAgents(framework: 'langchain' | 'langgraph'): Adapter {
  return { framework, adapt, turnOf, complete }
}

function adapt(settings: Fields, declare: DeclareTool, note: NoteRestore): Fields {
  const { model, models, tools } = settings
  const all = [...(model === undefined ? [] : [model]), ...listOf(models)]
  for (const each of all) note(wrapChatModel(each, 'model'))
  const [first] = all.flatMap(chatModelsOf)
  const messages = (): ReturnType<typeof messageMaker> => (first === undefined ? undefined : messageMaker(first))
  for (const tool of toolsOf(tools)) wrapChatTool(tool, { messages, declare, note })
  return settings
}

/** Returns the tools of a list, or of a node of tools. */
function toolsOf(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? tools : listOf(fieldsOf(tools)['tools'])
}

function turnOf(agent: object): FrameworkTurn | undefined {
  const { invoke, stream, options, lg_is_pregel, graph } = fieldsOf(agent)
  if (typeof invoke !== 'function' || typeof stream !== 'function') return undefined
  const call =
    (method: 'invoke' | 'stream') =>
    (input: unknown, { settings, signal }: FrameworkContext): unknown => {
      const config = { ...fieldsOf(settings['config']), ...(signal !== undefined && { signal }) }
      return (agent as Record<typeof method, (state: unknown, config: object) => unknown>)[method](stateOf(input), config)
    }
  const turn = { run: call('invoke'), stream: call('stream') }
  if (lg_is_pregel === true) return turn
  if (fieldsOf(graph)['lg_is_pregel'] !== true) return undefined
  return { ...turn, ...partsOf(fieldsOf(options)) }
}

/** Returns the model and the tools of an agent of `createAgent`. */
function partsOf({ model, tools, middleware }: Fields): Pick<FrameworkTurn, 'tools' | 'models'> {
  const wraps = listOf(middleware).some(isChatMiddleware)
  // A name is looked up by LangChain itself, again for each call.
  if (typeof model === 'string' && !wraps)
    throw cannotIntercept('agent', `its model is the name ${model}; give it middleware: [reflex.langchain()]`)
  const all = [...toolsOf(tools), ...listOf(middleware).flatMap((each) => toolsOf(fieldsOf(each)['tools']))]
  return { tools: all, ...(typeof model !== 'string' && { models: [model] }) }
}

/** Returns the state that a turn begins with: a text and a list are messages, and anything else is the state. */
function stateOf(input: unknown): unknown {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }] }
  return Array.isArray(input) ? { messages: input as unknown } : input
}

async function complete(output: unknown, reader: OutputReader): Promise<unknown> {
  if (isReadInPieces(output)) {
    if (reader === 'reads') await readToEnd(output)
    else if (reader === 'nobody') for await (const _ of output);
    return undefined
  }
  const { messages } = fieldsOf(output)
  if (!Array.isArray(messages)) return output
  const { content } = fieldsOf(messages.at(-1))
  return {
    text:
      typeof content === 'string'
        ? content
        : listOf(content)
            .map((part) => textOf(fieldsOf(part)['text']))
            .join(''),
  }
}
