import { type Fault, type Host, isFault, isObject, type Json, type JsonObject, type Redactor } from '../kernel/index.ts'
import { Account } from './account.ts'
import { withUniqueCallIds } from './call-ids.ts'
import { withDetails, withRetryAdvice } from './advice.ts'
import { waitBefore } from './backoff.ts'
import { Deadline } from './deadline.ts'
import { faults } from './faults.ts'
import { lengthOf, limitLength } from './limits.ts'
import type { FindMisfits } from './misfits.ts'
import { useOfModel } from './model-names.ts'
import { withCheckedFiles } from './content.ts'
import { unreadableFileFault } from './text-only-models.ts'
import { costOf } from './prices.ts'
import { hasOfferedTools, refuseKeys } from './request.ts'
import { estimateUsage } from './reserve.ts'
import { extras } from './scripted.ts'
import { type CheckedValue, jsonIn, type SchemaCheck, schemaCheck } from './structured.ts'
import type { FailedTry, Model, ModelCall, ModelMessage, ModelReply, ModelRequest, ModelTry, Price, Usage } from './types.ts'
import { validUsage } from './usage.ts'
import { cutText, incompleteFault, validCalls } from './answer-completeness.ts'

/** The parts of the configured models that a request needs. */
export interface AskWorld {
  readonly host: Host
  /** Returns the adapter for a name. Throws a fault if there is none. */
  find(name: string): Promise<Model>
  price(name: string, model: Model): Price | undefined
  /** Checks structured answers. Absent: zod checks them. */
  readonly check: FindMisfits | undefined
  /** Removes secrets from the answers that faults contain. */
  readonly redact: Redactor | undefined
}

export const DEFAULT_TIMEOUT = 120_000
const DEFAULT_RETRIES = 2

/** Asks the models in turn until one answers; see `Models.generate`. */
export async function ask(names: readonly string[], request: ModelRequest, call: ModelCall, world: AskWorld): Promise<ModelReply> {
  call.signal.throwIfAborted()
  const { output } = request
  refuseKeys(request)
  const checkedRequest = withCheckedFiles(request)
  const check = output && schemaCheck(output.schema, { schemaOwner: output.name ?? 'the answer', check: world.check })
  const asking = new PendingRequest(checkedRequest, call, world, check)
  try {
    return await asking.askEach(names)
  } finally {
    asking.end()
  }
}

/** The limits of one try: its time limit in milliseconds, and the model that is asked next. */
interface TryLimits {
  readonly next: string | undefined
  readonly tryTimeout: number | undefined
}

/** A try that ended without an answer. */
interface BrokenTry {
  readonly request: ModelRequest
  /** The number of characters received as progress. */
  readonly receivedCharacters: number
  readonly thrown: unknown
  readonly isLate: boolean
}

/** One request, with all its tries and models. */
class PendingRequest {
  readonly #request: ModelRequest
  readonly #call: ModelCall
  readonly #world: AskWorld
  readonly #check: SchemaCheck | undefined
  readonly #deadline: Deadline
  readonly #failures: FailedTry[] = []
  readonly #account: Account

  constructor(request: ModelRequest, call: ModelCall, world: AskWorld, check: SchemaCheck | undefined) {
    this.#request = request
    this.#call = call
    this.#world = world
    this.#check = check
    this.#account = new Account(world.redact)
    this.#deadline = new Deadline(world.host, request.timeout ?? DEFAULT_TIMEOUT, call.signal)
  }

  end(): void {
    this.#deadline.release()
  }

  async askEach(names: readonly string[]): Promise<ModelReply> {
    let last: Fault | undefined
    for (const [i, name] of names.entries()) {
      try {
        return await this.#askModel(name, { next: names[i + 1], tryTimeout: this.#request.tryTimeout })
      } catch (thrown) {
        const fault = this.#faultOf(thrown, name)
        last = fault
        if (this.#deadline.isOver) break
        const next = names[i + 1]
        if (next !== undefined) this.#noteFailure(fault, name, next)
      }
    }
    throw this.#finalFault(last ?? faults.make('R4001', 'no model is configured', { fix: 'name a model' }))
  }

  /** Asks a model with room for its provider. The first one has it already; a fallback model waits for it now, within the time limit of the request. */
  async #askModel(name: string, limits: TryLimits): Promise<ModelReply> {
    const unfit = unreadableFileFault(name, this.#request)
    if (unfit !== undefined) throw unfit
    const room = this.#call.enter?.(useOfModel(name), this.#deadline.signal)
    const leave = room === undefined ? undefined : await this.#deadline.race(room)
    try {
      return await this.#askWithRoom(name, limits)
    } finally {
      leave?.()
    }
  }

  async #askWithRoom(name: string, limits: TryLimits): Promise<ModelReply> {
    const model = await this.#deadline.race(this.#world.find(name))
    const answer = await this.#askWithRetries(name, model, this.#request, limits)
    const checked = this.#checkAnswer(answer)
    if (checked?.problem === undefined) return this.#reply(name, answer, checked)
    // Repairs the answer once: the model sees its answer and the problem.
    this.#noteFailure(misfitFault(name, checked.problem, answer), name, name)
    const repaired = { ...this.#request, messages: [...this.#request.messages, ...repair(answer, checked.problem)] }
    const again = await this.#askWithRetries(name, model, repaired, limits)
    const recheck = this.#checkAnswer(again)
    if (recheck?.problem !== undefined) throw misfitFault(name, recheck.problem, again)
    return this.#reply(name, again, recheck)
  }

  #checkAnswer(answer: ModelTry): CheckedValue | undefined {
    if (this.#check === undefined || answer.calls !== undefined) return undefined
    const read = jsonIn(answer.text)
    const checked = read.problem === undefined ? this.#check(read.value) : read
    if (checked.problem === undefined || answer.finish !== 'length') return checked
    return { problem: `the answer was ${cutText(answer, this.#request)}` }
  }

  /** Asks one model until it answers or has no retries left. */
  async #askWithRetries(name: string, model: Model, request: ModelRequest, limits: TryLimits): Promise<ModelTry> {
    const retries = this.#request.retries ?? DEFAULT_RETRIES
    for (let retry = 1; ; retry++) {
      try {
        return await this.#askOnce(name, model, request, limits.tryTimeout)
      } catch (thrown) {
        const fault = this.#faultOf(thrown, name)
        const { host } = this.#world
        if (limits.next !== undefined && fault.data?.['hangs'] === true) throw fault
        const wait = waitBefore(retry, fault, `${this.#call.key}/${name}`, host.now())
        if (fault.verdict !== 'retry' || retry > retries || host.now() + wait >= this.#deadline.at)
          throw fault.verdict === 'retry' ? withRetryAdvice(fault, retry) : fault
        this.#noteFailure(fault, name, name)
        await this.#deadline.sleep(host, wait)
      }
    }
  }

  async #askOnce(name: string, model: Model, request: ModelRequest, tryTimeout: number | undefined): Promise<ModelTry> {
    const limit = tryTimeout === undefined ? this.#deadline : new Deadline(this.#world.host, tryTimeout, this.#deadline.signal)
    this.#account.beginTry(name)
    let [receivedCharacters, hasAnswered, isOver] = [0, false, false]
    // A model may report progress after its try has ended.
    const part = (delta: Json): void => {
      if (isOver) return
      receivedCharacters += JSON.stringify(delta).length
      this.#call.part(delta)
    }
    try {
      const answer = await limit.race(model.generate(request, { signal: limit.signal, key: this.#call.key, part }))
      hasAnswered = true
      const usage = this.#countWhole(name, model, request, answer)
      this.#account.recordAnswer(name, answer)
      if (answer.finish === 'filter') throw filterFault(name)
      limitLength(lengthOf(answer))
      const calls = answer.calls === undefined ? {} : { calls: validCalls(answer.calls, this.#request) }
      const valid = withUniqueCallIds(this.#withoutUnofferedCalls({ ...answer, ...calls, usage }), request.messages)
      const shortfall = incompleteFault(name, valid, this.#request)
      if (shortfall !== undefined) throw shortfall
      return valid
    } catch (thrown) {
      if (!hasAnswered) this.#countBroken(name, model, { request, receivedCharacters, thrown, isLate: limit.signal.aborted })
      if (limit !== this.#deadline && limit.isOver && !this.#deadline.signal.aborted) throw tryTimeoutFault(name, tryTimeout ?? 0)
      throw thrown
    } finally {
      isOver = true
      if (limit !== this.#deadline) limit.release()
    }
  }

  #count(name: string, model: Model, usage: Usage): void {
    const price = this.#world.price(name, model)
    this.#account.count(usage, price && costOf(usage, price))
  }

  /**
   * Counts the usage of an answer: the reported usage, else an estimate, so that a provider that reports nothing does
   * not escape a budget.
   */
  #countWhole(name: string, model: Model, request: ModelRequest, answer: ModelTry): Usage {
    const reported = answer.usage && validUsage(answer.usage)
    const usage = reported ?? estimateUsage(request, lengthOf(answer))
    if (reported === undefined) this.#account.estimated = true
    this.#count(name, model, usage)
    return usage
  }

  /** Counts the usage of an interrupted try: the reported usage, else an estimate if the model had started to work. */
  #countBroken(name: string, model: Model, { request, receivedCharacters: heard, thrown, isLate }: BrokenTry): void {
    const reported = isFault(thrown) && isObject(thrown.data?.['usage']) ? validUsage(thrown.data['usage']) : undefined
    if (reported !== undefined) return this.#count(name, model, reported)
    if (heard === 0 && !isLate) return
    this.#account.estimated = true
    this.#count(name, model, estimateUsage(request, heard))
  }

  /** Removes calls of tools that were not offered: they are not an answer. */
  #withoutUnofferedCalls(answer: ModelTry): ModelTry {
    if (answer.calls === undefined || this.#check === undefined) return answer
    if (answer.calls.length > 0 && hasOfferedTools(this.#request)) return answer
    return { ...answer, calls: undefined, native: undefined, finish: answer.finish === 'tools' ? 'other' : answer.finish }
  }

  #reply(name: string, answer: ModelTry, checked: CheckedValue | undefined): ModelReply {
    const { usage, cost, tries, estimated } = this.#account
    return {
      text: answer.text,
      finish: answer.finish,
      ...extras(answer),
      model: name,
      ...(checked?.problem === undefined && checked !== undefined ? { object: checked.value } : {}),
      usage,
      ...(cost === undefined ? {} : { cost }),
      tries,
      ...(estimated ? { estimated } : {}),
      ...(this.#failures.length === 0 ? {} : { failures: this.#failures }),
    }
  }

  /** Records that a try failed and another one begins. */
  #noteFailure({ code, message }: Fault, name: string, next: string): void {
    this.#failures.push({ model: name, code, message })
    if (this.#request.stream === true) this.#call.part({ restart: { try: this.#account.tries + 1, model: next, because: code } }, true)
  }

  /**
   * Converts any thrown value to a fault; an expired deadline is one too. Throws the reason of the signal if the call
   * was aborted.
   */
  #faultOf(thrown: unknown, name: string): Fault {
    if (this.#call.signal.aborted) throw this.#call.signal.reason
    if (this.#deadline.isOver) return timeoutFault(name, this.#request.timeout ?? DEFAULT_TIMEOUT)
    return isFault(thrown)
      ? thrown
      : faults.make('R4007', `${name} cannot answer: ${String(thrown)}`, {
          cause: thrown,
          fix: 'fix the adapter that the application provided',
        })
  }

  /** Returns the fault of the whole request: with the last answer, the usage, and the earlier failures. */
  #finalFault(fault: Fault): Fault {
    const failures = this.#failures.length === 0 ? {} : { failures: this.#failures.map((failure) => ({ ...failure })) }
    const data = { ...fault.data, ...this.#account.facts, ...failures }
    return Object.keys(data).length === 0 ? fault : withDetails(fault, { data })
  }
}

/** Returns the fault for an expired deadline of the whole request. */
function timeoutFault(name: string, milliseconds: number): Fault {
  const fix = 'give the node a longer `timeout`, such as "5m" (in a request, milliseconds); `reflex resume RUN` tries again'
  return slowFault(name, milliseconds, fix)
}

function slowFault(name: string, milliseconds: number, fix: string, more: JsonObject = {}): Fault {
  const message = `${name} has not answered within ${milliseconds / 1000} s`
  return faults.make('R4013', message, { data: { model: name, timeout: milliseconds, ...more }, fix })
}

/** Returns the fault for an expired time limit of one try. */
function tryTimeoutFault(name: string, milliseconds: number): Fault {
  return slowFault(name, milliseconds, 'give the node a longer `tryTimeout` (`try_timeout` in a pipeline), such as "1m"', { hangs: true })
}

function filterFault(name: string): Fault {
  return faults.make('R4014', `a filter stopped the answer of ${name}`, {
    data: { model: name },
    fix: 'change the prompt, or name another model',
  })
}

function misfitFault(name: string, problem: string, { finish }: ModelTry): Fault {
  const mend = finish === 'length' ? 'raise `maxTokens` of the node' : 'ask for a simpler answer, or name another model'
  return faults.make('R4015', `the answer of ${name} does not fit its schema: ${problem}`, {
    data: { model: name },
    fix: `${mend}; \`reflex resume RUN\` asks again`,
  })
}

function repair(answer: ModelTry, problem: string): readonly ModelMessage[] {
  const reported: readonly ModelMessage[] = answer.text.trim() === '' ? [] : [{ role: 'assistant', content: answer.text }]
  const correction = `That is not the answer that was asked for: ${problem}. Answer again, with the whole JSON value alone.`
  return [...reported, { role: 'user', content: correction }]
}
