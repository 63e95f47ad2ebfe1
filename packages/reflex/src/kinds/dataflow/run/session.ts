import { equalJson, isFault, type Json, type JsonObject } from '../../../kernel/index.ts'
import { bindEvent, bindFixture, type Bound, type BoundContext } from '../adapter/bind-event.ts'
import { type EffectOwners, effectOwners, realizeEffects } from '../adapter/realize-effects.ts'
import type { HostedEvent, Instant } from '../model/event.ts'
import type { Scalar } from '../model/value.ts'
import { evaluate, type NodeTrace, type PassResult } from '../pass/evaluate.ts'
import { markedId } from '../pass/intent-id.ts'
import { terminationOf } from '../pass/pass-error.ts'
import { compareInstants } from '../supervisor/instant.ts'
import { nextDeferred, nextDue, type Supervisor, supervise, type SupervisorState } from '../supervisor/supervise.ts'
import type { GraphArgs } from './args.ts'
import type { CompiledGraph } from './compiled.ts'
import { Draft, reportOf } from './draft.ts'
import { duplicate, lineOf } from './duplicate.ts'
import { isOwnId, ownIdTaken } from './own-ids.ts'
import type { GraphPosition } from './position.ts'
import { readEvent, unreadable } from './read-event.ts'
import { SeenIds } from './seen-ids.ts'
import type { Arrived, PassReport, Taken } from './taken.ts'

/** The facts about a run that passes depend on. */
export interface SessionFacts {
  readonly def: CompiledGraph
  readonly args: GraphArgs
  /** True to keep every value of each pass. */
  readonly traced?: boolean
}

/**
 * The passes of a graph: events in, outputs and effects out. It depends on nothing but what it is given, so a step, a replay, an
 * explanation and a capture all see the same passes. `entries`: the board of the frame before the step.
 */
export class Session {
  /** The mark of the fork that the run is; undefined for a run that is not a fork. */
  fork: string | undefined
  readonly #facts: SessionFacts
  readonly #board: Map<string, Json>
  readonly #seen: SeenIds
  #position: GraphPosition
  readonly #supervisor: Supervisor
  readonly #owners: EffectOwners
  #scheduling: SupervisorState
  #writes = new Map<string, Json | undefined>()

  constructor(facts: SessionFacts, entries: Iterable<readonly [key: string, value: Json]>, position: GraphPosition) {
    this.#facts = facts
    this.#board = new Map(entries)
    const { host } = facts.args
    this.#seen = new SeenIds(this.#board, host.dedupe === 'run' ? Number.POSITIVE_INFINITY : undefined)
    this.#position = position
    this.#scheduling = stateOf(position)
    this.#owners = effectOwners(facts.def.adapter?.adapter, Object.keys(host.routes))
    this.#supervisor = {
      constraints: host.constraints,
      store: {
        get: (key) => this.#board.get(key),
        set: (key, value) => this.#set(key, value),
        delete: (key) => this.#delete(key),
      },
    }
  }

  get position(): GraphPosition {
    return this.#position
  }

  /** The next time at which a deferred item is due; undefined if none waits. */
  get nextDue(): Instant | undefined {
    return nextDue(this.#supervisor.store, this.#scheduling)
  }

  /** Takes events in order, up to the first pass with an external intent. `now`: the time of the step, in milliseconds. */
  take(events: readonly Arrived[], now: number): Taken {
    const draft = new Draft(this.#position)
    const held = this.#position.held.map((body): Arrived => body as unknown as Arrived)
    let count = 0
    for (const arrived of held) {
      if (draft.isOver) break
      draft.held = draft.held.slice(1)
      this.#take(arrived, now, draft, -1)
    }
    for (const arrived of events) {
      if (draft.isOver) break
      this.#take(arrived, now, draft, count++)
    }
    return this.#close(draft, count)
  }

  /** Runs what is due at a time, in milliseconds. */
  pump(now: number): Taken {
    const draft = new Draft(this.#position)
    this.#pumpUntil({ secs: Math.floor(now / 1000), nanos: (now % 1000) * 1_000_000 }, draft)
    return this.#close(draft, 0)
  }

  /** Changes the parts of the position that passes do not. */
  move(change: Partial<GraphPosition>): void {
    this.#position = { ...this.#position, ...change }
    this.#scheduling = stateOf(this.#position)
  }

  #take(arrived: Arrived, now: number, draft: Draft, index: number): void {
    const { body, problem, fork = this.fork } = arrived
    if (arrived.due !== undefined) return this.#pumpUntil(arrived.due, draft, fork)
    const event = problem === undefined ? readEvent(body, { id: arrived.id, at: this.#facts.args.isLive ? now : 0 }) : unreadable(problem)
    if (event === undefined) return
    const place = arrived.read === undefined ? {} : { place: arrived.id }
    if (isFault(event)) return draft.refuse({ index, id: arrived.id, ...place, fault: event })
    const { event_id: id } = event
    if (arrived.isOwn !== true && isOwnId(id, this.#facts.args.sources)) return draft.refuse({ index, id, ...place, fault: ownIdTaken(id) })
    const earlier = this.#seen.placeOf(id)
    if (earlier !== undefined) return draft.refuse({ index, id, ...place, fault: duplicate(id, earlier, this.#facts.args.sources) })
    let bound = this.#bind(event)
    if ('refused' in bound) return draft.refuse({ index, id, ...place, fault: bound.refused })
    const passes = draft.passes.length
    if (event.kind !== 'Pump') this.#pumpUntil(event.at, draft, fork)
    if (draft.isOver) {
      // What was due before it has an intent, which is acknowledged first.
      draft.held = [...draft.held, arrived as unknown as Json]
      return
    }
    // What was due before it may have written what it sees.
    if (draft.passes.length > passes) bound = this.#bind(event)
    if ('refused' in bound) return draft.refuse({ index, id, fault: bound.refused })
    this.#seen.add(id, lineOf(arrived, this.#facts.args.sources))
    this.#run(event, bound.context, draft, fork)
  }

  #bind(event: HostedEvent): Bound {
    const { adapter } = this.#facts.def
    if (adapter === undefined) return bindFixture(event)
    return bindEvent(adapter, (key) => this.#board.get(key) as Scalar | undefined, event)
  }

  /** Runs the deferred items that are due at a time, each at its own time, up to the first intent. */
  #pumpUntil(at: Instant, draft: Draft, fork = this.fork): void {
    for (;;) {
      const next = nextDeferred(this.#supervisor.store, this.#scheduling)
      if (next === undefined || compareInstants(next.at, at) > 0 || draft.isOver) return
      const { at: due, episode } = next
      const { clock } = this.#scheduling
      const time = clock !== undefined && compareInstants(clock, due) > 0 ? clock : due
      // An item that is deferred again is due later, so no two pumps of a run have the same id.
      this.#run({ event_id: `pump/${episode}/${due.secs}.${due.nanos}`, kind: 'Pump', at: time }, {}, draft, fork)
    }
  }

  #run(event: HostedEvent, context: BoundContext, draft: Draft, fork: string | undefined): void {
    const { def, traced = false } = this.#facts
    let snapshot: BoundContext | undefined
    let result: PassResult | undefined
    let trace: NodeTrace[] | undefined
    const { event_id, kind, at } = event
    const { state, decision } = supervise<JsonObject>(this.#supervisor, this.#scheduling, { event_id, kind, at, context }, (call) => {
      const seen = call.context as BoundContext
      snapshot = seen
      const ids = { graphId: markedId(def.id, fork), eventId: call.event_id }
      const reader = { value: (key: string): Scalar | undefined => (Object.hasOwn(seen, key) ? seen[key] : undefined) }
      const nodes: NodeTrace[] = []
      result = traced ? evaluate(def.graph, reader, ids, { trace: (node) => nodes.push(node) }) : def.pass.run(reader, ids)
      if (traced) trace = nodes
      return 'error' in result ? terminationOf(result.error) : 'Completed'
    })
    this.#scheduling = state
    const report = reportOf({ event, merged: context, decision }, { snapshot, result, trace, fork })
    this.#dispatch(report, draft)
    draft.add(report)
  }

  /** Applies the writes of a pass to the context, and keeps its intents. */
  #dispatch({ effects, decision: { episode_id: episode } }: PassReport, draft: Draft): void {
    if (effects.length === 0) return
    const { writes, intents, failure } = realizeEffects(this.#owners, effects)
    for (const { key, value } of writes) this.#set(key, value)
    draft.intents.push(...intents.map((intent) => ({ ...intent, episode })))
    draft.fatal ??= failure
  }

  #close(draft: Draft, count: number): Taken {
    for (const [key, ids] of this.#seen.changes()) {
      if (ids === undefined) this.#delete(key)
      else this.#set(key, ids)
    }
    const { clock, ...scheduling } = this.#scheduling
    const { taken, refused, failed } = draft.counts
    const before = this.#position
    this.#position = {
      ...before,
      ...scheduling,
      clock: sameClock(before.clock, clock),
      taken: before.taken + taken,
      refused: before.refused + refused,
      failed: before.failed + failed,
      held: draft.held.length === 0 && before.held.length === 0 ? before.held : draft.held,
      pending: draft.intents.length === 0 ? before.pending : [...before.pending, ...draft.intents],
    }
    const writes = this.#writes
    this.#writes = new Map()
    return {
      count,
      passes: draft.passes,
      refusals: draft.refusals,
      writes,
      position: this.#position,
      intents: draft.intents,
      fingerprint: draft.fingerprint,
      fatal: draft.fatal,
    }
  }

  #set(key: string, value: Json): void {
    const before = this.#board.get(key)
    if (before !== undefined && equalJson(before, value)) return
    this.#board.set(key, value)
    this.#writes.set(key, value)
  }

  #delete(key: string): void {
    if (!this.#board.delete(key)) return
    this.#writes.set(key, undefined)
  }
}

function stateOf({ episode, clock, invoked, deferred }: GraphPosition): SupervisorState {
  return { episode, invoked, deferred, ...(clock === null ? {} : { clock: { secs: clock[0], nanos: clock[1] } }) }
}

function sameClock(before: GraphPosition['clock'], clock: Instant | undefined): GraphPosition['clock'] {
  if (clock === undefined || (before?.[0] === clock.secs && before[1] === clock.nanos)) return before
  return [clock.secs, clock.nanos]
}
