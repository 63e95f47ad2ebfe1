import type { BoardContract } from '../state/board.ts'
import { factsIn, hidesContents, type RecordedFacts } from '../journal/contents.ts'
import { digest, digestFraction } from '../journal/digest.ts'
import type { FaultData } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { areSameKind, type PendingEffect, type Frame, requestOf, type StrandResult, type Wait } from '../state/frame.ts'
import { isList, isObject, type Json, type JsonObject } from '../journal/json.ts'
import type { Permissions } from '../journal/permissions.ts'
import type { EndStatus, Rec, Input, Ref, Request, WaitType } from '../journal/record.ts'
import type { UsageMeter } from '../state/meter.ts'
import { StepMeter } from './step-meter.ts'
import { makeRef, hostOf, originOf, type RunOrigin, type State } from '../state/state.ts'
import { soundUsage, type StatedUsage } from '../journal/usage.ts'
import { type Lookup, StepCalls } from './step-calls.ts'
import { type WaitOptions, waitRequest } from './wait-request.ts'

/**
 * The interface of a kind to its run in one step. It is pure: the same state and input give the same record. Nothing is
 * performed here; requests become part of the record. Do not keep it after the step.
 */
export class StepContext<Def = unknown> extends StepCalls<Def> {
  #def: Def
  #now = 0
  #position: Json | undefined
  #requests: Request[] | undefined
  #prepared = false
  #isStep = false
  #input: Input | undefined
  #elapsed = 0
  #draws = 0
  #taken = 0
  #isSkipped = false
  /** What this step has read out of contents, and what the record has of it that is decided again. */
  #facts: (readonly [string, Json])[] | undefined
  #recordedFacts: RecordedFacts | undefined

  constructor(state: State, frame: Frame, def: Def, lookup: Lookup) {
    super(state, frame, lookup)
    this.#def = def
  }

  /** Begins a step. One context serves a whole run: a new one per step would cost a tenth of the step. */
  begin(frame: Frame, def: Def, contract: BoardContract, elapsed: number, input?: Input, recorded?: Rec): void {
    this.beginBoard(frame, contract)
    this.#def = def
    this.#now = this.state.time + elapsed
    this.#position = undefined
    this.#requests = undefined
    this.#prepared = false
    this.#isStep = false
    this.#input = input
    this.#elapsed = elapsed
    this.#draws = 0
    this.#taken = 0
    this.#isSkipped = false
    this.#facts = undefined
    this.#recordedFacts = recorded === undefined ? undefined : factsIn(recorded.more?.note)
  }

  /** True if the kind has skipped the record of the step. */
  get isSkipped(): boolean {
    return this.#isSkipped
  }

  /** Returns the record of the step. Throws a `TypeError` if it is skipped and must not be. */
  finish(input: Input | undefined, elapsed: number): Rec {
    if (this.#isSkipped) this.#checkSkip()
    if (this.#facts !== undefined) this.note({ ...(isObject(this.more?.note) ? this.more.note : {}), facts: this.#facts })
    return {
      frame: this.frame.id,
      elapsed,
      input: this.#taken > 0 && input?.[0] === 'messages' ? ['messages', input[1], input[2].slice(0, this.#taken)] : input,
      writes: this.writes,
      position: this.#position,
      requests: this.#requests,
      more: this.more,
      step: this.#isStep ? true : undefined,
    }
  }

  get def(): Def {
    return this.#def
  }

  /** The position that this step has set, otherwise the previous one. */
  get position(): Json | undefined {
    return this.#position ?? this.frame.position
  }

  get args(): Json | undefined {
    return this.frame.args
  }

  /** What the operator has stated for this program where another one calls it; undefined for the root and where nothing is stated. */
  get host(): Json | undefined {
    return this.frame.link === undefined ? undefined : hostOf(this.state, this.frame.pin)
  }

  /**
   * What the kind has kept for the next step of the frame, such as an index of its position. It is in memory only: empty after a resume, in a
   * fork, and after a replayed record that differs from the decided one, so the kind must be able to derive it from the position.
   */
  get cache(): unknown {
    return this.frame.cache
  }
  set cache(value: unknown) {
    this.frame.cache = value
  }

  /**
   * True if another frame, or an ended strand, is of this frame's kind: only then do its position and its internal keys have
   * this kind's meaning.
   */
  isSameKind({ pin }: { readonly pin: number }): boolean {
    return areSameKind(this.state.pins, pin, this.frame.pin)
  }

  /** The revision of the kind that the run has pinned. The behaviour of a kind may only change with it. */
  get rev(): number {
    return this.state.pins[this.frame.pin]?.[2] ?? 0
  }

  /** The run in which the program was started first, and the mark of the fork; the same in every replay. */
  get origin(): RunOrigin {
    return originOf(this.state)
  }

  /** The time of the last recorded input, in milliseconds since the epoch. */
  get now(): number {
    return this.#now
  }

  /** The usage of the run and its programs, including this step: its input, its time, the node that it enters. */
  get meter(): UsageMeter {
    return new StepMeter(this.state, this.frame, this.#elapsed, {
      input: this.#input,
      more: this.more,
      isStep: this.#isStep,
    })
  }

  /** Marks the step as an execution of a node. Formats below 3 count nodes by positions. */
  enter(): void {
    this.#isStep = this.state.isCurrentFormat
  }

  /** Adds usage that no effect of the run has stated, such as that of a run that this one continues. */
  addUsage(used: StatedUsage): void {
    const sound = soundUsage(used)
    if (sound !== undefined) this.draft().used = sound
  }

  /** True once a person has stopped the run at a program of this kind. */
  get isStopped(): boolean {
    for (const frame of this.state.stoppedAt) if (this.isSameKind(frame)) return true
    return false
  }

  /** Counts uses of grants that are limited by uses in a run. */
  useGrants(grants: Readonly<Record<string, number>>): void {
    this.draft().use = grants
  }

  /** The permissions of the program, by the operator's rules. Throws for a kind that states no needs. */
  get permissions(): Permissions {
    const permissions = this.#input?.[0] === 'permits' ? (this.#input[1] as unknown as Permissions) : this.frame.permissions
    if (permissions === undefined) throw new TypeError(`${this.place()} has no permissions: its kind states no needs`)
    return permissions
  }

  /** Sets the position of the frame as a whole. It must be small and never null. */
  go(position: Json): void {
    this.#position = position
  }

  /** Changes the position key by key; null deletes a key. */
  patch(delta: JsonObject): void {
    const draft = this.draft()
    if (isList(draft.patch)) throw this.#mixedPatch()
    draft.patch = { ...draft.patch, ...delta }
  }

  /**
   * Changes items of a position that is a list: index, value, index, value. The index after the last item adds one. Throws a `TypeError`
   * for a position that is not a list, and for an index beyond its end.
   */
  patchItems(...items: Json[]): void {
    const draft = this.draft()
    const { position } = this
    const earlier = draft.patch ?? []
    if (!isList(position) || !isList(earlier)) throw this.#mixedPatch()
    let { length } = position
    for (let i = 0; i < earlier.length; i += 2) length = Math.max(length, Number(earlier[i]) + 1)
    for (let i = 0; i < items.length; i += 2) {
      const index = items[i]
      if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > length || i + 1 >= items.length)
        throw new TypeError(`${this.place()} changes item ${JSON.stringify(index)} of a position of ${length} items`)
      length = Math.max(length, index + 1)
    }
    draft.patch = earlier.length === 0 ? items : [...earlier, ...items]
  }

  #mixedPatch(): TypeError {
    return new TypeError(`${this.place()} changes keys and items of its position: it is an object or a list`)
  }

  /** Requests an effect. Returns its ref. `key`: the idempotency key of an earlier request with an unknown outcome. */
  request(port: string, args?: Json, key?: string): Ref {
    const request = requestOf(port, args, key)
    if (this.#requests === undefined || this.#prepared) this.#requests = [...(this.#requests ?? [])]
    this.#prepared = false
    this.#requests.push(request)
    const index = this.#requests.length - 1
    return index === 0 ? this.record : `${this.record}.${index}`
  }

  /** Requests effects without arguments with a prepared list, which saves allocations in a step. */
  requestPrepared(requests: Request[]): void {
    this.#prepared = this.#requests === undefined
    if (this.#requests === undefined) this.#requests = requests
    else this.#requests = [...this.#requests, ...requests]
  }

  /**
   * Opens a wait. Returns its ref. It closes when it is met, unless it is a wait for messages that `stays` or a timer with `every`:
   * these stay open, in the same order among the waits of the run, until they are dropped or their frame ends. Snapshots, forks and
   * replays keep them. Throws a `TypeError` for options that the type does not have.
   */
  wait(type: WaitType, title: string, options: WaitOptions = {}): Ref {
    const due = options.due ?? (options.every === undefined ? undefined : this.#now + options.every)
    const request = waitRequest(this.state, type, title, due === undefined ? options : { ...options, due })
    const draft = this.draft()
    draft.wait ??= []
    draft.wait.push(request)
    return makeRef(this.record, 'w', draft.wait.length - 1)
  }

  /** Waits for `ms` milliseconds. */
  timer(ms: number, title = 'timer'): Ref {
    return this.wait('timer', title, { due: this.#now + ms })
  }

  /**
   * States that the step has taken only the first `count` of its messages. Its recorded input is cut to them; the others are offered
   * again after this step, in order. A replay steps the kind with the cut input, so what the step does must not depend on the messages
   * that it leaves. Throws a `TypeError` unless the step has so many messages.
   */
  took(count: number): void {
    const offered = this.#input?.[0] === 'messages' ? this.#input[2].length : 0
    if (!Number.isInteger(count) || count < 1 || count > offered)
      throw new TypeError(`${this.place()} took ${count} messages, and the step has ${offered}`)
    this.#taken = count
  }

  /**
   * Skips the record of this step: nothing of it is stored, and its time counts with the next record. Allowed in a step on a timer with
   * `every` that has written, requested, opened, dropped, drawn and noted nothing and has not moved its frame: otherwise the kernel fails
   * the step with a `TypeError`. Reading the board and the time is allowed, because nothing of it remains. A replay never sees the step.
   * A process that leaves the run records the next times of its skipped timers; after a crash such a timer can fire once more.
   */
  skip(): void {
    this.#isSkipped = true
  }

  /** True if the step has asked for nothing so far: no write, request, wait, draw, note or move. Only such a step may be skipped. */
  get isEmpty(): boolean {
    const asks = this.writes ?? this.more ?? this.#position ?? this.#requests
    return asks === undefined && !this.#isStep && this.#draws === 0
  }

  #checkSkip(): void {
    const wait = this.#input?.[0] === 'timer' ? this.state.waits.get(this.#input[1]) : undefined
    if (wait?.rules?.every === undefined) throw new TypeError(`${this.place()} skips a step that is not on a timer with "every"`)
    if (!this.isEmpty) throw new TypeError(`${this.place()} skips a step that has changed or drawn something`)
  }

  /** Drops effects and waits, and deletes ended strands. */
  drop(...refs: Ref[]): void {
    const draft = this.draft()
    ;(draft.drop ??= []).push(...refs)
  }

  /** Returns the frame's effects in flight, including the one that this step's input settles. */
  pendingEffects(): readonly PendingEffect[] {
    return this.frame.pendingEffects
  }

  /** Returns the frame's open waits, including the one that this step's input closes, without the kernel's questions about effects. */
  waits(): readonly Wait[] {
    return (this.frame.waits ?? []).filter((wait) => wait.effect === undefined)
  }

  /** Returns a strand of this frame. */
  strandResult(id: Ref): StrandResult | undefined {
    return this.frame.strandResults?.get(id)
  }

  /** Copies the writes of ended strands to this frame, in this order, with the latest value of each key. The strands are deleted. */
  adopt(...strands: Ref[]): void {
    for (const id of strands) {
      if ((this.strandResult(id)?.status ?? 'running') === 'running' || this.more?.adopt?.includes(id))
        throw new TypeError(`${this.place()} adopts the strand ${id}, which has not ended or is not its own`)
    }
    const draft = this.draft()
    ;(draft.adopt ??= []).push(...strands)
  }

  /** Cancels strands; each still ends with an `end` input. */
  kill(...strands: Ref[]): void {
    const draft = this.draft()
    ;(draft.kill ??= []).push(...strands)
  }

  /** Cancels the callee; the frame gets its `ret` as cancelled. */
  unwind(): void {
    this.draft().unwind = 1
  }

  /** Steps this frame again, without input. */
  again(): void {
    this.draft().go = 1
  }

  /** Adds a note for readers. It is compared in a replay, but is not part of the state. */
  note(note: Json): void {
    const draft: { note?: Json } = this.draft()
    draft.note = note
  }

  /** False in a run whose records have hashes in place of contents. */
  get keepsContents(): boolean {
    return !hidesContents(this.state)
  }

  /**
   * Returns what a step reads out of contents, such as texts and results of tools, where the form of its record depends on it. In a run that
   * keeps no contents the record keeps it, and a replay takes it from there: it must be JSON. In any other run it is read again.
   */
  fact<Value extends Json | undefined>(name: string, read: () => Value): Value {
    if (this.keepsContents) return read()
    const facts = (this.#facts ??= [])
    const value = this.#recordedFacts === undefined ? read() : this.#recordedFact(name, this.#recordedFacts[facts.length])
    facts.push([name, value ?? null])
    return (value ?? undefined) as Value
  }

  #recordedFact(name: string, [known, value]: RecordedFacts[number] | readonly [] = []): Json {
    if (known === name && value !== undefined) return value
    throw new TypeError(`${this.place()} reads ${name} out of contents, which the record does not have`)
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
    this.draft().return = value === undefined ? [status] : [status, value]
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
    return `${what}:${this.state.seed}:${this.record}:${this.#draws++}`
  }
}
