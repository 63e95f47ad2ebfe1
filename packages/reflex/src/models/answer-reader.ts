import { copyJson, isObject, type Json } from '../kernel/index.ts'
import { STREAM_CUT_ADVICE } from './advice.ts'
import { faults } from './faults.ts'
import { isTooDeep, limitLength } from './limits.ts'
import { type Piece, ThinkingStream, withoutThinking } from './thinking.ts'
import type { Finish, ModelCall, ModelDelta, ModelTry, ToolCall, Usage } from './types.ts'
import { validUsage } from './usage.ts'

/** One block of an answer: a text, a thought or a call, with the metadata that the provider expects back. */
interface Block {
  readonly type: 'text' | 'reasoning' | 'call'
  readonly id: string
  text: string
  name: string
  metadata: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the result of `doGenerate`. Throws `R4012` if it is not an answer. */
export function readContent(result: object): ModelTry {
  const { content, finishReason, usage, warnings, structuredOutputText } = fieldsOf(result)
  if (!Array.isArray(content)) throw faults.make('R4012', 'the provider package returned an answer without content')
  const answer = new AnswerBuilder()
  for (const part of content) answer.addPart(fieldsOf(part))
  answer.warn(warnings)
  const read = answer.finish(finishReason, usage)
  return typeof structuredOutputText === 'string' ? { ...read, text: structuredOutputText } : read
}

/**
 * Reads a stream to its end and reports its parts as progress. Throws the errors that the stream reports, and `R4011`
 * if the stream ends before the answer is complete. The stream is cancelled if reading fails or the signal is aborted.
 */
export async function readStream(stream: object, call: ModelCall): Promise<ModelTry> {
  const reader = readerOf(stream)
  const answer = new AnswerBuilder((delta) => call.part(copyJson(delta, 'delta')))
  // Not every provider's stream ends by itself when the request is aborted.
  const stop = (): void => void reader.cancel(call.signal.reason).catch(() => undefined)
  call.signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      call.signal.throwIfAborted()
      if (done) throw faults.make('R4011', 'the stream ended before the answer was complete', { fix: STREAM_CUT_ADVICE })
      const part = fieldsOf(value)
      if (part.type === 'finish') return answer.finish(part.finishReason, part.usage)
      answer.addStreamPart(part)
    }
  } finally {
    call.signal.removeEventListener('abort', stop)
    stop()
  }
}

interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

function readerOf(stream: object): PartReader {
  if (stream instanceof ReadableStream) return stream.getReader()
  throw faults.make('R4012', 'the provider package returned no stream')
}

/** Builds an answer from its parts. */
class AnswerBuilder {
  readonly #blocks: Block[] = []
  /** The blocks that can still grow, by type and id. */
  readonly #openBlocks = new Map<string, Block>()
  #length = 0
  readonly #warnings: string[] = []
  readonly #thinking = new ThinkingStream()
  readonly #onDelta: ((delta: ModelDelta) => void) | undefined

  constructor(onDelta?: (delta: ModelDelta) => void) {
    this.#onDelta = onDelta
  }

  /** Adds a part of a complete answer. */
  addPart(part: Fields): void {
    if (part.type === 'text' || part.type === 'reasoning') this.#add(part.type, String(this.#blocks.length), part, textOf(part.text))
    else this.#call(part)
  }

  /** Adds a part of a stream. */
  addStreamPart(part: Fields): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#add('text', textOf(part.id), part, textOf(part.delta))
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#add('reasoning', textOf(part.id), part, textOf(part.delta))
      case 'tool-input-start':
        if (part.providerExecuted !== true) this.#onDelta?.({ calls: [{ id: textOf(part.id), name: textOf(part.toolName) }] })
        return
      case 'stream-start':
        return this.warn(part.warnings)
      case 'error':
        throw part.error
      default:
        return this.#call(part)
    }
  }

  #add(type: 'text' | 'reasoning', id: string, part: Fields, piece: string): void {
    this.#addLength(piece.length)
    const key = `${type} ${id}`
    const block: Block = this.#openBlocks.get(key) ?? { type, id, text: '', name: '', metadata: undefined }
    if (!this.#openBlocks.has(key)) {
      this.#openBlocks.set(key, block)
      this.#blocks.push(block)
    }
    block.text += piece
    block.metadata = part.providerMetadata ?? block.metadata
    if (piece !== '') this.#report(type === 'text' ? this.#thinking.take(piece) : [{ reasoning: piece }])
  }

  #report(pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#onDelta?.(piece)
  }

  #call({ type, toolCallId, toolName, input, providerExecuted, providerMetadata }: Fields): void {
    if (type !== 'tool-call' || providerExecuted === true) return
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
    this.#addLength(text.length)
    this.#blocks.push({ type: 'call', id: textOf(toolCallId), name: textOf(toolName), text, metadata: providerMetadata })
  }

  #addLength(characters: number): void {
    this.#length += characters
    limitLength(this.#length)
  }

  warn(warnings: unknown): void {
    if (Array.isArray(warnings)) this.#warnings.push(...warnings.map((warning) => warningText(fieldsOf(warning))))
  }

  finish(reason: unknown, usage: unknown): ModelTry {
    this.#report(this.#thinking.end())
    const calls = this.#blocks.flatMap((block) => (block.type === 'call' ? [toolCall(block)] : []))
    const joined = (type: Block['type']): string => this.#blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join('')
    const { text, thought } = withoutThinking(joined('text'))
    const reasoning = [joined('reasoning'), thought].filter((part) => part !== '').join('\n')
    const used = usageOf(fieldsOf(usage))
    const native =
      calls.length > 0 && this.#blocks.some(({ metadata }) => metadata !== undefined) ? this.#blocks.map(nativeBlock) : undefined
    return {
      text,
      finish: finishOf(fieldsOf(reason), calls, used),
      ...(calls.length === 0 ? {} : { calls }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(used === undefined ? {} : { usage: used }),
      ...(native === undefined ? {} : { native }),
      ...(this.#warnings.length === 0 ? {} : { warnings: this.#warnings }),
    }
  }
}

function toolCall({ id, name, text }: Block): ToolCall {
  const args = parsed(text)
  return isObject(args) && !isTooDeep(args) ? { id, name, args } : { id, name, args: {}, invalid: text }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function nativeBlock(block: Block): Json {
  const options = block.metadata === undefined ? {} : { providerOptions: copyJson(block.metadata, 'metadata') }
  if (block.type !== 'call') return { type: block.type, text: block.text, ...options }
  const { id, name, args } = toolCall(block)
  return { type: 'tool-call', toolCallId: id, toolName: name, input: args, ...options }
}

const FINISHES: Readonly<Record<string, Finish>> = { stop: 'stop', length: 'length', 'content-filter': 'filter', 'tool-calls': 'tools' }

function finishOf({ unified, raw }: Fields, calls: readonly ToolCall[], used: Usage | undefined): Finish {
  const data = used === undefined ? {} : { data: { usage: copyJson(used, 'usage') } }
  if (unified === 'interrupted')
    throw faults.make('R4011', 'the stream ended before the answer was complete', { fix: STREAM_CUT_ADVICE, ...data })
  if (unified === 'error')
    throw faults.make('R4010', `the provider ended the answer with an error${raw === undefined ? '' : ` (${textOf(raw)})`}`, data)
  const finish = FINISHES[textOf(unified)] ?? 'other'
  // Some servers report `stop` for an answer that calls tools.
  return calls.length > 0 && finish !== 'length' && finish !== 'filter' ? 'tools' : finish
}

function usageOf({ inputTokens, outputTokens }: Fields): Usage | undefined {
  const [input, output] = [fieldsOf(inputTokens), fieldsOf(outputTokens)]
  return validUsage({
    input: input.total,
    output: output.total,
    cached: input.cacheRead,
    cacheWrite: input.cacheWrite,
    reasoning: output.reasoning,
  })
}

function warningText({ type, feature, details, setting, message }: Fields): string {
  const about = [feature ?? setting ?? '', details ?? message ?? ''].map(textOf).filter((text) => text !== '')
  return `${textOf(type)}: ${about.join(', ')}`
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
