import { ChatModelStream, stopped, withFields } from './chat-model-stream.ts'
import type { CanonicalMessage, CanonicalPart, CanonicalUsage, Dialect, HiddenRound } from './contract.ts'
import {
  addUsage,
  argumentsObject,
  argumentsOf,
  CallOrdinals,
  compact,
  type Fields,
  fieldsOf,
  jsonOf,
  listOf,
  numberOf,
  textOf,
  without,
} from './loose.ts'
import {
  canonicalRequest,
  canonicalTool,
  injectMessages,
  keepOwnCalls,
  type MessageForm,
  replaceText,
  textsOf,
  withGuidance,
  withPart,
  withTools,
} from './messages.ts'

/**
 * Makes a message of LangChain of its fields, or of its serialized form, which records have; `type` is `human`, `ai`, `system`, `tool` or
 * `constructor`.
 */
export type MakeMessage = (fields: Fields & { readonly type: string }) => Fields

/** The options of a call that stand elsewhere in a request. */
const ELSEWHERE = ['messages', 'tools', 'headers', 'signal', 'timeout']
/** The options that LangChain and LangGraph add for themselves: they differ from run to run. */
const OF_RUNS = ['callbacks', 'runManager', 'metadata', 'tags', 'runId', 'runName', 'recursionLimit', 'configurable', 'promptIndex']
const OF_GRAPHS = ['writer', 'interrupt', 'control', 'executionInfo', 'serverInfo', 'store', 'context', 'heartbeat']

const TEXT = ['text']
const textPart = (text: string): Fields => ({ type: 'text', text })

/** Returns the type of a message of LangChain, which older versions say by a method. */
function typeOf(message: Fields): string {
  const { type, role } = message
  const said =
    typeof type === 'string' ? type : typeof message['getType'] === 'function' ? (message['getType'] as () => unknown).call(message) : role
  return ALIASES[textOf(said)] ?? textOf(said)
}

const ALIASES: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', developer: 'system' }

const FORM: Omit<MessageForm, 'hidden'> = {
  append: (message, text) => withFields(message, { content: withPart(message['content'], text, textPart) }),
  replace: (message, text) => {
    const isEmpty = text === '' && listOf(message['tool_calls']).length === 0
    return isEmpty ? undefined : withFields(message, { content: replaceText(message['content'], text, TEXT, textPart) })
  },
}

/**
 * Returns the dialect of the chat models of LangChain.js. A request is `{ messages, tools, … }` as the adapter takes it from the options of the
 * model; a response is a message or a `ChatResult`. `make` makes messages of the host's own classes, which Reflex does not import.
 */
export function chatModel(make: MakeMessage): Dialect {
  return {
    name: 'chat-model',
    messages: (request) => listOf(request['messages']).map(fieldsOf),
    read: readRequest,
    inject: (request, injection) => {
      const messages = injectMessages(listOf(request['messages']), injection, { ...FORM, hidden: (round) => hidden(round, make) })
      return compact({
        ...request,
        messages: injection.guidance === '' ? messages : guided(messages, injection.guidance, make),
        tools: injection.tools ? withTools(request['tools'], toolForm(request['tools'])) : request['tools'],
      })
    },
    reply: (response) => {
      const message = messageOf(response, make)
      const { finish_reason, stop_reason } = fieldsOf(message['response_metadata'])
      const finish = textOf(finish_reason ?? stop_reason)
      return {
        parts: [
          ...textsOf(message['content'], TEXT).map((text) => ({ kind: 'text', text }) as const),
          ...callsOf(message).map(({ id, name, args }) => ({ kind: 'call', id: textOf(id), name: textOf(name), arguments: args }) as const),
        ],
        usage: usageOf(message['usage_metadata']),
        ...(finish !== '' && { finish }),
      }
    },
    usage: usageOf,
    write: (response, { text, rounds, ownCalls }) => {
      const message = messageOf(response, make)
      const calls = keepOwnCalls(callsOf(message), ({ name }) => textOf(name), ownCalls)
      const content = withoutCallParts(replaceText(message['content'], text, TEXT, textPart), calls)
      const written = withFields(message, {
        content,
        tool_calls: calls.filter((call) => 'args' in fieldsOf(call) && typeof fieldsOf(call)['args'] !== 'string'),
        invalid_tool_calls: calls.filter((call) => typeof fieldsOf(call)['args'] === 'string'),
        additional_kwargs: without(message['additional_kwargs'], 'tool_calls'),
        ...(calls.length === 0 && { response_metadata: stopped(fieldsOf(message['response_metadata'])) }),
        usage_metadata: rounds.map((round) => messageOf(round, make)['usage_metadata']).reduce(addUsage, undefined),
      })
      return writeMessage(response, written, rounds, text)
    },
    stream: (options) => new ChatModelStream(options),
    hidden: (round) => hidden(round, make),
    result: (request, messages) => ({ ...request, messages: [...listOf(request['messages']), ...messages] }),
  }
}

function usageOf(stated: unknown): CanonicalUsage {
  const usage = fieldsOf(stated)
  return compact({
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    cachedTokens: numberOf(fieldsOf(usage['input_token_details'])['cache_read']),
  }) as Fields
}

function readRequest(request: Fields): ReturnType<Dialect['read']> {
  const ordinals = new CallOrdinals()
  const messages = listOf(request['messages']).map(fieldsOf)
  return canonicalRequest({
    system: messages.flatMap((message) => (typeOf(message) === 'system' ? textsOf(message['content'], TEXT) : [])).join('\n\n'),
    messages: messages.map((message) => canonicalMessage(message, ordinals)),
    tools: listOf(request['tools']).map((tool) => {
      const { name, description, parameters, input_schema, schema } = {
        ...fieldsOf(tool),
        ...fieldsOf(fieldsOf(tool)['function']),
      } as Fields
      return canonicalTool(name, description, parameters ?? input_schema ?? schema)
    }),
    params: without(request, ...ELSEWHERE, ...OF_RUNS, ...OF_GRAPHS),
  })
}

/** A model was bound to tools in the form of its provider: OpenAI's unless the tools that are there say otherwise. */
function toolForm(tools: unknown): Parameters<typeof withTools>[1] {
  const isAnthropic = listOf(tools).some((tool) => fieldsOf(tool)['input_schema'] !== undefined)
  return isAnthropic
    ? ({ name, description, parameters }) => ({ name, description, input_schema: parameters })
    : (tool) => ({ type: 'function', function: tool })
}

function messageOf(response: Fields, make: MakeMessage): Fields {
  const { message } = fieldsOf(listOf(response['generations'])[0])
  return livingMessage(message === undefined ? response : fieldsOf(message), make)
}

/** Returns a message of its class: one that comes from a record is LangChain's serialized form. */
export function livingMessage(message: Fields, make: MakeMessage): Fields {
  return message['lc'] === 1 && message['type'] === 'constructor' ? make({ ...message, type: 'constructor' }) : message
}

function writeMessage(response: Fields, message: Fields, rounds: readonly Fields[], text: string): Fields {
  const [generation, ...others] = listOf(response['generations'])
  if (generation === undefined) return message
  const llmOutput = rounds.map((round) => round['llmOutput']).reduce(addUsage, undefined)
  return compact({ ...response, generations: [{ ...fieldsOf(generation), text, message }, ...others], llmOutput })
}

/** The calls of a message, also those whose arguments are no JSON. */
function callsOf(message: Fields): readonly Fields[] {
  return [...listOf(message['tool_calls']), ...listOf(message['invalid_tool_calls'])].map(fieldsOf)
}

/** Anthropic's models have their calls in the content, too. */
function withoutCallParts(content: unknown, calls: readonly unknown[]): unknown {
  if (!Array.isArray(content)) return content
  const kept = calls.map((call) => fieldsOf(call)['id'])
  return (content as unknown[]).filter((part) => {
    const { type, id } = fieldsOf(part)
    return (type !== 'tool_use' && type !== 'tool_call') || kept.includes(id)
  })
}

function hidden({ assistant, calls, results }: HiddenRound, make: MakeMessage): readonly Fields[] {
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({ type: 'tool_call', id, name, args: argumentsObject(args) }))
  return [
    make({ type: 'ai', content: assistant, ...(calls.length > 0 && { tool_calls: toolCalls }) }),
    ...calls.map(({ id, name, result }) => make({ type: 'tool', tool_call_id: id, name, content: result })),
    ...(results === '' ? [] : [make({ type: 'human', content: results })]),
  ]
}

function guided(messages: readonly unknown[], guidance: string, make: MakeMessage): readonly unknown[] {
  const index = messages.findIndex((message) => typeOf(fieldsOf(message)) === 'system')
  if (index === -1) return [make({ type: 'system', content: guidance }), ...messages]
  return messages.map((each, i) => {
    if (i !== index) return each
    const { content } = fieldsOf(each)
    return withFields(fieldsOf(each), {
      content: Array.isArray(content) ? withPart(content, guidance, textPart) : withGuidance(content, guidance),
    })
  })
}

function canonicalMessage(message: Fields, ordinals: CallOrdinals): CanonicalMessage {
  const type = typeOf(message)
  if (type === 'tool') return { role: 'tool', parts: [{ result: ordinals.of(message['tool_call_id']), value: jsonOf(message['content']) }] }
  const content = message['content']
  const parts: CanonicalPart[] = Array.isArray(content)
    ? (content as unknown[]).flatMap((part) => canonicalPart(fieldsOf(part)))
    : textsOf(content, TEXT).map((text) => ({ text }))
  const calls = callsOf(message).map(({ id, name, args }) => ({ call: ordinals.of(id), name: textOf(name), arguments: argumentsOf(args) }))
  return { role: type === 'system' ? type : type === 'ai' ? 'assistant' : 'user', parts: [...parts, ...calls] }
}

function canonicalPart(part: Fields): readonly CanonicalPart[] {
  if (part['type'] === 'text') return [{ text: textOf(part['text']) }]
  return part['type'] === 'tool_use' || part['type'] === 'tool_call' ? [] : [{ data: jsonOf(without(part, 'id', 'cache_control')) }]
}
