import type { CanonicalMessage, CanonicalPart, CanonicalUsage, Dialect, HiddenRound, ReplyPart } from './contract.ts'
import { finishOf, LanguageModelStream, withoutCalls } from './language-model-stream.ts'
import {
  addUsage,
  argumentsObject,
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

const TEXT = ['text']
const textPart = (text: string): Fields => ({ type: 'text', text })

const FORM: MessageForm = {
  hidden,
  append: (message, text) => ({ ...message, content: withPart(message['content'], text, textPart) }),
  replace: (message, text) => {
    const content = replaceText(message['content'], text, TEXT, textPart)
    return Array.isArray(content) && content.length > 0 ? { ...message, content } : undefined
  },
}

/** The model interface of the AI SDK (`ai` 7, specification v4; v2 and v3 differ only in usage and finish): `doGenerate` and `doStream`. */
export const languageModel: Dialect = {
  name: 'language-model',
  messages: (request) => listOf(request['prompt']).map(fieldsOf),
  read: (request) => {
    const ordinals = new CallOrdinals()
    const prompt = listOf(request['prompt']).map(fieldsOf)
    return canonicalRequest({
      system: prompt.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : [])).join('\n\n'),
      messages: prompt.map((message) => canonicalMessage(message, ordinals)),
      tools: listOf(request['tools']).map((tool) => {
        const { name, description, inputSchema, args } = fieldsOf(tool)
        return canonicalTool(name, description, inputSchema ?? args)
      }),
      params: without(request, 'prompt', 'tools', 'abortSignal', 'headers', 'includeRawChunks'),
    })
  },
  inject: (request, injection) => {
    const prompt = injectMessages(listOf(request['prompt']), injection, FORM)
    return compact({
      ...request,
      prompt: injection.guidance === '' ? prompt : guided(prompt, injection.guidance),
      tools: injection.tools
        ? withTools(request['tools'], ({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            inputSchema: parameters,
          }))
        : request['tools'],
    })
  },
  reply: (response) => {
    const finish = finishOf(response['finishReason'])
    return {
      parts: listOf(response['content']).flatMap((each): readonly ReplyPart[] => {
        const part = fieldsOf(each)
        if (part['type'] === 'text') return [{ kind: 'text', text: textOf(part['text']) } as const]
        if (ownCallName(part) === undefined) return []
        return [{ kind: 'call', id: textOf(part['toolCallId']), name: textOf(part['toolName']), arguments: part['input'] } as const]
      }),
      usage: usageOf(response['usage']),
      ...(finish !== '' && { finish }),
    }
  },
  usage: usageOf,
  write: (response, { text, rounds, ownCalls }) => {
    const content = keepOwnCalls(listOf(replaceText(listOf(response['content']), text, TEXT, textPart)), ownCallName, ownCalls)
    const hasCalls = content.some((part) => ownCallName(fieldsOf(part)) !== undefined)
    return {
      ...response,
      content,
      finishReason: hasCalls ? response['finishReason'] : withoutCalls(response['finishReason']),
      usage: rounds.map(({ usage }) => usage).reduce(addUsage, undefined),
    }
  },
  stream: (options) => new LanguageModelStream(options),
  hidden,
  result: (request, messages) => ({ ...request, prompt: [...listOf(request['prompt']), ...messages] }),
}

/** Returns the name of a tool that the agent is to call; a call that the provider performs is none. */
function ownCallName(part: Fields): string | undefined {
  return part['type'] === 'tool-call' && part['providerExecuted'] !== true ? textOf(part['toolName']) : undefined
}

function usageOf(stated: unknown): CanonicalUsage {
  const { inputTokens, outputTokens, cachedInputTokens } = fieldsOf(stated)
  return compact({
    inputTokens: numberOf(inputTokens) ?? numberOf(fieldsOf(inputTokens)['total']),
    outputTokens: numberOf(outputTokens) ?? numberOf(fieldsOf(outputTokens)['total']),
    cachedTokens: numberOf(cachedInputTokens) ?? numberOf(fieldsOf(inputTokens)['cacheRead']),
  }) as Fields
}

function hidden({ assistant, calls, results }: HiddenRound): readonly Fields[] {
  const parts = calls.map((call) => ({
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: argumentsObject(call.arguments),
  }))
  const answers = calls.map(({ id, name, result }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value: result },
  }))
  return [
    { role: 'assistant', content: [...(assistant === '' ? [] : [textPart(assistant)]), ...parts] },
    ...(answers.length === 0 ? [] : [{ role: 'tool', content: answers }]),
    ...(results === '' ? [] : [{ role: 'user', content: [textPart(results)] }]),
  ]
}

function guided(prompt: readonly unknown[], guidance: string): readonly unknown[] {
  const index = prompt.findIndex((message) => fieldsOf(message)['role'] === 'system')
  if (index === -1) return [{ role: 'system', content: guidance }, ...prompt]
  return prompt.map((message, i) =>
    i === index ? { ...fieldsOf(message), content: withGuidance(fieldsOf(message)['content'], guidance) } : message,
  )
}

function canonicalMessage(message: Fields, ordinals: CallOrdinals): CanonicalMessage {
  const { role, content } = message
  const parts = typeof content === 'string' ? textsOf(content, TEXT).map(textPart) : listOf(content).map(fieldsOf)
  const known = role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user'
  return { role: known, parts: parts.map((part) => canonicalPart(part, ordinals)) }
}

function canonicalPart(part: Fields, ordinals: CallOrdinals): CanonicalPart {
  switch (part['type']) {
    case 'text':
      return { text: textOf(part['text']) }
    case 'tool-call':
      return { call: ordinals.of(part['toolCallId']), name: textOf(part['toolName']), arguments: argumentsOf(argumentsText(part['input'])) }
    case 'tool-result':
      return { result: ordinals.of(part['toolCallId']), value: jsonOf(part['output']) }
    default:
      return { data: jsonOf(without(part, 'id', 'providerOptions')) }
  }
}
