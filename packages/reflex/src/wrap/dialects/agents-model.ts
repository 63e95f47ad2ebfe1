import { AgentsModelStream } from './agents-model-stream.ts'
import type { CanonicalReply, CanonicalUsage, Dialect, HiddenRound, Replacement, ReplyPart } from './contract.ts'
import { assistantTexts, calledTool, canonicalItems, ITEM_FORM, itemsOf, replaceOutputText } from './items.ts'
import { addUsage, argumentsText, compact, type Fields, fieldsOf, like, listOf, numberOf, textOf, without } from './loose.ts'
import { canonicalRequest, canonicalTool, injectMessages, keepOwnCalls, withGuidance, withTools } from './messages.ts'

const NAMES = { callId: 'callId', result: 'function_call_result' } as const

/** The fields of a request that stand elsewhere, or that differ from run to run: `_internal` has the ids of spans. */
const NOT_PARAMS = ['input', 'systemInstructions', 'tools', 'signal', 'tracing', 'previousResponseId', 'conversationId', '_internal']

/** `Model` of the OpenAI Agents SDK: `getResponse` and `getStreamedResponse`. */
export const agentsModel: Dialect = {
  name: 'agents-model',
  messages: (request) => itemsOf(request['input']).map(fieldsOf),
  read: (request) =>
    canonicalRequest({
      system: textOf(request['systemInstructions']),
      messages: canonicalItems(itemsOf(request['input']), NAMES),
      tools: listOf(request['tools']).map((tool) => {
        const { name, type, description, parameters } = fieldsOf(tool)
        return canonicalTool(name ?? type, description, parameters)
      }),
      params: without(request, ...NOT_PARAMS),
    }),
  inject: (request, injection) =>
    compact({
      ...request,
      systemInstructions:
        injection.guidance === '' ? request['systemInstructions'] : withGuidance(request['systemInstructions'], injection.guidance),
      input:
        injection.bulletins.size + injection.splices.size === 0
          ? request['input']
          : injectMessages(itemsOf(request['input']), injection, { ...ITEM_FORM, hidden }),
      tools: injection.tools ? withTools(request['tools'], (tool) => ({ type: 'function', ...tool, strict: false })) : request['tools'],
    }),
  reply: readModelResponse,
  usage: usageOf,
  write: writeModelResponse,
  stream: (options) => new AgentsModelStream(readModelResponse, writeModelResponse, options),
  hidden,
  result: (request, messages) => ({ ...request, input: [...itemsOf(request['input']), ...messages] }),
}

function readModelResponse(response: Fields): CanonicalReply {
  return {
    parts: listOf(response['output']).flatMap((each): readonly ReplyPart[] => {
      const item = fieldsOf(each)
      if (calledTool(item) === undefined) return assistantTexts(item).map((text) => ({ kind: 'text', text }) as const)
      return [{ kind: 'call', id: textOf(item['callId']), name: textOf(item['name']), arguments: item['arguments'] } as const]
    }),
    usage: usageOf(response['usage']),
  }
}

function usageOf(stated: unknown): CanonicalUsage {
  const usage = fieldsOf(stated)
  const details = usage['inputTokensDetails']
  const sum = fieldsOf(Array.isArray(details) ? (details as unknown[]).reduce(addUsage, undefined) : details)
  return compact({
    inputTokens: numberOf(usage['inputTokens']),
    outputTokens: numberOf(usage['outputTokens']),
    cachedTokens: numberOf(sum['cached_tokens']),
  }) as Fields
}

/** The runner calls methods of the usage, so the class of the response and of its usage stays. */
function writeModelResponse(response: Fields, { text, rounds, ownCalls }: Replacement): Fields {
  const output = replaceOutputText(listOf(response['output']), text, { status: 'completed' })
  const usage = rounds.map((round) => round['usage']).reduce(addUsage, undefined)
  return like(response, { ...response, output: keepOwnCalls(output, calledTool, ownCalls), usage })
}

function hidden({ assistant, calls, results }: HiddenRound): readonly Fields[] {
  const done = { status: 'completed' }
  return [
    ...(assistant === '' ? [] : [{ type: 'message', role: 'assistant', ...done, content: [{ type: 'output_text', text: assistant }] }]),
    ...calls.map(({ id, name, arguments: args }) => ({ type: 'function_call', callId: id, name, ...done, arguments: argumentsText(args) })),
    ...calls.map(({ id, name, result }) => ({
      type: 'function_call_result',
      callId: id,
      name,
      ...done,
      output: { type: 'text', text: result },
    })),
    ...(results === '' ? [] : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: results }] }]),
  ]
}
