import { AnthropicStream } from './anthropic-stream.ts'
import type { CanonicalMessage, CanonicalPart, CanonicalUsage, Dialect, HiddenRound, ReplyPart } from './contract.ts'
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

const TEXT = ['text']
const textPart = (text: string): Fields => ({ type: 'text', text })

const FORM: MessageForm = {
  hidden,
  append: (message, text) => ({ ...message, content: withPart(message['content'], text, textPart) }),
  replace: (message, text) => {
    const content = replaceText(message['content'], text, TEXT, textPart)
    return content === '' || (Array.isArray(content) && content.length === 0) ? undefined : { ...message, content }
  },
}

/** `messages.create` and `messages.stream` of the package `@anthropic-ai/sdk`. The system text is a field of its own. */
export const anthropic: Dialect = {
  name: 'anthropic',
  messages: (request) => listOf(request['messages']).map(fieldsOf),
  read: (request) => {
    const ordinals = new CallOrdinals()
    return canonicalRequest({
      system: textsOf(request['system'], TEXT).join('\n\n'),
      messages: listOf(request['messages']).map((message) => canonicalMessage(fieldsOf(message), ordinals)),
      tools: listOf(request['tools']).map((tool) => {
        const { name, description, input_schema } = fieldsOf(tool)
        return canonicalTool(name, description, input_schema)
      }),
      params: without(request, 'messages', 'tools', 'system', 'stream', 'signal', 'headers', 'metadata'),
    })
  },
  inject: (request, injection) =>
    compact({
      ...request,
      system: injection.guidance === '' ? request['system'] : guided(request['system'], injection.guidance),
      messages: injectMessages(listOf(request['messages']), injection, FORM),
      tools: injection.tools
        ? withTools(request['tools'], ({ name, description, parameters }) => ({ name, description, input_schema: parameters }))
        : request['tools'],
    }),
  reply: (response) => {
    const finish = response['stop_reason']
    return {
      parts: listOf(response['content']).flatMap((block): readonly ReplyPart[] => {
        const { type, text, id, name, input } = fieldsOf(block)
        if (type === 'text') return [{ kind: 'text', text: textOf(text) } as const]
        return type === 'tool_use' ? [{ kind: 'call', id: textOf(id), name: textOf(name), arguments: input } as const] : []
      }),
      usage: usageOf(response['usage']),
      ...(typeof finish === 'string' && { finish }),
    }
  },
  usage: usageOf,
  write: (response, { text, rounds, ownCalls }) => {
    const content = keepOwnCalls(listOf(replaceText(listOf(response['content']), text, TEXT, textPart)), toolUseName, ownCalls)
    const stopsForTools = response['stop_reason'] === 'tool_use' && !content.some((block) => toolUseName(fieldsOf(block)) !== undefined)
    return compact({
      ...response,
      content,
      stop_reason: stopsForTools ? 'end_turn' : response['stop_reason'],
      usage: rounds.map(({ usage }) => usage).reduce(addUsage, undefined),
    })
  },
  stream: (options) => new AnthropicStream(options),
  hidden,
  result: (request, messages) => ({ ...request, messages: [...listOf(request['messages']), ...messages] }),
}

function usageOf(stated: unknown): CanonicalUsage {
  const usage = fieldsOf(stated)
  return compact({
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    cachedTokens: numberOf(usage['cache_read_input_tokens']),
  }) as Fields
}

/** The results of calls come first in the message of the user, as the interface demands. */
function hidden({ assistant, calls, results }: HiddenRound): readonly Fields[] {
  const uses = calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call.arguments) }))
  const answers = calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }))
  return [
    { role: 'assistant', content: [...(assistant === '' ? [] : [textPart(assistant)]), ...uses] },
    { role: 'user', content: [...answers, ...(results === '' ? [] : [textPart(results)])] },
  ]
}

function guided(system: unknown, guidance: string): unknown {
  return Array.isArray(system) ? withPart(system, guidance, textPart) : withGuidance(system, guidance)
}

function toolUseName(block: Fields): string | undefined {
  return block['type'] === 'tool_use' ? textOf(block['name']) : undefined
}

function canonicalMessage(message: Fields, ordinals: CallOrdinals): CanonicalMessage {
  const { role, content } = message
  const blocks = Array.isArray(content) ? (content as unknown[]).map(fieldsOf) : textsOf(content, TEXT).map(textPart)
  return { role: role === 'assistant' || role === 'system' ? role : 'user', parts: blocks.map((block) => canonicalPart(block, ordinals)) }
}

function canonicalPart(block: Fields, ordinals: CallOrdinals): CanonicalPart {
  switch (block['type']) {
    case 'text':
      return { text: textOf(block['text']) }
    case 'tool_use':
      return { call: ordinals.of(block['id']), name: textOf(block['name']), arguments: argumentsOf(block['input']) }
    case 'tool_result':
      return { result: ordinals.of(block['tool_use_id']), value: jsonOf(block['content']) }
    default:
      return { data: jsonOf(without(block, 'id', 'cache_control')) }
  }
}
