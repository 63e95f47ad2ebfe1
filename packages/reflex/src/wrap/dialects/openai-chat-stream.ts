import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { DialectStream, RoundEnd } from './contract.ts'
import { addUsage, compact, type Fields, fieldsOf, listOf, textOf, without } from './loose.ts'
import { StreamRound } from './stream-round.ts'

/** The chunks of a streamed chat completion. Finish and usage are held back until the stream is closed. */
export class OpenAiChatStream implements DialectStream {
  readonly #round: StreamRound
  #rounds = 0
  /** The first chunk, whose id the whole stream has. */
  #first: Fields | undefined
  #finish: unknown
  #roundUsage: unknown
  #usage: unknown
  #ownCalls = 0
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
    this.#first ??= without(chunk, 'choices', 'usage')
    this.#roundUsage = addUsage(this.#roundUsage, chunk['usage'] ?? undefined)
    const choices = listOf(chunk['choices']).map(fieldsOf)
    const shown = choices.flatMap((choice) => (choice['index'] === 0 || choice['index'] === undefined ? this.#pass(choice) : [choice]))
    return shown.length === 0 ? [] : [this.#chunk(shown)]
  }

  endRound(): RoundEnd {
    const { text, ...round } = this.#round.end()
    const usage = this.#roundUsage
    this.#usage = addUsage(this.#usage, usage)
    this.#roundUsage = undefined
    this.#rounds++
    this.#indices.clear()
    return { chunks: this.say(text), ...round, usage }
  }

  say(text: string): readonly Fields[] {
    return text === '' ? [] : [this.#chunk([{ index: 0, delta: { content: text }, finish_reason: null }])]
  }

  close(): readonly Fields[] {
    const finish = this.#finish === 'tool_calls' && this.#ownCalls === 0 ? 'stop' : (this.#finish ?? null)
    const end = this.#chunk([{ index: 0, delta: {}, finish_reason: finish }])
    return this.#usage === undefined ? [end] : [end, { ...this.#chunk([]), usage: this.#usage }]
  }

  #chunk(choices: readonly Fields[]): Fields {
    return { object: 'chat.completion.chunk', ...this.#first, choices }
  }

  /** Returns the first choice as the agent gets it, or nothing if there is nothing in it for the agent. */
  #pass(choice: Fields): readonly Fields[] {
    this.#finish = choice['finish_reason'] ?? this.#finish
    const delta = fieldsOf(choice['delta'])
    let text = this.#round.text(textOf(delta['content']))
    const calls: Fields[] = []
    for (const call of listOf(delta['tool_calls']).map(fieldsOf)) {
      const passed = this.#passCall(call)
      text += passed.text
      if (passed.call !== undefined) calls.push(passed.call)
    }
    const rest = without(delta, 'content', 'tool_calls', ...(this.#rounds > 0 ? ['role'] : []))
    const shown = compact({ ...rest, content: text === '' ? undefined : text, tool_calls: calls.length === 0 ? undefined : calls })
    return Object.keys(shown).length === 0 ? [] : [{ ...choice, index: 0, delta: shown, finish_reason: null }]
  }

  #passCall(call: Fields): { readonly text: string; readonly call?: Fields } {
    const { index: key, function: inner } = call
    const { name, arguments: piece } = fieldsOf(inner ?? call['custom'])
    let text = ''
    if (!this.#round.has(key)) {
      const started = this.#round.startCall(key, textOf(call['id']), textOf(name))
      text = started.text
      if (started.keeps) this.#indices.set(key, this.#ownCalls++)
    }
    this.#round.addArguments(key, piece)
    return this.#round.keeps(key) ? { text, call: { ...call, index: this.#indices.get(key) } } : { text }
  }
}
