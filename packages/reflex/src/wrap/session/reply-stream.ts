import { thrownMessage } from '../../kernel/index.ts'
import type { ModelReply } from '../../kinds/skill/model/turn.ts'
import type { CanonicalReply, DialectStream } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { ChunkChannel } from './chunk-channel.ts'
import { type RecordedRound, type RecordedStream, RoundRecord, streamRecord } from './chunk-record.ts'
import { faults } from './faults.ts'
import { type ModelRequest, replyOf } from './model-call.ts'
import { readUntil } from './read-until.ts'

/** A call of a model whose reply the agent reads as a stream. */
export interface StreamRequest extends Omit<ModelRequest, 'ask'> {
  /** The caller's own signal. Once it is aborted, what the model has written means nothing to skills. */
  readonly signal?: AbortSignal | undefined
  /** Asks the model itself. Resolves when its stream is open; `signal` is also that of the caller. */
  ask(request: Fields, signal: AbortSignal): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>
  /** Makes a chunk of its JSON, for a resumed agent whose framework has classes of chunks. Default: the JSON. */
  readonly revive?: (chunk: Fields) => Fields
}

/** One round of a streamed reply: what is sent, and how its text is read. */
export interface StreamedRound {
  readonly request: Fields
  readonly signal: AbortSignal
  /** False if the protocol is off. */
  readonly enabled: boolean
  /** The visible text of the rounds before, which another process may have had. */
  readonly before: string
  /** Takes text that has become visible. */
  readonly onText: (text: string) => void
}

/**
 * The reply to one request as a stream, while one or more rounds of the model take place: the chunks for the agent are delivered as they
 * come, and each round ends with what it was for the record. A mistake in reading the chunks passes them as they are; then nothing in
 * them is decided.
 */
export class ReplyStream {
  readonly chunks = new ChunkChannel(() => this.#stopped())
  /** Resolves when the model's stream is open, or the record has the reply. */
  readonly opened = Promise.withResolvers<AsyncIterableIterator<Fields>>()
  readonly #request: StreamRequest
  readonly #stream: DialectStream
  readonly #report: (thrown: unknown) => void
  readonly #stop = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly #rounds: RecordedRound[] = []
  #before = ''
  /** The error of the client in the middle of a stream, and how the record has it. */
  #breach: { readonly fault: unknown; readonly thrown: unknown } | undefined
  #hasSaidBefore = false
  #isPlain = false
  #isCut = false

  constructor(request: StreamRequest, report: (thrown: unknown) => void) {
    this.#request = request
    this.#report = report
    this.#stream = request.dialect.stream()
  }

  /** True if a round of the model has ended here. */
  get hasRounds(): boolean {
    return this.#rounds.length > 0
  }

  /**
   * Asks the model once, and delivers what it writes. Rejects with what the model's client throws; once its stream was open, as the cause
   * of `R2156`. An agent that has stopped reading cuts the reply.
   */
  async round({ request, signal, enabled, before, onText }: StreamedRound): Promise<ModelReply> {
    if (this.#stop.signal.aborted) return this.#reply({ parts: [], usage: {} })
    if (!this.hasRounds) this.#before = before
    const signals = [signal, this.#stop.signal, ...(this.#request.signal === undefined ? [] : [this.#request.signal])]
    const source = await this.#request.ask(request, AbortSignal.any(signals))
    this.opened.resolve(this.chunks)
    const round = new RoundRecord(enabled)
    this.#stream.begin({ enabled })
    try {
      for await (const chunk of readUntil(source, [signal, this.#stop.signal])) {
        round.add(chunk)
        const known = this.#stream.visible.length
        this.#deliver(fieldsOf(chunk))
        const text = this.#stream.visible.slice(known)
        if (text !== '') onText(text)
      }
    } catch (thrown) {
      const fault = faults.make('R2156', `the stream of the model broke off: ${thrownMessage(thrown)}`, { cause: thrown })
      this.#breach = { fault, thrown }
      throw fault
    }
    this.#isCut = this.#stop.signal.aborted || this.#request.signal?.aborted === true
    this.#rounds.push(round)
    return this.#reply(this.#endRound())
  }

  /** Ends the stream with what the record says of the reply: its whole text for the agent. */
  settle(text: string): void {
    if (!this.#isPlain && !this.#isCut) {
      const shown = this.#before + this.#stream.visible
      this.#guarded(() => [...(text.startsWith(shown) ? this.#stream.say(text.slice(shown.length)) : []), ...this.#stream.close()])
    }
    this.end()
  }

  /** Streams a reply of the record. */
  replay({ before, rounds }: RecordedStream, text: string, isCut: boolean): void {
    const { revive = (chunk: Fields) => chunk } = this.#request
    this.opened.resolve(this.chunks)
    this.#before = before
    this.#isCut = isCut
    for (const round of rounds) {
      this.#stream.begin({ enabled: round.enabled })
      for (const chunk of round.chunks) this.#deliver(revive(chunk))
      this.#rounds.push(round)
      this.#endRound()
    }
    this.settle(text)
  }

  /** Asks the model without Reflex, and passes its chunks as they are. */
  async pass(signal: AbortSignal): Promise<void> {
    this.#isPlain = true
    const signals = [signal, this.#stop.signal, ...(this.#request.signal === undefined ? [] : [this.#request.signal])]
    const source = await this.#request.ask(this.#request.request, AbortSignal.any(signals))
    this.opened.resolve(this.chunks)
    for await (const chunk of readUntil(source, [this.#stop.signal])) this.chunks.push([fieldsOf(chunk)])
    this.end()
  }

  /** Ends the stream with the error that the agent gets. */
  fail(cause: unknown): void {
    const thrown = cause === this.#breach?.fault ? this.#breach?.thrown : cause
    this.opened.promise.catch(() => undefined)
    this.opened.reject(thrown)
    this.chunks.fail(thrown)
    this.#ended.resolve()
  }

  end(): void {
    this.chunks.end()
    this.#ended.resolve()
  }

  #stopped(): Promise<void> {
    this.#stop.abort(new DOMException('the agent reads no more of the reply', 'AbortError'))
    return this.#ended.promise
  }

  #deliver(chunk: Fields): void {
    if (this.#isPlain) return this.chunks.push([chunk])
    const isFirst = !this.hasRounds && this.#before !== '' && !this.#hasSaidBefore
    if (!this.#guarded(() => (isFirst ? this.#withBefore(chunk) : this.#stream.push(chunk)))) this.chunks.push([chunk])
  }

  /** Says the text of earlier rounds with the first chunk, which may be the beginning of the stream. */
  #withBefore(chunk: Fields): readonly Fields[] {
    this.#hasSaidBefore = true
    if (!/\s$/.test(this.#before)) this.#before += '\n'
    const shown = this.#stream.push(chunk)
    const said = this.#stream.say(this.#before)
    return this.#stream.visible === '' ? [...shown, ...said] : [...said, ...shown]
  }

  #endRound(): CanonicalReply {
    let reply: CanonicalReply = { parts: [], usage: {} }
    this.#guarded(() => {
      const { chunks, parts, usage } = this.#stream.endRound()
      reply = { parts, usage: this.#request.dialect.usage(usage) }
      return chunks
    })
    return reply
  }

  #reply(reply: CanonicalReply): ModelReply {
    const raw = streamRecord({ before: this.#before, rounds: this.#rounds })
    const isCut = this.#isCut || this.#isPlain || this.#stop.signal.aborted
    return { ...replyOf(this.#request, reply), raw, ...(isCut ? { isCut } : {}) }
  }

  /** Delivers chunks, unless making them fails: a mistake of Reflex does not disturb the conversation. */
  #guarded(chunks: () => readonly Fields[]): boolean {
    if (this.#isPlain) return true
    try {
      this.chunks.push(chunks())
      return true
    } catch (thrown) {
      this.#isPlain = true
      this.#report(thrown)
      return false
    }
  }
}
