import { changesOf } from '../history/trace.ts'
import {
  type Call,
  type Change,
  type Fault,
  type Frame,
  isObject,
  isPartOf,
  type Json,
  LIMITS,
  type Limits,
  limitsReached,
  type Pause,
  type Policy,
  type Postponed,
  programFrame,
  type Ref,
  type Run,
  type State,
  type Runtime,
  type Traits,
  type Usage,
  type Wait,
} from '../kernel/index.ts'
import {
  BUDGET_QUESTION,
  budgetQuestion,
  describeLimit,
  faults,
  type RunSettings,
  UNPRICED_QUESTION,
  unpricedQuestion,
} from '../policy/index.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/**
 * The limits of a run and of its programs, checked before each effect. The limits of the operator end in a question, for every kind
 * that does not ask by itself (decisions, budgets); those that a program states fail the effect. The usage is read from the meter of
 * the run, so it is the same after a crash and in a fork.
 */
export class Budgets implements Policy<RunSettings> {
  readonly #policy: Policy<RunSettings>
  readonly #budgets = new WeakMap<Run, RunBudget>()
  readonly #runtime: () => Runtime
  readonly #programsOf: (state: State) => ViewedPrograms

  /** `policy` is asked first; `runtime` holds the runs of this process, `programsOf` their programs. */
  constructor(policy: Policy<RunSettings>, runtime: () => Runtime<RunSettings>, programsOf: (state: State) => ViewedPrograms) {
    this.#policy = policy
    this.#runtime = runtime
    this.#programsOf = programsOf
  }

  ask(call: Call<RunSettings>, traits: Traits): Fault | Pause | Postponed | undefined {
    const decision = this.#policy.ask(call, traits)
    if (decision !== undefined) return decision
    const run = this.#runtime().openRuns.get(call.run)
    return run === undefined ? undefined : this.#budgetOf(run).ask(call, traits)
  }

  /**
   * Follows the answers about the budget of a run that begins, or is opened again, before any of its effects begins. Undefined where there
   * is nothing to wait for.
   */
  follow(run: Run, limits: Limits | undefined): Promise<void> | undefined {
    if (limits === undefined || LIMITS.every((limit) => limits[limit] === undefined)) return undefined
    const budget = this.#budgetOf(run)
    run.observe((change) => budget.add(change))
    return run.state.questions === 0 ? undefined : this.#readAnswers(run, budget)
  }

  async #readAnswers(run: Run, budget: RunBudget): Promise<void> {
    const runtime = this.#runtime()
    for (const change of changesOf(await runtime.journal(run.id), this.#programsOf)) budget.add(change)
  }

  #budgetOf(run: Run): RunBudget {
    let budget = this.#budgets.get(run)
    if (budget === undefined) {
      budget = new RunBudget(run, this.#programsOf(run.state))
      this.#budgets.set(run, budget)
    }
    return budget
  }
}

/** The limits that a frame and what it calls may not exceed, and what was used of them. */
interface FrameLimits {
  readonly base: Frame
  readonly limits: Limits
  readonly used: Usage
}

/** The limits of one run, and what people have answered about them. */
class RunBudget {
  readonly #run: Run
  readonly #definitions: ViewedPrograms
  /** Open questions about models without a price, and about what is used up. */
  readonly #questions = new Map<Ref, { readonly effect: Ref; readonly model: string | undefined }>()
  /** Effects that a person has stopped, and why they were held. */
  readonly #stoppedEffects = new Map<Ref, { readonly by: string; readonly why: string }>()
  /** Models without a price that may be asked. */
  readonly #allowedModels = new Set<string>()
  /** The most that calls under way may use. */
  readonly #reservations = new Map<Ref, Reservation & { readonly frame: Frame }>()
  #programs: { readonly pins: number; readonly stateLimits: boolean } | undefined

  constructor(run: Run, definitions: ViewedPrograms) {
    this.#run = run
    this.#definitions = definitions
  }

  ask(call: Call, traits: Traits): Fault | Pause | Postponed | undefined {
    const { frame, id } = call
    const { costs = false } = traits
    this.#reservations.delete(id)
    const stopped = this.#stoppedEffects.get(id)
    if (stopped !== undefined)
      return faults.make('R3020', `${stopped.why}, and ${stopped.by} stopped the run here`, {
        run: this.#run.id,
        path: this.#run.path(frame),
      })
    const programs = this.#programLimits(frame)
    const refused = this.#refused(programs, frame, costs)
    if (refused !== undefined) return refused
    const { limits } = this.#run.state.meter
    const unpriced = limits.cost === undefined ? undefined : traits.unpricedModels?.().find((model) => !this.#allowedModels.has(model))
    if (unpriced !== undefined)
      return { name: UNPRICED_QUESTION, asker: 'budget', about: unpricedQuestion(unpriced, limits, this.#run.path(frame)) }
    const isLimited = Object.keys(limits).length > 0
    const reserve = costs && (isLimited || programs.length > 0) ? reservationOf(traits) : undefined
    if (reserve !== undefined && this.#exceedsLimits(reserve, programs)) return 'later'
    const pause = isLimited && !this.#asksByKind(frame) ? this.#pauseFor(costs, frame) : undefined
    if (pause === undefined && reserve !== undefined) this.#reservations.set(id, { ...reserve, frame })
    return pause
  }

  #pauseFor(costs: boolean, frame: Frame): Pause | undefined {
    const { run, limits } = this.#run.state.meter
    // The node that has just been entered is still to be executed.
    const used = { ...run, steps: Math.max(0, run.steps - 1) }
    const over = limitsReached(limits, used).filter((limit) => costs || limit === 'time' || limit === 'steps')
    if (over.length === 0) return undefined
    return { name: BUDGET_QUESTION, asker: 'budget', about: budgetQuestion(limits, used, this.#run.path(frame)) }
  }

  /**
   * The fault for an effect that a program on its stack does not cover any more. What a program states of money and tokens holds for
   * effects that cost something, of time for all; its own effects that cost nothing are its own to refuse.
   */
  #refused(programs: readonly FrameLimits[], frame: Frame, costs: boolean): Fault | undefined {
    for (const { base, limits, used } of programs) {
      const isOwn = programFrame(frame) === base && this.#asksByKind(frame)
      const over = limitsReached(limits, used).find((limit) => costs || (limit === 'time' && !isOwn))
      if (over === undefined) continue
      return faults.make('R3021', `budget exceeded: ${describeLimit(over, limits, used)}`, {
        run: this.#run.id,
        path: this.#run.path(frame),
      })
    }
    return undefined
  }

  /** The limits that programs on the stack of a frame state. */
  #programLimits(frame: Frame): readonly FrameLimits[] {
    if (!this.#statesLimits()) return []
    const found: FrameLimits[] = []
    for (let base: Frame | undefined = programFrame(frame); base !== undefined; base = base.link && programFrame(base.link.caller)) {
      const { kind, def } = this.#definitions.program(base.pin)
      const limits = this.#definitions.kind(kind).limits?.(def)
      if (limits !== undefined) found.push({ base, limits, used: this.#run.state.meter.program(base) })
    }
    return found
  }

  /** True if any program of the run states limits: most state none. */
  #statesLimits(): boolean {
    const { pins } = this.#run.state
    if (this.#programs?.pins !== pins.length) {
      const stateLimits = pins.some((_, pin) => {
        const { kind, def } = this.#definitions.program(pin)
        return this.#definitions.kind(kind).limits?.(def) !== undefined
      })
      this.#programs = { pins: pins.length, stateLimits }
    }
    return this.#programs.stateLimits
  }

  /**
   * True if the calls under way may use so much that a budget does not cover another one beside them. A call by itself
   * begins as long as the budget is not used up: its usage is not known before.
   */
  #exceedsLimits(own: Reservation, programs: readonly FrameLimits[]): boolean {
    const { root, meter } = this.#run.state
    for (const [id, { frame }] of this.#reservations)
      if (!frame.pendingEffects.some((effect) => effect.id === id)) this.#reservations.delete(id)
    return [{ base: root, limits: meter.limits, used: meter.run }, ...programs].some(({ base, limits, used }) => {
      let [tokens, cost, others] = [used.tokens + own.tokens, used.cost + own.cost, 0]
      for (const reserve of this.#reservations.values())
        if (isPartOf(reserve.frame, base)) [tokens, cost, others] = [tokens + reserve.tokens, cost + reserve.cost, others + 1]
      const { tokens: mostTokens = Number.POSITIVE_INFINITY, cost: mostCost = Number.POSITIVE_INFINITY } = limits
      return others > 0 && (tokens > mostTokens || cost > mostCost)
    })
  }

  /** True if the kind of a frame checks the budget itself. */
  #asksByKind({ pin }: Frame): boolean {
    const definitions = this.#definitions
    return definitions.kind(definitions.program(pin).kind).checksBudget === true
  }

  /** Takes what a record asks or answers about a budget. */
  add({ record: { input, more }, state }: Change): void {
    if (input?.[0] === 'answer') this.#applyAnswer(input[1], input[2], input[3])
    if (more?.wait !== undefined) for (const wait of state.waits.values()) this.#addWait(wait)
  }

  #addWait({ id, asker, effect, about }: Wait): void {
    if (asker !== 'budget' || effect === undefined) return
    this.#questions.set(id, { effect, model: isObject(about) && typeof about.model === 'string' ? about.model : undefined })
  }

  #applyAnswer(question: Ref, answer: Json, by = 'somebody'): void {
    const asked = this.#questions.get(question)
    if (asked === undefined) return
    this.#questions.delete(question)
    const { effect, model } = asked
    if (answer === 'allow' && model !== undefined) this.#allowedModels.add(model)
    if (answer === 'stop')
      this.#stoppedEffects.set(effect, { by, why: model === undefined ? 'the budget is spent' : `${model} has no price` })
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
