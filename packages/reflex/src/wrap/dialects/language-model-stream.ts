import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { DialectStream, RoundEnd } from './contract.ts'
import { addUsage, type Fields, fieldsOf, textOf } from './loose.ts'
import { StreamRound } from './stream-round.ts'

/** The parts of a stream of the AI SDK. Ids of later rounds get the number of their round; a part of text begins with its first visible text. */
export class LanguageModelStream implements DialectStream {
  readonly #round: StreamRound
  #rounds = 0
  #ownCalls = 0
  #said = 0
  /** The parts of text that arrive now, and whether the agent has their beginning. */
  #texts = new Map<unknown, { readonly start: Fields; hasBegun: boolean }>()
  #finish: Fields | undefined
  #roundUsage: unknown
  #usage: unknown

  constructor(options: ReplyOptions = {}) {
    this.#round = new StreamRound(options)
  }

  get visible(): string {
    return this.#round.visible
  }

  begin(options: ReplyOptions): void {
    this.#round.begin(options)
  }

  push(part: Fields): readonly Fields[] {
    switch (part['type']) {
      case 'stream-start':
      case 'response-metadata':
        return this.#rounds === 0 ? [part] : []
      case 'text-start':
        this.#texts.set(part['id'], { start: part, hasBegun: false })
        return []
      case 'text-delta':
        return this.#text(part['id'], this.#round.text(textOf(part['delta'])), part)
      case 'text-end':
        return this.#endText(part)
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-call':
        return part['providerExecuted'] === true ? [part] : this.#passCall(part)
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return [{ ...part, id: this.#idOf(part['id']) }]
      case 'finish':
        this.#finish = part
        this.#roundUsage = addUsage(this.#roundUsage, part['usage'])
        return []
      case 'raw':
        // What the provider sent has the block in it.
        return []
      default:
        return [part]
    }
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const usage = this.#roundUsage
    this.#usage = addUsage(this.#usage, usage)
    this.#roundUsage = undefined
    this.#rounds++
    this.#texts = new Map()
    return { chunks: this.say(text), ...round, usage }
  }

  say(text: string): readonly Fields[] {
    if (text === '') return []
    const id = `reflex-${this.#said++}`
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: text },
      { type: 'text-end', id },
    ]
  }

  close(): readonly Fields[] {
    const finish = this.#finish?.['finishReason'] ?? { unified: 'other', raw: undefined }
    const finishReason = this.#ownCalls === 0 ? withoutCalls(finish) : finish
    return [{ type: 'finish', ...this.#finish, finishReason, usage: this.#usage }]
  }

  /** Returns text as a part of the agent's stream; `delta` is the part that it came with. */
  #text(id: unknown, text: string, delta: Fields = {}): readonly Fields[] {
    const part = this.#texts.get(id)
    if (text === '') return []
    const change = { ...delta, type: 'text-delta', id: this.#idOf(id), delta: text }
    if (part === undefined || part.hasBegun) return [change]
    part.hasBegun = true
    return [{ ...part.start, id: this.#idOf(id) }, change]
  }

  #endText(part: Fields): readonly Fields[] {
    const held = this.#text(part['id'], this.#round.endPart())
    const hasBegun = this.#texts.get(part['id'])?.hasBegun === true
    this.#texts.delete(part['id'])
    return hasBegun ? [...held, { ...part, id: this.#idOf(part['id']) }] : held
  }

  /** Passes a part of a call on if the agent gets the call. A call may come whole, or in pieces and then whole. */
  #passCall(part: Fields): readonly Fields[] {
    const id = part['type'] === 'tool-call' ? part['toolCallId'] : part['id']
    let held = ''
    if (!this.#round.has(id)) {
      const { keeps, text } = this.#round.startCall(id, textOf(id), textOf(part['toolName']))
      held = text
      if (keeps) this.#ownCalls++
    }
    if (part['type'] === 'tool-call') this.#round.setArguments(id, part['input'])
    return [...this.say(held), ...(this.#round.keeps(id) ? [part] : [])]
  }

  #idOf(id: unknown): string {
    return this.#rounds === 0 ? textOf(id) : `${textOf(id)}-${this.#rounds + 1}`
  }
}

/** Returns the finish of a reply whose tool calls are gone: the model stopped. */
export function withoutCalls(finish: unknown): unknown {
  if (finishOf(finish) !== 'tool-calls') return finish
  return typeof finish === 'string' ? 'stop' : { ...fieldsOf(finish), unified: 'stop' }
}

/** Returns the finish as all versions of the interface say it. */
export function finishOf(finish: unknown): string {
  return typeof finish === 'string' ? finish : textOf(fieldsOf(finish)['unified'])
}
