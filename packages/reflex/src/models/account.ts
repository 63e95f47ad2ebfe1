import { isObject, type Json, type JsonObject, type Redactor } from '../kernel/index.ts'
import { dollars } from './prices.ts'
import type { ModelReply, ModelTry, Usage } from './types.ts'
import { addUsage } from './usage.ts'

/** Characters of an answer that a fault keeps. */
const MOST_ANSWER = 2000

/** What a request, or a conversation, has used so far, and what was said last: what its reply tells, or its fault keeps. */
export class Account {
  usage: Usage = { input: 0, output: 0 }
  /** USD; undefined once something was not priced. */
  cost: number | undefined = 0
  tries = 0
  /** Some of the usage is an estimate: a model did not say what it used, or its try broke off before. */
  estimated = false
  readonly #redact: Redactor | undefined
  #model: string | undefined
  #answer: string | undefined

  /** `redact` takes secrets out of an answer before it is cut: a part of one has no shape. */
  constructor(redact?: Redactor) {
    this.#redact = redact
  }

  /** A model is tried. */
  beginTry(model: string): void {
    this.tries++
    this.#model = model
  }

  /** Adds tokens and what they cost. */
  count(usage: Usage, cost: number | undefined): void {
    this.usage = addUsage(this.usage, usage)
    this.cost = this.cost === undefined || cost === undefined ? undefined : dollars(this.cost + cost)
  }

  /** A model has answered, whatever will come of that. */
  recordAnswer(model: string, { text, calls }: Pick<ModelTry, 'text' | 'calls'>): void {
    const given = text === '' && calls !== undefined ? JSON.stringify(calls) : text
    const redacted = (this.#redact?.(given) as string | undefined) ?? given
    this.#model = model
    this.#answer = (redacted.length > MOST_ANSWER ? `${redacted.slice(0, MOST_ANSWER)}…` : redacted).toWellFormed()
  }

  /** Adds a whole reply, the last so far. */
  addReply(reply: ModelReply): void {
    this.count(reply.usage, reply.cost)
    this.tries += reply.tries
    this.estimated ||= reply.estimated === true
    this.recordAnswer(reply.model, reply)
  }

  /** Adds what the fault of a part of the conversation has kept as `used`. */
  addUsed(used: Json | undefined): void {
    if (!isObject(used)) return
    const { model, input, output, usd, tries, estimated } = used
    this.count({ input: numberOf(input), output: numberOf(output) }, typeof usd === 'number' ? usd : undefined)
    this.tries += numberOf(tries)
    this.estimated ||= estimated === true
    if (typeof model === 'string') this.#model = model
  }

  /** `answer` and `used` for the data of a fault: the answer if there is one, the usage if any was counted. */
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
