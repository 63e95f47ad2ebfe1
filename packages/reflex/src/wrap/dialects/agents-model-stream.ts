import { protocolCall } from '../../kinds/skill/protocol/native.ts'
import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { CanonicalReply, DialectStream, Replacement, RoundEnd } from './contract.ts'
import { type Fields, fieldsOf, textOf } from './loose.ts'
import { StreamRound } from './stream-round.ts'

/** The raw events of a provider that hold text or calls, which the agent gets in other events. */
const RAW_CONTENT = /^response\.(?:output_text|content_part|output_item|function_call|completed|incomplete)/

/** The events of a streamed response of the Agents SDK. Calls arrive with its end alone. */
export class AgentsModelStream implements DialectStream {
  readonly #read: (response: Fields) => CanonicalReply
  readonly #write: (response: Fields, replacement: Replacement) => Fields
  readonly #round: StreamRound
  #hasStarted = false
  #hasText = false
  #visible = ''
  #ownCalls = 0
  readonly #responses: Fields[] = []
  #roundUsage: unknown
  #end: Fields = { type: 'response_done' }

  constructor(
    read: (response: Fields) => CanonicalReply,
    write: (response: Fields, replacement: Replacement) => Fields,
    options: ReplyOptions = {},
  ) {
    this.#read = read
    this.#write = write
    this.#round = new StreamRound(options)
  }

  get visible(): string {
    return this.#round.visible
  }

  begin(options: ReplyOptions): void {
    this.#round.begin(options)
  }

  push(event: Fields): readonly Fields[] {
    switch (event['type']) {
      case 'response_started': {
        const isFirst = !this.#hasStarted
        this.#hasStarted = true
        return isFirst ? [event] : []
      }
      case 'output_text_delta':
        this.#hasText = true
        return this.#show(this.#round.text(textOf(event['delta'])), event)
      case 'response_done':
        return this.#done(event)
      case 'model': {
        const { type } = fieldsOf(event['event'])
        return typeof type === 'string' && !RAW_CONTENT.test(type) ? [event] : []
      }
      default:
        return [event]
    }
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const usage = this.#roundUsage
    this.#roundUsage = undefined
    this.#hasText = false
    return { chunks: this.say(text), ...round, usage }
  }

  say(text: string): readonly Fields[] {
    return this.#show(text, { type: 'output_text_delta' })
  }

  close(): readonly Fields[] {
    const last = this.#responses.at(-1) ?? {}
    const response = this.#write(last, { text: this.#visible, rounds: this.#responses, ownCalls: this.#ownCalls })
    return [{ ...this.#end, response }]
  }

  #done(event: Fields): readonly Fields[] {
    const response = fieldsOf(event['response'])
    this.#end = event
    this.#responses.push(response)
    this.#roundUsage = response['usage']
    let text = this.#hasText ? this.#round.endPart() : ''
    this.#read(response).parts.forEach((part, key) => {
      if (part.kind === 'text') {
        // The texts came before, piece by piece.
        if (!this.#hasText) text += this.#round.text(part.text) + this.#round.endPart()
        return
      }
      const started = this.#round.startCall(key, part.id, part.name)
      text += started.text
      if (started.keeps && protocolCall(part.name) === undefined) this.#ownCalls++
      this.#round.setArguments(key, part.arguments)
    })
    return this.say(text)
  }

  #show(text: string, event: Fields): readonly Fields[] {
    this.#visible += text
    return text === '' ? [] : [{ ...event, delta: text }]
  }
}
