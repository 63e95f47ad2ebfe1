import { areSameKind, PendingEffect, Frame, isActivation, requestOf, type StrandResult, type Link, type Wait } from './frame.ts'
import { faults } from '../journal/faults.ts'
import type { EffectAnswer } from './answers.ts'
import type { Json } from '../journal/json.ts'
import { oldAsker } from '../journal/old-words.ts'
import type { Permissions } from '../journal/permissions.ts'
import type { Asker, EndStatus, Input, Pin, Ref, ReturnPair, Start, WaitRules, WaitType } from '../journal/record.ts'
import { labelOf, Scope } from './scope.ts'
import { State } from './state.ts'
import { amountsOf, type CallLimits, type Limits, type StatedUsage, UsageSum } from '../journal/usage.ts'

/** `[key, record, at, label, value]`; without a value the key was deleted. */
type StoredEntry = readonly [string, number, number, Json | null, Json?]

interface StoredFrame {
  readonly id: Ref
  readonly pin: number
  readonly args?: Json
  readonly position?: Json
  readonly link?: {
    readonly caller: Ref
    readonly role: Link['role']
    readonly sees: Link['sees']
    readonly record: number
    readonly under: Ref | null
    readonly map: readonly ReturnPair[]
  }
  readonly scope: readonly StoredEntry[]
  readonly subs?: readonly (readonly [Ref, Ref | null, readonly StoredEntry[]])[]
  readonly strands?: readonly (readonly [Ref, StrandResult['status'], readonly StoredEntry[], Json?])[]
  /** The pins of the strands, in their order. */
  readonly strandPins?: readonly number[]
  readonly effects?: readonly (readonly [
    Ref,
    string,
    Json | null,
    string | null,
    number,
    number,
    (readonly string[])?,
    (readonly EffectAnswer[])?,
    string?,
  ])[]
  /** The permissions with the pin they are for. Absent where the caller has the same. */
  readonly permits?: readonly [pin: number, Permissions]
  readonly grants?: readonly string[]
  /** The record of each of these grants. Absent in a snapshot of an earlier release. */
  readonly grantsAt?: readonly number[]
  readonly cancelled?: string
  readonly notified?: true
  /** Its sum on the meter, and the time on the meter at its start. */
  readonly used?: StatedUsage
  readonly began?: number
  /** The limits that its caller gave it. */
  readonly limits?: CallLimits
}

/** The usage of a run, and its limits if they were raised. */
interface StoredMeter {
  readonly used: StatedUsage
  readonly time: number
  /** The part that a fork shares with its source. */
  readonly shared?: StatedUsage
  readonly limits?: Limits
  readonly stopped?: readonly Ref[]
  readonly uses?: readonly (readonly [grant: string, times: number])[]
  readonly decided?: readonly (readonly [grant: string, place: string, allowed: boolean, record?: number])[]
}

type StoredWait = readonly [
  id: Ref,
  frame: Ref,
  type: WaitType,
  name: string,
  due: number | null,
  about: Json | null,
  record: number,
  effect: Ref | null,
  number: number,
  since?: number,
  asker?: Asker,
  rules?: WaitRules,
]

/** A state as JSON: equal states have equal text. Snapshots contain it, and tests compare it. */
export interface StoredState {
  readonly n: number
  /** The last record that sealed a segment. Absent before the first one. */
  readonly sealed?: number
  readonly time: number
  readonly questions: number
  /** Absent if it is the seed of the start. */
  readonly seed?: string
  readonly idle?: true
  /** Absent in a snapshot of an earlier release, whose journal is folded from the start. */
  readonly meter?: StoredMeter
  readonly start: Start
  readonly ended?: readonly [EndStatus, Json?]
  readonly pins: readonly Pin[]
  readonly frames: readonly StoredFrame[]
  readonly waits: readonly StoredWait[]
  readonly queue: readonly (readonly [Ref, Input?])[]
}

/**
 * Returns a state as data. Frames of kinds without board history keep only what can still be read: the latest entry of each
 * key, now and as each strand sees it.
 */
export function dumpState(state: State, hasHistory: (pin: number) => boolean): StoredState {
  if (state.start === undefined) throw faults.make('R5003', 'a run without a start has no state')
  const bounds = boundsOf(state)
  const frames = [...state.frames.values()].map((frame) => dumpFrame(frame, hasHistory(frame.pin), bounds))
  return {
    n: state.n,
    ...(state.sealed === 0 ? {} : { sealed: state.sealed }),
    time: state.time,
    questions: state.questions,
    ...(state.seed === state.start.seed ? {} : { seed: state.seed }),
    ...(state.isIdle ? { idle: true as const } : {}),
    meter: dumpMeter(state),
    start: state.start,
    ...(state.ended === undefined
      ? {}
      : { ended: state.ended.value === undefined ? [state.ended.status] : [state.ended.status, state.ended.value] }),
    pins: [...state.pins],
    frames,
    waits: [...state.waits.values()].map(dumpWait),
    queue: state.queue.list().map(({ frame, input }) => (input === undefined ? [frame.id] : [frame.id, input])),
  }
}

/** The records as of which strands see the frames that spawned them. */
function boundsOf({ frames }: State): number[] {
  return [...frames.values()].flatMap(({ link }) => (link?.sees === 'past' ? [link.record] : []))
}

/** Leaves out what no snapshot keeps, so that a run that never ends holds no more than a snapshot does. */
export function shrinkState(state: State, hasHistory: (pin: number) => boolean): void {
  const bounds = boundsOf(state)
  for (const { pin, scope, subs, strandResults } of state.frames.values()) {
    for (const strand of strandResults?.values() ?? []) if (strand.status !== 'running') strand.scope.shrink([])
    if (hasHistory(pin)) continue
    scope.shrink(bounds)
    for (const sub of subs?.values() ?? []) sub.scope.shrink(bounds)
  }
}

function dumpMeter({ meter, stoppedAt, uses, decisions }: State): StoredMeter {
  const { total, time, original, limits } = meter
  const shared = amountsOf(meter.shared)
  return {
    used: amountsOf(total),
    time,
    ...(Object.keys(shared).length === 0 ? {} : { shared }),
    ...(limits === original ? {} : { limits }),
    ...(stoppedAt.size === 0 ? {} : { stopped: [...stoppedAt].map(({ id }) => id) }),
    ...(uses.size === 0 ? {} : { uses: [...uses] }),
    ...(decisions.size === 0
      ? {}
      : {
          decided: [...decisions].flatMap(([place, grants]) =>
            [...grants].map(([grant, { isAllowed, record }]) => [grant, place, isAllowed, record] as const),
          ),
        }),
  }
}

function dumpFrame(frame: Frame, history: boolean, bounds: readonly number[]): StoredFrame {
  const entries = (scope: Scope) => dumpScope(scope, history, bounds)
  const { link } = frame
  const used = usageOfFrame(frame)
  return {
    id: frame.id,
    pin: frame.pin,
    ...(frame.args === undefined ? {} : { args: frame.args }),
    ...(frame.position === undefined ? {} : { position: frame.position }),
    ...(link === undefined
      ? {}
      : { link: { caller: link.caller.id, role: link.role, sees: link.sees, record: link.record, under: link.under, map: link.map } }),
    scope: entries(frame.scope),
    ...(frame.subs?.size ? { subs: [...frame.subs].map(([id, sub]) => [id, sub.under, entries(sub.scope)] as const) } : {}),
    ...(frame.strandResults?.size
      ? {
          strands: [...frame.strandResults.values()].map(dumpStrandResult),
          strandPins: [...frame.strandResults.values()].map(({ pin }) => pin),
        }
      : {}),
    ...(frame.pendingEffects.length > 0 ? { effects: frame.pendingEffects.map(dumpPendingEffect) } : {}),
    ...(frame.permissions === undefined || frame.permissions === link?.caller.permissions
      ? {}
      : { permits: [frame.permitsPin, frame.permissions] as const }),
    ...(frame.grants === undefined ? {} : { grants: [...frame.grants.keys()], grantsAt: [...frame.grants.values()] }),
    ...(frame.cancelReason === undefined ? {} : { cancelled: frame.cancelReason }),
    ...(frame.notified ? { notified: true as const } : {}),
    ...(Object.keys(used).length === 0 ? {} : { used }),
    ...(frame.began === 0 ? {} : { began: frame.began }),
    ...(frame.limits === undefined ? {} : { limits: frame.limits }),
  }
}

function usageOfFrame({ steps, usage }: Frame): StatedUsage {
  const sum = new UsageSum()
  sum.steps = steps
  if (usage !== undefined) sum.add(usage)
  return amountsOf(sum)
}

function dumpWait(wait: Wait): StoredWait {
  const { id, frame, type, name, due = null, about = null, record, effect = null, number, since, asker, rules } = wait
  const stored = [id, frame.id, type, name, due, about, record, effect, number, since, asker] as const
  return rules === undefined ? stored : [...stored, rules]
}

/** Only the latest values of an ended strand can be read. */
function dumpStrandResult(strand: StrandResult): NonNullable<StoredFrame['strands']>[number] {
  const scope = strand.status === 'running' ? [] : dumpScope(strand.scope, false, [])
  return strand.value === undefined ? [strand.id, strand.status, scope] : [strand.id, strand.status, scope, strand.value]
}

function dumpPendingEffect(effect: PendingEffect): NonNullable<StoredFrame['effects']>[number] {
  const { id, port, args = null, requestedKey = null, record, askedGrants, stopped, answers, waitsFor } = effect
  const bits = (effect.hasParts ? 1 : 0) | (effect.isQuestioned ? 2 : 0) | (effect.isPostponed ? 4 : 0) | (stopped === undefined ? 0 : 8)
  const more = stopped === undefined ? askedGrants : [stopped.by, stopped.why]
  if (waitsFor !== undefined) return [id, port, args, requestedKey, record, bits, more ?? [], answers ?? [], waitsFor]
  if (answers !== undefined) return [id, port, args, requestedKey, record, bits, more ?? [], answers]
  return more === undefined ? [id, port, args, requestedKey, record, bits] : [id, port, args, requestedKey, record, bits, more]
}

function dumpScope(scope: Scope, history: boolean, bounds: readonly number[]): StoredEntry[] {
  const kept = history ? [...scope.entries()] : scope.readableEntries(bounds)
  return kept.map(({ key, value, record, at, label }) =>
    value === undefined ? [key, record, at, label ?? null] : [key, record, at, label ?? null, value],
  )
}

/** Restores a dumped state. */
export function loadState(stored: StoredState): State {
  const state = new State()
  state.n = stored.n
  state.sealed = stored.sealed ?? 0
  state.time = stored.time
  state.questions = stored.questions
  state.start = stored.start
  state.seed = stored.seed ?? stored.start.seed
  state.isIdle = stored.idle ?? false
  if (stored.ended !== undefined) state.ended = { status: stored.ended[0], value: stored.ended[1] }
  state.pins.push(...stored.pins)
  for (const item of stored.frames) loadFrame(state, item)
  for (const [
    id,
    frame,
    type,
    name,
    due,
    about,
    record,
    effect,
    number,
    since = stored.time,
    asker = oldAsker(name, effect ?? undefined),
    rules,
  ] of stored.waits) {
    const wait: Wait = {
      id,
      frame: state.frame(frame),
      type,
      name,
      due: due ?? undefined,
      about: about ?? undefined,
      record,
      since,
      number,
      effect: effect ?? undefined,
      asker,
      rules,
    }
    state.waits.set(id, wait)
    wait.frame.waits = [...(wait.frame.waits ?? []), wait]
  }
  for (const [frame, input] of stored.queue) state.queue.push(state.frame(frame), input)
  if (state.ended !== undefined) state.root.gone = true
  loadMeter(state, stored)
  return state
}

function loadMeter(state: State, { n, start, meter: stored = { used: {}, time: 0 } }: StoredState): void {
  const { meter, uses } = state
  meter.total.add(stored.used)
  meter.time = stored.time
  meter.shared.add({ ...stored.shared })
  meter.begin(start.by)
  meter.limits = stored.limits ?? meter.original
  // An import changes the start of a snapshot, and not its limits.
  if (meter.importEnds?.has(n) === true) meter.lower()
  for (const id of stored.stopped ?? []) state.stoppedAt.add(state.frame(id))
  // The snapshot can come from elsewhere: no answer in it is later than the snapshot.
  for (const [grant, place, allowed, record = 0] of stored.decided ?? []) state.decide(place, grant, allowed, Math.min(record, n))
  for (const [grant, times] of stored.uses ?? []) uses.set(grant, times)
}

function loadFrame(state: State, stored: StoredFrame): void {
  const { link } = stored
  const caller = link === undefined ? undefined : state.frame(link.caller)
  const frame = new Frame(
    stored.id,
    stored.pin,
    stored.args,
    link === undefined || caller === undefined
      ? undefined
      : { ...link, caller, isSameKind: areSameKind(state.pins, caller.pin, stored.pin) },
    loadScope(stored.scope),
  )
  frame.position = stored.position
  frame.cancelReason = stored.cancelled
  frame.notified = stored.notified ?? false
  frame.began = stored.began ?? 0
  if (stored.limits !== undefined) state.limit(frame, stored.limits)
  if (stored.used !== undefined) (frame.usage = new UsageSum()).add(stored.used)
  for (const [id, under, entries] of stored.subs ?? []) (frame.subs ??= new Map()).set(id, { under, scope: loadScope(entries) })
  for (const [i, [id, status, entries, value]] of stored.strands?.entries() ?? [])
    (frame.strandResults ??= new Map()).set(id, {
      id,
      pin: stored.strandPins?.[i] ?? UNKNOWN_PIN,
      status,
      scope: loadScope(entries),
      value,
    })
  if (stored.permits !== undefined) [frame.permitsPin, frame.permissions] = stored.permits
  else if (caller !== undefined && !isActivation(frame)) [frame.permitsPin, frame.permissions] = [caller.permitsPin, caller.permissions]
  if (stored.grants !== undefined)
    frame.grants = new Map(stored.grants.map((grant, i) => [grant, Math.min(stored.grantsAt?.[i] ?? 0, state.n)]))
  for (const [id, port, args, requestedKey, record, bits, more = [], answers, waitsFor] of stored.effects ?? []) {
    const effect = new PendingEffect(id, frame, requestOf(port, args ?? undefined, requestedKey ?? undefined), record)
    effect.hasParts = (bits & 1) !== 0
    effect.isQuestioned = (bits & 2) !== 0
    if ((bits & 4) !== 0 || waitsFor !== undefined) effect.postpone(waitsFor)
    if ((bits & 4) === 0) effect.begin()
    effect.answers = answers?.length === 0 ? undefined : answers
    const [by, why] = more
    if ((bits & 8) === 0) effect.askedGrants = more.length === 0 ? undefined : more
    else if (by !== undefined && why !== undefined) effect.stopped = { by, why }
    frame.pendingEffects.push(effect)
  }
  state.frames.set(frame.id, frame)
  if (caller !== undefined && link !== undefined) attach(caller, frame, link.role)
}

/** The pin of a strand in a snapshot of an earlier release: it belongs to no program. */
const UNKNOWN_PIN = -1

function attach(caller: Frame, frame: Frame, role: Link['role']): void {
  if (role === 'call') {
    caller.callee = frame
    return
  }
  caller.strands ??= new Map()
  caller.strands.set(frame.id, frame)
  const strand = caller.strandResults?.get(frame.id)
  if (strand !== undefined) caller.strandResults?.set(frame.id, { ...strand, scope: frame.scope })
}

function loadScope(entries: readonly StoredEntry[]): Scope {
  const scope = new Scope()
  for (const [key, record, at, label, value] of entries) scope.append(key, value, record, at, labelOf(label ?? undefined))
  return scope
}
