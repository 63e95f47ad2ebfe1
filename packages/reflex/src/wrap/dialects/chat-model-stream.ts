import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { DialectStream, RoundEnd } from './contract.ts'
import { addUsage, type Fields, fieldsOf, like, listOf, textOf } from './loose.ts'
import { textsOf } from './messages.ts'
import { StreamRound } from './stream-round.ts'

/**
 * The chunks of a streamed chat model of LangChain.js (`ChatGenerationChunk`). LangChain adds chunks to each other, usage included, so every
 * usage passes; what it joins as texts (finish, model) is that of the last round, with the last chunk.
 */
export class ChatModelStream implements DialectStream {
  readonly #round: StreamRound
  #rounds = 0
  #ownCalls = 0
  /** The latest chunk, of whose class every chunk is. */
  #last: Fields = {}
  #ending: { readonly generationInfo: Fields; readonly response_metadata: Fields } = { generationInfo: {}, response_metadata: {} }
  #roundUsage: unknown
  readonly #indices = new Map<unknown, number>()

  constructor(options: ReplyOptions = {}) {
    this.#round = new StreamRound(options)
  }

  get visible(): string {
    return this.#round.visible
  }

  begin(options: ReplyOptions): void {
    this.#round.begin(options)
  }

  push(chunk: Fields): readonly Fields[] {
    this.#last = chunk
    const message = fieldsOf(chunk['message'])
    this.#roundUsage = addUsage(this.#roundUsage, message['usage_metadata'])
    this.#ending = {
      generationInfo: { ...this.#ending.generationInfo, ...fieldsOf(chunk['generationInfo']) },
      response_metadata: { ...this.#ending.response_metadata, ...fieldsOf(message['response_metadata']) },
    }
    let text = textsOf(message['content'], ['text', 'text_delta'])
      .map((piece) => this.#round.text(piece))
      .join('')
    const calls: Fields[] = []
    for (const call of listOf(message['tool_call_chunks']).map(fieldsOf)) {
      const passed = this.#passCall(call)
      text += passed.text
      if (passed.call !== undefined) calls.push(passed.call)
    }
    const shown = this.#content(message['content'], text)
    const isEmpty =
      text === '' && calls.length === 0 && message['usage_metadata'] === undefined && (!Array.isArray(shown) || shown.length === 0)
    return isEmpty ? [] : [this.#chunk(text, shown, calls, message['usage_metadata'])]
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const chunks = this.say(text)
    const usage = this.#roundUsage
    this.#roundUsage = undefined
    this.#rounds++
    this.#indices.clear()
    return { chunks, ...round, usage }
  }

  say(text: string): readonly Fields[] {
    return text === '' ? [] : [this.#chunk(text, text, [], undefined)]
  }

  close(): readonly Fields[] {
    const end = this.#chunk('', '', [], undefined)
    const isStop = this.#ownCalls === 0
    const message = withFields(fieldsOf(end['message']), {
      response_metadata: isStop ? stopped(this.#ending.response_metadata) : this.#ending.response_metadata,
    })
    return [like(end, { ...end, message, generationInfo: isStop ? stopped(this.#ending.generationInfo) : this.#ending.generationInfo })]
  }

  /** Content in parts keeps those that are no text and no call, such as reasoning. */
  #content(content: unknown, text: string): unknown {
    if (!Array.isArray(content)) return text
    const others = (content as unknown[]).filter(
      (part) => !['text', 'text_delta', 'tool_use', 'input_json_delta'].includes(textOf(fieldsOf(part)['type'])),
    )
    if (others.length === 0) return text
    return text === '' ? others : [...others, { type: 'text', text }]
  }

  #chunk(text: string, content: unknown, calls: readonly Fields[], usage: unknown): Fields {
    const message = fieldsOf(this.#last['message'])
    const { id } = message
    const fields = {
      content,
      tool_call_chunks: calls,
      tool_calls: [],
      invalid_tool_calls: [],
      additional_kwargs: {},
      response_metadata: {},
      usage_metadata: usage,
      id: this.#rounds === 0 ? id : undefined,
    }
    return like(this.#last, { ...this.#last, text, message: withFields(message, fields), generationInfo: {} })
  }

  #passCall(call: Fields): { readonly text: string; readonly call?: Fields } {
    const key = call['index'] ?? call['id']
    let text = ''
    if (!this.#round.has(key)) {
      const started = this.#round.startCall(key, textOf(call['id']), textOf(call['name']))
      text = started.text
      if (started.keeps) this.#indices.set(key, this.#ownCalls++)
    }
    this.#round.addArguments(key, call['args'])
    return this.#round.keeps(key) ? { text, call: { ...call, index: this.#indices.get(key) } } : { text }
  }
}

/** Returns a message of the same class with other fields. Classes of LangChain keep what they were made of in `lc_kwargs`. */
export function withFields(message: Fields, fields: Fields): Fields {
  const kwargs = message['lc_kwargs']
  return like(message, { ...message, ...fields, ...(kwargs !== undefined && { lc_kwargs: { ...fieldsOf(kwargs), ...fields } }) })
}

/** Returns metadata of a reply whose calls are gone. */
export function stopped(metadata: Fields): Fields {
  return {
    ...metadata,
    ...(metadata['finish_reason'] === 'tool_calls' && { finish_reason: 'stop' }),
    ...(metadata['stop_reason'] === 'tool_use' && { stop_reason: 'end_turn' }),
  }
}
