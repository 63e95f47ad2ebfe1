import type { Reflex } from '../../app/reflex.ts'
import {
  type Call,
  canonicalJson,
  type Change,
  digest,
  type Fault,
  isObject,
  type Json,
  type JsonObject,
  redactTexts,
  type Ref,
  type OpenRun,
  toFault,
} from '../../kernel/index.ts'
import type { CallResult, TurnInput } from '../../kinds/skill/model/turn.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import type { LogContent } from '../../kinds/skill/plan/skill-host.ts'
import { redactSecretShapes, type RunSettings } from '../../policy/index.ts'
import { jsonOf, textOf } from '../dialects/loose.ts'
import { faults } from './faults.ts'
import { type AnswerMode, OpenQuestions } from './open-questions.ts'
import { type PendingCall, UNRECORDED } from './pending-call.ts'
import { type CallInput, RecordedCalls, type RecordOptions } from './recorded-calls.ts'

/** What the run of a turn is told. */
interface TurnRunOptions extends Omit<RecordOptions, 'store'> {
  readonly answers: AnswerMode
  readonly logContent: LogContent
}

/**
 * The run of a turn as the agent's code sees it: calls go in as inputs, and their results are read when the run has recorded them. If the run
 * fails, the calls are handed back to the code.
 */
export class TurnRun {
  readonly #reflex: Reflex
  readonly #options: Omit<TurnRunOptions, 'answers'>
  readonly #answers: AnswerMode
  readonly #calls = new Map<string, PendingCall>()
  /** Effects of the run whose call the code has not made yet: after a crash the code starts over. */
  readonly #awaited = new Map<string, (call: PendingCall) => void>()
  #run: OpenRun<RunSettings> | undefined
  #recorded: RecordedCalls | undefined
  #questions: OpenQuestions | undefined
  #isBroken = false
  readonly #left = Promise.withResolvers<never>()
  #isLeft = false
  #stopObserving: () => void = () => undefined

  constructor(reflex: Reflex, { answers, ...options }: TurnRunOptions) {
    this.#reflex = reflex
    this.#options = options
    this.#answers = answers
    // Nobody may wait for it.
    this.#left.promise.catch(() => undefined)
  }

  /** Rejects with `R2157` when the turn is left to a later process, because a person has to answer. */
  get left(): Promise<never> {
    return this.#left.promise
  }

  get id(): string | undefined {
    return this.#run?.id
  }

  /** What the turn has on its blackboard below `work`, by path. */
  get work(): JsonObject {
    const values = this.#run?.state.root.reader().snapshot() ?? {}
    return Object.fromEntries(Object.entries(values).filter(([key]) => key.startsWith('work.')))
  }

  /** Takes the run, before it continues. */
  begin(run: OpenRun<RunSettings>): void {
    this.#run = run
    this.#recorded = new RecordedCalls(run.id, run.state, { store: this.#reflex.store, ...this.#options })
    const questions = new OpenQuestions(this.#reflex, run, this.#answers === 'none' ? (fault) => void this.#leave(run, fault) : undefined)
    this.#questions = questions
    const stop = run.observe((change) => this.#observe(change))
    this.#stopObserving = () => {
      stop()
      questions.end()
    }
    questions.look()
    // A run may fail while nothing of it is waited for.
    run.idle({ until: 'end' }).catch((thrown: unknown) => this.fail(thrown))
  }

  /** Ends the run. Resolves when its end is durable. */
  async end(status: 'done' | 'failed', value: Json): Promise<void> {
    const run = this.#run
    if (run === undefined || this.#isBroken || this.#isLeft) return
    try {
      await run.command(0, this.#recordable({ do: 'end', status, value }))
    } catch (thrown) {
      if (run.state.ended === undefined) this.fail(thrown)
    } finally {
      this.#stopObserving()
    }
  }

  /** Rejects the calls that wait, because the host has cancelled the turn, and cancels the run. Resolves when it has ended. */
  async cancel(reason: unknown): Promise<void> {
    for (const call of this.#calls.values()) call.reject(reason)
    const run = this.#run
    if (run === undefined || this.#isBroken || this.#isLeft || run.state.ended !== undefined) return
    try {
      await this.#reflex.cancel(run.id)
      await run.idle({ until: 'end' })
    } catch (thrown) {
      if (run.state.ended === undefined) this.fail(thrown)
    }
  }

  /** Goes on without the run: the code makes its calls by itself. */
  fail(thrown: unknown): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#stopObserving()
    for (const call of this.#calls.values()) call.resolve(UNRECORDED)
    const cause = toFault(thrown, (message, inner) => faults.make('R2153', message, { cause: inner }))
    this.report(`the turn ${this.id ?? ''} goes on without Reflex: ${cause.message}`, cause)
    this.#run?.close()
  }

  /** Reports a failure of Reflex that the conversation does not notice. */
  report(message: string, cause: unknown): void {
    const run = this.id === undefined ? {} : { run: this.id }
    this.#reflex.report(faults.finding('R2153', message, { rule: 'reflex.internal_error', cause, ...run }))
  }

  /** Returns the response that an effect of an earlier process gave; undefined if the store does not have its record any more. */
  async response(effect: Ref): Promise<Json | undefined> {
    try {
      return await this.#recorded?.response(effect)
    } catch (thrown) {
      this.report('the responses of a turn cannot be read', thrown)
      return undefined
    }
  }

  /** Returns the signal for a call of the agent: aborted with its effect, but not if the run fails, because the agent works on without it. */
  signalOf({ id, signal }: Call<RunSettings>): AbortSignal {
    const control = new AbortController()
    const run = this.#run
    const abort = (): void => {
      if (this.#isBroken || run === undefined) return
      const isPending = [...run.state.pendingEffects()].some((effect) => effect.id === id)
      if (!isPending) return control.abort(signal.reason)
      const closed = (): void => {
        if (!this.#isBroken) control.abort(signal.reason)
      }
      run.idle({ until: 'end' }).then(closed, () => undefined)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return control.signal
  }

  /** Returns the result of a call: from the record, of an effect in flight, or of a new one. Throws `R2154` in a strict turn. */
  async settled(pending: PendingCall, input: () => CallInput): Promise<CallResult | typeof UNRECORDED> {
    const [run, recorded] = [this.#run, this.#recorded]
    if (run?.state.ended?.status === 'cancelled') throw endOf('cancelled')
    if (this.#isLeft) return NEVER
    // After the turn, what its code still does is no part of it.
    if (run === undefined || recorded === undefined || this.#isBroken || run.state.ended !== undefined) return UNRECORDED
    const { id } = pending
    const command = input()
    const known = run.state.root.reader().get(TURN_KEYS.result(id))
    if (known !== undefined) {
      recorded.use(id)
      return known as unknown as CallResult
    }
    this.#calls.set(id, pending)
    if (recorded.isInFlight(id)) {
      recorded.use(id)
      this.#awaited.get(id)?.(pending)
      this.#awaited.delete(id)
    } else {
      const divergence = recorded.divergence(command)
      if (divergence?.is === 'note') this.#send({ do: 'note', note: { divergence: divergence.note } })
      const isPlain = divergence === undefined || divergence.is === 'note'
      this.#send(isPlain ? command : await recorded.diverged(command, divergence))
    }
    return pending.settled.finally(() => this.#calls.delete(id))
  }

  #recordable(input: TurnInput): Json {
    return recordable(input, this.#options.logContent)
  }

  /** Returns the hash of a call of the code, which is part of its id. Only this user can guess a call by it if no contents are kept. */
  hashOf(call: Json): string {
    return this.#options.logContent === 'none' ? this.#reflex.contentDigest(call) : digest(canonicalJson(call))
  }

  #send(input: TurnInput): void {
    const run = this.#run
    // The call is answered from what the run has recorded, durable or not: only what leaves waits for the disk.
    run?.command(0, this.#recordable(input), { isPatient: true }).catch((thrown: unknown) => {
      if (run.state.ended === undefined) this.fail(thrown)
    })
  }

  /** Returns the call of the code that the run asks to perform. After a crash it comes when the code makes it again. */
  presented(call: Call<RunSettings>): Promise<PendingCall> {
    const id = isObject(call.args) ? textOf(call.args['id']) : ''
    const known = this.#calls.get(id)
    if (known !== undefined) return Promise.resolve(known)
    // A signal is made when it is read, and most calls need none.
    const { signal } = call
    return new Promise((resolve, reject) => {
      this.#awaited.set(id, resolve)
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }

  #observe({ record, state }: Change): void {
    if (record.frame === 0 && record.writes !== undefined) this.#take(record.writes)
    this.#questions?.look()
    // A run that ends by itself, such as one that was cancelled from outside, answers nothing more.
    if (state.ended !== undefined) for (const call of this.#calls.values()) call.reject(endOf(state.ended.status))
  }

  /** Leaves the turn as it is to a later process, once its calls in flight have ended, unless the question has its answer by then. */
  async #leave(run: OpenRun<RunSettings>, fault: Fault): Promise<void> {
    try {
      // A call that the code of an earlier process made may never be made again.
      if (this.#awaited.size === 0) await run.idle()
      if (this.#isLeft || this.#questions?.areOpen !== true) return
      this.#isLeft = true
      this.#stopObserving()
      await run.leave()
      this.#left.reject(fault)
    } catch (thrown) {
      this.fail(thrown)
    }
  }

  #take(writes: readonly Json[]): void {
    const prefix = TURN_KEYS.result('')
    for (let i = 0; i < writes.length; i += 2) {
      const key = textOf(writes[i])
      if (key.startsWith(prefix)) this.#calls.get(key.slice(prefix.length))?.resolve(writes[i + 1] as unknown as CallResult)
    }
  }
}

/** Returns a value as a record may have it: without texts that look like secrets, unless the host wants them there. */
export function recordable(value: unknown, logContent: LogContent): Json {
  const given = jsonOf(value)
  return logContent === 'full' ? given : clean(given)
}

/** The agent's code is left where it is. */
const NEVER = new Promise<never>(() => undefined)

const clean = redactTexts(redactSecretShapes)

function endOf(status: string): DOMException {
  return new DOMException(`the turn has ended: ${status}`, 'AbortError')
}
