import type { Admission } from '../ports/admission.ts'
import { Alarm } from './alarm.ts'
import type { Arrival } from './arrival.ts'
import { answerInput } from '../journal/answer.ts'
import { cancelInput } from '../journal/cancellation.ts'
import { type ClosedWait, findClosedWait, closedWaitText } from '../state/closed-waits.ts'
import type { CommitOwner } from './committer.ts'
import { Decider, type Definitions } from '../step/decide.ts'
import { type EffectOwner, Effects } from './effects.ts'
import { type Fault, toFault } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { faults } from '../journal/faults.ts'
import type { PendingEffect, Frame, Wait } from '../state/frame.ts'
import type { LeaseCheck } from './heartbeat.ts'
import { Inbox, type InboxOwner } from './inbox.ts'
import { localInbox } from './message-source.ts'
import { copyJson, type Json } from '../journal/json.ts'
import type { LiveCall } from './live-call.ts'
import type { QueuedInput } from '../state/queue.ts'
import type { Input, Rec, Ref } from '../journal/record.ts'
import { PartStream } from './part-stream.ts'
import { changedPermits, needsPermits, permitsInput } from './permits.ts'
import { framePath, runStatus } from './row.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { State } from '../state/state.ts'
import type { HowClosed } from '../ports/port.ts'
import type { Batch, InboxMessage, Lease, Message, RunStatus } from '../ports/store.ts'
import type { Change } from '../state/story.ts'
import { topicIn } from '../journal/topics.ts'
import { BatchBuilder } from './batch-builder.ts'
import { StoredForm } from './stored-form.ts'
import { SealSchedule } from './seal-schedule.ts'
import { OpenPorts, type PortOwner } from './open-ports.ts'
import { Waiters } from './waiters.ts'
import { type RestListener, type Subscriber, Watchers } from './watchers.ts'
import type { IdleOptions, MessageOptions, RunParts, RunWorld } from './run-options.ts'

/** The number of records between two pauses for the event loop, so that a run without waits does not block others. */
const TURN = 1024
/** The number of durable records that subscribers may lag behind before the run waits for them: their pending work stays in memory. */
const MAX_BEHIND = 2 * TURN

/**
 * A run in this process: takes inputs one at a time, lets the decider make the record, and applies it. It performs an effect
 * only after the records that the effect depends on are durable, and shows nothing before that.
 */
export class Run<S extends RunFacts = RunFacts> implements CommitOwner, EffectOwner<S>, InboxOwner, PortOwner<S> {
  readonly id: string
  readonly state: State
  /** The settings of the operator, verified when the run was opened in this process. */
  readonly settings: S
  readonly definitions: Definitions
  readonly lease: Lease | undefined
  /** The number of the last durable record. */
  durable: number
  /** The records that are not durable yet; without a store, all of them. */
  readonly records: Rec[] = []
  readonly #world: RunWorld<S>
  readonly #decider: Decider
  readonly #arrivals: Arrival[] = []
  /** Times and messages that stay until they are released. */
  readonly #held: Arrival[] = []
  readonly #effects: Effects<S>
  readonly #ports: OpenPorts<S>
  readonly #inbox: Inbox
  readonly #alarm: Alarm
  readonly #batches: BatchBuilder
  readonly #seals: SealSchedule
  readonly #waiters = new Waiters()
  readonly #watchers = new Watchers(() => this.#onCaughtUp())
  #blocks: ((next: QueuedInput | PendingEffect) => boolean) | undefined
  #busy = false
  #paused = false
  #waitsForWatchers = false
  #leaving = false
  #draining = false
  /** True until the inbox was read for the first time after the run was opened. */
  #isUnread = false
  #steps = 0
  /** The last record that asked a question. */
  #lastQuestion = 0
  #endReason: Fault | 'closed' | undefined

  constructor(world: RunWorld<S>, { id, state, settings, definitions, lease, programs = [] }: RunParts<S>) {
    this.#world = world
    this.id = id
    this.state = state
    this.settings = settings
    this.definitions = definitions
    this.lease = lease
    this.durable = state.n
    this.#decider = new Decider(state, definitions)
    this.#ports = new OpenPorts(this, world)
    this.#effects = new Effects(this, world, this.#ports)
    this.#inbox = new Inbox(this, world.store ?? localInbox())
    this.#alarm = new Alarm(state, world.host, (wait) => {
      world.resetClock()
      this.arrive({
        resolve: () => (state.waits.get(wait.id) === wait ? [wait.frame, ['timer', wait.id]] : undefined),
        hold: () => {
          this.#alarm.hold(wait)
          return undefined
        },
        onTaken: () => this.#alarm.free(wait),
        onSkipped: () => this.#alarm.skip(wait),
        onRefused: () => this.#alarm.free(wait),
      })
    })
    this.#seals = new SealSchedule(state)
    this.#batches = new BatchBuilder(state, definitions, programs, new StoredForm(state, definitions, world.hash))
    // Effects that the fold dropped were never performed by this process.
    state.droppedEffects.length = 0
    if (state.n > 0 && lease !== undefined) this.#seals.begin(definitions)
  }

  get status(): RunStatus {
    return runStatus(this.state, this.#isActive || this.#inbox.reading)
  }

  get #isActive(): boolean {
    return (
      this.#effects.size > 0 ||
      this.#effects.isWaiting ||
      this.#ports.isOpening ||
      this.#arrivals.length > 0 ||
      (this.state.queue.peek() !== undefined && !this.#isNextBlocked())
    )
  }

  /** True if nothing continues until an input arrives from outside or a blocked item is released. */
  get atRest(): boolean {
    return (
      !this.#busy &&
      !this.#paused &&
      this.#effects.size === 0 &&
      !this.#effects.isWaiting &&
      !this.#ports.isOpening &&
      this.#arrivals.length === 0 &&
      !this.#inbox.reading &&
      (this.state.queue.peek() === undefined || this.#isNextBlocked())
    )
  }

  definition(pin: number): unknown {
    return this.definitions.program(pin).def
  }

  /** Returns the node path of a frame, outermost first: `verify/score`. */
  path(frame: Frame): string {
    return framePath(frame, this.definitions)
  }

  // Observing

  /** Calls the observer with each record as it is applied, before it is durable. The returned function ends it. */
  observe(observer: (change: Change) => void): () => void {
    return this.#watchers.observe(observer)
  }

  /**
   * Calls `subscriber` with each record once it is durable, and `atRest` when the run has come to rest, has ended or is left; the
   * returned function ends it. With `atRest`, a run that comes to rest becomes durable at once, else within 20 ms. No commit waits
   * for a promise that they return. An effect that leaves waits for the promises of the records before it, `idle` and `leave` wait for all of them, and the run itself once they stand for too many records.
   */
  subscribe(subscriber: Subscriber, atRest?: RestListener): () => void {
    return this.#watchers.subscribe(subscriber, atRest)
  }

  /** Resolves when all subscribers have processed their records. */
  subscribersDone(): Promise<void> {
    return this.#watchers.allDone()
  }

  /** True if another process owns the run now. */
  get isLost(): boolean {
    return this.#endReason !== undefined && this.#endReason !== 'closed' && this.#endReason.code === 'R5002'
  }

  get isRefused(): boolean {
    return this.isLost && this.#world.committer?.isCommitting(this) !== true
  }

  /**
   * Resolves when the run is at rest as the options say, all its records are durable and its subscribers are done with them, or when it is
   * closed. Rejects with `R5002` if another process has taken it over and with `R5005` if the store fails.
   */
  idle(options: IdleOptions = {}): Promise<void> {
    return this.#waitFor(() => this.atRest && this.#isIdle(options))
  }

  #isIdle({ until = 'rest', ahead = 0 }: IdleOptions): boolean {
    if (this.state.ended !== undefined) return true
    if (until === 'end') return false
    if (until === 'rest' && ahead === 0) return true
    let due = Number.POSITIVE_INFINITY
    for (const wait of this.state.waits.values()) {
      if (until === 'people' && wait.type === 'answer') return true
      due = Math.min(due, this.#alarm.dueOf(wait) ?? due)
    }
    return until === 'people' ? due === Number.POSITIVE_INFINITY : due > this.#world.host.now() + ahead
  }

  /** Resolves with true when there is one more record, and with false if there will be none: the run has ended or was closed. */
  hasNextRecord(): Promise<boolean> {
    if (this.state.ended !== undefined) return Promise.resolve(false)
    return this.#waitFor(this.state.n + 1).then(
      () => true,
      () => false,
    )
  }

  #waitFor(until: number | (() => boolean), isPatient = false): Promise<void> {
    if (this.#endReason === 'closed' && typeof until !== 'number') return Promise.resolve()
    if (this.#endReason !== undefined) return Promise.reject(this.#endFault())
    const reached = this.#waiters.wait(until, isPatient)
    this.#wake()
    return reached
  }

  #wake(): void {
    if (this.#waiters.size === 0) return
    const { durable } = this
    if (this.#waiters.wake({ durable, last: this.state.n, isBehind: this.#watchers.isBehind })) this.requestCommit()
  }

  // Telling

  /** Applies the record that starts a run. */
  begin(record: Rec): void {
    this.#apply(record, undefined)
    if (this.lease !== undefined) this.#seals.begin(this.definitions)
    this.#openDeclared()
    this.#pump()
  }

  /**
   * Stores the record that starts a run, and nothing else: the process that opens the run makes its first step. Rejects with `R5002` and with
   * `R5005` if it cannot be stored.
   */
  async beginLater(record: Rec): Promise<void> {
    this.#paused = true
    this.#apply(record, undefined)
    await this.#waitFor(this.state.n)
  }

  /** Opens the ports that the programs on the stack declare. Nothing is performed before they are open. */
  #openDeclared(): void {
    this.#ports.declare(new Set([...this.state.frames.values()].map(({ pin }) => pin)))
    if (this.#ports.isOpening) this.#effects.sleep()
  }

  onPortOpened(fault: Fault | undefined): void {
    if (fault === undefined) this.#wakeEffects()
    else void this.#leave(fault)
  }

  onOutage(fault: Fault): void {
    if (!this.#leaving) void this.#leave(fault)
  }

  #wakeEffects(): void {
    if (this.#isUnread || this.#ports.isOpening || this.#endReason !== undefined) return
    this.#checkEffects(() => this.#effects.wake())
  }

  get admission(): Admission | undefined {
    return this.#world.admission
  }

  session(port: string): unknown {
    return this.#ports.session(port)
  }

  portsClosed(): Promise<void> {
    return this.#ports.closed
  }

  /** Ends a run that nothing can continue, because no process has its contents any more. Resolves when its end is durable. */
  async endWithoutContents(): Promise<void> {
    this.#busy = true
    this.#step(this.state.root, ['kernel', 'resume'])
    this.#busy = false
    await this.idle({ until: 'end' })
  }

  /**
   * Revives the run, then takes everything that arrived while no process owned it, in order of arrival: messages and due times.
   * A fork is resumed first, with the actor in its journal. Rejects with the faults of the store.
   */
  async reopen(actor?: string): Promise<void> {
    this.#alarm.sleep()
    this.#busy = true
    for (const [frame, input] of changedPermits(this, this.#world.policy)) this.#step(frame, input)
    this.#busy = false
    if (this.state.isIdle && this.state.ended === undefined) {
      this.#busy = true
      this.#step(this.state.root, actor === undefined ? ['kernel', 'resume'] : ['kernel', 'resume', { by: actor }])
      this.#busy = false
      this.#effects.isFork = true
    }
    // The inbox may contain a cancellation: then nothing is performed again.
    this.#effects.sleep()
    this.#isUnread = true
    this.#openDeclared()
    this.revive()
    await this.#inbox.pull()
    if (this.#endReason !== undefined) return
    this.#isUnread = false
    // The store shows other processes that the run continues.
    if (this.durable < this.state.n) this.requestCommit()
    this.#wakeEffects()
    this.#inbox.whenDrained(() => this.#alarm.wake())
  }

  /** Continues after a restart: performs effects again if that is allowed, and asks about the rest. */
  revive(): void {
    this.#alarm.set()
    this.#checkEffects(() => {
      for (const effect of this.state.pendingEffects()) this.#effects.revive(effect)
    })
  }

  /** Handles effects before any step runs: a step may drop one that is not handled yet. */
  #checkEffects(effects: () => void): void {
    this.#busy = true
    effects()
    this.#effects.startPostponed()
    this.#busy = false
    this.#pump()
  }

  /**
   * Answers an open wait. Resolves with the number of the record when it is durable. Rejects with `R2002`, naming the record
   * that closed it, if the wait is not open, and with `R2001` if the run has ended.
   */
  answer(id: Ref, value: unknown, by?: string, reason?: string): Promise<number> {
    const input = answerInput(id, copyJson(value, 'answer'), { by, reason })
    return this.#submit(
      () => {
        const wait = this.state.waits.get(id)
        return wait?.type === 'answer' ? [wait.frame, input] : undefined
      },
      () => this.#notOpenFault(id),
    )
  }

  /**
   * Sends the run a message by topic: the first open wait of that name takes it, or the next one that is opened. Resolves with true once
   * the record that took it is durable, or the inbox of the store has it: a message that an open wait takes does not pass the inbox.
   * Resolves with false if a message of this id was sent before, or was dropped by `limit`. Rejects with `R2130` if the inbox has
   * too many of the topic, and with a fault of the store; then the message was not delivered.
   */
  message(topic: string, body: unknown, options: MessageOptions = {}): Promise<boolean> {
    const { host, redact } = this.#world
    const { id = host.entropy(), by, frame, limit } = options
    if (this.#endReason !== undefined) return Promise.reject(this.#endFault())
    if (this.state.ended !== undefined) return Promise.reject(this.#endedFault())
    const copied = copyJson(body, 'message')
    const message: Message = {
      id,
      type: 'message',
      to: frame === undefined ? topic : topicIn(frame, topic),
      body: redact?.(copied) ?? copied,
      at: host.now(),
      ...(by === undefined ? {} : { by }),
    }
    return this.#inbox.post(message, options.id === undefined, limit)
  }

  /**
   * Resolves when fewer than `most` messages of a topic wait for the run, and every record that took one is durable: for a source that
   * sends faster than the run takes. Messages of other processes count once this one has read them. Resolves at the end of the run,
   * too, and when it is closed here; `message` then rejects. Rejects with `R5002` if another process has taken the run over and with
   * `R5005` if the store fails.
   */
  room(topic: string, most: number): Promise<void> {
    return this.#waitFor(() => this.state.ended !== undefined || this.#inbox.waiting(topic) < most)
  }

  /** Cancels the run: every frame is notified from the top of its stack, and may run compensation steps. */
  cancel(reason = 'cancelled', by?: string): Promise<number> {
    return this.#submit(
      () => (this.state.ended === undefined ? [this.state.root, cancelInput(reason, by)] : undefined),
      () => this.#endedFault(),
    )
  }

  /**
   * Sends a command of the host to a frame; its kind interprets it. Resolves with the number of its record, once that is durable. `isPatient`: the
   * record becomes durable with the next commit, which comes within 20 ms or before something leaves, and not at once.
   */
  command(frame: Ref, command: Json, { isPatient = false }: { readonly isPatient?: boolean } = {}): Promise<number> {
    return this.#submit(
      () => {
        const target = this.state.ended === undefined ? this.state.frames.get(frame) : undefined
        return target === undefined ? undefined : [target, ['host', command]]
      },
      () =>
        this.state.ended !== undefined
          ? this.#endedFault()
          : faults.make('R2002', `${this.id} has no frame ${frame}`, { run: this.id, path: String(frame) }),
      isPatient,
    )
  }

  /** Takes answers, cancellations and awaited messages from the inbox. */
  pull(): Promise<void> {
    return this.#inbox.pull()
  }

  #submit(resolve: Arrival['resolve'], refusal: () => Fault | Promise<Fault>, isPatient = false): Promise<number> {
    return new Promise((settle, reject) => {
      const onTaken = (n: number) => void this.#waitFor(n, isPatient).then(() => settle(n), reject)
      const onRefused = () => {
        if (this.#endReason !== undefined) return reject(this.#endFault())
        void Promise.resolve(refusal()).then(reject, reject)
      }
      this.arrive({ resolve, onTaken, onRefused })
    })
  }

  #endedFault(): Fault {
    return faults.make('R2001', `${this.id} has ended`, { run: this.id })
  }

  #endFault(): Fault {
    return this.#endReason === undefined || this.#endReason === 'closed'
      ? faults.make('R2017', `${this.id} is closed in this process`, { run: this.id })
      : this.#endReason
  }

  async #notOpenFault(id: Ref): Promise<Fault> {
    if (this.state.ended !== undefined) return this.#endedFault()
    const closed = await this.#findClosedWait(id)
    return faults.make('R2002', `${this.id} has no open question ${id}${closedWaitText(closed)}`, {
      run: this.id,
      path: String(id),
      fix: 'reflex inbox',
      ...(closed === undefined ? {} : { data: { closed: closed.record } }),
    })
  }

  async #findClosedWait(id: Ref): Promise<ClosedWait | undefined> {
    const matches = (wait: Wait) => wait.id === id
    // The id of a wait begins with the number of the record that opened it. Another id is in no segment.
    const opened = Number.parseInt(String(id), 10)
    const from = Number.isNaN(opened) ? Number.POSITIVE_INFINITY : opened
    try {
      if (this.lease === undefined) return findClosedWait(this.records, matches)
      return await this.#world.findClosedWait(this.id, matches, { from, durable: this.durable, recent: [...this.records] })
    } catch {
      // The refusal is still valid, but has fewer details.
      return undefined
    }
  }

  /** Records a late answer from the inbox, or a damaged message, so that it is not lost silently, and removes it from the inbox. */
  async refuse(message: InboxMessage): Promise<void> {
    if (this.#endReason !== undefined || this.state.ended !== undefined) return
    const { id, to, by } = message
    const detail = { id, to, ...(by === undefined ? {} : { by }), fault: faultJson(message.fault ?? (await this.#notOpenFault(to))) }
    this.arrive({
      resolve: () => (this.state.ended === undefined ? [this.state.root, ['kernel', 'refused', detail]] : undefined),
      onTaken: () => this.take(message.row),
    })
  }

  take(row: number): void {
    if (this.lease !== undefined) this.#batches.addTakenRow(row)
  }

  addDelivered(message: Message): void {
    this.#batches.addDelivered(message)
  }

  untilDurable(record: number): Promise<void> {
    return this.#waitFor(record)
  }

  /** Ends the waits that were due by this time: they come before a message that arrived then. */
  ring(until: number): boolean {
    return this.#alarm.ring(Math.min(until, this.#world.host.now()))
  }

  get nextDue(): number {
    const { next } = this.#alarm
    return next <= this.#world.host.now() ? next : Infinity
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.#world.host.turn(resolve))
  }

  onRested(): void {
    this.#pump()
  }

  onInboxFailed(thrown: unknown): void {
    this.onBroken(
      toFault(thrown, (message, cause) =>
        faults.make('R5005', `the inbox of ${this.id} cannot be read: ${message}`, { run: this.id, cause }),
      ),
    )
  }

  progress(effect: PendingEffect, delta: Json): void {
    const { frame, id } = effect
    this.arrive({ resolve: () => (frame.pendingEffects.includes(effect) ? [frame, ['part', id, delta]] : undefined) })
  }

  streamOf({ pendingEffect }: LiveCall<S>): PartStream {
    const { host, redact } = this.#world
    return new PartStream({ host, redaction: redact?.stream?.(), record: (delta) => this.progress(pendingEffect, delta) })
  }

  // Control by hand

  /** From now on, effects, internal inputs, times and messages for which `blocks` is true stay where they are until released. */
  block(blocks: ((next: QueuedInput | PendingEffect) => boolean) | undefined): void {
    this.#blocks = blocks
    this.#effects.block(blocks)
  }

  /** Releases the first blocked item. Returns false if there is none. */
  release(): boolean {
    if (this.#effects.release()) {
      this.#pump()
      return true
    }
    const next = this.state.queue.peek()
    if (this.#busy) return false
    if (next === undefined) return this.#releaseArrival()
    this.#pump(next)
    return true
  }

  #releaseArrival(): boolean {
    if (this.#paused || this.#endReason !== undefined) return false
    this.#busy = true
    let isTaken = false
    for (let arrival = this.#held.shift(); arrival !== undefined && !isTaken; ) {
      isTaken = this.#take(arrival, true)
      if (!isTaken) arrival = this.#held.shift()
    }
    this.#busy = false
    this.#pump()
    return isTaken
  }

  #isNextBlocked(): boolean {
    const next = this.state.queue.peek()
    return next !== undefined && this.#blocks !== undefined && this.#blocks(next)
  }

  // The loop

  arrive(arrival: Arrival): void {
    if (this.#endReason !== undefined) return arrival.onRefused?.()
    this.#arrivals.push(arrival)
    this.#pump()
  }

  /** Takes inputs until there are none: first arrivals, then the queue of the fold. */
  #pump(released?: QueuedInput): void {
    if (this.#busy || this.#paused || this.#endReason !== undefined) return
    this.#busy = true
    if (released !== undefined) this.#step(released.frame, released.input)
    while (this.#endReason === undefined) {
      if (this.#steps >= TURN && !this.#effects.isDeferring) {
        this.#busy = false
        return this.#pause()
      }
      if (this.#seals.isDue && this.#seals.canSeal(this.#arrivals.length > 0 || this.#inbox.reading)) this.#seal()
      const arrival = this.#arrivals.shift()
      if (arrival !== undefined) {
        this.#take(arrival)
        continue
      }
      const next = this.state.queue.peek()
      if (next === undefined || (this.#blocks !== undefined && this.#blocks(next))) break
      this.#step(next.frame, next.input)
    }
    this.#busy = false
    if (this.#effects.size === 0) this.#rest()
  }

  /** Lets the event loop turn, and makes decisions durable. */
  #pause(): void {
    this.#paused = true
    this.#steps = 0
    this.requestCommit()
    this.#world.host.turn(() => this.#unpause())
  }

  /** Continues after a pause, or when the subscribers have caught up if they lag too far behind. */
  #unpause(): void {
    this.#waitsForWatchers = this.durable - this.#watchers.doneUpTo(this.durable) > MAX_BEHIND
    if (this.#leaving || this.#waitsForWatchers) return
    this.#paused = false
    this.#pump()
  }

  /** True if the run stepped on it. */
  #take(arrival: Arrival, isReleased = false): boolean {
    const found = arrival.resolve()
    if (found !== undefined) {
      const [frame, input] = found
      if (!isReleased && this.#blocks !== undefined && canBeHeld(input) && this.#blocks({ frame, input })) {
        this.#held.push(arrival.hold?.() ?? arrival)
        return false
      }
      const record = this.#step(frame, input)
      if (this.#endReason === undefined) {
        if (record === undefined) arrival.onSkipped?.()
        else arrival.onTaken?.(this.state.n, record.input)
        return true
      }
    }
    arrival.onRefused?.()
    return false
  }

  /** The common case: nothing else is in progress, and the settlement is the next step. */
  settleEffect(flight: PendingEffect, input: Input): void {
    const { frame } = flight
    if (
      !this.#busy &&
      !this.#paused &&
      this.#arrivals.length === 0 &&
      this.#endReason === undefined &&
      this.#steps < TURN &&
      this.state.queue.peek() === undefined
    ) {
      this.#busy = true
      this.#step(frame, input)
      this.#busy = false
      if (this.#effects.size === 0 || this.state.queue.peek() !== undefined || this.#arrivals.length > 0 || this.#seals.isDue) this.#pump()
    } else this.arrive({ resolve: () => (frame.pendingEffects.includes(flight) ? [frame, input] : undefined) })
  }

  /** Returns the record; undefined if the step was skipped, or the run is broken. */
  #step(frame: Frame, input: Input | undefined): Rec | undefined {
    try {
      if (frame.permitsPin !== frame.pin && needsPermits(frame, this)) this.#record(frame, permitsInput(this, frame, this.#world.policy))
      if (input?.[0] === 'cancel') this.#recordParts(frame)
      return frame.gone ? undefined : this.#record(frame, input)
    } catch (thrown) {
      this.#onStepFailed(thrown)
      return undefined
    }
  }

  /** Records what the effects of a frame have reported, before it is cancelled and drops them. */
  #recordParts({ pendingEffects }: Frame): void {
    for (const { id, frame, activeCall } of pendingEffects.slice()) {
      const delta = activeCall?.takeParts()
      if (delta !== undefined && !frame.gone) this.#record(frame, ['part', id, delta])
    }
  }

  /** A bug of a kind becomes a record; this one is a bug of the kernel, so only the durable records can be trusted. */
  #onStepFailed(thrown: unknown): void {
    this.onBroken(
      toFault(thrown, (message, cause) =>
        faults.make('R9001', `record ${this.state.n} could not be made: ${message}`, { run: this.id, cause }),
      ),
    )
  }

  #record(frame: Frame, input: Input | undefined): Rec | undefined {
    this.#steps++
    const isInternal = input === undefined || input[0] === 'ret' || input[0] === 'end' || input[0] === 'cancel'
    const elapsed = isInternal ? 0 : Math.max(0, this.#world.clock() - this.state.time)
    const { redact } = this.#world
    const taken = isInternal || redact === undefined ? input : (redact(input as unknown as Json) as unknown as Input)
    const record = this.#decider.decide(frame, taken, elapsed)
    if (this.#decider.isSkipped) return undefined
    this.#apply(record, frame)
    return record
  }

  #apply(record: Rec, frame: Frame | undefined): void {
    const { state } = this
    const before = frame?.position
    this.#batches.addRecord(record)
    state.apply(record)
    this.records.push(record)
    if (this.#world.store === undefined) this.durable = state.n
    else this.#world.committer?.commitLater(this)
    if (state.droppedEffects.length > 0) this.#effects.abortDropped()
    if (record.input?.[0] === 'cancel' && this.#effects.hasBlocked) this.#effects.retryBlocked()
    const stepped = frame ?? state.root
    if (record.more?.pin !== undefined) this.#storePrograms(record.more.pin.length)
    if (this.#watchers.hasObservers) this.#show(record, stepped, before)
    if (record.requests !== undefined && !stepped.gone) {
      const { pendingEffects } = stepped
      for (let i = pendingEffects.length - record.requests.length; i < pendingEffects.length; i++) {
        const effect = pendingEffects[i]
        if (effect !== undefined) this.#effects.start(effect)
      }
    }
    if (record.more !== undefined) this.#followUp(record.more, stepped)
    if (this.#effects.hasPostponed && record.input?.[0] !== 'part' && record.input?.[0] !== 'later') this.#effects.startPostponed()
  }

  #followUp(more: NonNullable<Rec['more']>, frame: Frame): void {
    if (more.wait !== undefined || more.drop !== undefined) this.#alarm.set()
    if (more.wait?.some(([type]) => type === 'answer')) this.#lastQuestion = this.state.n
    if (more.wait?.some(([type]) => type === 'message')) this.#inbox.onWaitOpened()
    if (more.call !== undefined || more.spawn !== undefined || more.become !== undefined) this.#declarePorts(more)
    if (more.repeat === undefined) return
    const effect = frame.pendingEffects.find((flight) => flight.id === more.repeat)
    if (effect !== undefined) this.#effects.start(effect)
  }

  #declarePorts({ call, spawn = [], become }: NonNullable<Rec['more']>): void {
    if (call !== undefined) this.#ports.declare([call.pin])
    this.#ports.declare(spawn.map(({ pin }) => pin))
    if (become !== undefined) this.#ports.declare([become])
  }

  /** Adds the programs of the newest pins to the next batch. */
  #storePrograms(count: number): void {
    if (this.lease === undefined) return
    for (let pin = this.state.pins.length - count; pin < this.state.pins.length; pin++)
      this.#batches.addProgram(this.definitions.program(pin))
  }

  #show(record: Rec, frame: Frame, before: Json | undefined): void {
    const { n, time: at } = this.state
    this.#watchers.show({ n, at, record, state: this.state, frame, def: this.definition(frame.pin), before })
  }

  // Segments

  /** Ends the segment. Without a snapshot there is no seal, because nothing could open the next segment. */
  #seal(): void {
    try {
      const text = this.#batches.sealText()
      if (text !== undefined && this.lease !== undefined) {
        this.#apply(this.#decider.decide(this.state.root, ['kernel', 'seal'], 0), this.state.root)
        this.#batches.seal(this.lease, this.records, this.#rowStatus, text)
      }
      this.#seals.restart()
    } catch (thrown) {
      this.#onStepFailed(thrown)
    }
  }

  // Durability

  requestCommit(): void {
    this.#world.committer?.commitSoon(this)
  }

  whileOwned(act: () => void): void {
    const { heartbeat } = this.#world
    if (this.lease === undefined || heartbeat === undefined || heartbeat.isConfirmed(this.lease)) return act()
    heartbeat.ask(this.lease, (check) => (check === 'held' ? act() : void Promise.resolve().then(() => this.#onNotOwned(check))))
  }

  /** Runs after the check: the step that requested the effect ends first. */
  #onNotOwned(check: Exclude<LeaseCheck, 'held'>): void {
    if (check === 'lost') this.onLost()
    else this.onBroken(check)
  }

  batch(): Batch | undefined {
    if (this.lease === undefined || this.#endReason !== undefined) return undefined
    return this.#batches.batch(this.lease, this.records, this.#rowStatus)
  }

  get #rowStatus(): RunStatus {
    // Reading the inbox may bring nothing; then no further record would state that the run is at rest.
    return runStatus(this.state, this.#isActive || this.#hasUnperformed)
  }

  /** True if an effect is recorded that this process will not perform: workers must find the run, regardless of its waits. */
  get #hasUnperformed(): boolean {
    if (!this.#leaving && !this.#draining && !this.#effects.hasBlocked) return false
    for (const { isQuestioned } of this.state.pendingEffects()) if (!isQuestioned) return true
    return false
  }

  onCommitted(last: number): void {
    if (this.#endReason !== undefined) return
    const from = this.durable
    this.durable = last
    const done = this.records.splice(0, last - from)
    this.#watchers.publish(from + 1, done)
    this.#notifyRest()
    this.#effects.onDurable(last, this.#watchers.doneUpTo(last))
    this.#wake()
    this.#finish()
  }

  #notifyRest(): void {
    if (this.#watchers.hasSubscribers && this.durable === this.state.n && this.atRest) this.#watchers.notifyRest(this.durable)
  }

  #onCaughtUp(): void {
    if (this.#endReason !== undefined) return
    this.#effects.onDurable(this.durable, this.#watchers.doneUpTo(this.durable))
    if (this.#waitsForWatchers) this.#unpause()
    this.#wake()
    this.#finish()
  }

  /** Releases a run that has ended durably. */
  #finish(): void {
    if (this.state.ended === undefined || this.durable < this.state.n || this.#watchers.isBehind) return
    this.#refuseArrivals()
    this.#alarm.stop()
    void this.#ports.close(this.state.ended.status)
    this.#world.onClosed(this)
  }

  onLost(): void {
    this.onBroken(faults.make('R5002', `${this.id} was taken over by another process at record ${this.durable}`, { run: this.id }))
  }

  onBroken(fault: Fault): void {
    this.#end(fault)
  }

  /**
   * Stops the run in this process: aborts effects in flight and records nothing more. Decisions that are not durable are made
   * again when the run is opened.
   */
  close(): void {
    this.#end('closed')
  }

  /**
   * Finishes work in progress and starts nothing that another process can start; resolves and rejects like `idle`. Effects that
   * must not be repeated without permission are started: recorded but not started, they would become a question to people. Those that wait
   * for room are not.
   */
  drain(): Promise<void> {
    this.#draining = true
    this.block((next) => 'port' in next && this.#effects.canWait(next))
    this.#effects.withdraw()
    return this.idle()
  }

  /** Makes all decisions durable, then closes the ports of the run and the run. */
  leave(): Promise<void> {
    return this.#leave('closed')
  }

  async #leave(reason: Fault | 'closed'): Promise<void> {
    if (this.#endReason !== undefined) return
    this.#effects.flush()
    this.#recordSkipped()
    this.#leaving = true
    this.#paused = true
    this.#effects.stop()
    try {
      await this.#waitFor(this.state.n)
    } catch {
      // Callers that wait for the run have already received the fault.
    }
    this.#watchers.notifyRest(this.durable)
    await this.#watchers.allDone()
    await this.#ports.close('left')
    this.#end(reason)
  }

  /** The next process must know the times of timers that were skipped, or it would fire them at once. */
  #recordSkipped(): void {
    if (this.#busy || this.lease === undefined || this.state.ended !== undefined) return
    const skipped = this.#alarm.skipped()
    if (skipped.length > 0) this.#step(this.state.root, ['kernel', 'skipped', skipped])
  }

  #end(reason: Fault | 'closed'): void {
    if (this.#endReason !== undefined) return
    this.#endReason = reason
    this.#alarm.stop()
    this.#effects.stop()
    this.#refuseArrivals()
    this.#waiters.end(() => this.#endFault(), reason === 'closed')
    void this.#ports.close(this.#howClosed)
    this.#world.onClosed(this)
  }

  get #howClosed(): HowClosed {
    return this.isLost ? 'lost' : 'left'
  }

  #refuseArrivals(): void {
    for (const arrival of [...this.#arrivals.splice(0), ...this.#held.splice(0)]) arrival.onRefused?.()
  }

  // Rest

  #rest(): void {
    if (!this.atRest) return
    const { state } = this
    if (
      state.ended === undefined &&
      state.waits.size === 0 &&
      state.start !== undefined &&
      !this.#isNextBlocked() &&
      !this.#effects.hasBlocked
    ) {
      return this.arrive({ resolve: () => [state.root, ['kernel', 'stalled']] })
    }
    this.#steps = 0
    this.#alarm.check()
    if (this.durable < state.n) {
      // Records that nothing waits for become durable within 20 ms, together with those that follow until then.
      if (state.ended !== undefined || this.#lastQuestion > this.durable || this.#watchers.hasRestListeners) this.requestCommit()
    } else {
      this.#notifyRest()
      this.#finish()
    }
    this.#wake()
  }
}

/** True for a time and for messages: answers and settlements of effects are not held. */
function canBeHeld([type]: Input): boolean {
  return type === 'timer' || type === 'message' || type === 'messages'
}
