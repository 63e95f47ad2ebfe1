import { protocolCall, type ReplyCall } from '../../kinds/skill/protocol/native.ts'
import { ReplyReader, type ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { ReadReply } from './read-reply.ts'

interface StreamCall {
  readonly id: string
  readonly name: string
  readonly keeps: boolean
  text: string
  /** Arguments that arrive as a value. */
  value?: unknown
  isRead: boolean
}

/** One round of a stream: what its text and calls mean, told apart by the keys that the dialect uses. */
export class StreamRound {
  readonly #reader: ReplyReader
  readonly #calls = new Map<unknown, StreamCall>()

  constructor(options: ReplyOptions = {}) {
    this.#reader = new ReplyReader(options)
  }

  /** Takes text of the assistant, and returns what is visible. */
  text(piece: string): string {
    return this.#reader.text(piece)
  }

  /** Ends a text part, and returns what was held back. */
  endPart(): string {
    return this.#reader.endPart()
  }

  /** Begins a call: `keeps` says whether the agent gets it, `text` was held back until now. Earlier calls are complete. */
  startCall(key: unknown, id: string, name: string): { readonly keeps: boolean; readonly text: string } {
    for (const call of this.#calls.values()) this.#read(call)
    const { keeps, text } = this.#reader.startCall(name)
    this.#calls.set(key, { id, name, keeps, text: '', isRead: false })
    return { keeps, text }
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

  end(): ReadReply & { readonly text: string } {
    for (const call of this.#calls.values()) this.#read(call)
    const calls = [...this.#calls.values()].filter(({ name }) => protocolCall(name) !== undefined).map(replyCall)
    return { ...this.#reader.end(), calls }
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
