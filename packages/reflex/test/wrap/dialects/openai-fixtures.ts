import { type Fields, fieldsOf, listOf, textOf } from '../../../src/wrap/dialects/loose.ts'
import { openAiChat } from '../../../src/wrap/dialects/openai-chat.ts'
import { openAiResponses } from '../../../src/wrap/dialects/openai-responses.ts'
import { callsOf, type Fixture, type Message, NOISE, pieces, type Said, textsOf, TOOL } from './fixture.ts'

function toolCalls(said: readonly Said[]): Fields[] {
  return callsOf(said).map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
}

function chatMessages(message: Message): Fields[] {
  if ('user' in message) return [{ role: 'user', content: message.user }]
  if ('tool' in message) return [{ role: 'tool', tool_call_id: message.tool, content: message.value }]
  if ('thought' in message) return []
  const calls = toolCalls(message.assistant)
  return [{ role: 'assistant', content: textsOf(message.assistant), ...(calls.length > 0 && { tool_calls: calls }) }]
}

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 2 } }

export const chatFixture: Fixture = {
  dialect: openAiChat,
  request: (messages, system) => ({
    ...NOISE,
    model: 'm',
    tools: [{ type: 'function', function: TOOL }],
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(chatMessages)],
  }),
  response: (said) => ({
    id: 'r',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textsOf(said),
          refusal: null,
          ...(callsOf(said).length > 0 && { tool_calls: toolCalls(said) }),
        },
        finish_reason: callsOf(said).length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: chatUsage,
  }),
  chunks: (said, size) => {
    const chunk = (delta: Fields, finish: string | null = null): Fields => ({
      id: 'r',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(textsOf(said), size).map((content) => chunk({ content })),
      ...callsOf(said).flatMap(({ id, name, args }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...pieces(args, size).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, callsOf(said).length > 0 ? 'tool_calls' : 'stop'),
      { id: 'r', choices: [], usage: chatUsage },
    ]
  },
  joined: (chunks) => {
    const choices = chunks.flatMap((chunk) => listOf(chunk['choices']).map(fieldsOf))
    const deltas = choices.map((choice) => fieldsOf(choice['delta']))
    const calls = new Map<unknown, { id: string; name: string; arguments: string }>()
    for (const call of deltas.flatMap((delta) => listOf(delta['tool_calls']).map(fieldsOf))) {
      const { name, arguments: piece } = fieldsOf(call['function'])
      const known = calls.get(call['index']) ?? { id: textOf(call['id']), name: textOf(name), arguments: '' }
      calls.set(call['index'], { ...known, arguments: known.arguments + textOf(piece) })
    }
    const content = deltas.map((delta) => textOf(delta['content'])).join('')
    const tool_calls = [...calls.values()].map(({ id, ...inner }) => ({ id, type: 'function', function: inner }))
    return {
      choices: [{ message: { role: 'assistant', content, tool_calls }, finish_reason: choices.at(-1)?.['finish_reason'] }],
      usage: chunks.at(-1)?.['usage'],
    }
  },
}

/** A reply as items; agents of OpenAI and responses differ in the name of the id of a call. */
export function replyItems(said: readonly Said[], callId: string): Fields[] {
  return said.map((part, i) =>
    typeof part === 'string'
      ? {
          id: `msg_${i}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: part, annotations: [] }],
        }
      : { id: `fc_${i}`, type: 'function_call', [callId]: part.id, name: part.name, arguments: part.args, status: 'completed' },
  )
}

/** A conversation as items. */
export function inputItems(messages: readonly Message[], callId: string, result: string): Fields[] {
  return messages.flatMap((message): Fields[] => {
    if ('user' in message) return [{ role: 'user', content: message.user }]
    if ('thought' in message) return [{ type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: message.thought }] }]
    if ('tool' in message) return [{ type: result, [callId]: message.tool, name: message.name, output: message.value }]
    return replyItems(message.assistant, callId)
  })
}

export const responsesFixture: Fixture = {
  dialect: openAiResponses,
  request: (messages, system) => ({
    ...NOISE,
    model: 'm',
    tools: [{ type: 'function', ...TOOL }],
    ...(system !== undefined && { instructions: system }),
    input: inputItems(messages, 'call_id', 'function_call_output'),
  }),
  response: (said) => ({
    id: 'resp',
    status: 'completed',
    output: replyItems(said, 'call_id'),
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 2 } },
  }),
  chunks: (said, size) => {
    const response = responsesFixture.response(said)
    const events = replyItems(said, 'call_id').flatMap((item, index) => itemEvents(item, index, size))
    const all = [{ type: 'response.created', response: { ...response, output: [] } }, ...events, { type: 'response.completed', response }]
    return all.map((event, sequence_number) => ({ ...event, sequence_number }))
  },
  joined: (chunks) => fieldsOf(chunks.at(-1)?.['response']),
}

function itemEvents(item: Fields, output_index: number, size: number): Fields[] {
  const at = { output_index, item_id: item['id'] }
  const done = { type: 'response.output_item.done', output_index, item }
  if (item['type'] === 'function_call') {
    const args = textOf(item['arguments'])
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
      ...pieces(args, size).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
      done,
    ]
  }
  const part = fieldsOf(listOf(item['content'])[0])
  const inPart = { ...at, content_index: 0 }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    ...pieces(textOf(part['text']), size).map((delta) => ({ type: 'response.output_text.delta', ...inPart, delta })),
    { type: 'response.output_text.done', ...inPart, text: part['text'] },
    { type: 'response.content_part.done', ...inPart, part },
    done,
  ]
}
