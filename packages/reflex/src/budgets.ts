import { changesOf, linesOf } from './history/trace.ts'
import { usedBy } from './history/used.ts'
import {
  type Call,
  type Change,
  type Fault,
  type Frame,
  type Hold,
  type Json,
  type Policy,
  type Ref,
  type Run,
  RunPrograms,
  type Runtime,
  type State,
  type Traits,
  type Wait,
} from './kernel/index.ts'
import { type Bounds, BOUNDS, boundsReached, BUDGET, budgetQuestion, faults, raisedBounds, type Used } from './policy/index.ts'

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

  ask(call: Call, traits: Traits, by: unknown): Fault | Hold | undefined {
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
  /** Effects that somebody has stopped. */
  readonly #stopped = new Map<Ref, string>()

  constructor(run: Run, definitions: RunPrograms, given: Bounds) {
    this.#run = run
    this.#definitions = definitions
    this.#given = given
    this.#bounds = given
  }

  ask({ frame, id }: Call, { costs = false }: Traits): Fault | Hold | undefined {
    if (this.#asksItself(frame)) return undefined
    const place = this.#run.path(frame)
    const by = this.#stopped.get(id)
    if (by !== undefined)
      return faults.make('R3020', `the budget is spent, and ${by} stopped the run here`, { run: this.#run.id, path: place })
    // The node that has just been entered is still to be executed.
    const used = { ...this.#used, steps: Math.max(0, this.#used.steps - 1) }
    const over = boundsReached(this.#bounds, used).filter((bound) => costs || bound === 'time' || bound === 'steps')
    return over.length === 0 ? undefined : { name: BUDGET, about: budgetQuestion(this.#bounds, used, place) }
  }

  /** Whether its kind holds a program by itself. */
  #asksItself({ pin }: Frame): boolean {
    const definitions = this.#definitions
    return definitions.kind(definitions.program(pin).kind).budgets === true
  }

  /** A program may ask under any name: what it is answered raises nothing. */
  #isOurs({ name, doubts, frame }: Wait): boolean {
    return name === BUDGET && (doubts !== undefined || this.#asksItself(frame))
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
    if (record.more?.wait !== undefined)
      for (const wait of state.waits.values()) if (this.#isOurs(wait)) this.#asked.set(wait.id, wait.doubts)
    this.#idle = isIdle(change)
  }

  #answered(question: Ref, answer: Json, by = 'somebody'): void {
    if (!this.#asked.has(question)) return
    const effect = this.#asked.get(question)
    this.#asked.delete(question)
    this.#bounds = raisedBounds(this.#bounds, this.#given, this.#used, answer) ?? this.#bounds
    if (answer === 'stop' && effect !== undefined) this.#stopped.set(effect, by)
  }
}

function isIdle({ state }: Change): boolean {
  for (const { doubted } of state.flights()) if (!doubted) return false
  return [...state.waits.values()].some(({ type }) => type !== 'timer')
}
