import { Decider } from '../step/decide.ts'
import type { EffectWorld } from './effects.ts'
import { type Fault, isFault } from '../journal/fault.ts'
import { hidesContents } from '../journal/contents.ts'
import { faults, noContents } from '../journal/faults.ts'
import { ForkPoints } from './fork-points.ts'
import { type CopiedSource, type ForkSource, noStart, sourceAt } from './fork-source.ts'
import type { Frame } from '../state/frame.ts'
import type { Host } from '../ports/host.ts'
import { copyJson, isObject, type Json, type JsonObject } from '../journal/json.ts'
import type { Journals } from './journals.ts'
import type { CallOwner } from './live-call.ts'
import { changedPermits } from './permits.ts'
import type { RunPrograms } from '../step/run-programs.ts'
import type { Programs } from '../step/programs.ts'
import { FORMAT, type Input, type Pin, type Rec, type Ref, type Start } from '../journal/record.ts'
import type { Redactor } from '../journal/redact.ts'
import { framePath, runStatus, summary } from './row.ts'
import { applyChecked } from '../state/apply-checked.ts'
import type { State } from '../state/state.ts'
import type { RunFacts, SettingsCodec } from '../ports/settings.ts'
import type { Base, OpeningSnapshot } from '../ports/segment.ts'
import type { StoredState } from '../state/snapshot.ts'
import type { Batch, Lease, Store } from '../ports/store.ts'
import { encodeBatch, FIRST_SNAPSHOT, snapshotText, storedProgram } from './batch-builder.ts'

/** The options of a fork. */
export interface ForkOptions<S extends RunFacts = RunFacts> {
  /** The last shared record. Default: the last durable one. */
  readonly at?: number
  /** The name of the fork. Default: a random name. Throws `R5007` if it is taken. */
  readonly id?: string
  /** The person or program that forks, for the journal. */
  readonly actor?: string
  /** The overrides of the operator for the settings of the source. */
  readonly settings?: Partial<S>
  /** Values to write to the root board. */
  readonly set?: JsonObject
  /**
   * Returns the input that settles an effect in flight or a wait, from the state of the source and the set values. Returns a
   * fault if nothing can be settled; inside an effect, `R2060` is thrown instead.
   */
  readonly decide?: (source: ForkSource) => readonly [Frame, Input] | Fault
}

/** A run that was forked from another one. It is idle: it performs nothing until it is resumed. */
export interface ForkResult<S extends RunFacts = RunFacts> {
  readonly id: string
  readonly from: readonly [run: string, record: number]
  /** The number of effects that had settled after record `settledAfter`. Their results stay, and so do those of all effects before. */
  readonly settled: number
  /** The record with whose state the fork begins: the one that sealed the source last. 0: the fork has all records up to its own. */
  readonly settledAfter: number
  /** The state of the fork after its own records. */
  readonly state: State
  readonly definitions: RunPrograms
  /** Its settings as a resume reads them, and those of its source. */
  readonly settings: S
  readonly sourceSettings: S
}

/** Returns the state with which a run begins, for its name and trace id. */
export type BaseOf = (id: string, trace: string) => Base

/** The parts of a runtime that forking needs. */
export interface ForkWorld<S extends RunFacts> {
  readonly store: Store
  readonly journals: Journals
  readonly programs: Programs
  readonly ports: EffectWorld<S>['ports']
  readonly policy: EffectWorld<S>['policy']
  readonly codec: SettingsCodec<S>
  readonly host: Host
  readonly redact: Redactor | undefined
  /** Creates a run with a lease. `baseOf`: the state with which it begins instead of records, for its name and trace id. */
  create(id: string | undefined, program: Pin, baseOf?: BaseOf): Promise<{ readonly lease: Lease; readonly trace: string }>
}

/** The number of records per batch: a reader of one record need not read all. */
const CHUNK = 1000

/**
 * Creates a run from the first records of another one, unchanged, and its own records: the fork, and the decision for it.
 * Stores all of it in one commit, or nothing. Of a run with segments, only the records of one are copied: the fork begins with the snapshot
 * that opens it.
 */
export async function forkRun<S extends RunFacts>(world: ForkWorld<S>, run: string, options: ForkOptions<S>): Promise<ForkResult<S>> {
  const source = await sourceAt(world.journals, run, options.at)
  const { state, definitions, record: at, snapshot } = source
  const from = [run, at] as const
  const { start } = state
  const [program] = start?.pins ?? []
  if (start === undefined || program === undefined) throw noStart(run)
  if (hidesContents(state)) throw noContents(run, 'forked')
  const sourceSettings = world.codec.read(start)
  const points = new ForkPoints(run, { ...world, settings: sourceSettings })
  if (state.ended !== undefined) throw await points.endedFault(at)
  const openEffects = points.openEffects(state)
  const forkRecords = new ForkRecords(world, source)
  // The board checks the values before anything is created, and the decision sees the set values.
  forkRecords.begin(options)
  const found = options.decide?.(source)
  const decided = isFault(found) ? undefined : found
  // An effect that is decided for the fork is no longer in flight there.
  const openEffect = openEffects.find(({ id }) => id !== refOf(decided?.[1]))
  if (openEffect !== undefined) throw await points.insideFault(at, framePath(openEffect.frame, definitions))
  if (isFault(found)) throw found
  const startOf = (id: string, trace: string): Start => {
    const begun = { ...start, run: id, trace, fork: from, origin: start.origin ?? start.run }
    // A source that started without settings has none to write, unless the fork has some.
    if (start.by === undefined && options.settings === undefined) return begun
    const made = settingsAt(world.codec.forFork(sourceSettings, options.settings ?? {}), at)
    const by = world.codec.write(made, { run: id, trace, program: program[3] })
    return { ...begun, by: world.redact?.(by) ?? by }
  }
  const { lease, trace } = await world.create(options.id, program, baseOf(run, snapshot, startOf))
  state.start = startOf(lease.run, trace)
  if (sourceSettings.raisedElsewhere?.some((end) => end > at) === true) state.meter.lower()
  // The frames of the fork see the settings that a resume will read.
  const settings = world.codec.read(state.start)
  const ownRecords = forkRecords.end({ run: lease.run, settings }, decided)
  const shared = snapshot === undefined ? withStart(state.start, source.records) : source.records
  const refused = await world.store.commit(batchesOf(source, [...shared, ...ownRecords], lease))
  if (refused.length > 0) throw faults.make('R5002', `${lease.run} was taken over by another process`, { run: lease.run })
  const settled = shared.filter(({ input }) => input?.[0] === 'ok' || input?.[0] === 'err').length
  return { id: lease.run, from, settled, settledAfter: snapshot?.at ?? 0, state, definitions, settings, sourceSettings }
}

/** Returns the settings of a fork at a record: permissions that are given in the fork itself count, and so do limits that it raises. */
function settingsAt<S extends RunFacts>(settings: S, at: number): S {
  const { decidedAfter = 0, raisedElsewhere = [] } = settings
  return {
    ...settings,
    ...(decidedAfter > at ? { decidedAfter: at } : {}),
    ...(raisedElsewhere.some((end) => end > at) ? { raisedElsewhere: [...new Set(raisedElsewhere.map((end) => Math.min(end, at)))] } : {}),
  }
}

/** Returns the snapshot that opens the segment of the source, with the start of the fork. */
function baseOf(parent: string, snapshot: OpeningSnapshot | undefined, startOf: (id: string, trace: string) => Start): BaseOf | undefined {
  if (snapshot === undefined) return undefined
  const { at, chain, body } = snapshot
  const stored = JSON.parse(body) as StoredState
  return (id, trace) => ({ at, chain, snapshot: JSON.stringify({ ...stored, start: startOf(id, trace) }), parent })
}

function refOf(input: Input | undefined): Ref | undefined {
  const ref = input?.[1]
  return typeof ref === 'string' || typeof ref === 'number' ? ref : undefined
}

interface NewFork<S extends RunFacts> {
  readonly run: string
  readonly settings: S
}

/** The own records of a fork: created in order, each applied to the state at once. */
class ForkRecords<S extends RunFacts> {
  readonly #world: ForkWorld<S>
  readonly #source: ForkSource
  readonly #decider: Decider
  #first: Rec | undefined

  constructor(world: ForkWorld<S>, source: ForkSource) {
    this.#world = world
    this.#source = source
    this.#decider = new Decider(source.state, source.definitions)
  }

  /** Creates the first record: the fork, its author and the set values. Throws the faults of the board. */
  begin(options: ForkOptions<S>): void {
    const { state } = this.#source
    const { host } = this.#world
    this.#first = this.#take(state.root, ['kernel', 'fork', forkDetail(this.#world, options)], Math.max(0, host.now() - state.time))
  }

  /** The permissions of its frames in the fork, and what was decided for it. Returns all records of the fork. */
  end(fork: NewFork<S>, decided: readonly [Frame, Input] | undefined): Rec[] {
    const { state, definitions } = this.#source
    const records = this.#first === undefined ? [] : [withDecision(this.#first, refOf(decided?.[1]))]
    const owner: CallOwner<S> = { id: fork.run, state, settings: fork.settings, definitions }
    for (const [frame, input] of changedPermits(owner, this.#world.policy)) records.push(this.#take(frame, input, 0))
    if (decided !== undefined) records.push(this.#take(decided[0], decided[1], 0))
    return records
  }

  #take(frame: Frame, input: Input, elapsed: number): Rec {
    const { redact } = this.#world
    const clean = redact === undefined ? input : (redact(input as unknown as Json) as unknown as Input)
    const record = this.#decider.decide(frame, clean, elapsed)
    applyChecked(this.#source.state, record)
    return record
  }
}

/** The first record states what is settled for the fork, if anything is. */
function withDecision(record: Rec, ref: Ref | undefined): Rec {
  const { input } = record
  if (ref === undefined || input?.[0] !== 'kernel' || !isObject(input[2])) return record
  return { ...record, input: ['kernel', input[1], { ...input[2], decides: String(ref) }] }
}

/** The fork has its own seed: it must not draw the same numbers as its source for the same record. */
function forkDetail({ host }: { readonly host: Host }, { set, actor }: Pick<ForkOptions, 'set' | 'actor'>): JsonObject {
  return {
    seed: host.entropy(),
    ...(actor === undefined ? {} : { by: actor }),
    ...(set === undefined ? {} : { set: checkedSet(set) }),
  }
}

function checkedSet(set: JsonObject): JsonObject {
  const copy = copyJson(set, 'set')
  if (isObject(copy)) return copy
  throw faults.make('R2004', 'set names no keys', { path: 'set', fix: 'give an object: a value for each key' })
}

function withStart(start: Start, [first, ...rest]: readonly Rec[]): Rec[] {
  return first === undefined ? [] : [{ ...first, more: { ...first.more, start } }, ...rest]
}

function batchesOf({ state, definitions, snapshot: base }: CopiedSource, records: readonly Rec[], lease: Lease): Batch[] {
  const row = summary(state, definitions, runStatus(state, false))
  const programs = state.pins.map((_, pin) => definitions.program(pin)).filter(({ local }) => local === undefined)
  const batches: Batch[] = []
  let size = 0
  for (let from = 0; from < records.length; from += CHUNK) {
    const part = records.slice(from, from + CHUNK)
    const { body, blobs } = encodeBatch(part)
    size += body.length
    const isLast = from + CHUNK >= records.length
    const snapshot = isLast && size >= FIRST_SNAPSHOT ? snapshotText(state, definitions) : undefined
    batches.push({
      lease,
      first: (base?.at ?? 0) + from + 1,
      count: part.length,
      version: FORMAT,
      body,
      row,
      // A garbage collection does not delete the data of a batch that is being written.
      ...(from === 0 ? { programs: [...new Map(programs.map((program) => [program.hash, storedProgram(program)])).values()] } : {}),
      ...(blobs === undefined ? {} : { blobs }),
      ...(snapshot === undefined ? {} : { snapshot }),
    })
  }
  return batches
}
