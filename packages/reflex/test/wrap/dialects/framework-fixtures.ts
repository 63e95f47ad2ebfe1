import { agentsModel } from '../../../src/wrap/dialects/agents-model.ts'
import { chatModel } from '../../../src/wrap/dialects/chat-model.ts'
import { languageModel } from '../../../src/wrap/dialects/language-model.ts'
import { addUsage, type Fields, fieldsOf, listOf, textOf } from '../../../src/wrap/dialects/loose.ts'
import { callsOf, type Fixture, type Message, NOISE, parsed, pieces, type Said, textsOf, TOOL } from './fixture.ts'
import { inputItems, replyItems } from './openai-fixtures.ts'

const sdkUsage = {
  inputTokens: { total: 10, noCache: 8, cacheRead: 2, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

function sdkFinish(said: readonly Said[]): Fields {
  return callsOf(said).length > 0 ? { unified: 'tool-calls', raw: 'tool_calls' } : { unified: 'stop', raw: 'stop' }
}

function sdkParts(said: readonly Said[]): Fields[] {
  return said.map((part) =>
    typeof part === 'string'
      ? { type: 'text', text: part }
      : { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.args },
  )
}

function sdkMessage(message: Message): Fields {
  if ('user' in message) return { role: 'user', content: [{ type: 'text', text: message.user }] }
  if ('thought' in message) return { role: 'assistant', content: [{ type: 'reasoning', text: message.thought }] }
  if ('assistant' in message) return { role: 'assistant', content: sdkParts(message.assistant) }
  const output = { type: 'text', value: message.value }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.tool, toolName: message.name, output }] }
}

function sdkChunks(part: Said, id: string, size: number): Fields[] {
  if (typeof part === 'string')
    return [{ type: 'text-start', id }, ...pieces(part, size).map((delta) => ({ type: 'text-delta', id, delta })), { type: 'text-end', id }]
  return [
    { type: 'tool-input-start', id: part.id, toolName: part.name },
    ...pieces(part.args, size).map((delta) => ({ type: 'tool-input-delta', id: part.id, delta })),
    { type: 'tool-input-end', id: part.id },
    { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.args },
  ]
}

export const sdkFixture: Fixture = {
  dialect: languageModel,
  request: (messages, system) => ({
    headers: NOISE.headers,
    abortSignal: NOISE.signal,
    tools: [{ type: 'function', name: TOOL.name, description: TOOL.description, inputSchema: TOOL.parameters }],
    prompt: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.map(sdkMessage)],
  }),
  response: (said) => ({ content: sdkParts(said), finishReason: sdkFinish(said), usage: sdkUsage, warnings: [] }),
  chunks: (said, size) => [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r' },
    ...said.flatMap((part, i) => sdkChunks(part, `${i}`, size)),
    { type: 'finish', finishReason: sdkFinish(said), usage: sdkUsage },
  ],
  joined: (parts) => {
    const open = new Map<unknown, string>()
    const content: Fields[] = []
    for (const part of parts) {
      if (part['type'] === 'text-start') open.set(part['id'], '')
      else if (part['type'] === 'text-delta') open.set(part['id'], (open.get(part['id']) ?? '(not begun)') + textOf(part['delta']))
      else if (part['type'] === 'text-end') content.push({ type: 'text', text: open.get(part['id']) })
      else if (part['type'] === 'tool-call') content.push(part)
    }
    return { content, finishReason: parts.at(-1)?.['finishReason'], usage: parts.at(-1)?.['usage'] }
  },
}

/** The usage of the Agents SDK is a class whose methods its runner calls. */
export class Usage {
  requests = 1
  inputTokens = 10
  outputTokens = 5
  totalTokens = 15
  inputTokensDetails = [{ cached_tokens: 2 }]
  total(): number {
    return this.inputTokens + this.outputTokens
  }
}

export const agentsFixture: Fixture = {
  dialect: agentsModel,
  request: (messages, system) => ({
    signal: NOISE.signal,
    modelSettings: {},
    outputType: 'text',
    handoffs: [],
    tracing: true,
    tools: [{ type: 'function', ...TOOL, strict: true }],
    ...(system !== undefined && { systemInstructions: system }),
    input: inputItems(messages, 'callId', 'function_call_result'),
  }),
  response: (said) => ({ usage: new Usage(), output: replyItems(said, 'callId'), responseId: 'r' }),
  chunks: (said, size) => [
    { type: 'response_started' },
    ...pieces(textsOf(said), size).flatMap((delta) => [
      { type: 'output_text_delta', delta },
      { type: 'model', event: { type: 'response.output_text.delta', delta } },
    ]),
    { type: 'response_done', response: { id: 'r', ...agentsFixture.response(said) } },
  ],
  joined: (chunks) => fieldsOf(chunks.at(-1)?.['response']),
}

/** A message of a class, as LangChain has them: what is made of it must be of that class, and `lc_kwargs` has its fields again. */
export class ChatMessage {
  declare readonly content: unknown
  constructor(fields: Fields) {
    Object.assign(this, { lc_kwargs: fields }, fields)
  }
  get text(): string {
    return textOf(this.content)
  }
}

function make(fields: Fields): Fields {
  return fieldsOf(new ChatMessage(fields))
}

function langCalls(said: readonly Said[]): Fields[] {
  return callsOf(said).map(({ id, name, args }) => ({ type: 'tool_call', id, name, args: parsed(args) }))
}

const langUsage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_token_details: { cache_read: 2 } }

function langMessage(message: Message): Fields {
  if ('user' in message) return make({ type: 'human', content: message.user, id: 'm1' })
  if ('thought' in message) return make({ type: 'ai', content: [{ type: 'reasoning', reasoning: message.thought }] })
  if ('tool' in message) return make({ type: 'tool', tool_call_id: message.tool, content: message.value })
  return make({ type: 'ai', content: textsOf(message.assistant), tool_calls: langCalls(message.assistant) })
}

function langEnd(said: readonly Said[]): Fields {
  return { usage_metadata: langUsage, response_metadata: { finish_reason: callsOf(said).length > 0 ? 'tool_calls' : 'stop' } }
}

function langChunk(fields: Fields, text = ''): Fields {
  return { text, message: make({ type: 'ai', content: text, tool_call_chunks: [], ...fields }) }
}

export const langFixture: Fixture = {
  dialect: chatModel(make),
  request: (messages, system) => ({
    ...NOISE,
    tools: [{ type: 'function', function: TOOL }],
    messages: [...(system === undefined ? [] : [make({ type: 'system', content: system })]), ...messages.map(langMessage)],
  }),
  response: (said) => {
    const message = make({ type: 'ai', id: 'm2', content: textsOf(said), tool_calls: langCalls(said), ...langEnd(said) })
    return { generations: [{ text: textsOf(said), message }] }
  },
  chunks: (said, size) => [
    ...pieces(textsOf(said), size).map((text) => langChunk({}, text)),
    ...callsOf(said).flatMap(({ id, name, args }, index) => [
      langChunk({ tool_call_chunks: [{ id, name, args: '', index }] }),
      ...pieces(args, size).map((piece) => langChunk({ tool_call_chunks: [{ args: piece, index }] })),
    ]),
    langChunk(langEnd(said)),
  ],
  // LangChain adds the chunks to each other: texts are joined, also that of the finish, and numbers summed.
  joined: (chunks) => {
    const messages = chunks.map((chunk) => fieldsOf(chunk['message']))
    const calls = new Map<unknown, { id: string; name: string; args: string }>()
    for (const call of messages.flatMap((message) => listOf(message['tool_call_chunks']).map(fieldsOf))) {
      const known = calls.get(call['index']) ?? { id: textOf(call['id']), name: textOf(call['name']), args: '' }
      calls.set(call['index'], { ...known, args: known.args + textOf(call['args']) })
    }
    const content = messages.map((message) => textOf(message['content'])).join('')
    const finish_reason = messages.map((message) => textOf(fieldsOf(message['response_metadata'])['finish_reason'])).join('')
    const message = make({
      type: 'ai',
      content,
      tool_calls: [...calls.values()].map((call) => ({ ...call, type: 'tool_call', args: parsed(call.args) })),
      usage_metadata: messages.map((each) => each['usage_metadata']).reduce(addUsage, undefined),
      response_metadata: { finish_reason },
    })
    return { generations: [{ text: content, message }] }
  },
}
