import { type Definitions, permissionPlace } from '../step/decide.ts'
import { copyJson, type Json } from '../journal/json.ts'
import type { Admission, Leave } from '../ports/admission.ts'
import { CallRooms } from './call-rooms.ts'
import type { PendingEffect, Frame } from '../state/frame.ts'
import { type Call, type Port, SIMULATED, type Traits } from '../ports/port.ts'
import type { Ref } from '../journal/record.ts'
import type { PartStream } from './part-stream.ts'
import { framePath } from './row.ts'
import type { EffectAnswer } from '../state/answers.ts'
import type { BoardReader } from '../state/scope.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { GivenRoom } from './waiting-calls.ts'
import type { State } from '../state/state.ts'

/** The parts of a run that an effect in progress needs. */
export interface CallOwner<S extends RunFacts = RunFacts> {
  readonly id: string
  readonly state: State
  readonly settings: S
  readonly definitions: Definitions
  /** Limits the calls under way. Absent: nothing is limited. */
  readonly admission?: Admission | undefined
  /** Acts once it is certain that no other process holds the run. Absent: no other process can. */
  whileOwned?(act: () => void): void
  /** Starts the stream of the parts of a call. */
  streamOf?(call: LiveCall<S>): PartStream
  /** Returns what a port gave when it was opened for the run. */
  session?(port: string): unknown
}

/** The parts that few calls have. They are created at their first use. */
interface CallExtras {
  parts?: PartStream | undefined
  rooms?: CallRooms
}

/** A call of an effect in this process: its data, and the means to stop it. */
export class LiveCall<S extends RunFacts = RunFacts> implements Call<S> {
  readonly #owner: CallOwner<S>
  readonly pendingEffect: PendingEffect
  readonly implementation: Port<S>
  #controller: AbortController | undefined
  #extras: CallExtras | undefined
  /** True if something leaves the machine when it is performed. After the call is over: true if it was dropped, so its late result is noted. */
  leaves = false

  constructor(owner: CallOwner<S>, pendingEffect: PendingEffect, implementation: Port<S>) {
    this.#owner = owner
    this.pendingEffect = pendingEffect
    this.implementation = implementation
  }

  /** Returns the traits of the call. A simulated call leaves nothing and may be repeated. */
  traits(): Traits {
    const { implementation } = this
    if (implementation.traits === undefined && !this.settings.simulated) return implementation
    // A copy, so that what a port of a host gives cannot fail or change when it is read later.
    const { leaves, repeat, ...others } = implementation.traits === undefined ? implementation : implementation.traits(this)
    if (!this.settings.simulated) return { leaves, repeat, ...others }
    const { needs, costs, estimateUsage, unpricedModels } = others
    return { leaves: false, repeat: 'free', needs, costs, estimateUsage, unpricedModels }
  }

  /** True if the port performs the call, false if the call is simulated. */
  get isPerformed(): boolean {
    const { simulate } = this.implementation
    if (!this.settings.simulated || simulate === 'perform') return true
    return typeof simulate !== 'function' && !(this.implementation.traits?.(this) ?? this.implementation).leaves
  }

  /** Performs the call, or simulates it if its run is simulated. */
  perform(): unknown {
    const { implementation } = this
    if (this.#extras?.rooms !== undefined) this.#extras.rooms.isUnderWay = true
    if (this.isPerformed) return implementation.perform(this)
    return typeof implementation.simulate === 'function' ? implementation.simulate(this) : SIMULATED
  }

  /** Begins the call with room that it was given while it waited. */
  beginWith(room: GivenRoom): void {
    this.#extras = { rooms: new CallRooms(room) }
  }

  /** True if the call has begun with room. */
  get hasRoom(): boolean {
    return this.#extras?.rooms !== undefined
  }

  enter(use: string, signal: AbortSignal = this.signal): Promise<Leave> | undefined {
    const given = this.#extras?.rooms?.take(use)
    if (given !== undefined) return Promise.resolve(given)
    const { admission } = this.#owner
    if (this.settings.simulated || admission?.isLimited(use) !== true) return undefined
    const extras = (this.#extras ??= {})
    extras.rooms ??= new CallRooms()
    return this.#confirmed(extras.rooms.enter(admission, use, signal))
  }

  /** Confirms the run after a wait. A call that was over before has left its room. */
  async #confirmed<T>(waiting: Promise<T>): Promise<T> {
    const value = await waiting
    if (!this.isOver) await this.confirm()
    return value
  }

  async confirm(): Promise<void> {
    const { signal } = this
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      if (this.#owner.whileOwned === undefined) resolve()
      else this.#owner.whileOwned(resolve)
    })
  }

  /** Leaves the rooms of the call: nothing of it is under way any more. */
  leaveRooms(): void {
    this.#extras?.rooms?.end()
  }

  get answers(): readonly EffectAnswer[] {
    return this.pendingEffect.answers ?? []
  }

  get session(): unknown {
    return this.#owner.session?.(this.port)
  }

  /** True if its result is no longer needed: it has settled or was dropped, or it is not performed by this process. */
  get isOver(): boolean {
    return this.pendingEffect.activeCall !== this
  }

  get run(): string {
    return this.#owner.id
  }

  get forkedFrom(): string | undefined {
    return this.#owner.state.start?.fork?.[0]
  }

  get settings(): S {
    return this.#owner.settings
  }

  get id(): Ref {
    return this.pendingEffect.id
  }

  get port(): string {
    return this.pendingEffect.port
  }

  get args(): Json | undefined {
    return this.pendingEffect.args
  }

  get frame(): Frame {
    return this.pendingEffect.frame
  }

  get place(): string {
    return framePath(this.frame, this.#owner.definitions)
  }

  get untrusted(): boolean {
    return isUntrusted(this.frame, this.#owner.definitions)
  }

  isPermitted(grant: string): boolean {
    const { state, definitions, settings } = this.#owner
    const { decidedAfter } = settings
    return (
      this.frame.isGranted(grant, decidedAfter) || state.decided(permissionPlace(this.frame, definitions), grant, decidedAfter) === true
    )
  }

  get key(): string {
    return this.pendingEffect.requestedKey ?? `${this.#owner.id}:${this.pendingEffect.id}`
  }

  get def(): unknown {
    return this.definition(this.pendingEffect.frame.pin)
  }

  definition(pin: number): unknown {
    return this.#owner.definitions.program(pin).def
  }

  /** Created when it is first read: most effects never use it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.isOver) this.#controller.abort()
    return this.#controller.signal
  }

  reader(): BoardReader {
    return this.pendingEffect.frame.reader()
  }

  part(delta: Json, begins = false): void {
    if (this.isOver) return
    const copy = copyJson(delta, `progress of ${this.port}`)
    const extras = (this.#extras ??= {})
    extras.parts ??= this.#owner.streamOf?.(this)
    extras.parts?.add(copy, begins)
  }

  takeParts(): Json | undefined {
    return this.isOver ? undefined : this.#extras?.parts?.take()
  }

  /** Returns the last parts of a call that is about to settle, joined; undefined if all are recorded. */
  endParts(): Json | undefined {
    return this.isOver ? undefined : this.#extras?.parts?.end()
  }

  /** Releases a call that has settled, and its rooms: a later abort would reach a tool that has already answered. */
  settle(): void {
    this.leaves = false
    this.#controller = undefined
    this.#extras?.parts?.take()
    this.leaveRooms()
  }

  /** Aborts the effect. The late result of a dropped one that leaves the machine is noted, any other is ignored. */
  abort(isDropped = false): void {
    this.leaves &&= isDropped
    this.#extras?.parts?.take()
    this.#controller?.abort()
    if (this.#extras?.rooms?.isUnderWay === false) this.leaveRooms()
  }
}

/** True if the text of the program of a frame, or of one that called it, is untrusted. */
export function isUntrusted(of: Frame, definitions: Definitions): boolean {
  for (let frame: Frame | undefined = of; frame !== undefined; frame = frame.link?.caller) {
    const { kind, def } = definitions.program(frame.pin)
    if (definitions.kind(kind).isUntrusted?.(def) === true) return true
  }
  return false
}
