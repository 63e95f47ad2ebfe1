import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { DialectStream, RoundEnd } from './contract.ts'
import { addUsage, compact, type Fields, fieldsOf, textOf } from './loose.ts'
import { StreamRound } from './stream-round.ts'

/** The block of the round that arrives now; `index` is that of the agent's stream once it was begun there. */
interface OpenBlock {
  readonly start: Fields
  index: number | undefined
}

/** The events of a streamed message: one start, the blocks of all rounds numbered through, one end. A block of text begins with its first visible text. */
export class AnthropicStream implements DialectStream {
  readonly #round: StreamRound
  #hasStarted = false
  #blocks = 0
  #ownCalls = 0
  #open = new Map<unknown, OpenBlock>()
  /** The end of the latest round. */
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
    switch (event['type']) {
      case 'message_start':
        return this.#start(event)
      case 'content_block_start':
        return this.#startBlock(event)
      case 'content_block_delta':
        return this.#delta(event)
      case 'content_block_stop':
        return this.#stopBlock(event)
      case 'message_delta':
        this.#end = event
        this.#roundUsage = { ...fieldsOf(this.#roundUsage), ...withoutNull(fieldsOf(event['usage'])) }
        return []
      case 'message_stop':
        return []
      default:
        return [event]
    }
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const usage = this.#roundUsage
    this.#usage = addUsage(this.#usage, usage)
    this.#roundUsage = undefined
    this.#open = new Map()
    return { chunks: this.say(text), ...round, usage }
  }

  say(text: string): readonly Fields[] {
    if (text === '') return []
    const index = this.#blocks++
    return [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index },
    ]
  }

  close(): readonly Fields[] {
    const delta = fieldsOf(this.#end?.['delta'])
    const stop = delta['stop_reason'] === 'tool_use' && this.#ownCalls === 0 ? 'end_turn' : (delta['stop_reason'] ?? null)
    const end = { ...this.#end, type: 'message_delta', delta: { ...delta, stop_reason: stop }, usage: this.#usage }
    return [compact(end), { type: 'message_stop' }]
  }

  #start(event: Fields): readonly Fields[] {
    this.#roundUsage = fieldsOf(event['message'])['usage']
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [event]
  }

  #startBlock(event: Fields): readonly Fields[] {
    const { type, id, name, text } = fieldsOf(event['content_block'])
    const block: OpenBlock = { start: event, index: undefined }
    this.#open.set(event['index'], block)
    if (type === 'text') return this.#say(block, this.#round.text(textOf(text)))
    if (type !== 'tool_use') return [this.#begin(block)]
    const { keeps, text: held } = this.#round.startCall(event['index'], textOf(id), textOf(name))
    if (keeps) this.#ownCalls++
    return [...this.say(held), ...(keeps ? [this.#begin(block)] : [])]
  }

  #delta(event: Fields): readonly Fields[] {
    const block = this.#open.get(event['index'])
    const { type, text, partial_json } = fieldsOf(event['delta'])
    if (block === undefined) return []
    if (type === 'text_delta') return this.#say(block, this.#round.text(textOf(text)))
    if (type === 'input_json_delta') this.#round.addArguments(event['index'], partial_json)
    return block.index === undefined ? [] : [{ ...event, index: block.index }]
  }

  #stopBlock(event: Fields): readonly Fields[] {
    const block = this.#open.get(event['index'])
    if (block === undefined) return []
    const held = fieldsOf(block.start['content_block'])['type'] === 'text' ? this.#say(block, this.#round.endPart()) : []
    return block.index === undefined ? held : [...held, { ...event, index: block.index }]
  }

  /** Returns the text in a block of the agent's stream, with the start of the block if it is the first. */
  #say(block: OpenBlock, text: string): readonly Fields[] {
    if (text === '') return []
    const start = block.index === undefined ? [this.#begin(block)] : []
    return [...start, { type: 'content_block_delta', index: block.index, delta: { type: 'text_delta', text } }]
  }

  #begin(block: OpenBlock): Fields {
    block.index = this.#blocks++
    const content = fieldsOf(block.start['content_block'])
    return { ...block.start, index: block.index, content_block: content['type'] === 'text' ? { ...content, text: '' } : content }
  }
}

function withoutNull(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
}
