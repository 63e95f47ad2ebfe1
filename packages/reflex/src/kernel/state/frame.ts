import type { Json } from '../journal/json.ts'
import type { Asker, EndStatus, Pin, Ref, Request, ReturnPair, WaitRules, WaitType } from '../journal/record.ts'
import type { CallLimits, UsageSum } from '../journal/usage.ts'
import type { EffectAnswer, StoppedEffect } from './answers.ts'
import type { Permissions } from '../journal/permissions.ts'
import { BoardReader, Scope, type ScopeView } from './scope.ts'

/** A call in this process, as its effect knows it. */
export interface ActiveCall {
  /** `isDropped`: the program has dropped the effect. */
  abort(isDropped?: boolean): void
  /** Takes the progress that is not recorded yet, joined; undefined if there is none. */
  takeParts(): Json | undefined
}

/** A requested effect that has not settled and is not dropped. */
export class PendingEffect {
  readonly id: Ref
  readonly frame: Frame
  readonly #request: Request
  /** The record that requested it. */
  readonly record: number
  /** True if progress was recorded: after a crash the frame gets an input that drops it. */
  hasParts = false
  /** True if a question about it is open: whether it happened, or whether it may be performed. It is not performed in the meantime. */
  isQuestioned = false
  /** Set by the first record that postpones it. */
  #postponement: { readonly isOver: boolean; readonly waitsFor: string | undefined } | undefined
  /** The grants that the open question before it is about. */
  askedGrants: readonly string[] | undefined
  /** The answers to questions that it asked while it was performed; undefined for most effects. */
  answers: readonly EffectAnswer[] | undefined
  /** A person has stopped the run here. It fails. */
  stopped: StoppedEffect | undefined
  /** The call of this process that performs it: not part of the state, and empty after a fold. */
  activeCall: ActiveCall | undefined

  constructor(id: Ref, frame: Frame, request: Request, record: number) {
    this.id = id
    this.frame = frame
    this.#request = request
    this.record = record
  }

  /** True if it starts later: after other effects of the run have settled, or once there is room for what it uses. */
  get isPostponed(): boolean {
    return this.#postponement?.isOver === false
  }

  /** The use for which a postponed effect waits for room, such as `tool:refund`. It stays after the effect has begun. */
  get waitsFor(): string | undefined {
    return this.#postponement?.waitsFor
  }

  postpone(waitsFor: string | undefined): void {
    this.#postponement = { isOver: false, waitsFor }
  }

  /** Begins, after it was postponed. */
  begin(): void {
    if (this.#postponement !== undefined) this.#postponement = { ...this.#postponement, isOver: true }
  }

  get port(): string {
    return this.#request[0]
  }

  get args(): Json | undefined {
    return this.#request[1]
  }

  /** The idempotency key in its request, if there is one. */
  get requestedKey(): string | undefined {
    return this.#request[2]
  }
}

/** True for an effect that only continues once a person has answered, or once another effect has settled that may wait for one. */
export function waitsForPerson({ isQuestioned, isPostponed, waitsFor }: PendingEffect): boolean {
  return isQuestioned || (isPostponed && waitsFor === undefined)
}

/** Returns a request as its record has it. */
export function requestOf(port: string, args: Json | undefined, key: string | undefined): Request {
  if (key !== undefined) return [port, args ?? null, key]
  return args === undefined ? [port] : [port, args]
}

/** True for an effect that waits for a person, for other effects or for room before it starts: nothing of it has happened. */
export function isPaused({ id, frame, isQuestioned, isPostponed }: PendingEffect): boolean {
  return isPostponed || (isQuestioned && frame.waits?.some(({ effect, asker }) => effect === id && asker !== 'outcome') === true)
}

/** A named point at which a frame waits for an answer, a message or a time. */
export interface Wait {
  readonly id: Ref
  readonly frame: Frame
  readonly type: WaitType
  readonly name: string
  /** Of a wait with `every`: its next time, as of its last record. Only the fold moves it. */
  readonly due: number | undefined
  readonly about: Json | undefined
  /** The record that opened it, and its time. */
  readonly record: number
  readonly since: number
  /** The number of the question in the run, from 1; 0 for waits that nobody answers. People use it as `otter-2m9q/q1`. */
  readonly number: number
  /** The effect that the question is about: a question of the kernel, not of the program. */
  readonly effect: Ref | undefined
  readonly asker: Asker
  /** Its rules, if it stays open or takes several messages at once. */
  readonly rules: WaitRules | undefined
}

/** A wait as the fold changes it. */
export interface MovableWait {
  due: number | undefined
}

/**
 * Returns the next time of a wait that is due every so many milliseconds: the first one after now. Times that have passed since it was
 * due are missed, so a pause is followed by one firing.
 */
export function nextTime(due: number, every: number, now: number): number {
  return due + every * Math.max(1, Math.floor((now - due) / every) + 1)
}

/** The view of a strand for its spawner. */
export interface StrandResult {
  readonly id: Ref
  /** The pin of its first program. */
  readonly pin: number
  status: 'running' | EndStatus
  /** The strand's own writes; readable after its end. */
  readonly scope: Scope
  value: Json | undefined
}

/** An inner scope of a frame. */
export interface SubScope {
  readonly scope: Scope
  readonly under: Ref | null
}

/** The link of a frame to the frame below it. */
export interface Link {
  readonly caller: Frame
  readonly role: 'call' | 'strand'
  /** True if both frames are of one kind, so their internal keys have the same meaning. */
  readonly isSameKind: boolean
  /** The caller's state that its reads see: live, as of a record, or nothing. */
  readonly sees: 'live' | 'past' | 'nothing'
  readonly record: number
  readonly under: Ref | null
  readonly map: readonly ReturnPair[]
}

/** An activation of a program on a strand's stack. */
export class Frame {
  readonly id: Ref
  readonly link: Link | undefined
  readonly args: Json | undefined
  readonly scope: Scope
  readonly depth: number
  pin: number
  position: Json | undefined
  callee: Frame | undefined
  subs: Map<Ref, SubScope> | undefined
  strandResults: Map<Ref, StrandResult> | undefined
  /** The running strands. */
  strands: Map<Ref, Frame> | undefined
  readonly pendingEffects: PendingEffect[] = []
  waits: Wait[] | undefined
  /** Its own steps and usage, and those of ended frames that it called or spawned. */
  steps = 0
  usage: UsageSum | undefined
  /** The time on the run's meter at its start. */
  began = 0
  /** The limits that its caller gave it. */
  limits: CallLimits | undefined
  /** The permissions of its program, if the kind states needs. A strand has those of its caller's program. `permitsPin` is the pin they are for. */
  permissions: Permissions | undefined
  permitsPin = -1
  /** The grants with a limited number of uses that this execution of its node has used, each with the number of its record. */
  grants: Map<string, number> | undefined
  /** Set while it is being cancelled; `notified` is true after its kind has received the cancellation. */
  cancelReason: string | undefined
  notified = false
  /** True after its end: queued inputs for it are ignored. */
  gone = false
  /** What its kind has derived from its position in the last step: not part of the state, and empty after a fold. */
  cache: unknown

  constructor(id: Ref, pin: number, args: Json | undefined, link: Link | undefined, scope = new Scope()) {
    this.id = id
    this.pin = pin
    this.args = args
    this.link = link
    this.scope = scope
    this.depth = link === undefined ? 0 : link.caller.depth + 1
  }

  /** True if this execution of its node has used a grant with a limited number of uses, in a record after the given one. */
  isGranted(grant: string, after = -1): boolean {
    return (this.grants?.get(grant) ?? -1) > after
  }

  /** The frame at which its reads continue, if any. */
  get outer(): Frame | undefined {
    return this.link === undefined || this.link.sees === 'nothing' ? undefined : this.link.caller
  }

  /** Returns a reader of its board from an inner scope, if one is named, outwards. */
  reader(under: Ref | null = null): BoardReader {
    return new BoardReader([...scopeChain(this, under)])
  }

  /** Returns a reader like `reader` that ends at frames of another kind: other kinds must not write this kind's internal keys. */
  kindReader(): BoardReader {
    return new BoardReader([...scopeChain(this, null, true)])
  }
}

/**
 * Yields the scopes that a frame reads, nearest first; with `sameKindOnly`, only those of its own kind. An outer bound applies
 * to all scopes beyond it.
 */
export function* scopeChain(from: Frame, under: Ref | null = null, sameKindOnly = false): Generator<ScopeView> {
  let bound = Number.POSITIVE_INFINITY
  let inner: Ref | null = under
  for (
    let frame: Frame | undefined = from;
    frame !== undefined;
    frame = sameKindOnly && frame.link?.isSameKind === false ? undefined : frame.outer
  ) {
    while (inner !== null) {
      const sub = frame.subs?.get(inner)
      if (sub === undefined) break
      yield { scope: sub.scope, bound }
      inner = sub.under
    }
    yield { scope: frame.scope, bound }
    if (frame.link?.sees === 'past') bound = Math.min(bound, frame.link.record)
    inner = frame.link?.under ?? null
  }
}

/** Returns the latest value of a key in the nearest scope that has it, as a step reads it. */
export function lookup(from: Frame, key: string, under: Ref | null = null, sameKindOnly = false): Json | undefined {
  if (from.outer === undefined && under === null) {
    const place = from.scope.find(key, Number.POSITIVE_INFINITY)
    return place < 0 ? undefined : from.scope.valueAt(place)
  }
  for (const { scope, bound } of scopeChain(from, under, sameKindOnly)) {
    const place = scope.find(key, bound)
    const value = place < 0 ? undefined : scope.valueAt(place)
    if (value !== undefined) return value
  }
  return undefined
}

/** True if two pins of a run name programs of the same kind. */
export function areSameKind(pins: readonly Pin[], one: number, other: number): boolean {
  return pins[one] !== undefined && pins[one][1] === pins[other]?.[1]
}

/** True if a frame runs its own program; false for a strand that runs the caller's program. */
export function isActivation({ link }: Frame): boolean {
  return link === undefined || link.role === 'call' || link.sees === 'nothing'
}

/** Returns the top frame of a stack. */
export function topOf(frame: Frame): Frame {
  let top = frame
  while (top.callee !== undefined) top = top.callee
  return top
}
