import type { Json } from '../journal/json.ts'
import type { Asker, EndStatus, Pin, Ref, ReturnPair, WaitType } from '../journal/record.ts'
import type { UsageSum } from '../journal/usage.ts'
import type { StoppedEffect } from './answers.ts'
import type { Permissions } from '../journal/permissions.ts'
import { BoardReader, Scope, type ScopeView } from './scope.ts'

/** An effect requested and not yet settled or dropped. */
export class PendingEffect {
  readonly id: Ref
  readonly frame: Frame
  readonly port: string
  readonly args: Json | undefined
  /** The idempotency key that its request named, if it did. */
  readonly requestedKey: string | undefined
  /** The record that requested it. */
  readonly record: number
  /** Progress was recorded: after a crash the frame is told to forget it. */
  hasParts = false
  /** A question about it is open: whether it happened, or whether it may. Nobody performs it meanwhile. */
  isQuestioned = false
  /** It begins once others of the run have settled. */
  isPostponed = false
  /** The grants that the open question before it is about. */
  askedGrants: readonly string[] | undefined
  /** A person has stopped the run here. It fails. */
  stopped: StoppedEffect | undefined
  /** It is under way in this process: not state, and empty after a fold. */
  activeCall: { abort(): void } | undefined

  constructor(id: Ref, frame: Frame, port: string, args: Json | undefined, requestedKey: string | undefined, record: number) {
    this.id = id
    this.frame = frame
    this.port = port
    this.args = args
    this.requestedKey = requestedKey
    this.record = record
  }
}

/** Returns true for an effect that waits for a person, or for other effects, before it begins: nothing of it has happened. */
export function isPaused({ id, frame, isQuestioned, isPostponed }: PendingEffect): boolean {
  return isPostponed || (isQuestioned && frame.waits?.some(({ effect, asker }) => effect === id && asker !== 'outcome') === true)
}

/** A named point where a frame stops for an answer, a message or a time. */
export interface Wait {
  readonly id: Ref
  readonly frame: Frame
  readonly type: WaitType
  readonly name: string
  readonly due: number | undefined
  readonly about: Json | undefined
  /** The record that opened it, and its time. */
  readonly record: number
  readonly since: number
  /** Which question of the run it is, from 1; 0 for waits that nobody answers. People address it so: `otter-2m9q/q1`. */
  readonly number: number
  /** The effect whose outcome is asked for: a question of the kernel, not of the program. */
  readonly effect: Ref | undefined
  readonly asker: Asker
}

/** A strand as its spawner sees it. */
export interface StrandResult {
  readonly id: Ref
  /** The pin of the program that it ran first. */
  readonly pin: number
  status: 'running' | EndStatus
  /** The strand's own writes; readable once it has ended. */
  readonly scope: Scope
  value: Json | undefined
}

/** An inner scope of a frame. */
export interface SubScope {
  readonly scope: Scope
  readonly under: Ref | null
}

/** What joins a frame to the one below it. */
export interface Link {
  readonly caller: Frame
  readonly role: 'call' | 'strand'
  /** Both are of one kind, and keep their books alike. */
  readonly isSameKind: boolean
  /** What its reads see of the caller: live, as of a record, or nothing. */
  readonly sees: 'live' | 'past' | 'nothing'
  readonly record: number
  readonly under: Ref | null
  readonly map: readonly ReturnPair[]
}

/** One activation of a program on a strand's stack. */
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
  /** Strands that have not ended. */
  strands: Map<Ref, Frame> | undefined
  readonly pendingEffects: PendingEffect[] = []
  waits: Wait[] | undefined
  /** Its own steps and usage, and those of the frames that it called or spawned and that have ended. */
  steps = 0
  usage: UsageSum | undefined
  /** The time on the meter of the run when it began. */
  began = 0
  /** What it may do, if its kind states what it needs; of a strand, that of the program which it is part of. `permitsPin`: for which program. */
  permissions: Permissions | undefined
  permitsPin = -1
  /** The grants with a limited number of uses that this execution of its node has used. */
  grants: Set<string> | undefined
  /** It is being cancelled; `told` once its kind has heard of it. */
  cancelReason: string | undefined
  notified = false
  /** It has ended: inputs still queued for it are passed over. */
  gone = false

  constructor(id: Ref, pin: number, args: Json | undefined, link: Link | undefined, scope = new Scope()) {
    this.id = id
    this.pin = pin
    this.args = args
    this.link = link
    this.scope = scope
    this.depth = link === undefined ? 0 : link.caller.depth + 1
  }

  /** The frame on which this one's reads go on, if they do. */
  get outer(): Frame | undefined {
    return this.link === undefined || this.link.sees === 'nothing' ? undefined : this.link.caller
  }

  /** Its board, scopes outward, from an inner scope if one is named. */
  reader(under: Ref | null = null): BoardReader {
    return new BoardReader([...scopeChain(this, under)])
  }

  /** As `reader`, no further than its own kind: what that keeps for itself under keys of its own is nobody else's to write. */
  kindReader(): BoardReader {
    return new BoardReader([...scopeChain(this, null, true)])
  }
}

/** The scopes that a frame reads, nearest first; with `isSameKind`, those of its own kind alone. An outer bound holds for all scopes beyond it. */
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

/** The latest value of a key in the nearest scope that has it; what a step reads. */
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

/** Whether two pins of a run hold programs of the same kind. */
export function areSameKind(pins: readonly Pin[], one: number, other: number): boolean {
  return pins[one] !== undefined && pins[one][1] === pins[other]?.[1]
}

/** True if a frame is a program of its own; false for a strand, in which the caller's program runs. */
export function isActivation({ link }: Frame): boolean {
  return link === undefined || link.role === 'call' || link.sees === 'nothing'
}

/** Runs over the frames of a stack from the base upwards. */
export function topOf(frame: Frame): Frame {
  let top = frame
  while (top.callee !== undefined) top = top.callee
  return top
}
