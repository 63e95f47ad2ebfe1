import { changesOf, linesOf } from '../history/trace.ts'
import { usageOf } from '../history/model-usage.ts'
import {
  type Call,
  type Change,
  type Fault,
  type Frame,
  type Pause,
  isObject,
  type Json,
  type Postponed,
  type Policy,
  type Ref,
  type Run,
  RunPrograms,
  type Runtime,
  type State,
  type Traits,
  type Wait,
} from '../kernel/index.ts'
import {
  type UsageLimits,
  LIMITS,
  limitsReached,
  BUDGET_QUESTION,
  budgetQuestion,
  faults,
  raisedLimits,
  type RunSettings,
  UNPRICED_QUESTION,
  unpricedQuestion,
  type Usage,
} from '../policy/index.ts'

/**
 * The operator's budget, for every kind that does not ask by itself: effects are held, with a question, once it is spent
 * (decisions, budgets). What a run has used, and what was raised, is read off its journal, so that it is the same after a
 * crash and in a fork.
 */
export class Budgets implements Policy<RunSettings> {
  readonly #policy: Policy<RunSettings>
  readonly #find: (run: string) => Run | undefined
  readonly #meters = new WeakMap<Run, UsageMeter>()

  /** `policy` is asked first; `find` knows the runs of this process. */
  constructor(policy: Policy<RunSettings>, find: (run: string) => Run | undefined) {
    this.#policy = policy
    this.#find = find
  }

  ask(call: Call<RunSettings>, traits: Traits): Fault | Pause | Postponed | undefined {
    const said = this.#policy.ask(call, traits)
    if (said !== undefined) return said
    const run = this.#find(call.run)
    return run === undefined ? undefined : this.#meters.get(run)?.ask(call, traits)
  }

  /** What a run of this process has used up so far, and what was added to its bounds; nothing for one without bounds. */
  usageOf(run: string): (Usage & { readonly raised?: UsageLimits }) | undefined {
    const openRun = this.#find(run)
    return openRun === undefined ? undefined : this.#meters.get(openRun)?.usage
  }

  /** What a run of this process may use now, with all that was added; nothing for one without bounds. */
  limitsOf(run: Run): UsageLimits | undefined {
    return this.#meters.get(run)?.limits
  }

  /** Follows a run that begins, or is opened again, before anything of it goes on. Nothing for one without bounds. */
  follow(run: Run, runtime: Runtime, limits: UsageLimits | undefined): Promise<void> | undefined {
    if (limits === undefined || LIMITS.every((bound) => limits[bound] === undefined)) return undefined
    return this.#follow(run, runtime, limits)
  }

  async #follow(run: Run, runtime: Runtime, limits: UsageLimits): Promise<void> {
    const programsOf = (state: State): RunPrograms => new RunPrograms(runtime.programs, state)
    const meter = new UsageMeter(run, programsOf(run.state), limits)
    this.#meters.set(run, meter)
    if (run.state.n > 0) for (const change of changesOf(await runtime.journal(run.id), programsOf)) meter.add(change)
    run.observe((change) => meter.add(change))
  }
}

/** What one run may use, and what it has used. */
class UsageMeter {
  readonly #run: Run
  readonly #definitions: RunPrograms
  readonly #startLimits: UsageLimits
  #limits: UsageLimits
  readonly #usage: { -readonly [Bound in keyof Usage]: number } = { tokens: 0, cost: 0, time: 0, steps: 0 }
  /** It waits for somebody and does nothing: that takes no time of the budget. */
  #idle = true
  /** Milliseconds for which the run had been set aside by the last record: they are no time of the budget either. */
  #excludedMs = 0
  /** Open questions, with the effects that they hold. */
  readonly #questions = new Map<Ref, Ref | undefined>()
  /** Effects that a person has stopped, and why they were held. */
  readonly #stoppedEffects = new Map<Ref, { readonly by: string; readonly why: string }>()
  /** Questions whether a model without a price may be asked. */
  readonly #priceQuestions = new Map<Ref, { readonly effect: Ref | undefined; readonly model: string }>()
  /** Models without a price that may be asked. */
  readonly #allowedModels = new Set<string>()
  /** The most that calls under way may use. */
  readonly #reservations = new Map<Ref, Reservation & { readonly frame: Frame }>()

  constructor(run: Run, definitions: RunPrograms, startLimits: UsageLimits) {
    this.#run = run
    this.#definitions = definitions
    this.#startLimits = startLimits
    this.#limits = startLimits
  }

  ask(call: Call, traits: Traits): Fault | Pause | Postponed | undefined {
    const { frame, id } = call
    const { costs = false } = traits
    this.#reservations.delete(id)
    const place = this.#run.path(frame)
    const stopped = this.#stoppedEffects.get(id)
    if (stopped !== undefined)
      return faults.make('R3020', `${stopped.why}, and ${stopped.by} stopped the run here`, { run: this.#run.id, path: place })
    const unpriced = this.#unpriced(traits)
    if (unpriced !== undefined) return { name: UNPRICED_QUESTION, asker: 'budget', about: unpricedQuestion(unpriced, this.#limits, place) }
    const reserve = costs ? reservationOf(traits) : undefined
    if (reserve !== undefined && this.#exceedsLimits(reserve)) return 'later'
    const pause = this.#asksByKind(frame) ? undefined : this.#pauseFor(costs, place)
    if (pause === undefined && reserve !== undefined) this.#reservations.set(id, { ...reserve, frame })
    return pause
  }

  #pauseFor(costs: boolean, place: string): Pause | undefined {
    // The node that has just been entered is still to be executed.
    const used = { ...this.#usage, steps: Math.max(0, this.#usage.steps - 1) }
    const reached = limitsReached(this.#limits, used).filter((bound) => costs || bound === 'time' || bound === 'steps')
    return reached.length === 0 ? undefined : { name: BUDGET_QUESTION, asker: 'budget', about: budgetQuestion(this.#limits, used, place) }
  }

  /**
   * Returns true where calls under way may use so much that the budget does not cover another one beside them. A call by itself
   * begins as long as the budget is not used up: nobody knows what it will use.
   */
  #exceedsLimits(reservation: Reservation): boolean {
    let [tokens, cost, others] = [this.#usage.tokens + reservation.tokens, this.#usage.cost + reservation.cost, 0]
    for (const [id, reserve] of this.#reservations) {
      if (!reserve.frame.pendingEffects.some((flight) => flight.id === id)) this.#reservations.delete(id)
      else [tokens, cost, others] = [tokens + reserve.tokens, cost + reserve.cost, others + 1]
    }
    const { tokens: mostTokens = Number.POSITIVE_INFINITY, cost: mostCost = Number.POSITIVE_INFINITY } = this.#limits
    return others > 0 && (tokens > mostTokens || cost > mostCost)
  }

  /** The first model that may be asked next and has no price, where money is bounded and nobody has allowed it. */
  #unpriced({ unpricedModels }: Traits): string | undefined {
    return this.#limits.cost === undefined ? undefined : unpricedModels?.().find((model) => !this.#allowedModels.has(model))
  }

  /** Whether its kind holds a program by itself. */
  #asksByKind({ pin }: Frame): boolean {
    const definitions = this.#definitions
    return definitions.kind(definitions.program(pin).kind).checksBudget === true
  }

  get limits(): UsageLimits {
    return this.#limits
  }

  get usage(): Usage & { readonly raised?: UsageLimits } {
    const raised = LIMITS.flatMap((bound) => {
      const more = (this.#limits[bound] ?? 0) - (this.#startLimits[bound] ?? 0)
      return more > 0 ? [[bound, more] as const] : []
    })
    return { ...this.#usage, ...(raised.length === 0 ? {} : { raised: Object.fromEntries(raised) }) }
  }

  /** Takes a record in. */
  add(change: Change): void {
    const { record, state } = change
    if (!this.#idle) this.#usage.time += record.elapsed - (state.excludedMs - this.#excludedMs)
    this.#excludedMs = state.excludedMs
    for (const { event } of linesOf(change, this.#definitions)) {
      const { tokens = 0, usd = 0 } = usageOf(event) ?? {}
      this.#usage.tokens += tokens
      this.#usage.cost += usd
      if (event.mark === 'enter') this.#usage.steps++
    }
    if (record.input?.[0] === 'answer') this.#applyAnswer(record.input[1], record.input[2], record.input[3])
    if (record.more?.wait !== undefined) for (const wait of state.waits.values()) this.#addWait(wait)
    this.#idle = isIdle(change)
  }

  #addWait(wait: Wait): void {
    const { id, asker, effect: doubts, about } = wait
    if (asker !== 'budget') return
    if (!isObject(about) || typeof about.model !== 'string') this.#questions.set(id, doubts)
    else if (doubts !== undefined) this.#priceQuestions.set(id, { effect: doubts, model: about.model })
  }

  #applyAnswer(question: Ref, answer: Json, by = 'somebody'): void {
    const priced = this.#priceQuestions.get(question)
    this.#priceQuestions.delete(question)
    if (priced !== undefined && answer === 'allow') this.#allowedModels.add(priced.model)
    if (priced?.effect !== undefined && answer === 'stop')
      this.#stoppedEffects.set(priced.effect, { by, why: `${priced.model} has no price` })
    if (!this.#questions.has(question)) return
    const effect = this.#questions.get(question)
    this.#questions.delete(question)
    this.#limits = raisedLimits(this.#limits, this.#startLimits, this.#usage, answer) ?? this.#limits
    if (answer === 'stop' && effect !== undefined) this.#stoppedEffects.set(effect, { by, why: 'the budget is spent' })
  }
}

/** The most that one call may use: tokens, US dollars. */
interface Reservation {
  readonly tokens: number
  readonly cost: number
}

function reservationOf({ estimateUsage }: Traits): Reservation {
  const { input = 0, output = 0, usd = 0 } = estimateUsage?.() ?? {}
  return { tokens: input + output, cost: usd }
}

function isIdle({ state }: Change): boolean {
  for (const { isQuestioned } of state.pendingEffects()) if (!isQuestioned) return false
  return [...state.waits.values()].some(({ type }) => type !== 'timer')
}
