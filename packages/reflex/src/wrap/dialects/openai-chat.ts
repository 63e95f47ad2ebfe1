import type { CanonicalMessage, CanonicalPart, CanonicalUsage, Dialect, HiddenRound } from './contract.ts'
import {
  addUsage,
  argumentsOf,
  argumentsText,
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
import { OpenAiChatStream } from './openai-chat-stream.ts'

const TEXT = ['text']
const textPart = (text: string): Fields => ({ type: 'text', text })
const roleOf = (message: unknown): string => textOf(fieldsOf(message)['role'])
const isSystem = (message: unknown): boolean => ['system', 'developer'].includes(roleOf(message))

const FORM: MessageForm = {
  hidden,
  append: (message, text) => ({ ...message, content: withPart(message['content'], text, textPart) }),
  replace: (message, text) => {
    const hasCalls = listOf(message['tool_calls']).length > 0
    if (text === '' && !hasCalls) return undefined
    return { ...message, content: text === '' ? null : replaceText(message['content'], text, TEXT, textPart) }
  },
}

/** `chat.completions.create` of the package `openai` and of servers like it. Of several choices, the first is read. */
export const openAiChat: Dialect = {
  name: 'openai-chat',
  messages: (request) => listOf(request['messages']).map(fieldsOf),
  read: (request) => {
    const ordinals = new CallOrdinals()
    const messages = listOf(request['messages']).map((message) => canonicalMessage(fieldsOf(message), ordinals))
    return canonicalRequest({
      system: listOf(request['messages'])
        .filter(isSystem)
        .flatMap((message) => textsOf(fieldsOf(message)['content'], TEXT))
        .join('\n\n'),
      messages,
      tools: listOf(request['tools']).map((tool) => {
        const { name, description, parameters } = fieldsOf(fieldsOf(tool)['function'] ?? fieldsOf(tool)['custom'])
        return canonicalTool(name, description, parameters)
      }),
      params: without(request, 'messages', 'tools', 'stream', 'stream_options', 'signal', 'headers'),
    })
  },
  inject: (request, injection) => {
    const messages = injectMessages(listOf(request['messages']), injection, FORM)
    return compact({
      ...request,
      messages: injection.guidance === '' ? messages : guided(messages, injection.guidance),
      tools: injection.tools ? withTools(request['tools'], (tool) => ({ type: 'function', function: tool })) : request['tools'],
    })
  },
  reply: (response) => {
    const { message, finish_reason } = fieldsOf(listOf(response['choices'])[0])
    const { content, tool_calls } = fieldsOf(message)
    return {
      parts: [
        ...textsOf(content, TEXT).map((text) => ({ kind: 'text', text }) as const),
        ...listOf(tool_calls).map((call) => ({ kind: 'call', ...callOf(fieldsOf(call)) }) as const),
      ],
      usage: usageOf(response['usage']),
      ...(typeof finish_reason === 'string' && { finish: finish_reason }),
    }
  },
  usage: usageOf,
  write: (response, { text, rounds, ownCalls }) => {
    const [choice, ...others] = listOf(response['choices'])
    const { message, finish_reason } = fieldsOf(choice)
    const { tool_calls } = fieldsOf(message)
    const calls = keepOwnCalls(listOf(tool_calls), (call) => callOf(call).name, ownCalls)
    const written = { ...fieldsOf(message), content: text === '' && calls.length > 0 ? null : text }
    return compact({
      ...response,
      choices: [
        {
          ...fieldsOf(choice),
          message: calls.length > 0 ? { ...written, tool_calls: calls } : without(written, 'tool_calls'),
          finish_reason: finish_reason === 'tool_calls' && calls.length === 0 ? 'stop' : finish_reason,
        },
        ...others,
      ],
      usage: rounds.map(({ usage }) => usage).reduce(addUsage, undefined),
    })
  },
  stream: (options) => new OpenAiChatStream(options),
  hidden,
  result: (request, messages) => ({ ...request, messages: [...listOf(request['messages']), ...messages] }),
}

function usageOf(stated: unknown): CanonicalUsage {
  const usage = fieldsOf(stated)
  return compact({
    inputTokens: numberOf(usage['prompt_tokens']),
    outputTokens: numberOf(usage['completion_tokens']),
    cachedTokens: numberOf(fieldsOf(usage['prompt_tokens_details'])['cached_tokens']),
  }) as Fields
}

function hidden({ assistant, calls, results }: HiddenRound): readonly Fields[] {
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call.arguments) },
  }))
  return [
    {
      role: 'assistant',
      content: assistant === '' && calls.length > 0 ? null : assistant,
      ...(calls.length > 0 && { tool_calls: toolCalls }),
    },
    ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
    ...(results === '' ? [] : [{ role: 'user', content: results }]),
  ]
}

function guided(messages: readonly unknown[], guidance: string): readonly unknown[] {
  const index = messages.findIndex(isSystem)
  if (index === -1) return [{ role: 'system', content: guidance }, ...messages]
  return messages.map((message, i) => {
    if (i !== index) return message
    const { content } = fieldsOf(message)
    return {
      ...fieldsOf(message),
      content: Array.isArray(content) ? withPart(content, guidance, textPart) : withGuidance(content, guidance),
    }
  })
}

function callOf(call: Fields): { readonly id: string; readonly name: string; readonly arguments: unknown } {
  const { name, arguments: args, input } = fieldsOf(call['function'] ?? call['custom'])
  return { id: textOf(call['id']), name: textOf(name), arguments: args ?? input }
}

function canonicalMessage(message: Fields, ordinals: CallOrdinals): CanonicalMessage {
  const role = roleOf(message)
  if (role === 'tool') return { role, parts: [{ result: ordinals.of(message['tool_call_id']), value: jsonOf(message['content']) }] }
  const content = message['content']
  const parts: CanonicalPart[] = Array.isArray(content)
    ? content.map((part: unknown) =>
        fieldsOf(part)['type'] === 'text' ? { text: textOf(fieldsOf(part)['text']) } : { data: jsonOf(part) },
      )
    : textsOf(content, TEXT).map((text) => ({ text }))
  const calls = listOf(message['tool_calls']).map((each) => {
    const call = callOf(fieldsOf(each))
    return { call: ordinals.of(call.id), name: call.name, arguments: argumentsOf(call.arguments) }
  })
  return { role: isSystem(message) ? 'system' : role === 'assistant' ? role : 'user', parts: [...parts, ...calls] }
}
