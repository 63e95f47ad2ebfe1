import { anthropic } from '../../../src/wrap/dialects/anthropic.ts'
import { type Fields, fieldsOf, textOf } from '../../../src/wrap/dialects/loose.ts'
import { callsOf, type Fixture, type Message, NOISE, parsed, pieces, type Said, TOOL } from './fixture.ts'

const USAGE = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2 }

function blocksOf(said: readonly Said[]): Fields[] {
  return said.map((part) =>
    typeof part === 'string' ? { type: 'text', text: part } : { type: 'tool_use', id: part.id, name: part.name, input: parsed(part.args) },
  )
}

function messageOf(message: Message): Fields {
  if ('user' in message) return { role: 'user', content: message.user }
  if ('tool' in message) return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.tool, content: message.value }] }
  if ('thought' in message) return { role: 'assistant', content: [{ type: 'thinking', thinking: message.thought, signature: 's' }] }
  return { role: 'assistant', content: blocksOf(message.assistant) }
}

function blockEvents(block: Fields, index: number, size: number): Fields[] {
  const isText = block['type'] === 'text'
  const deltas = isText
    ? pieces(textOf(block['text']), size).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block['input']), size).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [
    { type: 'content_block_start', index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

export const anthropicFixture: Fixture = {
  dialect: anthropic,
  request: (messages, system) => ({
    ...NOISE,
    model: 'm',
    max_tokens: 100,
    tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }],
    ...(system !== undefined && { system }),
    messages: messages.map(messageOf),
  }),
  response: (said) => ({
    id: 'msg',
    type: 'message',
    role: 'assistant',
    content: blocksOf(said),
    stop_reason: callsOf(said).length > 0 ? 'tool_use' : 'end_turn',
    usage: USAGE,
  }),
  chunks: (said, size) => {
    const response = anthropicFixture.response(said)
    return [
      { type: 'message_start', message: { ...response, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } } },
      { type: 'ping' },
      ...blocksOf(said).flatMap((block, index) => blockEvents(block, index, size)),
      { type: 'message_delta', delta: { stop_reason: response['stop_reason'], stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
  },
  joined: (events) => {
    const message = fieldsOf(events[0]?.['message'])
    const end = fieldsOf(events.find(({ type }) => type === 'message_delta'))
    const blocks = new Map<unknown, { readonly start: Fields; text: string; json: string }>()
    for (const event of events) {
      const { text, partial_json } = fieldsOf(event['delta'])
      const block = blocks.get(event['index'])
      if (event['type'] === 'content_block_start')
        blocks.set(event['index'], { start: fieldsOf(event['content_block']), text: '', json: '' })
      if (event['type'] !== 'content_block_delta' || block === undefined) continue
      block.text += textOf(text)
      block.json += textOf(partial_json)
    }
    const content = [...blocks.values()].map(({ start, text, json }) =>
      start['type'] === 'text' ? { ...start, text } : { ...start, input: parsed(json) },
    )
    return {
      ...message,
      content,
      stop_reason: fieldsOf(end['delta'])['stop_reason'],
      usage: { ...fieldsOf(message['usage']), ...fieldsOf(end['usage']) },
    }
  },
}
