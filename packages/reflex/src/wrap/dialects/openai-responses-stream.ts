import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { DialectStream, RoundEnd } from './contract.ts'
import { calledTool } from './items.ts'
import { addUsage, compact, type Fields, fieldsOf, listOf, textOf } from './loose.ts'
import { StreamRound } from './stream-round.ts'

const TERMINAL = ['response.completed', 'response.incomplete', 'response.failed']
const PART = { type: 'output_text', text: '', annotations: [] }

/** An item of the agent's stream. */
interface ShownItem {
  readonly index: number
  readonly id: string
}

/** The message that the agent gets now: the texts of several rounds are one, until a call or another item comes. */
interface OpenMessage extends ShownItem {
  text: string
  annotations: readonly unknown[]
}

/**
 * The events of a streamed response: items of all rounds numbered through, text as messages of its own, no items of protocol calls, and one end
 * with all items. An agent that sends the items back has the reply in the same form as without a stream.
 */
export class OpenAiResponsesStream implements DialectStream {
  readonly #round: StreamRound
  #rounds = 0
  #sequence = 0
  #count = 0
  readonly #ids = new Set<string>()
  /** The items of this round that the agent gets as they are. */
  #items = new Map<unknown, ShownItem>()
  #message: OpenMessage | undefined
  /** The id that the model's side gave to its latest message, which it knows if the agent sends the item back. */
  #messageId = 'msg_reflex'
  readonly #output: unknown[] = []
  #end: Fields | undefined
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

  push(event: Fields): readonly Fields[] {
    return this.#number(this.#take(event))
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const usage = this.#roundUsage
    this.#usage = addUsage(this.#usage, usage)
    this.#roundUsage = undefined
    this.#rounds++
    this.#items = new Map()
    return { chunks: this.say(text), ...round, usage }
  }

  say(text: string): readonly Fields[] {
    return this.#number(this.#text(text))
  }

  close(): readonly Fields[] {
    const ended = this.#endMessage()
    const response = compact({ ...fieldsOf(this.#end?.['response']), output: this.#output, usage: this.#usage })
    return this.#number([...ended, { type: 'response.completed', ...this.#end, response }])
  }

  #take(event: Fields): readonly Fields[] {
    const type = textOf(event['type'])
    if (TERMINAL.includes(type)) {
      this.#end = event
      this.#roundUsage = addUsage(this.#roundUsage, fieldsOf(event['response'])['usage'] ?? undefined)
      return []
    }
    if (event['output_index'] === undefined) return this.#rounds === 0 || !type.startsWith('response.') ? [event] : []
    switch (type) {
      case 'response.output_item.added':
        return this.#beginItem(event)
      case 'response.output_text.delta':
        return this.#text(this.#round.text(textOf(event['delta'])))
      case 'response.output_text.done':
        return this.#text(this.#round.endPart())
      case 'response.content_part.done':
        if (this.#message !== undefined) this.#message.annotations = listOf(fieldsOf(event['part'])['annotations'])
        break
      case 'response.function_call_arguments.delta':
        this.#round.addArguments(event['output_index'], event['delta'])
        break
      case 'response.output_item.done':
        return this.#finishItem(event)
      default:
    }
    const item = this.#items.get(event['output_index'])
    return item === undefined ? [] : [{ ...event, output_index: item.index, item_id: item.id }]
  }

  /** Text of a message waits for its first visible character; other items begin at once. */
  #beginItem(event: Fields): readonly Fields[] {
    const item = fieldsOf(event['item'])
    if (item['type'] === 'message') {
      this.#messageId = textOf(item['id']) || this.#messageId
      return []
    }
    const name = calledTool(item)
    let held: readonly Fields[] = []
    if (name !== undefined) {
      const { keeps, text } = this.#round.startCall(event['output_index'], textOf(item['call_id']), name)
      held = this.#text(text)
      if (!keeps) return held
    }
    const ended = this.#endMessage()
    const shown = this.#newItem(textOf(item['id']))
    this.#items.set(event['output_index'], shown)
    return [...held, ...ended, { ...event, output_index: shown.index, item: { ...item, id: shown.id } }]
  }

  #finishItem(event: Fields): readonly Fields[] {
    const item = fieldsOf(event['item'])
    if (calledTool(item) !== undefined) this.#round.setArguments(event['output_index'], item['arguments'])
    if (item['type'] === 'message') return this.#refusal(item)
    const shown = this.#items.get(event['output_index'])
    if (shown === undefined) return []
    const finished = { ...item, id: shown.id }
    this.#output.push(finished)
    return [{ ...event, output_index: shown.index, item: finished }]
  }

  /** Returns a message that is not of text, such as a refusal, as an item of its own. */
  #refusal(item: Fields): readonly Fields[] {
    const content = listOf(item['content']).filter((part) => fieldsOf(part)['type'] !== 'output_text')
    if (content.length === 0) return []
    const ended = this.#endMessage()
    const { index, id } = this.#newItem(textOf(item['id']))
    const shown = { ...item, id, content }
    this.#output.push(shown)
    return [
      ...ended,
      { type: 'response.output_item.added', output_index: index, item: { ...shown, content: [] } },
      { type: 'response.output_item.done', output_index: index, item: shown },
    ]
  }

  #text(text: string): readonly Fields[] {
    if (text === '') return []
    const begun: Fields[] = []
    if (this.#message === undefined) {
      this.#message = { ...this.#newItem(this.#messageId), text: '', annotations: [] }
      const item = this.#messageItem(this.#message, 'in_progress', [])
      begun.push(
        { type: 'response.output_item.added', output_index: this.#message.index, item },
        { type: 'response.content_part.added', ...placeOf(this.#message), part: PART },
      )
    }
    this.#message.text += text
    return [...begun, { type: 'response.output_text.delta', ...placeOf(this.#message), delta: text, logprobs: [] }]
  }

  #endMessage(): readonly Fields[] {
    const message = this.#message
    if (message === undefined) return []
    this.#message = undefined
    const part = { ...PART, text: message.text, annotations: message.annotations }
    const item = this.#messageItem(message, 'completed', [part])
    this.#output.push(item)
    return [
      { type: 'response.output_text.done', ...placeOf(message), text: message.text, logprobs: [] },
      { type: 'response.content_part.done', ...placeOf(message), part },
      { type: 'response.output_item.done', output_index: message.index, item },
    ]
  }

  #messageItem({ id }: ShownItem, status: string, content: readonly unknown[]): Fields {
    return { id, type: 'message', role: 'assistant', status, content }
  }

  /** Numbers an item, with an id that no other item of the stream has. */
  #newItem(wanted: string): ShownItem {
    const index = this.#count++
    const id = this.#ids.has(wanted) ? `${wanted}_${index}` : wanted
    this.#ids.add(id)
    return { index, id }
  }

  /** Numbers events, without a gap. */
  #number(events: readonly Fields[]): readonly Fields[] {
    return events.map((event) => ({ ...event, sequence_number: this.#sequence++ }))
  }
}

function placeOf({ index, id }: ShownItem): Fields {
  return { output_index: index, item_id: id, content_index: 0 }
}
