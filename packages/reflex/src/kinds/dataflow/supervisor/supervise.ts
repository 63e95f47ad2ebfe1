import { isObject, type Json } from '../../../kernel/index.ts'
import { constraintProblems } from '../adapter/constraints.ts'
import { faults } from '../adapter/faults.ts'
import type { Constraints } from '../model/constraints.ts'
import type { HostedEvent, Instant } from '../model/event.ts'
import type { ErrorKind, RunTermination } from '../model/termination.ts'
import type { Decision } from './decision.ts'
import { type DueEpisode, DueQueue, type SupervisorStore } from './due-queue.ts'
import { compareInstants, later } from './instant.ts'
import type { Invoker } from './invoker.ts'

/** The state of a supervisor between two events, besides its store: a few numbers, as JSON. */
export interface SupervisorState {
  /** The id of the next episode. */
  readonly episode: number
  /** The latest time of an event: the clock. Absent before the first event. */
  readonly clock?: Instant
  /** The number of passes that count for the rate limit. */
  readonly invoked: number
  /** The number of deferred episodes. */
  readonly deferred: number
}

/** The state before the first event. */
export const FIRST_STATE: SupervisorState = { episode: 0, invoked: 0, deferred: 0 }

/** An event for a supervisor: its id, class and time, and the context bound at its arrival. A pump's context is never used. */
export interface Arrival<Context extends Json> {
  readonly event_id: string
  readonly kind: HostedEvent['kind']
  readonly at: Instant
  readonly context: Context
}

/** A supervisor at one event: its limits, its store, and the passes that are running, always 0 between events of synchronous passes. */
export interface Supervisor {
  readonly constraints: Constraints
  readonly store: SupervisorStore
  readonly inFlight?: number
}

/** Throws `R1356` for limits that cannot be kept: 0, or a window without its number. */
export function checkConstraints(constraints: Constraints): void {
  const [problem] = constraintProblems(constraints)
  if (problem !== undefined) throw faults.make('R1356', problem.message, { path: problem.field, fix: problem.fix })
}

/**
 * Decides on one event (reference 7.2), runs at most one pass through `invoke`, and returns the next state with the entry of the decision log.
 *
 * The clock is the latest time of all events; no other clock is read. A `Pump` runs at most one deferred episode, with the context of its
 * arrival and under the id of its own event. A pass over the rate limit is deferred until the window has room. Retries follow at once, only
 * after mechanical failures. The store gets keys that begin with `~rate/`, `~due/` and `~deferred/`.
 */
export function supervise<Context extends Json>(
  supervisor: Supervisor,
  state: SupervisorState,
  arrival: Arrival<Context>,
  invoke: Invoker<Context>,
): { readonly state: SupervisorState; readonly decision: Decision } {
  const step = new SupervisorStep(supervisor, state, arrival, invoke)
  const decision = arrival.kind === 'Pump' ? step.pump() : step.schedule()
  return { state: step.state(), decision }
}

/** Returns the time from which a pump runs something: a host sends one when its clock has passed it. Undefined if nothing is deferred. */
export function nextDue(store: SupervisorStore, state: SupervisorState): Instant | undefined {
  return nextDeferred(store, state)?.at
}

/** Returns the deferred episode that the next pump runs, with its time. */
export function nextDeferred(store: SupervisorStore, { deferred }: SupervisorState): DueEpisode | undefined {
  return new DueQueue(store, deferred).first()
}

/** A deferred episode as the store has it. */
interface Deferred {
  readonly event_id: string
  readonly context: Json
}

class SupervisorStep<Context extends Json> {
  readonly #supervisor: Supervisor
  readonly #arrival: Arrival<Context>
  readonly #invoke: Invoker<Context>
  readonly #queue: DueQueue
  readonly #now: Instant
  #episode: number
  #invoked: number

  constructor(
    supervisor: Supervisor,
    { episode, clock, invoked, deferred }: SupervisorState,
    arrival: Arrival<Context>,
    invoke: Invoker<Context>,
  ) {
    this.#supervisor = supervisor
    this.#arrival = arrival
    this.#invoke = invoke
    this.#queue = new DueQueue(supervisor.store, deferred)
    this.#now = clock === undefined || compareInstants(arrival.at, clock) > 0 ? arrival.at : clock
    this.#episode = episode
    this.#invoked = invoked
  }

  state(): SupervisorState {
    return { episode: this.#episode, clock: this.#now, invoked: this.#invoked, deferred: this.#queue.size }
  }

  /** Decides on an event that is not a pump. */
  schedule(): Decision {
    const episode = this.#episode++
    const at = this.#blockedUntil()
    if (at === undefined) return this.#run(episode, this.#arrival.event_id, this.#arrival.context)
    const { event_id, context } = this.#arrival
    this.#supervisor.store.set(deferredKey(episode), { event_id, context })
    this.#queue.push({ at, episode })
    return this.#entry(episode, { decision: 'Defer', schedule_at: at })
  }

  /** Decides on a pump: runs the first episode that is due, or defers it again. */
  pump(): Decision {
    const first = this.#queue.first()
    if (first === undefined || compareInstants(first.at, this.#now) > 0) return this.#entry(this.#episode++, { decision: 'Defer' })
    const at = this.#blockedUntil()
    this.#queue.shift()
    if (at !== undefined) {
      this.#queue.push({ at, episode: first.episode })
      return this.#entry(first.episode, { decision: 'Defer', schedule_at: at })
    }
    const key = deferredKey(first.episode)
    const { event_id, context } = storedItem(this.#supervisor.store.get(key))
    this.#supervisor.store.delete(key)
    return this.#run(first.episode, event_id, context as Context)
  }

  /** Returns the time until which no pass can begin; undefined if one can begin now. */
  #blockedUntil(): Instant | undefined {
    const { constraints, store, inFlight = 0 } = this.#supervisor
    const { max_in_flight: most, max_per_window: perWindow, rate_window: window } = constraints
    if (most !== undefined && inFlight >= most) return this.#now
    if (perWindow === undefined || window === undefined || this.#invoked < perWindow) return undefined
    // The slot of the next pass holds the time of the pass `perWindow` before it: the oldest that can lie in the window.
    const oldest = storedInstant(store.get(rateKey(this.#invoked, perWindow)))
    const free = later(oldest, window)
    return compareInstants(this.#now, free) < 0 ? free : undefined
  }

  #run(episode: number, event_id: string, context: Context): Decision {
    const { max_per_window: perWindow, deadline, max_retries = 0 } = this.#supervisor.constraints
    if (perWindow !== undefined) {
      this.#supervisor.store.set(rateKey(this.#invoked, perWindow), [this.#now.secs, this.#now.nanos])
      this.#invoked++
    }
    let retries = 0
    // A deadline of 0 has passed before an attempt can begin.
    let termination: RunTermination = deadline === 0 ? 'Aborted' : this.#invoke({ event_id, context, attempt: 0 })
    while (retries < max_retries && isMechanical(termination)) termination = this.#invoke({ event_id, context, attempt: ++retries })
    return this.#entry(episode, { decision: 'Invoke', termination, retry_count: retries })
  }

  #entry(
    episode_id: number,
    { decision, schedule_at = null, termination = null, retry_count = 0 }: Pick<Decision, 'decision'> & Partial<Decision>,
  ): Decision {
    const { deadline = null } = this.#supervisor.constraints
    return { event_id: this.#arrival.event_id, decision, schedule_at, episode_id, deadline, termination, retry_count }
  }
}

const MECHANICAL: readonly ErrorKind[] = ['NetworkTimeout', 'AdapterUnavailable', 'RuntimeError']

/** True for an end after which the same pass can end otherwise (SUP-4): never for what a pass means. */
export function isMechanical(termination: RunTermination): boolean {
  return termination === 'TimedOut' || (typeof termination === 'object' && MECHANICAL.includes(termination.Failed))
}

function rateKey(invoked: number, perWindow: number): string {
  return `~rate/${invoked % perWindow}`
}

function deferredKey(episode: number): string {
  return `~deferred/${episode}`
}

function storedInstant(stored: Json | undefined): Instant {
  const [secs, nanos] = Array.isArray(stored) ? (stored as readonly Json[]) : []
  return { secs: Number(secs), nanos: Number(nanos) }
}

function storedItem(stored: Json | undefined): Deferred {
  if (!isObject(stored)) throw new TypeError('a deferred episode is not in the store')
  return stored as unknown as Deferred
}
