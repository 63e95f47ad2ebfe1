import { changesOf, linesOf } from '../history/trace.ts'
import { usedBy } from '../history/used.ts'
import {
  type Call,
  type Change,
  type Fault,
  type Frame,
  type Hold,
  isObject,
  type Json,
  type Later,
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
  type Bounds,
  BOUNDS,
  boundsReached,
  BUDGET,
  budgetQuestion,
  faults,
  raisedBounds,
  UNPRICED,
  unpricedQuestion,
  type Used,
} from '../policy/index.ts'

/**
 * The operator's budget, for every kind that does not ask by itself: effects are held, with a question, once it is spent
 * (decisions, budgets). What a run has used, and what was raised, is read off its journal, so that it is the same after a
 * crash and in a fork.
 */
export class Budgets implements Policy {
  readonly #policy: Policy
  readonly #find: (run: string) => Run | undefined
  readonly #purses = new WeakMap<Run, Purse>()

  /** `policy` is asked first; `find` knows the runs of this process. */
  constructor(policy: Policy, find: (run: string) => Run | undefined) {
    this.#policy = policy
    this.#find = find
  }

  ask(call: Call, traits: Traits, by: unknown): Fault | Hold | Later | undefined {
    const said = this.#policy.ask(call, traits, by)
    if (said !== undefined) return said
    const run = this.#find(call.run)
    return run === undefined ? undefined : this.#purses.get(run)?.ask(call, traits)
  }

  /** What a run of this process has used up so far, and what was added to its bounds; nothing for one without bounds. */
  spentBy(run: string): (Used & { readonly raised?: Bounds }) | undefined {
    const followed = this.#find(run)
    return followed === undefined ? undefined : this.#purses.get(followed)?.spent
  }

  /** What a run of this process may use now, with all that was added; nothing for one without bounds. */
  boundsOf(run: Run): Bounds | undefined {
    return this.#purses.get(run)?.bounds
  }

  /** Follows a run that begins, or is opened again, before anything of it goes on. Nothing for one without bounds. */
  follow(run: Run, runtime: Runtime, limits: Bounds | undefined): Promise<void> | undefined {
    if (limits === undefined || BOUNDS.every((bound) => limits[bound] === undefined)) return undefined
    return this.#follow(run, runtime, limits)
  }

  async #follow(run: Run, runtime: Runtime, limits: Bounds): Promise<void> {
    const pinned = (state: State): RunPrograms => new RunPrograms(runtime.programs, state)
    const purse = new Purse(run, pinned(run.state), limits)
    this.#purses.set(run, purse)
    if (run.state.n > 0) for (const change of changesOf(await runtime.journal(run.id), pinned)) purse.take(change)
    run.observe((change) => purse.take(change))
  }
}

/** What one run may use, and what it has used. */
class Purse {
  readonly #run: Run
  readonly #definitions: RunPrograms
  readonly #given: Bounds
  #bounds: Bounds
  readonly #used: { -readonly [Bound in keyof Used]: number } = { tokens: 0, cost: 0, time: 0, steps: 0 }
  /** It waits for somebody and does nothing: that takes no time of the budget. */
  #idle = true
  /** Milliseconds for which the run had been set aside by the last record: they are no time of the budget either. */
  #aside = 0
  /** Open questions, with the effects that they hold. */
  readonly #asked = new Map<Ref, Ref | undefined>()
  /** Effects that a person has stopped, and why they were held. */
  readonly #stopped = new Map<Ref, { readonly by: string; readonly why: string }>()
  /** Questions whether a model without a price may be asked. */
  readonly #priced = new Map<Ref, { readonly effect: Ref | undefined; readonly model: string }>()
  /** Models without a price that may be asked. */
  readonly #allowed = new Set<string>()
  /** The most that calls under way may use. */
  readonly #reserved = new Map<Ref, Reserve & { readonly frame: Frame }>()

  constructor(run: Run, definitions: RunPrograms, given: Bounds) {
    this.#run = run
    this.#definitions = definitions
    this.#given = given
    this.#bounds = given
  }

  ask(call: Call, traits: Traits): Fault | Hold | Later | undefined {
    const { frame, id } = call
    const { costs = false } = traits
    this.#reserved.delete(id)
    const place = this.#run.path(frame)
    const stopped = this.#stopped.get(id)
    if (stopped !== undefined)
      return faults.make('R3020', `${stopped.why}, and ${stopped.by} stopped the run here`, { run: this.#run.id, path: place })
    const unpriced = this.#unpriced(traits)
    if (unpriced !== undefined) return { name: UNPRICED, asker: 'budget', about: unpricedQuestion(unpriced, this.#bounds, place) }
    const reserve = costs ? reserveOf(traits) : undefined
    if (reserve !== undefined && this.#isTooMuchNow(reserve)) return 'later'
    const hold = this.#asksItself(frame) ? undefined : this.#hold(costs, place)
    if (hold === undefined && reserve !== undefined) this.#reserved.set(id, { ...reserve, frame })
    return hold
  }

  #hold(costs: boolean, place: string): Hold | undefined {
    // The node that has just been entered is still to be executed.
    const used = { ...this.#used, steps: Math.max(0, this.#used.steps - 1) }
    const over = boundsReached(this.#bounds, used).filter((bound) => costs || bound === 'time' || bound === 'steps')
    return over.length === 0 ? undefined : { name: BUDGET, asker: 'budget', about: budgetQuestion(this.#bounds, used, place) }
  }

  /**
   * Returns true where calls under way may use so much that the budget does not cover another one beside them. A call by itself
   * begins as long as the budget is not used up: nobody knows what it will use.
   */
  #isTooMuchNow(own: Reserve): boolean {
    let [tokens, cost, others] = [this.#used.tokens + own.tokens, this.#used.cost + own.cost, 0]
    for (const [id, reserve] of this.#reserved) {
      if (!reserve.frame.flights.some((flight) => flight.id === id)) this.#reserved.delete(id)
      else [tokens, cost, others] = [tokens + reserve.tokens, cost + reserve.cost, others + 1]
    }
    const { tokens: mostTokens = Number.POSITIVE_INFINITY, cost: mostCost = Number.POSITIVE_INFINITY } = this.#bounds
    return others > 0 && (tokens > mostTokens || cost > mostCost)
  }

  /** The first model that may be asked next and has no price, where money is bounded and nobody has allowed it. */
  #unpriced({ unpriced }: Traits): string | undefined {
    return this.#bounds.cost === undefined ? undefined : unpriced?.().find((model) => !this.#allowed.has(model))
  }

  /** Whether its kind holds a program by itself. */
  #asksItself({ pin }: Frame): boolean {
    const definitions = this.#definitions
    return definitions.kind(definitions.program(pin).kind).budgets === true
  }

  get bounds(): Bounds {
    return this.#bounds
  }

  get spent(): Used & { readonly raised?: Bounds } {
    const raised = BOUNDS.flatMap((bound) => {
      const more = (this.#bounds[bound] ?? 0) - (this.#given[bound] ?? 0)
      return more > 0 ? [[bound, more] as const] : []
    })
    return { ...this.#used, ...(raised.length === 0 ? {} : { raised: Object.fromEntries(raised) }) }
  }

  /** Takes a record in. */
  take(change: Change): void {
    const { record, state } = change
    if (!this.#idle) this.#used.time += record.elapsed - (state.aside - this.#aside)
    this.#aside = state.aside
    for (const { event } of linesOf(change, this.#definitions)) {
      const { tokens = 0, usd = 0 } = usedBy(event) ?? {}
      this.#used.tokens += tokens
      this.#used.cost += usd
      if (event.mark === 'enter') this.#used.steps++
    }
    if (record.input?.[0] === 'answer') this.#answered(record.input[1], record.input[2], record.input[3])
    if (record.more?.wait !== undefined) for (const wait of state.waits.values()) this.#opened(wait)
    this.#idle = isIdle(change)
  }

  #opened(wait: Wait): void {
    const { id, asker, doubts, about } = wait
    if (asker !== 'budget') return
    if (!isObject(about) || typeof about.model !== 'string') this.#asked.set(id, doubts)
    else if (doubts !== undefined) this.#priced.set(id, { effect: doubts, model: about.model })
  }

  #answered(question: Ref, answer: Json, by = 'somebody'): void {
    const priced = this.#priced.get(question)
    this.#priced.delete(question)
    if (priced !== undefined && answer === 'allow') this.#allowed.add(priced.model)
    if (priced?.effect !== undefined && answer === 'stop') this.#stopped.set(priced.effect, { by, why: `${priced.model} has no price` })
    if (!this.#asked.has(question)) return
    const effect = this.#asked.get(question)
    this.#asked.delete(question)
    this.#bounds = raisedBounds(this.#bounds, this.#given, this.#used, answer) ?? this.#bounds
    if (answer === 'stop' && effect !== undefined) this.#stopped.set(effect, { by, why: 'the budget is spent' })
  }
}

/** The most that one call may use: tokens, US dollars. */
interface Reserve {
  readonly tokens: number
  readonly cost: number
}

function reserveOf({ reserves }: Traits): Reserve {
  const { input = 0, output = 0, usd = 0 } = reserves?.() ?? {}
  return { tokens: input + output, cost: usd }
}

function isIdle({ state }: Change): boolean {
  for (const { doubted } of state.flights()) if (!doubted) return false
  return [...state.waits.values()].some(({ type }) => type !== 'timer')
}
