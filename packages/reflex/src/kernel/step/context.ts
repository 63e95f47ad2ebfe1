import { type BoardContract, checkSchema, checkSize, checkWrite, type PendingWrites, NO_RULES } from '../state/board.ts'
import { digest, digestFraction } from '../journal/digest.ts'
import type { FaultData } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { faults } from '../journal/faults.ts'
import {
  areSameKind,
  type PendingEffect,
  type Frame,
  isActivation,
  type StrandResult,
  lookup,
  scopeChain,
  type Wait,
} from '../state/frame.ts'
import { copyJson, type Json, type JsonObject } from '../journal/json.ts'
import type { Permissions } from '../journal/permissions.ts'
import { type Program, pinOf } from './program.ts'
import type {
  CallRequest,
  EndStatus,
  Outputs,
  RuntimeAsker,
  Pin,
  Rec,
  Input,
  Ref,
  Request,
  ReturnPair,
  SpawnRequest,
  WaitRequest,
  WaitType,
} from '../journal/record.ts'
import { BoardReader } from '../state/scope.ts'
import type { UsageMeter } from '../state/meter.ts'
import { StepMeter } from './step-meter.ts'
import { makeRef, type State } from '../state/state.ts'
import { soundUsage, type StatedUsage } from '../journal/usage.ts'

/** Finds programs that the run of a step has not pinned yet. */
export interface Lookup {
  find(name: string): Program | undefined
  compile(kind: string, id: string, source: Json): Program
}

type Mutable<T> = T extends readonly [unknown, ...unknown[]] ? T : T extends readonly (infer Item)[] ? Item[] : T
type Draft = { -readonly [K in keyof Outputs]?: Mutable<NonNullable<Outputs[K]>> }

/** The limit of frames below a frame: each costs memory, and an endless recursion would use all of it. */
const MAX_DEPTH = 5_000

/** The options of a called or spawned program. */
export interface CallOptions {
  readonly map?: readonly ReturnPair[]
  readonly args?: Json
  /** True: only named inputs; its reads do not continue in its caller. */
  readonly isolated?: boolean
  /** The limit of programs of this frame's kind on one stack, including its own, regardless of programs of other kinds between them. */
  readonly maxNesting?: number
}

/** The options of a spawned strand. */
export interface SpawnOptions {
  readonly args?: Json
  readonly sees?: 'live' | 'past' | 'nothing'
  readonly under?: Ref
  /** The limit of programs of this frame's kind on one stack, including its own, regardless of programs of other kinds between them. */
  readonly maxNesting?: number
}

/** Where a write comes from, if not from where the frame stands: a kind whose step passes many nodes says which. */
export interface WriteOptions {
  readonly from?: string | readonly Json[]
}

const OWN_SCOPE: Ref | null = null
/** The outermost scope, as a scope name. */
const ROOT = Symbol('root')

interface WaitOptions {
  /** Milliseconds since the epoch. */
  readonly due?: number
  readonly about?: Json
  /** The asker, if it is not the program. */
  readonly asker?: RuntimeAsker
}

/** Returns a wait as stored in a record. Formats below 3 do not state the asker. */
export function waitRequest(state: State, type: WaitType, title: string, options: WaitOptions): WaitRequest {
  const { about, asker } = options
  const due = options.due === undefined ? undefined : Math.round(options.due)
  if (asker !== undefined && state.isCurrentFormat) return [type, title, due ?? null, about ?? null, asker]
  if (about !== undefined) return [type, title, due ?? null, about]
  return due === undefined ? [type, title] : [type, title, due]
}

/**
 * The interface of a kind to its run in one step. It is pure: the same state and input give the same record. Nothing is
 * performed here; requests become part of the record. Do not keep it after the step.
 */
export class StepContext<Def = unknown> {
  #state: State
  #lookup: Lookup
  #frame: Frame
  #def: Def
  #contract: BoardContract = NO_RULES
  #record = 0
  #now = 0
  #placeName: string | undefined
  #writes: Json[] | undefined
  #shared = false
  #position: Json | undefined
  #requests: Request[] | undefined
  #prepared = false
  #more: Draft | undefined
  #isStep = false
  #input: Input | undefined
  #elapsed = 0
  #draws = 0
  readonly #tracked = { reads: new Set<string>(), writes: new Set<string>() }

  constructor(state: State, frame: Frame, def: Def, lookup: Lookup) {
    this.#state = state
    this.#frame = frame
    this.#def = def
    this.#lookup = lookup
  }

  /** Begins a step. One context serves a whole run: a new one per step would cost a tenth of the step. */
  begin(frame: Frame, def: Def, contract: BoardContract, elapsed: number, input?: Input): void {
    this.#frame = frame
    this.#def = def
    this.#contract = contract
    this.#record = this.#state.n + 1
    this.#now = this.#state.time + elapsed
    this.#placeName = undefined
    this.#writes = undefined
    this.#shared = false
    this.#position = undefined
    this.#requests = undefined
    this.#prepared = false
    this.#more = undefined
    this.#isStep = false
    this.#input = input
    this.#elapsed = elapsed
    this.#draws = 0
    if (contract.rules.tracks) this.clearAccess()
  }

  /** Returns the record of the step. */
  finish(input: Input | undefined, elapsed: number): Rec {
    return {
      frame: this.#frame.id,
      elapsed,
      input,
      writes: this.#writes,
      position: this.#position,
      requests: this.#requests,
      more: this.#more,
      step: this.#isStep ? true : undefined,
    }
  }

  get def(): Def {
    return this.#def
  }

  /** The position that this step has set, otherwise the previous one. */
  get position(): Json | undefined {
    return this.#position ?? this.#frame.position
  }

  get args(): Json | undefined {
    return this.#frame.args
  }

  /** The frame of the step. Read it, but never change it. */
  get frame(): Frame {
    return this.#frame
  }

  /**
   * True if another frame, or an ended strand, is of this frame's kind: only then do its position and its internal keys have
   * this kind's meaning.
   */
  isSameKind({ pin }: { readonly pin: number }): boolean {
    return areSameKind(this.#state.pins, pin, this.#frame.pin)
  }

  /** The revision of the kind that the run has pinned. The behaviour of a kind may only change with it. */
  get rev(): number {
    return this.#state.pins[this.#frame.pin]?.[2] ?? 0
  }

  /** The time of the last recorded input, in milliseconds since the epoch. */
  get now(): number {
    return this.#now
  }

  /** The usage of the run and its programs, including this step: its input, its time, the node that it enters. */
  get meter(): UsageMeter {
    return new StepMeter(this.#state, this.#frame, this.#elapsed, {
      input: this.#input,
      more: this.#more,
      isStep: this.#isStep,
    })
  }

  /** Marks the step as an execution of a node. Formats below 3 count nodes by positions. */
  enter(): void {
    this.#isStep = this.#state.isCurrentFormat
  }

  /** Adds usage that no effect of the run has stated, such as that of a run that this one continues. */
  addUsage(used: StatedUsage): void {
    const sound = soundUsage(used)
    if (sound !== undefined) this.#draft().used = sound
  }

  /** True once a person has stopped the run at a program of this kind. */
  get isStopped(): boolean {
    for (const frame of this.#state.stoppedAt) if (this.isSameKind(frame)) return true
    return false
  }

  /** Counts uses of grants that are limited by uses in a run. */
  useGrants(grants: Readonly<Record<string, number>>): void {
    this.#draft().use = grants
  }

  /** What the program may do, by the operator's rules. Throws for a kind that states no needs. */
  get permissions(): Permissions {
    const permissions = this.#input?.[0] === 'permits' ? (this.#input[1] as unknown as Permissions) : this.#frame.permissions
    if (permissions === undefined) throw new TypeError(`${this.#place()} has no permissions: its kind states no needs`)
    return permissions
  }

  /** The number of this step's record. */
  get record(): number {
    return this.#record
  }

  /** Sets the node path for messages about writes. Default: the name of the program. */
  setPlace(where: string): void {
    this.#placeName = where
  }

  /** Returns the latest value of a key: first from this step's writes, then from the frame's scope, then outwards. */
  get(key: string): Json | undefined {
    if (this.#contract.rules.tracks) this.#tracked.reads.add(key)
    return this.#read(key, OWN_SCOPE)
  }

  /** True if the key has a value. Not part of the access tracking. */
  has(key: string): boolean {
    return this.#read(key, OWN_SCOPE) !== undefined
  }

  #read(key: string, under: Ref | null): Json | undefined {
    const pending = under === null ? this.#writes : this.#more?.sub?.findLast(([id]) => id === under)?.[1]
    if (pending !== undefined) for (let i = pending.length - 2; i >= 0; i -= 2) if (pending[i] === key) return pending[i + 1]
    if (under !== null) return this.#readOuter(key, under)
    if (this.#more?.tombstones?.includes(key)) return new BoardReader([...scopeChain(this.#frame)].slice(1)).get(key)
    return lookup(this.#frame, key, null, this.#contract.isInternal?.(key) === true)
  }

  #readOuter(key: string, under: Ref): Json | undefined {
    const sub = this.#frame.subs?.get(under)
    const place = sub?.scope.find(key, Number.POSITIVE_INFINITY) ?? -1
    const inner = place < 0 ? undefined : sub?.scope.valueAt(place)
    return inner ?? this.#read(key, sub?.under ?? this.#openedUnder(under) ?? null)
  }

  /** Returns the parent of a scope that this step has opened; undefined if it opened none with this ref. */
  #openedUnder(scope: Ref): Ref | null | undefined {
    return this.#more?.open?.find((_, i) => makeRef(this.#record, 'o', i) === scope)
  }

  /** Checks the scope now: when the record is applied, it would be too late to fail the frame. */
  #requireScope(scope: Ref): void {
    if (this.#frame.subs?.has(scope) || this.#openedUnder(scope) !== undefined) return
    throw new TypeError(`${this.#place()} names the inner scope ${scope}, which is not open`)
  }

  /** Returns the board before this step, from inner to outer scopes. */
  reader(under: Ref | null = null): BoardReader {
    return this.#frame.reader(under)
  }

  /** Returns the writes of this step to the frame's own scope so far. */
  pending(): Readonly<Record<string, Json>> {
    const writes = this.#writes ?? []
    return Object.fromEntries(writes.flatMap((key, i) => (i % 2 === 0 ? [[key as string, writes[i + 1] ?? null]] : [])))
  }

  /** Writes to the frame's own scope. Throws `R2004` to `R2008` if the key or the value is refused. */
  set(key: string, value: unknown, options?: WriteOptions): void {
    this.#set(key, value, false)
    this.#label(key, options)
  }

  /** Of several labels of a key in one step, the last one counts. */
  #label(key: string, { from }: WriteOptions = {}, scope?: Ref): void {
    if (from === undefined) return
    const draft = this.#draft()
    ;(draft.from ??= []).push(scope === undefined ? [key, from] : [key, from, scope])
  }

  /** Writes a key with the prefix of the runtime. */
  setInternal(key: string, value: unknown): void {
    this.#set(key, value, true)
  }

  #set(key: string, value: unknown, isInternal: boolean): void {
    const json = this.#check(null, key, value, isInternal)
    if (this.#writes === undefined || this.#shared) this.#writes = [...(this.#writes ?? [])]
    this.#shared = false
    this.#writes.push(key, json)
    if (this.#more?.tombstones !== undefined) this.#more.tombstones = this.#more.tombstones.filter((gone) => gone !== key)
  }

  #check(target: Ref | typeof ROOT | null, key: string, value: unknown, isInternal: boolean): Json {
    const { rules } = this.#contract
    const json = checkWrite(this.#contract, key, value, this.#place(), isInternal)
    if (rules.limit !== undefined) checkSize(rules.limit, this.#frame, this.#pending(target, [key, json]), key, json, this.#place())
    if (rules.tracks) this.#tracked.writes.add(key)
    return json
  }

  /** Returns the writes and deletions of this step by scope, with one more write. */
  #pending(target: Ref | typeof ROOT | null, write: readonly Json[]): PendingWrites[] {
    const extra = (to: Ref | typeof ROOT | null) => (to === target ? write : [])
    const { sub = [], root = [], tombstones } = this.#more ?? {}
    const inner = new Map(sub)
    if (target !== null && target !== ROOT && !inner.has(target)) inner.set(target, [])
    return [
      { scope: this.#frame.scope, writes: [...(this.#writes ?? []), ...extra(null)], deleted: tombstones },
      { scope: [...scopeChain(this.#frame)].at(-1)?.scope, writes: [...root, ...extra(ROOT)] },
      ...Array.from(inner, ([id, writes]) => ({ scope: this.#frame.subs?.get(id)?.scope, writes: [...writes, ...extra(id)] })),
    ]
  }

  #place(): string {
    return this.#placeName ?? this.#state.pins[this.#frame.pin]?.[0] ?? 'program'
  }

  /**
   * Writes a flat list of keys and values that a port has already accepted: all or none. If no rule or schema changes them, the
   * list itself becomes part of the record, so the codec can refer to the input.
   */
  setAccepted(writes: Json[]): void {
    if (writes.length === 0) return
    if (this.#writes === undefined && this.#canShare(writes)) {
      this.#writes = writes
      this.#shared = true
      return
    }
    const kept = this.#writes === undefined ? undefined : [...this.#writes]
    try {
      for (let i = 0; i < writes.length; i += 2) this.set(writes[i] as string, writes[i + 1])
    } catch (thrown) {
      this.#writes = kept
      throw thrown
    }
  }

  #canShare(writes: readonly Json[]): boolean {
    const { rules, schemas } = this.#contract
    if (rules.isReserved !== undefined || rules.limit !== undefined || rules.tracks || rules.schemas === 'required') return false
    if (schemas === undefined) return true
    for (let i = 0; i < writes.length; i += 2)
      if (checkSchema(this.#contract, writes[i] as string, writes[i + 1], this.#place()) !== writes[i + 1]) return false
    return true
  }

  /** Writes to the outermost scope that the frame reaches. The kind must enable it. */
  setRoot(key: string, value: unknown): void {
    this.#requireRule('root')
    const draft = this.#draft()
    const json = this.#check(ROOT, key, value, false)
    ;(draft.root ??= []).push(key, json)
  }

  /** Deletes a key from the frame's own scope. Returns true if it had a value there. The kind must enable it. */
  delete(key: string): boolean {
    this.#requireRule('tombstones')
    const place = this.#frame.scope.find(key, Number.POSITIVE_INFINITY)
    const stored = place >= 0 && this.#frame.scope.valueAt(place) !== undefined
    const pending = this.#writes?.some((item, i) => i % 2 === 0 && item === key) ?? false
    if (pending) this.#writes = this.#writes?.filter((_, i, all) => all[i - (i % 2)] !== key)
    if (pending) this.#shared = false
    if (pending && this.#writes?.length === 0) this.#writes = undefined
    const draft = this.#draft()
    if (stored && !draft.tombstones?.includes(key)) (draft.tombstones ??= []).push(key)
    return stored || pending
  }

  /** Opens a scope inside the frame, under its own scope or another inner one. Returns its ref. */
  open(under: Ref | null = null): Ref {
    this.#requireRule('scopes')
    if (under !== null) this.#requireScope(under)
    const draft = this.#draft()
    ;(draft.open ??= []).push(under)
    return makeRef(this.#record, 'o', draft.open.length - 1)
  }

  /** Writes to an inner scope. */
  setIn(scope: Ref, key: string, value: unknown, options?: WriteOptions): void {
    this.#requireScope(scope)
    const draft = this.#draft()
    const earlier = draft.sub?.find(([id]) => id === scope)?.[1] ?? []
    const json = this.#check(scope, key, value, false)
    draft.sub = [...(draft.sub ?? []).filter(([id]) => id !== scope), [scope, [...earlier, key, json]]]
    this.#label(key, options, scope)
  }

  /** Reads from an inner scope outwards. */
  getIn(scope: Ref, key: string): Json | undefined {
    if (this.#contract.rules.tracks) this.#tracked.reads.add(key)
    return this.#read(key, scope)
  }

  /** Closes inner scopes; their values can no longer be read. */
  shut(...scopes: Ref[]): void {
    const draft = this.#draft()
    ;(draft.shut ??= []).push(...scopes)
  }

  /** The keys read and written since the step began or the tracking was cleared. */
  get access(): { readonly reads: ReadonlySet<string>; readonly writes: ReadonlySet<string> } {
    this.#requireRule('tracks')
    return this.#tracked
  }

  clearAccess(): void {
    this.#tracked.reads.clear()
    this.#tracked.writes.clear()
  }

  /** Sets the position of the frame as a whole. It must be small and never null. */
  go(position: Json): void {
    this.#position = position
  }

  /** Changes the position key by key; null deletes a key. */
  patch(delta: JsonObject): void {
    const draft = this.#draft()
    draft.patch = { ...draft.patch, ...delta }
  }

  /** Requests an effect. Returns its ref. `key`: the idempotency key of an earlier request with an unknown outcome. */
  request(port: string, args?: Json, key?: string): Ref {
    const request: Request = key !== undefined ? [port, args ?? null, key] : args !== undefined ? [port, args] : [port]
    if (this.#requests === undefined || this.#prepared) this.#requests = [...(this.#requests ?? [])]
    this.#prepared = false
    this.#requests.push(request)
    const index = this.#requests.length - 1
    return index === 0 ? this.#record : `${this.#record}.${index}`
  }

  /** Requests effects without arguments with a prepared list, which saves allocations in a step. */
  requestPrepared(requests: Request[]): void {
    this.#prepared = this.#requests === undefined
    if (this.#requests === undefined) this.#requests = requests
    else this.#requests = [...this.#requests, ...requests]
  }

  /** Opens a wait. Returns its ref. */
  wait(type: WaitType, title: string, options: WaitOptions = {}): Ref {
    const draft = this.#draft()
    draft.wait ??= []
    draft.wait.push(waitRequest(this.#state, type, title, options))
    return makeRef(this.#record, 'w', draft.wait.length - 1)
  }

  /** Waits for `ms` milliseconds. */
  timer(ms: number, title = 'timer'): Ref {
    return this.wait('timer', title, { due: this.#now + ms })
  }

  /** Drops effects and waits, and deletes ended strands. */
  drop(...refs: Ref[]): void {
    const draft = this.#draft()
    ;(draft.drop ??= []).push(...refs)
  }

  /** Returns the frame's effects in flight, including the one that this step's input settles. */
  pendingEffects(): readonly PendingEffect[] {
    return this.#frame.pendingEffects
  }

  /** Returns the frame's open waits, including the one that this step's input closes, without the kernel's questions about effects. */
  waits(): readonly Wait[] {
    return (this.#frame.waits ?? []).filter((wait) => wait.effect === undefined)
  }

  /** True if a program of this name can be called. The record pins it, so that a replay finds the same. */
  hasProgram(program: string): boolean {
    return this.#findPin(program) !== undefined
  }

  /**
   * Calls a program on the frame's stack. Returns the ref of the callee. Throws `R2010` if the program is missing, `R2018` if
   * the stack is too deep.
   */
  call(program: string, options: CallOptions = {}): Ref {
    this.#checkDepth()
    const draft = this.#draft()
    if (this.#frame.callee !== undefined || draft.call !== undefined)
      throw new TypeError(`${this.#place()} calls ${program} before its last call has returned`)
    const call: { -readonly [K in keyof CallRequest]: CallRequest[K] } = { pin: this.#pin(program) }
    this.#checkNesting(program, call.pin, options.maxNesting)
    if (options.map !== undefined && options.map.length > 0) call.map = options.map
    if (options.args !== undefined) call.args = options.args
    if (options.isolated) call.isolated = true
    draft.call = call
    return makeRef(this.#record, 'f', 0)
  }

  /** Spawns a strand of a program, or of this program itself. Returns the ref of the strand. */
  spawn(program: string | null, options: SpawnOptions = {}): Ref {
    this.#checkDepth()
    const draft = this.#draft()
    if (options.under !== undefined) this.#requireScope(options.under)
    const spawn: { -readonly [K in keyof SpawnRequest]: SpawnRequest[K] } = { pin: program === null ? this.#frame.pin : this.#pin(program) }
    if (program !== null) this.#checkNesting(program, spawn.pin, options.maxNesting)
    if (options.args !== undefined) spawn.args = options.args
    if (options.sees === 'live' || options.sees === 'nothing') spawn.sees = options.sees
    if (options.under !== undefined) spawn.under = options.under
    draft.spawn ??= []
    draft.spawn.push(spawn)
    return makeRef(this.#record, 's', draft.spawn.length - 1)
  }

  #checkDepth(): void {
    if (this.#frame.depth < MAX_DEPTH) return
    throw faults.make('R2018', `${this.#place()} calls at depth ${this.#frame.depth}`, {
      path: this.#place(),
      fix: 'give the recursion a way out',
    })
  }

  #checkNesting(program: string, pin: number, maxNesting = Infinity): void {
    if (maxNesting === Infinity) return
    const kindOf = (one: number): string | undefined => (this.#state.pins[one] ?? this.#more?.pin?.[one - this.#state.pins.length])?.[1]
    const frameKind = kindOf(this.#frame.pin)
    let nesting = kindOf(pin) === frameKind ? 1 : 0
    for (let at: Frame | undefined = this.#frame; at !== undefined; at = at.link?.caller)
      if (isActivation(at) && kindOf(at.pin) === frameKind) nesting++
    if (nesting <= maxNesting) return
    throw faults.make('R2018', `${this.#place()} cannot call ${program}: programs of its kind are ${maxNesting} deep, which is the limit`, {
      path: this.#place(),
      fix: 'give the recursion a way out',
    })
  }

  #pin(program: string): number {
    const pin = this.#findPin(program)
    if (pin === undefined)
      throw faults.make('R2010', `${this.#place()} calls ${program}, which is not registered`, {
        path: this.#place(),
        fix: `register ${program}, then resume`,
      })
    return pin
  }

  #findPin(program: string): number | undefined {
    const added = this.#more?.pin?.findLastIndex(([pinned]) => pinned === program) ?? -1
    if (added >= 0) return this.#state.pins.length + added
    const known = this.#state.pins.findLastIndex(([pinned]) => pinned === program)
    if (known >= 0) return known
    const found = this.#lookup.find(program)
    return found === undefined ? undefined : this.#addPin(pinOf(found))
  }

  #addPin(pin: Pin): number {
    const draft = this.#draft()
    ;(draft.pin ??= []).push(pin)
    return this.#state.pins.length + draft.pin.length - 1
  }

  /** Returns a strand of this frame. */
  strandResult(id: Ref): StrandResult | undefined {
    return this.#frame.strandResults?.get(id)
  }

  /** Copies the writes of ended strands to this frame, in this order, with the latest value of each key. The strands are deleted. */
  adopt(...strands: Ref[]): void {
    for (const id of strands) {
      if ((this.strandResult(id)?.status ?? 'running') === 'running' || this.#more?.adopt?.includes(id))
        throw new TypeError(`${this.#place()} adopts the strand ${id}, which has not ended or is not its own`)
    }
    const draft = this.#draft()
    ;(draft.adopt ??= []).push(...strands)
  }

  /** Cancels strands; each still ends with an `end` input. */
  kill(...strands: Ref[]): void {
    const draft = this.#draft()
    ;(draft.kill ??= []).push(...strands)
  }

  /** Cancels the callee; the frame gets its `ret` as cancelled. */
  unwind(): void {
    this.#draft().unwind = 1
  }

  /**
   * Replaces the program by another version from the next record on, and returns its definition for a step that needs it at
   * once. `version` makes its name `kind:id~v2`: callers of the original name still find the pinned program. Throws the error
   * of the kind for a source that it cannot compile.
   */
  become(source: Json, version?: number): Def {
    const [pinned = '', kind = ''] = this.#state.pins[this.#frame.pin] ?? []
    const id = pinned.slice(kind.length + 1)
    const named = version === undefined ? id : `${id.replace(/~v\d+$/, '')}~v${version}`
    const program = this.#lookup.compile(kind, named, copyJson(source, this.#place()))
    const known = this.#state.pins.findLastIndex(([, , , hash]) => hash === program.hash)
    this.#draft().become = known >= 0 ? known : this.#addPin(pinOf(program))
    return program.def as Def
  }

  /**
   * Registers a program that is given as data with the run. Returns the name by which it can be called; this record pins it.
   * Throws the error of its kind for a source that it cannot compile.
   */
  define(kind: string, id: string, source: Json): string {
    const program = this.#lookup.compile(kind, id, copyJson(source, this.#place()))
    const added = this.#more?.pin?.findLast(([pinned]) => pinned === program.name)
    const latest = added ?? this.#state.pins.findLast(([pinned]) => pinned === program.name)
    if (latest?.[3] !== program.hash) this.#addPin(pinOf(program))
    return program.name
  }

  /** Steps this frame again, without input. */
  again(): void {
    this.#draft().go = 1
  }

  /** Adds a note for readers. It is compared in a replay, but is not part of the state. */
  note(note: Json): void {
    const draft: { note?: Json } = this.#draft()
    draft.note = note
  }

  done(value?: Json): void {
    this.#return('done', value)
  }

  /** Fails the frame; the fault becomes its result for the caller. */
  fail(fault: FaultData): void {
    this.#return('failed', faultJson(fault))
  }

  cancelled(value?: Json): void {
    this.#return('cancelled', value)
  }

  #return(status: EndStatus, value: Json | undefined): void {
    this.#draft().return = value === undefined ? [status] : [status, value]
  }

  /** Returns a number in [0, 1) that depends only on the seed of the run, the record and the draw. */
  random(): number {
    return digestFraction(this.#draw('random'))
  }

  /** Returns an id in the form of a UUID, reproducible like `random`. */
  uuid(): string {
    const hex = digest(this.#draw('uuid'))
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  #draw(what: string): string {
    return `${what}:${this.#state.seed}:${this.#record}:${this.#draws++}`
  }

  #draft(): Draft {
    this.#more ??= {}
    return this.#more
  }

  #requireRule(fact: 'root' | 'tombstones' | 'scopes' | 'tracks'): void {
    if (this.#contract.rules[fact]) return
    throw faults.make('R2009', `${this.#place()} needs the board fact "${fact}", which its kind does not switch on`)
  }
}
