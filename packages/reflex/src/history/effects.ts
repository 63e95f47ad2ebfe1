import {
  amountsOf,
  type Frame,
  framePath,
  type Input,
  type Json,
  type JournalPart,
  type PendingEffect,
  type Rec,
  type Ref,
  type StatedUsage,
  type State,
  UsageSum,
} from '../kernel/index.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'
import { applyRecord } from './trace.ts'

/** An effect of a run: a call to the outside through a port. */
export interface EffectView {
  readonly id: Ref
  /** The record that requested it. */
  readonly record: number
  readonly program: string
  readonly path: string
  readonly port: string
  readonly request: Json | undefined
  /** The idempotency key in its request, if there is one. */
  readonly key: string | undefined
  /** Milliseconds since the epoch. */
  readonly requested: number
  /** The number of times that it was begun, as far as the journal tells. */
  attempts: number
  /** The number of its recorded parts. */
  parts: number
  outcome: 'open' | 'done' | 'failed' | 'dropped'
  /** The record that settled or dropped it, and its time. */
  settled?: { readonly record: number; readonly time: number }
  /** The result, or the fault. */
  value?: Json
  used?: StatedUsage
}

/** The usage of the places of a run: a program and a node. */
export interface PlaceUsage {
  readonly program: string
  readonly path: string
  readonly used: StatedUsage
}

/** Returns the effects that the records of a part requested, from record `from` on, at most `limit`; and the record of the next one. */
export async function effectsOfPart(
  part: JournalPart,
  {
    from,
    limit,
    definitionsFor,
  }: { readonly from: number; readonly limit: number; readonly definitionsFor: (state: State) => ViewedPrograms },
): Promise<{ readonly effects: readonly EffectView[]; readonly next?: number }> {
  const state = part.opening()
  const definitions = definitionsFor(state)
  const effects = new Map<Ref, EffectView>()
  const postponed = new Set<Ref>()
  let next: number | undefined
  for await (const [n, record] of part.records()) {
    const before = usageOf(state)
    applyRecord(state, record, definitions)
    if (record.input?.[0] === 'later') postponed.add(record.input[1])
    settle(effects, postponed, record, state, before)
    if (record.requests === undefined || n < from || next !== undefined) continue
    // The effects of one record are on one page, so that a page can begin with a record.
    if (effects.size > 0 && effects.size + record.requests.length > limit) next = n
    else for (const effect of requestedBy(state, record, n)) effects.set(effect.id, viewOf(effect, state, definitions))
  }
  return { effects: [...effects.values()], ...(next === undefined ? {} : { next }) }
}

function requestedBy(state: State, record: Rec, n: number): PendingEffect[] {
  return state.frames.get(record.frame)?.pendingEffects.filter((effect) => effect.record === n) ?? []
}

function viewOf(effect: PendingEffect, state: State, definitions: ViewedPrograms): EffectView {
  const { id, record, port, args, requestedKey, frame } = effect
  const { name } = definitions.program(frame.pin)
  const path = framePath(frame, definitions)
  return {
    id,
    record,
    program: name,
    path,
    port,
    request: args,
    key: requestedKey,
    requested: state.time,
    attempts: 1,
    parts: 0,
    outcome: 'open',
  }
}

/** `postponed`: the effects that have not begun. Their beginning is not another try. */
function settle(effects: ReadonlyMap<Ref, EffectView>, postponed: Set<Ref>, { input }: Rec, state: State, before: UsageSum): void {
  const settled = { record: state.n, time: state.time }
  for (const { id } of state.droppedEffects) {
    const effect = effects.get(id)
    if (effect?.outcome === 'open') Object.assign(effect, { outcome: 'dropped', settled })
  }
  state.droppedEffects.length = 0
  const effect = isAboutEffect(input) ? effects.get(input[1]) : undefined
  if (effect === undefined) return
  const used = amountsOf(difference(usageOf(state), before))
  if (input?.[0] === 'part') effect.parts++
  if (input?.[0] === 'again' && !postponed.delete(input[1])) effect.attempts++
  if (input?.[0] === 'ok' || input?.[0] === 'err')
    Object.assign(effect, { outcome: input[0] === 'ok' ? 'done' : 'failed', settled, value: input[2] })
  const { steps: _, ...stated } = used
  if (Object.keys(stated).length > 0) effect.used = amountsOf(sumOf(effect.used ?? {}, stated))
}

function isAboutEffect(input: Input | undefined): input is Input & readonly ['ok' | 'err' | 'part' | 'again', Ref, ...unknown[]] {
  return input?.[0] === 'ok' || input?.[0] === 'err' || input?.[0] === 'part' || input?.[0] === 'again'
}

/** Returns the usage of each place of a run, in the order of their first usage. Together they are the usage on its meter. */
export async function usageByPlace(part: JournalPart, definitionsFor: (state: State) => ViewedPrograms): Promise<readonly PlaceUsage[]> {
  const state = part.opening()
  const definitions = definitionsFor(state)
  const places = new Map<string, { readonly program: string; readonly path: string; readonly used: UsageSum }>()
  for await (const [, record] of part.records()) {
    const before = usageOf(state)
    const frame = state.frames.get(record.frame)
    const standing = frame === undefined ? undefined : placeOf(frame, definitions)
    applyRecord(state, record, definitions)
    state.droppedEffects.length = 0
    const used = difference(usageOf(state), before)
    if (Object.keys(amountsOf(used)).length === 0) continue
    // A step is one of the node that it enters, the usage of an effect one of the node that requested it.
    const entered = state.frames.get(record.frame)
    const place = used.calls === 0 && entered !== undefined ? placeOf(entered, definitions) : standing
    const key = JSON.stringify(place)
    const known = places.get(key) ?? { program: place?.program ?? '', path: place?.path ?? '', used: new UsageSum() }
    known.used.add(used)
    places.set(key, known)
  }
  return [...places.values()].map(({ used, ...place }) => ({ ...place, used: amountsOf(used) }))
}

function placeOf(frame: Frame, definitions: ViewedPrograms): { readonly program: string; readonly path: string } {
  return { program: definitions.program(frame.pin).name, path: framePath(frame, definitions) }
}

function usageOf({ meter: { total } }: State): UsageSum {
  return sumOf(total)
}

function sumOf(...usages: readonly StatedUsage[]): UsageSum {
  const sum = new UsageSum()
  for (const usage of usages) sum.add(usage)
  return sum
}

function difference(after: UsageSum, { tokens, cost, steps, calls, unpriced }: UsageSum): UsageSum {
  return sumOf(after, { tokens: -tokens, cost: -cost, steps: -steps, calls: -calls, unpriced: -unpriced })
}
