import type { Admission } from '../ports/admission.ts'
import type { Arrival } from './arrival.ts'
import { Barrier } from './barrier.ts'
import { type Fault, toFault } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { faults } from '../journal/faults.ts'
import type { PendingEffect, Frame } from '../state/frame.ts'
import { copyJson, isOversized, type Json, oversizedFault } from '../journal/json.ts'
import { type CallOwner, LiveCall } from './live-call.ts'
import { isOutage } from '../ports/outage.ts'
import type { OpenPorts } from './open-ports.ts'
import type { Policy } from '../ports/policy.ts'
import type { Port, Traits } from '../ports/port.ts'
import { type Interruption, isInterruption } from '../ports/interruption.ts'
import type { Input, EstimatedUsage, Ref } from '../journal/record.ts'
import type { RunFacts } from '../ports/settings.ts'
import { soundUsage, type StatedUsage } from '../journal/usage.ts'
import { WaitingCalls } from './waiting-calls.ts'

/** A run as its effects see it. */
export interface EffectOwner<S extends RunFacts> extends CallOwner<S> {
  readonly durable: number
  /** An effect has settled: the next step, unless something else is going on. */
  settleEffect(flight: PendingEffect, input: Input): void
  arrive(arrival: Arrival): void
  /** Records progress of an effect in flight. */
  progress(effect: PendingEffect, delta: Json): void
  /** Asks for everything decided so far to become durable. */
  requestCommit(): void
  /** Acts once it is certain that no other process holds the run; usually it is. Never acts if another process holds it. */
  whileOwned(act: () => void): void
  /** An effect cannot be performed here, because of the store: the run stops in this process. */
  onOutage(fault: Fault): void
}

/** The parts of the runtime that effects need. */
export interface EffectWorld<S extends RunFacts = RunFacts> {
  readonly ports: ReadonlyMap<string, Port<S>>
  readonly policy: Policy<S> | undefined
  /** Limits the calls under way. Undefined: no call waits. It may change. */
  readonly admission: Admission | undefined
}

/** An effect that does not begin until it is released. */
interface BlockedEffect {
  readonly effect: PendingEffect
  /** True if it may have begun in a process that has died: its port decides about it. */
  readonly isRevived: boolean
}

/** An effect that waits for everything up to record `at`. */
interface GatedEffect<S extends RunFacts> {
  readonly call: LiveCall<S>
  readonly at: number
  readonly leaves: boolean
}

/**
 * The effects of a run in this process, from the request to the settlement: held, refused, gated, performed.
 * Each hangs on its flight, since a table would be rebuilt every few steps.
 */
export class Effects<S extends RunFacts = RunFacts> {
  readonly #run: EffectOwner<S>
  readonly #world: EffectWorld<S>
  readonly #barrier: Barrier<S>
  readonly #openPorts: OpenPorts<S>
  #gated: GatedEffect<S>[] = []
  #blocks: ((next: PendingEffect) => boolean) | undefined
  readonly #blocked: BlockedEffect[] = []
  /** Listeners that wait for no result now. */
  readonly #listeners: ResultListener<S>[] = []
  /** Effects that begin once others have settled, in the order in which they were requested. */
  readonly #postponed: PendingEffect[] = []
  /** One of them is about to begin. */
  #beginning = false
  /** The effects that begin once there is room for what they use. Undefined until there is one. */
  #waiting: WaitingCalls | undefined
  /** True while messages that arrived before this process held the run are still unread: they may drop effects. */
  #asleep = false
  /** True if the run is a fork that begins here: its source has performed the pending effects, and this run has not. */
  isFork = false
  /** The number of effects that are being performed. */
  size = 0

  constructor(run: EffectOwner<S>, world: EffectWorld<S>, openPorts: OpenPorts<S>) {
    this.#run = run
    this.#world = world
    this.#openPorts = openPorts
    this.#barrier = new Barrier(run, world.policy)
  }

  // Held by hand

  block(blocks: ((next: PendingEffect) => boolean) | undefined): void {
    this.#blocks = blocks
  }

  /** True if an effect begins once others have settled. */
  get hasPostponed(): boolean {
    return this.#postponed.length > 0
  }

  /** True if an effect waits for room, or has room and is about to begin. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.size > 0
  }

  /** True if records must not become durable yet: without the next ones, an effect that waits would look like one that has begun. */
  get isDeferring(): boolean {
    return this.#waiting?.isDeferring === true
  }

  /** Waits for no room from now on. Effects without room stay for other processes. */
  withdraw(): void {
    if (this.#world.admission === undefined) this.#waiting?.withdraw()
    else this.#waits.withdraw()
  }

  /** True if an effect is blocked here and no other process performs it. */
  get hasBlocked(): boolean {
    return this.#blocked.some(({ effect }) => inFlight(effect))
  }

  /** Releases the first blocked effect. Returns false if none is blocked. */
  release(): boolean {
    if (this.#asleep) return false
    for (const [i, blocked] of this.#blocked.entries()) {
      if (isCancelPending(blocked.effect.frame) && inFlight(blocked.effect)) continue
      this.#blocked.splice(i, 1)
      if (!inFlight(blocked.effect)) return this.release()
      this.#unblock(blocked, true)
      return true
    }
    return false
  }

  /** Performs nothing until `wake`. */
  sleep(): void {
    this.#asleep = true
  }

  wake(): void {
    this.#asleep = false
    this.retryBlocked()
  }

  /** Checks all blocked effects again, and begins those that nothing blocks now. */
  retryBlocked(): void {
    for (const blocked of this.#blocked.splice(0)) if (inFlight(blocked.effect)) this.#unblock(blocked, false)
    this.startPostponed()
  }

  #unblock({ effect: flight, isRevived }: BlockedEffect, released: boolean): void {
    if (isRevived) this.revive(flight, released)
    else this.start(flight, released)
  }

  // Beginning

  start(effect: PendingEffect, released = false): void {
    const room = this.#waiting?.take(effect)
    const port = this.#world.ports.get(effect.port)
    const isBlocked = this.#isBlocked(effect, released)
    if (isBlocked || port === undefined) room?.leave()
    if (isBlocked) return void this.#blocked.push({ effect, isRevived: false })
    if (port === undefined) return this.#refuse(effect)
    const call = new LiveCall(this.#run, effect, port)
    if (room !== undefined) call.beginWith(room)
    effect.activeCall = call
    this.size++
    let traits: Traits
    try {
      traits = call.traits()
      const barred = this.#barrier.check(call, traits)
      if (barred === 'later') return this.#postpone(call)
      if (barred?.[0] === 'use' || barred?.[0] === 'pause') return this.#hold(call, traits, barred[0], released)
      if (barred !== undefined) return this.#finish(call, barred)
      if (this.#world.admission !== undefined && !call.hasRoom) {
        const use = this.#limitedUse(traits)
        if (use !== undefined) return this.#postponeForRoom(call, use, released)
      }
    } catch (thrown) {
      return this.#onFailed(call, thrown)
    }
    call.leaves = traits.leaves
    const needsRecord = traits.leaves || traits.repeat !== 'free'
    // An effect that leaves nothing, costs nothing and may be repeated does no harm in a process that has lost the run: its result is refused.
    if (!needsRecord && traits.costs !== true) return this.#perform(call, false)
    // A key is the number of a record, a question about an outcome needs the request on record, and so does the count of a
    // try that a crash interrupts: all three gate.
    if (this.#run.durable < this.#run.state.n) {
      this.#gated.push({ call, at: this.#run.state.n, leaves: traits.leaves })
      this.#run.requestCommit()
    } else this.#perform(call, true)
  }

  #postponeForRoom(call: LiveCall<S>, use: string, released: boolean): void {
    this.#leave(call)
    this.#barrier.release(call.pendingEffect)
    this.#waits.add(call.pendingEffect, use, released)
  }

  #postpone(call: LiveCall<S>): void {
    this.#postponed.push(call.pendingEffect)
    this.#finish(call, ['later', call.pendingEffect.id])
  }

  /**
   * Records the use of grants, after which the effect is checked again, or a question. Other inputs may come first: if one of them
   * has used the grant or asked the question, the effect is checked again instead.
   */
  #hold(call: LiveCall<S>, traits: Traits, type: 'use' | 'pause', released: boolean): void {
    const effect = call.pendingEffect
    this.#leave(call)
    let hasChanged = false
    this.#run.arrive({
      resolve: () => {
        if (!inFlight(effect)) return undefined
        const input = this.#barrier.recheck(call, traits)
        if (input?.[0] === type) return [effect.frame, input]
        hasChanged = true
        return undefined
      },
      onTaken: () => {
        if (type === 'use' && inFlight(effect)) this.start(effect, released)
      },
      onRefused: () => {
        if (hasChanged) this.start(effect, released)
      },
    })
  }

  /** Returns what an effect uses, if calls that use it may have to wait. A request that cannot be read fails when it is performed. */
  #limitedUse({ uses }: Traits): string | undefined {
    try {
      const use = uses?.()
      return use !== undefined && this.#world.admission?.isLimited(use) === true ? use : undefined
    } catch {
      return undefined
    }
  }

  /** Lets a postponed effect wait for room. Returns false if it needs none. What it would use of the limits of the run is free in the meantime. */
  #asksForRoom(effect: PendingEffect, released: boolean): boolean {
    const use = this.#world.admission === undefined ? undefined : this.#limitedUse(this.#traitsOf(effect))
    if (use === undefined) return false
    this.#barrier.release(effect)
    this.#waits.add(effect, use, released)
    return true
  }

  get #waits(): WaitingCalls {
    const world = this.#world
    return (this.#waiting ??= new WaitingCalls({
      get admission() {
        return world.admission
      },
      arrive: (arrival) => this.#run.arrive(arrival),
      isPending: inFlight,
      isBlocked: (effect, released) => this.#isBlocked(effect, released),
      block: (effect) => void this.#blocked.push({ effect, isRevived: true }),
      begin: (effect, released) => this.#beginPostponed(effect, released),
      start: (effect, released) => this.start(effect, released),
      fail: (effect, use, thrown) => this.#refuse(effect, noRoomFault(effect, use, thrown)),
    }))
  }

  /** A record was applied: the first effect that waits for others begins if the policy lets it now. */
  startPostponed(): void {
    if (this.#beginning) return
    for (let effect = this.#postponed[0]; effect !== undefined; effect = this.#postponed[0]) {
      const isWaiting = inFlight(effect)
      const isFree = isWaiting && !this.#isBlocked(effect, false)
      if (isFree && this.#mustWait(effect)) return
      this.#postponed.shift()
      if (isFree && this.#asksForRoom(effect, false)) continue
      if (isWaiting) return this.#beginPostponed(effect)
    }
  }

  #mustWait(effect: PendingEffect): boolean {
    const port = this.#world.ports.get(effect.port)
    if (port === undefined) return false
    const call = new LiveCall(this.#run, effect, port)
    try {
      return this.#barrier.mustWait(call, call.traits())
    } catch {
      return false
    }
  }

  /** Notifies the frame of the effect, which may drop it. No other effect begins until this one has begun or is dropped. */
  #beginPostponed(effect: PendingEffect, released = false): void {
    if (this.#isBlocked(effect, released)) return void this.#blocked.push({ effect, isRevived: true })
    this.#beginning = true
    const finish = () => {
      this.#beginning = false
      this.startPostponed()
    }
    this.#run.arrive({
      resolve: () => (inFlight(effect) ? [effect.frame, ['again', effect.id]] : undefined),
      onTaken: () => {
        if (inFlight(effect)) this.start(effect, released)
        finish()
      },
      onRefused: finish,
    })
  }

  #refuse(effect: PendingEffect, fault = faults.make('R2013', `there is no port ${effect.port}`, { run: this.#run.id })): void {
    const input: Input = ['err', effect.id, faultJson(fault)]
    this.#run.arrive({ resolve: () => (inFlight(effect) ? [effect.frame, input] : undefined) })
  }

  /**
   * After a restart: performs again the effects that may be repeated, asks about the others. Before it is performed again, its
   * frame forgets what it streamed, and the lost try is recorded with what it may have used.
   */
  revive(effect: PendingEffect, released = false): void {
    if (effect.isQuestioned) return
    if (effect.isPostponed) return released ? this.#releasePostponed(effect) : void this.#postponed.push(effect)
    if (this.#isBlocked(effect, released)) return void this.#blocked.push({ effect, isRevived: true })
    const { repeat, estimateUsage } = this.#traitsOf(effect)
    const usage = this.isFork || estimateUsage === undefined ? undefined : estimatedUsage(estimateUsage)
    if (repeat !== 'ask' && !effect.hasParts && usage === undefined) return this.start(effect, released)
    const again: Input = usage === undefined ? ['again', effect.id] : ['again', effect.id, copyJson(usage, 'lost')]
    const input: Input = repeat === 'ask' ? ['unknown', effect.id] : again
    const onTaken = repeat === 'ask' ? undefined : () => inFlight(effect) && this.start(effect, released)
    this.#run.arrive({
      resolve: () => (inFlight(effect) ? [effect.frame, input] : undefined),
      ...(onTaken === undefined ? {} : { onTaken }),
    })
  }

  #releasePostponed(effect: PendingEffect): void {
    if (!this.#asksForRoom(effect, true)) this.#beginPostponed(effect, true)
  }

  /** True if an effect must not begin yet. An effect of a program with a pending cancellation is blocked until the program is notified: it may drop it. */
  #isBlocked(effect: PendingEffect, released: boolean): boolean {
    return this.#asleep || isCancelPending(effect.frame) || (!released && this.#blocks?.(effect) === true)
  }

  /** True if another process can perform an effect that has not begun here without a question. */
  canWait(effect: PendingEffect): boolean {
    return effect.isPostponed || this.#traitsOf(effect).repeat !== 'ask'
  }

  #traitsOf(effect: PendingEffect): Traits {
    return traitsOf(effect, this.#run, this.#world.ports)
  }

  /** Performs what waited for records up to `last` to be durable; what leaves waits for the subscribers to be done with them as well. */
  onDurable(last: number, watched: number): void {
    if (this.#gated.length === 0) return
    const isReady = ({ at, leaves }: GatedEffect<S>): boolean => at <= (leaves ? watched : last)
    const ready = this.#gated.filter(isReady)
    if (ready.length === 0) return
    this.#gated = this.#gated.filter((gated) => !isReady(gated))
    for (const { call } of ready) this.#perform(call, true)
  }

  // Ending

  /** Performs a call once its port is open. */
  #perform(call: LiveCall<S>, needsLease: boolean): void {
    if (call.isOver) return
    const opening = call.implementation.open === undefined ? undefined : this.#openPorts.of(call)
    if (opening === undefined) return this.#performOpen(call, needsLease)
    void opening.then((fault) => {
      if (fault === undefined) this.#performOpen(call, needsLease)
      else if (!call.isOver) this.#finish(call, ['err', call.id, faultJson(fault)])
    })
  }

  /** One check for each performance: the one before may have blocked this process for longer than its lease. */
  #performOpen(call: LiveCall<S>, needsLease: boolean): void {
    if (call.isOver) return
    if (needsLease) this.#run.whileOwned(() => this.#begin(call))
    else this.#begin(call)
  }

  #begin(call: LiveCall<S>): void {
    if (call.isOver) return
    let raw: unknown
    try {
      raw = call.perform()
      if (raw instanceof Promise || isThenable(raw)) return (this.#listeners.pop() ?? this.#newListener()).listen(call, raw)
    } catch (thrown) {
      return this.#onFailed(call, thrown)
    }
    this.#onPerformed(call, raw)
  }

  #newListener(): ResultListener<S> {
    const listener = new ResultListener<S>(
      (call, value) => {
        this.#listeners.push(listener)
        this.#onPerformed(call, value)
      },
      (call, thrown) => {
        this.#listeners.push(listener)
        this.#onFailed(call, thrown)
      },
    )
    return listener
  }

  #onPerformed(call: LiveCall<S>, raw: unknown): void {
    if (call.isOver) call.leaveRooms()
    if (call.isOver && !call.leaves) return
    let value: Json
    try {
      value = acceptResult(call, raw)
    } catch (thrown) {
      return this.#onFailed(call, thrown)
    }
    if (call.isOver) return this.#onLate(call, value)
    const used = this.#used(call, value)
    this.#finish(call, used === undefined ? ['ok', call.pendingEffect.id, value] : ['ok', call.pendingEffect.id, value, used])
  }

  /** Notes the result of an effect that left the machine and was dropped: it has happened, although no frame waits for it. */
  #onLate(call: LiveCall<S>, result: Json): void {
    const { state } = this.#run
    const used = this.#used(call, result)
    const detail = { effect: call.id, port: call.port, result, ...(used === undefined ? {} : { used }) }
    this.#run.arrive({ resolve: () => (state.ended === undefined ? [state.root, ['kernel', 'late', detail]] : undefined) })
  }

  #onFailed(call: LiveCall<S>, thrown: unknown): void {
    if (call.isOver) return call.leaveRooms()
    if (isOutage(thrown)) return this.#run.onOutage(thrown)
    const interruption = isInterruption(thrown) ? inputOf(call.pendingEffect.id, thrown) : undefined
    if (interruption !== undefined) return this.#interrupt(call, interruption)
    const fault = faultJson(faultOf(call, thrown))
    const used = this.#used(call, fault)
    this.#finish(call, used === undefined ? ['err', call.pendingEffect.id, fault] : ['err', call.pendingEffect.id, fault, used])
  }

  /** Records why a call cannot end by itself. Its progress is recorded first, and the effect stays pending. */
  #interrupt(call: LiveCall<S>, input: Input): void {
    const effect = call.pendingEffect
    this.#recordParts(effect, call.endParts())
    if (call.isOver) return
    this.#leave(call)
    this.#run.arrive({ resolve: () => (inFlight(effect) ? [effect.frame, input] : undefined) })
  }

  /** Returns the usage that the port reads in a result or a fault; undefined for formats below 3, and if the port cannot read it. */
  #used({ implementation }: LiveCall, result: Json): StatedUsage | undefined {
    if (implementation.used === undefined || !this.#run.state.isCurrentFormat) return undefined
    try {
      const stated = implementation.used(result)
      return stated === undefined ? undefined : soundUsage(stated)
    } catch {
      return undefined
    }
  }

  #finish(call: LiveCall<S>, input: Input): void {
    this.#recordParts(call.pendingEffect, call.endParts())
    // The step of the last part may have dropped the effect.
    if (call.isOver) return
    this.#leave(call)
    this.#run.settleEffect(call.pendingEffect, input)
  }

  #leave(call: LiveCall<S>): void {
    call.pendingEffect.activeCall = undefined
    this.size--
    call.settle()
  }

  /** Records the parts that effects have reported and that are not recorded yet. */
  flush(): void {
    for (const effect of this.#run.state.pendingEffects()) this.#recordParts(effect, effect.activeCall?.takeParts())
  }

  #recordParts(effect: PendingEffect, delta: Json | undefined): void {
    if (delta !== undefined) this.#run.progress(effect, delta)
  }

  /** Aborts the effects that the last records dropped. */
  abortDropped(): void {
    for (const effect of this.#run.state.droppedEffects.splice(0)) {
      this.#waiting?.drop(effect)
      this.#abort(effect, true)
    }
  }

  /** Aborts all effects that are being performed, and drops those that wait to begin. */
  stop(): void {
    this.#waiting?.stop()
    for (const effect of this.#run.state.pendingEffects()) this.#abort(effect)
    this.#gated = []
    this.#postponed.length = 0
  }

  #abort(effect: PendingEffect, isDropped = false): void {
    if (effect.activeCall === undefined) return
    const { activeCall } = effect
    effect.activeCall = undefined
    this.size--
    activeCall.abort(isDropped && this.#run.state.isCurrentFormat)
  }
}

/**
 * Passes the result of one call on. It serves one call after another: two callbacks for each would be an eighth of the memory of a step.
 */
class ResultListener<S extends RunFacts> {
  #call: LiveCall<S> | undefined
  readonly #onValue: (value: unknown) => void
  readonly #onThrown: (thrown: unknown) => void

  constructor(onValue: (call: LiveCall<S>, value: unknown) => void, onThrown: (call: LiveCall<S>, thrown: unknown) => void) {
    this.#onValue = (value) => this.#pass(onValue, value)
    this.#onThrown = (thrown) => this.#pass(onThrown, thrown)
  }

  /** Waits for the result of a call. A promise of the platform calls back once; any other becomes one. */
  listen(call: LiveCall<S>, result: PromiseLike<unknown>): void {
    this.#call = call
    Promise.resolve(result).then(this.#onValue, this.#onThrown)
  }

  #pass(to: (call: LiveCall<S>, value: unknown) => void, value: unknown): void {
    const call = this.#call
    this.#call = undefined
    if (call !== undefined) to(call, value)
  }
}

/** Returns an interruption as an input; undefined for one that cannot be read, which is a failure then. */
function inputOf(id: Ref, interruption: Interruption): Input | undefined {
  try {
    if (interruption.is === 'unknown') return ['unknown', id]
    return ['hold', id, interruption.title, copyJson(interruption.about, 'a question')]
  } catch {
    return undefined
  }
}

/** Returns the facts about an effect that is not being performed. Unknown facts are assumed to be the worst; without a port, nothing happens. */
export function traitsOf<S extends RunFacts>(effect: PendingEffect, owner: CallOwner<S>, ports: ReadonlyMap<string, Port<S>>): Traits {
  const port = ports.get(effect.port)
  if (port === undefined) return { leaves: false, repeat: 'free' }
  try {
    return new LiveCall(owner, effect, port).traits()
  } catch {
    return { leaves: true, repeat: 'ask' }
  }
}

/** Estimates what a lost try used. A try whose request cannot be made used nothing. */
function estimatedUsage(reserves: NonNullable<Traits['estimateUsage']>): EstimatedUsage | undefined {
  try {
    return reserves()
  } catch {
    return undefined
  }
}

/** True if a program, or one above it, has a pending cancellation that it does not know yet: it waits for those above it. */
function isCancelPending(frame: Frame): boolean {
  for (let at: Frame | undefined = frame; at !== undefined && !at.notified; at = at.link?.caller)
    if (at.cancelReason !== undefined) return true
  return false
}

function inFlight(effect: PendingEffect): boolean {
  return effect.frame.pendingEffects.includes(effect)
}

function noRoomFault({ port }: PendingEffect, use: string, thrown: unknown): Fault {
  return toFault(thrown, (message, cause) => faults.make('R2012', `${port} failed: there is no room for ${use}: ${message}`, { cause }))
}

/** Returns a result as the record holds it. */
function acceptResult<S extends RunFacts>(call: LiveCall<S>, raw: unknown): Json {
  const { implementation } = call
  if (implementation.accept === undefined) return copyJson(raw ?? null, `result of ${call.port}`)
  const value = implementation.accept(raw, call)
  if (isOversized(value)) throw oversizedFault(`result of ${call.port}`)
  return value
}

/** Returns the fault for a failure: the one that the port makes, if it makes one without failing itself. */
function faultOf(call: LiveCall, thrown: unknown): ReturnType<typeof faults.make> {
  const failed = (cause: unknown) =>
    toFault(cause, (message, inner) => faults.make('R2012', `${call.port} failed: ${message}`, { cause: inner }))
  let made: unknown
  try {
    made = call.implementation.reject?.(thrown, call)
  } catch (again) {
    return failed(again)
  }
  return made === undefined ? failed(thrown) : toFault(made, () => failed(thrown))
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
