import { type BoardContract, BoardSize, checkSchema, checkWrite, NO_RULES } from '../state/board.ts'
import { faults } from '../journal/faults.ts'
import { type Frame, lookup, scopeChain } from '../state/frame.ts'
import type { Json } from '../journal/json.ts'
import { latestWrite } from './latest-write.ts'
import type { Outputs, Ref } from '../journal/record.ts'
import { BoardReader, type Scope } from '../state/scope.ts'
import { makeRef, type State } from '../state/state.ts'

type Mutable<T> = T extends readonly [unknown, ...unknown[]] ? T : T extends readonly (infer Item)[] ? Item[] : T
export type Draft = { -readonly [K in keyof Outputs]?: Mutable<NonNullable<Outputs[K]>> }

/** The origin of a write; default: the place of the frame. A kind whose step passes many nodes states it. */
export interface WriteOptions {
  readonly from?: string | readonly Json[]
}

const OWN_SCOPE: Ref | null = null
/** The outermost scope, as a scope name. */
const ROOT = Symbol('root')

/** Returns what a step does to inner scopes, with the part of one scope replaced. */
function withScope<Item>(
  all: readonly (readonly [Ref, readonly Item[]])[] = [],
  scope: Ref,
  part: readonly Item[],
): (readonly [Ref, readonly Item[]])[] {
  return [...all.filter(([id]) => id !== scope), ...(part.length === 0 ? [] : [[scope, part] as const])]
}

/** The board of a step: reads and writes of the frame, checked by the rules and schemas of its kind. */
export class StepBoard {
  protected readonly state: State
  protected writes: Json[] | undefined
  protected more: Draft | undefined
  #frame: Frame
  #contract: BoardContract = NO_RULES
  #record = 0
  #placeName: string | undefined
  #shared = false
  #size: BoardSize | undefined
  readonly #tracked = { reads: new Set<string>(), writes: new Set<string>() }

  constructor(state: State, frame: Frame) {
    this.state = state
    this.#frame = frame
  }

  protected beginBoard(frame: Frame, contract: BoardContract): void {
    this.#frame = frame
    this.#contract = contract
    this.#record = this.state.n + 1
    this.#placeName = undefined
    this.writes = undefined
    this.#shared = false
    this.more = undefined
    this.#size = undefined
    if (contract.rules.tracks) this.clearAccess()
  }

  /** The frame of the step. Read it, but never change it. */
  get frame(): Frame {
    return this.#frame
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
    const pending = under === null ? this.writes : this.more?.sub?.findLast(([id]) => id === under)?.[1]
    const place = pending === undefined ? -1 : latestWrite(pending, key)
    if (place >= 0) return pending?.[place + 1]
    if (under !== null) return this.#readOuter(key, under)
    if (this.more?.tombstones?.includes(key)) return new BoardReader([...scopeChain(this.#frame)].slice(1)).get(key)
    return lookup(this.#frame, key, null, this.#contract.isInternal?.(key) === true)
  }
  #readOuter(key: string, under: Ref): Json | undefined {
    const sub = this.#frame.subs?.get(under)
    const isGone = this.more?.gone?.some(([id, keys]) => id === under && keys.includes(key)) ?? false
    const place = isGone ? -1 : (sub?.scope.find(key, Number.POSITIVE_INFINITY) ?? -1)
    const inner = place < 0 ? undefined : sub?.scope.valueAt(place)
    return inner ?? this.#read(key, sub?.under ?? this.#openedUnder(under) ?? null)
  }
  /** Returns the parent of a scope that this step has opened; undefined if it opened none with this ref. */
  #openedUnder(scope: Ref): Ref | null | undefined {
    return this.more?.open?.find((_, i) => makeRef(this.#record, 'o', i) === scope)
  }
  /** Checks the scope now: when the record is applied, it would be too late to fail the frame. */
  protected requireScope(scope: Ref): void {
    if (this.#frame.subs?.has(scope) || this.#openedUnder(scope) !== undefined) return
    throw new TypeError(`${this.place()} names the inner scope ${scope}, which is not open`)
  }
  /** Returns the board before this step, from inner to outer scopes. */
  reader(under: Ref | null = null): BoardReader {
    return this.#frame.reader(under)
  }
  /** Returns the writes of this step to the frame's own scope so far. */
  pending(): Readonly<Record<string, Json>> {
    const writes = this.writes ?? []
    return Object.fromEntries(writes.flatMap((key, i) => (i % 2 === 0 ? [[key as string, writes[i + 1] ?? null]] : [])))
  }
  /** Writes to the frame's own scope. Throws `R2004` to `R2008` if the key or the value is refused. */
  set(key: string, value: unknown, options?: WriteOptions): void {
    this.#set(key, value, false)
    this.#label(key, options)
  }
  /** Labels a write. The last of several labels of a key in one step counts. */
  #label(key: string, { from }: WriteOptions = {}, scope?: Ref): void {
    if (from === undefined) return
    const draft = this.draft()
    ;(draft.from ??= []).push(scope === undefined ? [key, from] : [key, from, scope])
  }
  /** Writes a key with the prefix of the runtime. */
  setInternal(key: string, value: unknown): void {
    this.#set(key, value, true)
  }
  #set(key: string, value: unknown, isInternal: boolean): void {
    const json = this.#check(null, key, value, isInternal)
    if (this.writes === undefined || this.#shared) this.writes = [...(this.writes ?? [])]
    this.#shared = false
    this.writes.push(key, json)
    if (this.more?.tombstones !== undefined) this.more.tombstones = this.more.tombstones.filter((gone) => gone !== key)
  }
  #check(target: Ref | typeof ROOT | null, key: string, value: unknown, isInternal: boolean): Json {
    const { rules } = this.#contract
    const json = checkWrite(this.#contract, key, value, this.place(), isInternal)
    if (rules.limit !== undefined) this.#sizeOfBoard().write(this.#scopeOf(target), key, json, rules.limit, this.place())
    if (rules.tracks) this.#tracked.writes.add(key)
    return json
  }
  /** Returns the size of the board with what this step has written and deleted so far. */
  #sizeOfBoard(): BoardSize {
    if (this.#size !== undefined) return this.#size
    const size = new BoardSize(this.#frame)
    const { sub = [], gone = [], root = [], tombstones = [] } = this.more ?? {}
    const count = (target: Ref | typeof ROOT | null, writes: readonly Json[]): void => {
      const scope = this.#scopeOf(target)
      for (let i = 0; i < writes.length; i += 2) size.write(scope, writes[i] as string, writes[i + 1] ?? null, Infinity, '')
    }
    for (const key of tombstones) size.delete(this.#frame.scope, key)
    for (const [id, keys] of gone) for (const key of keys) size.delete(this.#scopeOf(id), key)
    count(null, this.writes ?? [])
    count(ROOT, root)
    for (const [id, writes] of sub) count(id, writes)
    this.#size = size
    return size
  }
  /** Returns the scope of a write; its ref, if this step has opened it. */
  #scopeOf(target: Ref | typeof ROOT | null): Scope | Ref {
    if (target === null) return this.#frame.scope
    if (target !== ROOT) return this.#frame.subs?.get(target)?.scope ?? target
    return [...scopeChain(this.#frame)].at(-1)?.scope ?? this.#frame.scope
  }
  /** The name of the frame's program as its caller gave it: `kind:id`, or `kind:id@version`. */
  get programName(): string {
    return this.state.pins[this.#frame.pin]?.[0] ?? ''
  }
  protected place(): string {
    return this.#placeName ?? this.state.pins[this.#frame.pin]?.[0] ?? 'program'
  }
  /**
   * Writes a flat list of keys and values that a port has already accepted: all or none. If no rule or schema changes them, the
   * list itself becomes part of the record, so the codec can refer to the input.
   */
  setAccepted(writes: Json[]): void {
    if (writes.length === 0) return
    if (this.writes === undefined && this.#canShare(writes)) {
      this.writes = writes
      this.#shared = true
      return
    }
    const kept = this.writes === undefined ? undefined : [...this.writes]
    try {
      for (let i = 0; i < writes.length; i += 2) this.set(writes[i] as string, writes[i + 1])
    } catch (thrown) {
      this.writes = kept
      this.#size = undefined
      throw thrown
    }
  }
  #canShare(writes: readonly Json[]): boolean {
    const { rules, schemas } = this.#contract
    if (rules.isReserved !== undefined || rules.limit !== undefined || rules.tracks || rules.schemas === 'required') return false
    if (schemas === undefined) return true
    for (let i = 0; i < writes.length; i += 2)
      if (checkSchema(this.#contract, writes[i] as string, writes[i + 1], this.place()) !== writes[i + 1]) return false
    return true
  }
  /** Writes to the outermost scope that the frame reaches. The kind must enable it. */
  setRoot(key: string, value: unknown): void {
    this.#requireRule('root')
    const draft = this.draft()
    const json = this.#check(ROOT, key, value, false)
    ;(draft.root ??= []).push(key, json)
  }
  /** Deletes a key from the frame's own scope. Returns true if it had a value there. The kind must enable it. */
  delete(key: string): boolean {
    this.#requireRule('tombstones')
    const place = this.#frame.scope.find(key, Number.POSITIVE_INFINITY)
    const stored = place >= 0 && this.#frame.scope.valueAt(place) !== undefined
    const pending = this.writes?.some((item, i) => i % 2 === 0 && item === key) ?? false
    if (pending) this.writes = this.writes?.filter((_, i, all) => all[i - (i % 2)] !== key)
    if (pending) this.#shared = false
    if (pending && this.writes?.length === 0) this.writes = undefined
    if (stored && this.more?.tombstones?.includes(key) !== true) (this.draft().tombstones ??= []).push(key)
    this.#size?.delete(this.#frame.scope, key)
    return stored || pending
  }
  /** Opens a scope inside the frame, under its own scope or another inner one. Returns its ref. */
  open(under: Ref | null = null): Ref {
    this.#requireRule('scopes')
    if (under !== null) this.requireScope(under)
    const draft = this.draft()
    ;(draft.open ??= []).push(under)
    return makeRef(this.#record, 'o', draft.open.length - 1)
  }
  /** Writes to an inner scope. */
  setIn(scope: Ref, key: string, value: unknown, options?: WriteOptions): void {
    this.requireScope(scope)
    const draft = this.draft()
    const json = this.#check(scope, key, value, false)
    const earlier = draft.sub?.find(([id]) => id === scope)?.[1] as Json[] | undefined
    if (earlier === undefined) (draft.sub ??= []).push([scope, [key, json]])
    else earlier.push(key, json)
    this.#label(key, options, scope)
  }
  /** Deletes a key from an inner scope. Returns true if it had a value there. */
  deleteIn(scope: Ref, key: string): boolean {
    this.requireScope(scope)
    const stored = this.#frame.subs?.get(scope)?.scope
    const place = stored?.find(key, Number.POSITIVE_INFINITY) ?? -1
    const isStored = place >= 0 && stored?.valueAt(place) !== undefined
    const pending = this.more?.sub?.find(([id]) => id === scope)?.[1] ?? []
    const kept = pending.filter((_, i, all) => all[i - (i % 2)] !== key)
    if (kept.length < pending.length) this.draft().sub = withScope(this.more?.sub, scope, kept)
    const gone = this.more?.gone?.find(([id]) => id === scope)?.[1] ?? []
    if (isStored && !gone.includes(key)) this.draft().gone = withScope(this.more?.gone, scope, [...gone, key])
    this.#size?.delete(this.#scopeOf(scope), key)
    return kept.length < pending.length || (isStored && !gone.includes(key))
  }
  /** Returns the values that an inner scope itself has, in the order of their writes, including those of this step. */
  ownValues(scope: Ref): Map<string, Json> {
    this.requireScope(scope)
    const stored = this.#frame.subs?.get(scope)?.scope.liveEntries() ?? new Map<string, { readonly value: Json | undefined }>()
    const values = new Map<string, Json>()
    const gone = this.more?.gone?.find(([id]) => id === scope)?.[1] ?? []
    for (const [key, { value }] of stored) if (value !== undefined && !gone.includes(key)) values.set(key, value)
    const pending = this.more?.sub?.find(([id]) => id === scope)?.[1] ?? []
    for (let i = 0; i < pending.length; i += 2) {
      values.delete(pending[i] as string)
      values.set(pending[i] as string, pending[i + 1] ?? null)
    }
    return values
  }
  /** Reads from an inner scope outwards. */
  getIn(scope: Ref, key: string): Json | undefined {
    if (this.#contract.rules.tracks) this.#tracked.reads.add(key)
    return this.#read(key, scope)
  }
  /** Closes inner scopes; their values can no longer be read. */
  shut(...scopes: Ref[]): void {
    const draft = this.draft()
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
  protected draft(): Draft {
    this.more ??= {}
    return this.more
  }
  #requireRule(fact: 'root' | 'tombstones' | 'scopes' | 'tracks'): void {
    if (this.#contract.rules[fact]) return
    throw faults.make('R2009', `${this.place()} needs the board fact "${fact}", which its kind does not switch on`)
  }
}
