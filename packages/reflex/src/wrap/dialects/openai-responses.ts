import type { CanonicalUsage, Dialect, HiddenRound, ReplyPart } from './contract.ts'
import { assistantTexts, calledTool, canonicalItems, ITEM_FORM, itemsOf, replaceOutputText } from './items.ts'
import { addUsage, argumentsText, compact, type Fields, fieldsOf, listOf, numberOf, textOf, without } from './loose.ts'
import { canonicalRequest, canonicalTool, injectMessages, keepOwnCalls, withGuidance, withTools } from './messages.ts'
import { OpenAiResponsesStream } from './openai-responses-stream.ts'

const NAMES = { callId: 'call_id', result: 'function_call_output' } as const

/** `responses.create` of the package `openai`. Instructions are a field of their own; an input may be one text. */
export const openAiResponses: Dialect = {
  name: 'openai-responses',
  messages: (request) => itemsOf(request['input']).map(fieldsOf),
  read: (request) =>
    canonicalRequest({
      system: textOf(request['instructions']),
      messages: canonicalItems(itemsOf(request['input']), NAMES),
      tools: listOf(request['tools']).map((tool) => {
        const { name, type, description, parameters } = fieldsOf(tool)
        return canonicalTool(name ?? type, description, parameters)
      }),
      params: without(request, 'input', 'instructions', 'tools', 'stream', 'stream_options', 'signal', 'headers', 'previous_response_id'),
    }),
  inject: (request, injection) =>
    compact({
      ...request,
      instructions: injection.guidance === '' ? request['instructions'] : withGuidance(request['instructions'], injection.guidance),
      input:
        injection.bulletins.size + injection.splices.size === 0
          ? request['input']
          : injectMessages(itemsOf(request['input']), injection, { ...ITEM_FORM, hidden }),
      tools: injection.tools ? withTools(request['tools'], (tool) => ({ type: 'function', ...tool, strict: false })) : request['tools'],
    }),
  reply: (response) => {
    return {
      parts: listOf(response['output']).flatMap((each): readonly ReplyPart[] => {
        const item = fieldsOf(each)
        if (calledTool(item) === undefined) return assistantTexts(item).map((text) => ({ kind: 'text', text }) as const)
        return [{ kind: 'call', id: textOf(item['call_id']), name: textOf(item['name']), arguments: item['arguments'] } as const]
      }),
      usage: usageOf(response['usage']),
      ...(typeof response['status'] === 'string' && { finish: response['status'] }),
    }
  },
  usage: usageOf,
  write: (response, { text, rounds, ownCalls }) => {
    const output = replaceOutputText(listOf(response['output']), text, { id: 'msg_reflex', status: 'completed' })
    return compact({
      ...response,
      output: keepOwnCalls(output, calledTool, ownCalls),
      output_text: typeof response['output_text'] === 'string' ? text : undefined,
      usage: rounds.map(({ usage }) => usage).reduce(addUsage, undefined),
    })
  },
  stream: (options) => new OpenAiResponsesStream(options),
  hidden,
  result: (request, messages) => ({ ...request, input: [...itemsOf(request['input']), ...messages] }),
}

function usageOf(stated: unknown): CanonicalUsage {
  const usage = fieldsOf(stated)
  return compact({
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    cachedTokens: numberOf(fieldsOf(usage['input_tokens_details'])['cached_tokens']),
  }) as Fields
}

function hidden({ assistant, calls, results }: HiddenRound): readonly Fields[] {
  return [
    ...(assistant === '' ? [] : [{ role: 'assistant', content: assistant }]),
    ...calls.map((call) => ({ type: 'function_call', call_id: call.id, name: call.name, arguments: argumentsText(call.arguments) })),
    ...calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result })),
    ...(results === '' ? [] : [{ role: 'user', content: results }]),
  ]
}
