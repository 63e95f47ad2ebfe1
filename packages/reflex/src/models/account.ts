import { isObject, type Json, type JsonObject, type Redactor } from '../kernel/index.ts'
import { dollars } from './prices.ts'
import type { ModelReply, ModelTry, Usage } from './types.ts'
import { addUsage } from './usage.ts'

/** The most characters of an answer that a fault contains. */
const MOST_ANSWER = 2000

/** The usage of a request or a conversation so far, and its last answer: data for the reply or for a fault. */
export class Account {
  usage: Usage = { input: 0, output: 0 }
  /** The cost in USD; undefined after something without a price was counted. */
  cost: number | undefined = 0
  tries = 0
  /** True if part of the usage is an estimate: a model did not report its usage, or a try ended before that. */
  estimated = false
  readonly #redact: Redactor | undefined
  #model: string | undefined
  #answer: string | undefined

  /** `redact` removes secrets from an answer before it is cut: a part of a secret could not be recognized. */
  constructor(redact?: Redactor) {
    this.#redact = redact
  }

  /** Records that a try of a model begins. */
  beginTry(model: string): void {
    this.tries++
    this.#model = model
  }

  /** Adds tokens and their cost in USD. */
  count(usage: Usage, cost: number | undefined): void {
    this.usage = addUsage(this.usage, usage)
    this.cost = this.cost === undefined || cost === undefined ? undefined : dollars(this.cost + cost)
  }

  /** Records the answer of a model, even if the answer is refused later. */
  recordAnswer(model: string, { text, calls }: Pick<ModelTry, 'text' | 'calls'>): void {
    const given = text === '' && calls !== undefined ? JSON.stringify(calls) : text
    const redacted = (this.#redact?.(given) as string | undefined) ?? given
    this.#model = model
    this.#answer = (redacted.length > MOST_ANSWER ? `${redacted.slice(0, MOST_ANSWER)}…` : redacted).toWellFormed()
  }

  /** Adds a complete reply, which becomes the last answer. */
  addReply(reply: ModelReply): void {
    this.count(reply.usage, reply.cost)
    this.tries += reply.tries
    this.estimated ||= reply.estimated === true
    this.recordAnswer(reply.model, reply)
  }

  /** Adds the usage in `used`, from the fault of a part of the conversation. */
  addUsed(used: Json | undefined): void {
    if (!isObject(used)) return
    const { model, input, output, usd, tries, estimated } = used
    this.count({ input: numberOf(input), output: numberOf(output) }, typeof usd === 'number' ? usd : undefined)
    this.tries += numberOf(tries)
    this.estimated ||= estimated === true
    if (typeof model === 'string') this.#model = model
  }

  /** Returns `answer` and `used` for the data of a fault: the answer if there is one, the usage if any was counted. */
  get facts(): JsonObject {
    const { input, output } = this.usage
    if (this.#model === undefined || (this.#answer === undefined && input + output === 0)) return {}
    const used = {
      model: this.#model,
      input,
      output,
      ...(this.cost === undefined ? {} : { usd: this.cost }),
      tries: this.tries,
      ...(this.estimated ? { estimated: true } : {}),
    }
    return { ...(this.#answer === undefined ? {} : { answer: this.#answer }), used }
  }
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}
