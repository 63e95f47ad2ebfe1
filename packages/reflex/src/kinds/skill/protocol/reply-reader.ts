import type { BlockOrigin } from './read-block.ts'
import type { ProtocolNote, ReplyOutcome } from '../model/protocol.ts'
import { judgeReply, type ReadBlock } from './judge-reply.ts'
import { type ReplyCall, protocolCall, readArguments } from './native.ts'
import { readClarification, readProposal } from './read-block.ts'
import type { ScannedBlock } from './scanned-block.ts'
import { Scanner } from './scanner.ts'
import { SoleFence } from './sole-fence.ts'
import { readStrictObject, type StrictObject } from './strict-json.ts'
import { isExecutable } from './tags.ts'

export interface ReplyOptions {
  /** False once two replies of the turn were malformed: all text passes unchanged. Default: true. */
  readonly enabled?: boolean
  /** The number of proposals of one reply that are decided. Default: 1. */
  readonly maxProposals?: number
  /** `accept-sole`: a proposal counts in a fence that is the whole reply; such a reply is held back to its end. Default: `reject`. */
  readonly fenced?: 'reject' | 'accept-sole'
}

/** The number of malformed replies after which the protocol is off for the rest of a turn (reference skill 1.12, rule 11). */
export const MAX_MALFORMED_REPLIES = 2

const MAX_DETAIL = 240

const MISTAKES = {
  nested: 'a block must not contain another block',
  unclosed: 'the closing tag is missing',
  oversized: 'the body is longer than 8 KiB',
  trailing: 'nothing may follow the closing tag on its line',
} as const

/**
 * Reads one reply of a model, of which text parts and calls arrive in their order, whole or in pieces; the outcome is the same. Only text
 * that the assistant has just written may be given to it: no reasoning, no results of tools, no text of users, no history.
 */
export class ReplyReader {
  readonly #maxProposals: number
  readonly #enabled: boolean
  readonly #scanner: Scanner
  readonly #sole: SoleFence | undefined
  readonly #blocks: ReadBlock[] = []
  readonly #notes: ProtocolNote[] = []
  #visible = ''
  #history = ''
  /** What became visible since the caller last took it. */
  #fresh = ''
  #executed = false
  #ownCalls = 0
  #dropped = 0

  constructor({ enabled = true, maxProposals = 1, fenced = 'reject' }: ReplyOptions = {}) {
    this.#maxProposals = Math.max(1, maxProposals)
    this.#enabled = enabled
    this.#sole = fenced === 'accept-sole' ? new SoleFence() : undefined
    this.#scanner = new Scanner({
      text: (text) => this.#addText(text),
      block: (block) => this.#addBlock(block),
      inert: (tag, place) => {
        if (place === 'fence') this.#blocks.push({ found: 'fenced' })
        else this.#notes.push({ kind: 'asp.ignored', detail: `${tag} in ${place}` })
      },
    })
  }

  /** Takes text of the assistant and returns what the user may see of it by now. */
  text(piece: string): string {
    if (!this.#enabled) this.#addText(piece)
    else this.#scanner.push(this.#sole === undefined ? piece : this.#sole.push(piece))
    return this.#take()
  }

  /** Ends a text part, and returns the text that was held back in it. */
  endPart(): string {
    if (this.#enabled && this.#sole?.holds !== true) this.#scanner.endPart()
    return this.#take()
  }

  /**
   * Takes the name of a tool that is called. `keeps`: the call stays in the reply. A call of the protocol never does, and the agent's own does
   * not after a block or call that executes, because it was written without the result. `text` was held back until now.
   */
  startCall(name: string): { readonly keeps: boolean; readonly text: string } {
    if (this.#sole !== undefined) this.#scanner.push(this.#sole.release())
    if (this.#enabled) this.#scanner.breakLine()
    const isOwn = protocolCall(name) === undefined
    const keeps = isOwn && !this.#executed
    if (keeps) this.#ownCalls++
    else if (isOwn) this.#notes.push({ kind: 'asp.tail_dropped', detail: `call of ${name}`.slice(0, MAX_DETAIL) })
    return { keeps, text: this.#take() }
  }

  /** Takes a complete call of the protocol that was started; a call of another tool means nothing to it. */
  call(call: ReplyCall): void {
    const tag = protocolCall(call.name)
    if (tag === undefined) return
    const origin = { carrier: 'tool', callIds: [call.id] } as const
    if (this.#ownCalls > 0) this.#notes.push({ kind: 'asp.calls_first', detail: call.name })
    else if (this.#enabled) this.#addBody(tag, readArguments(call.arguments), origin)
    else this.#blocks.push({ found: 'malformed', detail: 'skills are off for this turn', callIds: [call.id] })
  }

  /** Ends the reply, and returns what it means, with the text that was held back. */
  end(): { readonly text: string; readonly outcome: ReplyOutcome } {
    if (this.#enabled) {
      if (this.#sole !== undefined) this.#scanner.push(this.#sole.end())
      this.#scanner.end()
    }
    if (this.#dropped > 0) this.#notes.push({ kind: 'asp.tail_dropped', detail: `${this.#dropped} characters` })
    const outcome: ReplyOutcome = {
      visible: this.#visible,
      history: this.#history,
      ...judgeReply(this.#blocks, this.#maxProposals),
      notes: this.#notes,
      malformed: this.#enabled && this.#blocks.some(({ found }) => found === 'malformed'),
      ownCalls: this.#ownCalls,
    }
    return { text: this.#take(), outcome }
  }

  #take(): string {
    const fresh = this.#fresh
    this.#fresh = ''
    return fresh
  }

  #addText(text: string): void {
    if (this.#executed) {
      this.#dropped += text.replace(/\s/g, '').length
      return
    }
    this.#fresh += text
    this.#visible += text
    this.#history += text
  }

  #addBlock({ tag, body, raw, mistake }: ScannedBlock): void {
    if (!isExecutable(tag)) this.#notes.push({ kind: 'asp.forged', detail: tag })
    else if (!this.#executed && mistake !== 'nested') this.#history += `${raw}\n`
    const origin = { carrier: 'text', callIds: [] } as const
    if (isExecutable(tag)) this.#addBody(tag, mistake === undefined ? readStrictObject(body) : { mistake: MISTAKES[mistake] }, origin)
    else if (mistake === 'nested') this.#blocks.push({ found: 'malformed', detail: MISTAKES.nested, callIds: [] })
  }

  #addBody(tag: 'SKILL_PROPOSE' | 'CLARIFY', body: StrictObject, origin: BlockOrigin): void {
    if (this.#ownCalls > 0 && origin.carrier === 'text') {
      this.#notes.push({ kind: 'asp.calls_first', detail: tag })
      return
    }
    const read = 'mistake' in body ? body : tag === 'CLARIFY' ? readClarification(body.value, origin) : readProposal(body.value, origin)
    if ('mistake' in read) {
      this.#blocks.push({ found: 'malformed', detail: read.mistake, callIds: origin.callIds })
      return
    }
    this.#notes.push(...read.notes)
    this.#executed = true
    const { content } = read
    this.#blocks.push(
      'questions' in content ? { found: 'clarification', clarification: content } : { found: 'proposal', proposal: content },
    )
  }
}

/** Reads a whole reply: the texts of the assistant and its calls of tools, in their order. */
export function readReplyParts(parts: Iterable<string | ReplyCall>, options: ReplyOptions = {}): ReplyOutcome {
  const reader = new ReplyReader(options)
  for (const part of parts) {
    if (typeof part === 'string') {
      reader.text(part)
      reader.endPart()
    } else {
      reader.startCall(part.name)
      reader.call(part)
    }
  }
  return reader.end().outcome
}

/** Reads a whole reply of one text part. */
export function readReply(text: string, options: ReplyOptions = {}): ReplyOutcome {
  const reader = new ReplyReader(options)
  reader.text(text)
  return reader.end().outcome
}
