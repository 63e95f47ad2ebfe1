import { isList, isObject, type Json, type JsonObject, type Change, type Frame } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { Idempotency } from '../model/resolution.ts'
import { renderText } from '../language/render.ts'
import { graphHash } from './graph-hash.ts'
import type { InFlight, Lineage, LogEntry } from './checkpoint.ts'
import type { Outcome } from '../contract/outcome.ts'
import { storedRunOf, type StoredRun, type StoredUsage } from '../engine/resuming.ts'
import { remarksOf } from '../engine/story.ts'
import { type StoredOutcome, outcomeOf, type InternalKey, internalKeyOf, type RepeatCount, repeatedOf } from '../contract/engine-board.ts'

/** The progress of one round of a run: everything since the last restart. */
export interface Round {
  readonly number: number
  readonly logs: LogEntry[]
  readonly completed: string[]
  readonly outcomes: Map<string, Outcome>
  readonly retries: Map<string, number>
  readonly visits: Map<string, number>
  readonly hashes: Map<string, string>
  readonly recheck: Set<string>
  /** The goal gates that branches completed: the number of completed nodes of the main walk, and their position there. */
  readonly gates: Map<string, readonly [n: number, place: number]>
}

/** An execution that has ended. */
export interface Concluded {
  readonly node: string
  readonly outcome: Outcome
  readonly attempt: number
  /** The duration in milliseconds. */
  readonly duration: number
}

/**
 * Operations without an effect of their own: those that consist of other nodes, which then decide about a repetition,
 * and those that wait or ask, which may ask again.
 */
const HARMLESS: ReadonlySet<string> = new Set(['parallel', 'map', 'wait', 'gate'])
/** Internal keys about the edge that is followed from a stage. */
const ON_THE_WAY: ReadonlySet<InternalKey['contains']> = new Set(['jump', 'repeated', 'restarts'])
const WORST: readonly Idempotency[] = ['idempotent', 'read_only', 'idempotent_with_key', 'side_effecting']

/**
 * The progress of a run, record by record: the content of its checkpoint. It is the state at the last completed node,
 * before the next edge was chosen, because a resume chooses again (reference pipeline 3.13).
 */
export class Progress {
  readonly context = new Map<string, Json>()
  readonly lineage = new Map<string, Lineage>()
  readonly jumps = new Map<string, number>()
  readonly taint = new Map<string, Json>()
  round = emptyRound(0)
  /** The times, in milliseconds since the epoch. */
  began = 0
  time = 0
  current = ''
  /** The number of nodes that the main walk executed, earlier rounds included. */
  steps = 0
  /** The reason why the run failed. */
  reason: string | undefined
  /** The usage so far; absent before the first node. */
  spent: StoredUsage | undefined
  pending: readonly string[] = []
  returns = 0
  repeated: RepeatCount | undefined
  restarts: RepeatCount | undefined
  inFlight: InFlight | undefined
  /** The hash of the pipeline with which the run began, also if the run changed it since. */
  graphHash = ''
  #last: JsonObject = {}
  /** The number of nodes that the main walk entered, those of a checkpoint included. */
  #entered = 0
  /** Writes of the engine about the next edge, which are not yet part of the progress. */
  readonly #onTheWay: [InternalKey, Json][] = []

  /** Applies a change of the run. Returns the execution that its record ended in the main walk, if any. */
  take(change: Change<TypedGraph>): Concluded | undefined {
    this.time = change.at
    const begun = this.#begin(change)
    if (change.frame.link !== undefined) return undefined
    if (change.record.step === true) this.#entered++
    this.spent = usageOf(change, this.#entered)
    if (isObject(change.frame.position)) this.#last = change.frame.position
    const failed = remarksOf(change.record.more?.note).find(([type]) => type === 'pipeline_failed')
    if (failed !== undefined) this.reason = renderText(failed[1]['reason'])
    const remark = concludedOf(change)
    if (begun) return undefined
    const { kept, written } = this.#write(change, remark)
    if (remark === undefined || kept === undefined) return undefined
    return this.#conclude(change, remark, kept, written)
  }

  /** Begins a new round, without progress. */
  restart(number: number): void {
    this.round = emptyRound(number)
    this.pending = []
  }

  /** Returns the keys that the engine sets itself, for a checkpoint and a result (reference pipeline 6.1). */
  engineValues({ graph }: TypedGraph, run: string): JsonObject {
    const { last, status, label } = this.#last
    const retries = [...this.round.retries].map(([id, count]): [string, Json] => [`internal.retry_count.${id}`, count])
    return {
      ...Object.fromEntries([...graph.attributes].map(([key, { value }]) => [`graph.${key}`, value])),
      ...(this.current === '' ? {} : { current_node: this.current }),
      ...(status === undefined ? {} : { outcome: status }),
      ...(label === undefined ? {} : { preferred_label: label }),
      ...(last === undefined ? {} : { last_stage: last }),
      'internal.run_id': run,
      ...Object.fromEntries(retries),
    }
  }

  /** Applies the start of stages in any frame. Returns true for the first record of the pipeline. */
  #begin({ record, frame, at, def }: Change<TypedGraph>): boolean {
    const remarks = remarksOf(record.more?.note)
    const isRoot = frame.link === undefined
    for (const [type, { node_id }] of remarks)
      if (type === 'stage_started') this.#started(frame, def, renderText(node_id), attemptOf(frame.position))
    if (!isRoot) return false
    for (const [type, { attempt }] of remarks)
      if (type === 'stage_retrying' && this.inFlight !== undefined) this.inFlight = { ...this.inFlight, attempt: Number(attempt) }
    if (!remarks.some(([type]) => type === 'pipeline_started')) return false
    this.began = at
    const held = storedRunOf(frame)
    this.graphHash = held?.adapted?.from ?? graphHash(def.graph)
    this.#restore(held, record.writes ?? [], at)
    return true
  }

  #started(frame: Frame, { nodes }: TypedGraph, id: string, attempt: number): void {
    const node = nodes.get(id)
    const own = node?.idempotency ?? 'side_effecting'
    const { inFlight } = this
    if (frame.link === undefined)
      this.inFlight = { node_id: id, attempt, idempotency: HARMLESS.has(node?.canonical ?? '') ? 'idempotent' : own }
    else if (inFlight !== undefined) this.inFlight = { ...inFlight, idempotency: worse(inFlight.idempotency, own) }
  }

  #restore(held: StoredRun | undefined, writes: readonly Json[], at: number): void {
    const timestamp = iso(at)
    for (const [key, value] of pairs(writes)) {
      if (key.startsWith('#')) {
        this.#takeInternal(internalKeyOf(key), value)
        continue
      }
      this.context.set(key, value)
      const known = held?.lineage[key]
      const operation = held !== undefined && key in held.context ? 'resume' : 'init'
      this.lineage.set(key, { ...(isLineage(known) ? known : { node_id: '__init__', timestamp }), operation })
    }
    if (held === undefined) return
    this.round = { ...this.round, number: held.round }
    this.round.completed.push(...held.completed)
    this.steps = held.completed.length
    this.#entered = held.completed.length
    this.round.logs.push(...(held.logs as unknown as readonly LogEntry[]))
    for (const [id, outcome] of Object.entries(held.outcomes)) this.round.outcomes.set(id, outcome)
    for (const [id, place] of Object.entries(held.gates)) this.round.gates.set(id, place)
    this.current = held.current_node
    this.returns = held.returns
    this.pending = held.pending
  }

  #write({ record, at, before, def }: Change<TypedGraph>, remark: JsonObject | undefined): { kept?: StoredOutcome; written: JsonObject } {
    const node = isObject(before) ? renderText(before['node']) : ''
    const canonical = def.nodes.get(node)?.canonical
    const operation = canonical === 'parallel' || canonical === 'fan_in' ? 'merge' : 'update'
    const written: [string, Json][] = []
    let kept: StoredOutcome | undefined
    const concludes = remark !== undefined
    if (concludes) for (const [key, value] of this.#onTheWay.splice(0)) this.#takeInternal(key, value)
    for (const [key, value] of pairs(record.writes ?? [])) {
      if (!key.startsWith('#')) {
        this.context.set(key, value)
        this.lineage.set(key, { node_id: node === '' ? '__engine__' : node, timestamp: iso(at), operation })
        written.push([key, value])
        continue
      }
      const own = internalKeyOf(key)
      if (own.contains === 'outcome' && own.name === remark?.['node_id']) kept = value as unknown as StoredOutcome
      if (ON_THE_WAY.has(own.contains) || (own.contains === 'outcome' && !concludes)) this.#onTheWay.push([own, value])
      else this.#takeInternal(own, value)
    }
    return { ...(kept === undefined ? {} : { kept }), written: Object.fromEntries(written) }
  }

  #takeInternal({ contains, name }: InternalKey, value: Json): void {
    switch (contains) {
      case 'outcome':
        return this.#takeOutcome(name, value as unknown as StoredOutcome)
      case 'hash':
        return void this.round.hashes.set(name, renderText(value))
      case 'jump':
        return void this.jumps.set(name, Number(value))
      case 'label':
        return void (value === null ? this.taint.delete(name) : this.taint.set(name, value))
      case 'repeated':
        this.repeated = repeatedOf(value)
        return
      case 'restarts':
        this.restarts = repeatedOf(value)
        return
      default:
        return
    }
  }

  #takeOutcome(node: string, kept: StoredOutcome): void {
    const { round } = this
    if (kept.status !== 'skipped') round.outcomes.set(node, { ...round.outcomes.get(node), ...outcomeOf(kept) })
    round.visits.set(node, kept.v)
    if (kept.retries === undefined) round.retries.delete(node)
    else round.retries.set(node, kept.retries)
    if (kept.branch === undefined) round.gates.delete(node)
    else round.gates.set(node, [kept.n, kept.branch])
    if (kept.recheck === true) round.recheck.add(node)
    else round.recheck.delete(node)
  }

  #conclude({ at, before }: Change<TypedGraph>, remark: JsonObject, kept: StoredOutcome, written: JsonObject): Concluded {
    const node = renderText(remark['node_id'])
    const updates = Object.keys(written).length === 0 ? {} : { context_updates: written }
    const outcome: Outcome = { ...outcomeOf(kept), ...updates }
    this.round.completed.push(node)
    this.steps++
    if (outcome.status !== 'skipped') this.round.outcomes.set(node, outcome)
    if (outcome.notes !== undefined) this.round.logs.push({ node_id: node, message: outcome.notes, timestamp: iso(at) })
    this.current = node
    this.inFlight = undefined
    const { pending, returns } = isObject(before) ? before : {}
    this.pending = isList(pending) ? pending.map((one) => renderText(isList(one) ? one[0] : one)) : []
    this.returns = typeof returns === 'number' ? returns : 0
    return { node, outcome, attempt: attemptOf(before), duration: Number(remark['duration_ms'] ?? 0) }
  }
}

/** Returns the remark of a record about the execution that it ended, in any frame. */
export function concludedOf({ record }: Change): JsonObject | undefined {
  const [, payload] =
    remarksOf(record.more?.note).find(
      ([type, { will_retry }]) =>
        type === 'stage_completed' || type === 'stage_skipped' || (type === 'stage_failed' && will_retry !== true),
    ) ?? []
  return payload
}

/** Returns the attempt of a position, from 1. */
export function attemptOf(position: Json | undefined): number {
  const attempt = isObject(position) ? position['attempt'] : undefined
  return typeof attempt === 'number' ? attempt : 1
}

/** Returns the keys and values of a flat list. */
export function* pairs(writes: readonly Json[]): Generator<[string, Json]> {
  for (let i = 0; i < writes.length; i += 2) yield [renderText(writes[i]), writes[i + 1] ?? null]
}

export function iso(time: number): string {
  return new Date(time).toISOString()
}

function emptyRound(number: number): Round {
  return {
    number,
    logs: [],
    completed: [],
    outcomes: new Map(),
    retries: new Map(),
    visits: new Map(),
    hashes: new Map(),
    recheck: new Set(),
    gates: new Map(),
  }
}

function worse(a: Idempotency, b: Idempotency): Idempotency {
  return WORST.indexOf(a) >= WORST.indexOf(b) ? a : b
}

function isLineage(value: Json | undefined): value is JsonObject & Lineage {
  return isObject(value) && typeof value['node_id'] === 'string' && typeof value['timestamp'] === 'string'
}

/** The usage of a pipeline after a record of its main walk, which has entered so many nodes; undefined where there is none. */
function usageOf({ frame, state }: Change, entered: number): StoredUsage | undefined {
  const { tokens, cost, calls, steps } = state.meter.program(frame)
  const others = Math.max(0, steps - entered)
  if (tokens + cost + calls + others + state.uses.size === 0) return undefined
  return {
    tokens,
    cost,
    calls,
    ...(others === 0 ? {} : { steps: others }),
    ...(state.uses.size === 0 ? {} : { uses: Object.fromEntries(state.uses) }),
  }
}
