import type { Arrival } from './arrival.ts'
import type { Admission, Leave } from '../ports/admission.ts'
import type { PendingEffect } from '../state/frame.ts'

/** Room that a call was given, for what it uses. */
export interface GivenRoom {
  readonly use: string
  readonly leave: Leave
}

/** The operations on effects that waiting calls need of their run. */
export interface WaitingOwner {
  readonly admission: Admission | undefined
  arrive(arrival: Arrival): void
  /** True if the effect is pending. */
  isPending(effect: PendingEffect): boolean
  /** True if the effect must not begin in this process now. */
  isBlocked(effect: PendingEffect, released: boolean): boolean
  block(effect: PendingEffect): void
  /** Begins an effect that waits, and needs no room. */
  begin(effect: PendingEffect, released: boolean): void
  /** Begins an effect that no longer waits. It takes its room, if it has one. */
  start(effect: PendingEffect, released: boolean): void
  fail(effect: PendingEffect, use: string, thrown: unknown): void
}

interface WaitingCall {
  readonly use: string
  readonly stop: AbortController
  leave?: Leave
}

/**
 * The effects of a run in this process that wait for room, and those that have room and are about to begin. A record says that they have not begun:
 * after a crash, no person is asked about one, and nothing of it counts as used. While the run is open, it is at work.
 */
export class WaitingCalls {
  readonly #owner: WaitingOwner
  readonly #calls = new Map<PendingEffect, WaitingCall>()
  /** The number of effects whose wait is about to be recorded. */
  #deferring = 0
  #isWithdrawn = false

  constructor(owner: WaitingOwner) {
    this.#owner = owner
  }

  get size(): number {
    return this.#calls.size
  }

  /** True if records must not become durable yet: without the next ones, an effect that waits would look like one that has begun. */
  get isDeferring(): boolean {
    return this.#deferring > 0
  }

  /** Records that an effect waits, unless its last record says so, and waits. `released`: a person lets it begin although it is blocked. */
  add(effect: PendingEffect, use: string, released: boolean): void {
    if (effect.isPostponed && effect.waitsFor === use) return this.#wait(effect, use, released)
    this.#deferring++
    const onOver = () => void this.#deferring--
    this.#owner.arrive({
      resolve: () => (this.#owner.isPending(effect) ? [effect.frame, ['later', effect.id, use]] : undefined),
      onTaken: () => {
        onOver()
        this.#wait(effect, use, released)
      },
      onSkipped: onOver,
      onRefused: onOver,
    })
  }

  #wait(effect: PendingEffect, use: string, released: boolean): void {
    const owner = this.#owner
    const { admission } = owner
    if (!owner.isPending(effect)) return
    if (this.#isWithdrawn || owner.isBlocked(effect, released)) return owner.block(effect)
    if (admission === undefined) return owner.begin(effect, released)
    const call: WaitingCall = { use, stop: new AbortController() }
    this.#calls.set(effect, call)
    entered(admission, use, call.stop.signal).then(
      (leave) => {
        if (this.#calls.get(effect) !== call) return leave()
        call.leave = leave
        this.#begin(effect, released)
      },
      (thrown: unknown) => {
        if (this.#calls.get(effect) !== call) return
        this.#calls.delete(effect)
        owner.fail(effect, use, thrown)
      },
    )
  }

  /** Notifies the frame of an effect that has room now. The frame may drop it. */
  #begin(effect: PendingEffect, released: boolean): void {
    const drop = () => this.drop(effect)
    this.#owner.arrive({
      resolve: () => (this.#owner.isPending(effect) ? [effect.frame, ['again', effect.id]] : undefined),
      onTaken: () => {
        if (this.#owner.isPending(effect)) this.#owner.start(effect, released)
        else drop()
      },
      onSkipped: drop,
      onRefused: drop,
    })
  }

  /** Takes the room that an effect was given, if it was. */
  take(effect: PendingEffect): GivenRoom | undefined {
    const call = this.#calls.get(effect)
    if (call?.leave === undefined) return undefined
    this.#calls.delete(effect)
    return { use: call.use, leave: call.leave }
  }

  /** Ends the wait of an effect, or leaves the room that it was given. */
  drop(effect: PendingEffect): void {
    const call = this.#calls.get(effect)
    if (call === undefined) return
    this.#calls.delete(effect)
    if (call.leave === undefined) call.stop.abort()
    else call.leave()
  }

  /** Waits for nothing from now on. Effects without room are blocked: other processes can begin them. */
  withdraw(): void {
    this.#isWithdrawn = true
    const waiting = [...this.#calls].flatMap(([effect, { leave }]) => (leave === undefined ? [effect] : []))
    for (const effect of waiting) {
      this.drop(effect)
      this.#owner.block(effect)
    }
  }

  /** Ends all waits, and leaves all rooms that were given. */
  stop(): void {
    for (const effect of this.#calls.keys()) this.drop(effect)
  }
}

/** Waits for room, and resolves with a function that leaves it; a second call of that function does nothing. Rejects if `enter` throws or rejects. */
export async function entered(admission: Admission, use: string, signal: AbortSignal): Promise<Leave> {
  const leave = await admission.enter(use, signal)
  let isLeft = false
  return () => {
    if (isLeft) return
    isLeft = true
    leave()
  }
}
