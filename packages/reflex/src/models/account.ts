import { isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { dollars } from './prices.ts'
import type { ModelReply, ModelTry, Usage } from './types.ts'
import { addUsage } from './usage.ts'

/** Characters of an answer that a fault keeps. */
const KEPT = 2000

/** What a request, or a conversation, has used so far, and what was said last: what its reply tells, or its fault keeps. */
export class Account {
  usage: Usage = { input: 0, output: 0 }
  /** USD; undefined once something was not counted or not priced. */
  cost: number | undefined = 0
  tries = 0
  #said: { readonly model: string; readonly answer: string } | undefined

  /** Adds tokens and what they cost. */
  count(usage: Usage | undefined, cost: number | undefined): void {
    if (usage !== undefined) this.usage = addUsage(this.usage, usage)
    const sum = this.cost === undefined || usage === undefined || cost === undefined ? Number.NaN : dollars(this.cost + cost)
    // A price of one's own may be anything.
    this.cost = Number.isFinite(sum) && sum >= 0 ? sum : undefined
  }

  /** A model has answered, whatever will come of that. */
  hear(model: string, { text, calls }: Pick<ModelTry, 'text' | 'calls'>): void {
    const said = text === '' && calls !== undefined ? JSON.stringify(calls) : text
    this.#said = { model, answer: (said.length > KEPT ? `${said.slice(0, KEPT)}…` : said).toWellFormed() }
  }

  /** Adds a whole reply, the last so far. */
  take(reply: ModelReply): void {
    this.count(reply.usage, reply.cost)
    this.tries += reply.tries
    this.hear(reply.model, reply)
  }

  /** Adds what the fault of a part of the conversation has kept as `used`. */
  join(used: Json | undefined): void {
    if (!isObject(used)) return
    const { input, output, usd, tries } = used
    this.count({ input: numberOf(input), output: numberOf(output) }, typeof usd === 'number' ? usd : undefined)
    this.tries += numberOf(tries)
  }

  /** `answer` and `used` for the data of a fault; nothing where no answer came. */
  get facts(): JsonObject {
    if (this.#said === undefined) return {}
    const { model, answer } = this.#said
    const { input, output } = this.usage
    return { answer, used: { model, input, output, ...(this.cost === undefined ? {} : { usd: this.cost }), tries: this.tries } }
  }
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}
