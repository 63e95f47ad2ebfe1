import { canonicalJson, type Fault, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { bindEvent, bindFixture, type BoundContext } from '../adapter/bind-event.ts'
import { type PreparedAdapter, prepareAdapter } from '../adapter/event-form.ts'
import { compositionFindings } from '../adapter/compose.ts'
import { constraintProblems } from '../adapter/constraints.ts'
import { graphNeeds } from '../adapter/graph-needs.ts'
import { type EffectOwners, effectOwners, realizeEffects } from '../adapter/realize-effects.ts'
import { type Effect, SET_CONTEXT } from '../model/effect.ts'
import type { RunTermination } from '../model/termination.ts'
import type { PassValue, Scalar } from '../model/value.ts'
import type { SupervisorStore } from '../supervisor/due-queue.ts'
import { FIRST_STATE, supervise, type SupervisorState } from '../supervisor/supervise.ts'
import type { Bundle, CapturedEvent } from './bundle.ts'
import { captureStep } from './capture-step.ts'
import { compareDecision } from './compare.ts'
import { faults } from './faults.ts'
import { preflight, rehydrate, type ReplayProgram } from './preflight.ts'

/** One attempt of a pass: how it ended, and what it emitted if it completed. */
export interface Attempt {
  readonly termination: RunTermination
  readonly effects: readonly Effect[]
  readonly outputs: Readonly<Record<string, PassValue>> | null
}

/** Evaluates a pass again. `fork`: the mark of the fork that made it, which is in the ids of its intents. */
export type Evaluation = (context: BoundContext, event_id: string, fork?: string) => Attempt

export interface ReplayOptions extends ReplayProgram {
  readonly evaluate: Evaluation
  /** True to go on after a difference and report all. Later ones may be consequences of the first. Default: stop at the first. */
  readonly all?: boolean | undefined
}

export interface ReplayReport {
  /** The differences; none for a replay that equals its capture. */
  readonly findings: readonly Fault[]
  /** The events that were replayed. */
  readonly events: number
  /** The external effects that were derived again and compared. A replay sends none. */
  readonly verified: number
  /** The context after the last event. */
  readonly context: ReadonlyMap<string, Scalar>
}

/**
 * Replays a capture strictly (reference 8.2 to 8.4): nothing is evaluated unless `preflight` finds nothing. The supervisor decides again, each
 * pass is evaluated again, writes are applied to a fresh context, and external effects are compared and never sent. The merge of each event
 * with the context is made again, too.
 */
export function replayBundle(bundle: Bundle, options: ReplayOptions): ReplayReport {
  const findings = [...preflight(bundle, options), ...setupFindings(bundle, options)]
  if (findings.length > 0) return { findings, events: 0, verified: 0, context: new Map() }
  const run = new BundleReplay(bundle, options)
  const differences: Fault[] = []
  let index = 0
  for (; index < bundle.events.length; index++) {
    const found = run.step(index)
    if (found === undefined) continue
    differences.push(found)
    if (options.all !== true) break
  }
  return { findings: differences, events: Math.min(index + 1, bundle.events.length), verified: run.verified, context: run.context }
}

function setupFindings({ config, events, decisions }: Bundle, { graph, adapter }: ReplayOptions): Fault[] {
  const [limit] = constraintProblems(config)
  const fix = 'validate the graph with its adapter'
  if (limit !== undefined)
    return [faults.make('R1394', limit.message, { rule: 'replay.host_setup_failed', path: `config.${limit.field}`, fix })]
  const composition = adapter === undefined ? [] : compositionFindings(graph, adapter)
  const errors = composition.map((cause) => faults.make('R1394', cause.message, { rule: 'replay.host_setup_failed', fix, cause }))
  if (events.length === decisions.length) return errors
  const message = `the capture has ${events.length} events and ${decisions.length} decisions`
  return [...errors, faults.make('R1393', message, { rule: 'replay.decision_mismatch', path: 'decisions', fix: 'use the original file' })]
}

class BundleReplay {
  readonly context = new Map<string, Scalar>()
  verified = 0
  readonly #bundle: Bundle
  readonly #evaluate: Evaluation
  readonly #adapter: PreparedAdapter | undefined
  readonly #owners: EffectOwners
  readonly #store: SupervisorStore = new Map()
  #state: SupervisorState = FIRST_STATE

  constructor(bundle: Bundle, { graph, adapter, evaluate }: ReplayOptions) {
    this.#bundle = bundle
    for (const [key, value] of Object.entries(bundle.initial_context ?? {})) this.context.set(key, value as Scalar)
    this.#evaluate = evaluate
    this.#adapter = adapter === undefined ? undefined : prepareAdapter(adapter)
    const external = graphNeeds(graph).emittable.filter((kind) => kind !== SET_CONTEXT)
    this.#owners = effectOwners(adapter, external)
  }

  /** Replays one event. Returns the first difference. */
  step(index: number): Fault | undefined {
    const event = this.#bundle.events[index]
    const expected = this.#bundle.decisions[index]
    if (event === undefined || expected === undefined) return undefined
    const context = rehydrate(event.payload) ?? {}
    const merged = this.#mergeFault(index, event)
    if (merged !== undefined) return merged
    const { event_id, kind, event_time: at } = event
    let attempt: Attempt | undefined
    const { state, decision } = supervise(
      { constraints: this.#bundle.config, store: this.#store },
      this.#state,
      { event_id, kind, at, context },
      (invocation) => {
        attempt = this.#evaluate(invocation.context, invocation.event_id, expected.fork)
        return attempt.termination
      },
    )
    this.#state = state
    const { effects, outputs } = drained(attempt)
    const actual = captureStep({ event: { event_id, kind, at }, context, decision, effects, outputs }).decision
    const failure = this.#apply(index, event_id, effects)
    return compareDecision(index, expected, actual) ?? failure
  }

  /** Merges the event as it arrived with the context of this replay, and compares with the captured payload. */
  #mergeFault(index: number, { event_id, kind, event_time: at, semantic_kind, payload, incoming }: CapturedEvent): Fault | undefined {
    // A pump of the run itself is no event of the adapter.
    if (kind === 'Pump' && semantic_kind === undefined && payload === '{}' && incoming === undefined) return undefined
    const arrived: JsonObject = rehydrate(incoming ?? payload) ?? {}
    const event = { event_id, kind, at, ...(semantic_kind === undefined ? {} : { semantic_kind }), payload: arrived }
    const bound = this.#adapter === undefined ? bindFixture(event) : bindEvent(this.#adapter, (key) => this.context.get(key), event)
    if ('context' in bound && canonicalJson(bound.context) === payload) return undefined
    const cause = 'refused' in bound ? { cause: bound.refused } : {}
    const message = `event ${quote(event_id)}: the captured payload is not the merge of the event with the context`
    const details = { rule: 'replay.invalid_payload', path: `events[${index}].payload`, fix: 'use the original file', ...cause }
    return faults.make('R1391', message, details)
  }

  #apply(index: number, event_id: string, effects: readonly Effect[]): Fault | undefined {
    const { writes, intents, failure } = realizeEffects(this.#owners, effects)
    for (const { key, value } of writes) this.context.set(key, value)
    this.verified += intents.length
    if (failure === undefined) return undefined
    const path = `decisions[${index}]`
    const fix = 'validate the graph with its adapter'
    return faults.make('R1394', `event ${quote(event_id)}: ${failure.message}`, {
      rule: 'replay.host_step_failed',
      path,
      fix,
      cause: failure,
    })
  }
}

/** Returns what is left of an episode: the effects of its last attempt, if that completed. */
function drained(attempt: Attempt | undefined): Pick<Attempt, 'effects' | 'outputs'> {
  return attempt?.termination === 'Completed' ? attempt : { effects: [], outputs: null }
}
