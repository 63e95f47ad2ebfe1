import { protocolCall, type ReplyCall } from '../../kinds/skill/protocol/native.ts'
import { ReplyReader, type ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { ReplyPart, RoundEnd } from './contract.ts'

interface StreamCall {
  readonly id: string
  readonly name: string
  readonly keeps: boolean
  text: string
  /** Arguments that arrive as a value. */
  value?: unknown
  isRead: boolean
}

/** The rounds of a stream, one after another: what their text and calls mean, told apart by the keys that the dialect uses. */
export class StreamRound {
  #options: ReplyOptions
  #reader: ReplyReader
  #calls = new Map<unknown, StreamCall>()
  /** The texts and calls of this round in their order, as the model wrote them. */
  #parts: ({ text: string; isOpen: boolean } | StreamCall)[] = []
  #visible = ''
  /** True if the next visible text belongs to another round than the text before it: each round begins a line. */
  #startsLine = false

  constructor(options: ReplyOptions = {}) {
    this.#options = options
    this.#reader = new ReplyReader(options)
  }

  /** The text of all rounds that the agent has. */
  get visible(): string {
    return this.#visible
  }

  /** Reads this round, which has not begun yet, and later ones with other options. */
  begin(options: ReplyOptions): void {
    this.#options = options
    this.#reader = new ReplyReader(options)
  }

  /** Takes text of the assistant, and returns what is visible. */
  text(piece: string): string {
    const last = this.#parts.at(-1)
    if (last !== undefined && 'isOpen' in last && last.isOpen) last.text += piece
    else if (piece !== '') this.#parts.push({ text: piece, isOpen: true })
    return this.#show(this.#reader.text(piece))
  }

  /** Ends a text part, and returns what was held back. */
  endPart(): string {
    const last = this.#parts.at(-1)
    if (last !== undefined && 'isOpen' in last) last.isOpen = false
    return this.#show(this.#reader.endPart())
  }

  /** Begins a call: `keeps` says whether the agent gets it, `text` was held back until now. Earlier calls are complete. */
  startCall(key: unknown, id: string, name: string): { readonly keeps: boolean; readonly text: string } {
    for (const call of this.#calls.values()) this.#read(call)
    const { keeps, text } = this.#reader.startCall(name)
    const call = { id, name, keeps, text: '', isRead: false }
    this.#calls.set(key, call)
    this.#parts.push(call)
    return { keeps, text: this.#show(text) }
  }

  /** True if a call was begun. */
  has(key: unknown): boolean {
    return this.#calls.has(key)
  }

  /** True if the agent gets the call. */
  keeps(key: unknown): boolean {
    return this.#calls.get(key)?.keeps === true
  }

  /** Adds to the arguments of a call: a piece of JSON text, or their value. */
  addArguments(key: unknown, piece: unknown): void {
    const call = this.#calls.get(key)
    if (call === undefined) return
    if (typeof piece === 'string') call.text += piece
    else if (piece !== undefined) call.value = piece
  }

  /** States the arguments of a call as a whole. */
  setArguments(key: unknown, value: unknown): void {
    const call = this.#calls.get(key)
    if (call !== undefined) Object.assign(call, { text: '', value })
  }

  /** Ends a round. What follows belongs to the next one, which is read with the same options. */
  end(): Omit<RoundEnd, 'chunks' | 'usage'> & { readonly text: string } {
    for (const call of this.#calls.values()) this.#read(call)
    const calls = [...this.#calls.values()].filter(({ name }) => protocolCall(name) !== undefined).map(replyCall)
    const parts = this.#parts.map(
      (part): ReplyPart => ('isOpen' in part ? { kind: 'text', text: part.text } : { kind: 'call', ...replyCall(part) }),
    )
    const { text, outcome } = this.#reader.end()
    const shown = this.#show(text)
    this.#calls = new Map()
    this.#parts = []
    this.#reader = new ReplyReader(this.#options)
    this.#startsLine = this.#visible !== '' && !/\s$/.test(this.#visible)
    return { text: shown, outcome, calls, parts }
  }

  #show(text: string): string {
    if (text === '') return ''
    const shown = this.#startsLine ? `\n${text}` : text
    this.#startsLine = false
    this.#visible += shown
    return shown
  }

  #read(call: StreamCall): void {
    if (call.isRead) return
    call.isRead = true
    this.#reader.call(replyCall(call))
  }
}

function replyCall({ id, name, text, value }: StreamCall): ReplyCall {
  return { id, name, arguments: text === '' && value !== undefined ? value : text }
}
