import type { Json, JsonObject } from './json.ts'
import type { CallLimits, Limits, StatedUsage } from './usage.ts'

/** The journal format that this release writes. Readers lift older records; newer ones are refused. */
export const FORMAT = 3

/**
 * The name of an object that a record created, after the record's number: effect `12` or `12.1`, wait `12w`, strand
 * `12s` (also its base frame), called frame `12f`, inner scope `12o`. One name space; the root frame is `0`.
 */
export type Ref = number | string

/** The end of a frame or strand. */
export type EndStatus = 'done' | 'failed' | 'cancelled'

/** The most that a try of a model may use, estimated: tokens read and written, US dollars where there is a price. */
export interface EstimatedUsage {
  readonly model?: string
  readonly input: number
  readonly output: number
  readonly usd?: number
}

/** The reason for a step of a frame. Absent: the frame continues; this is also the first step. */
export type Input =
  | readonly ['ok', Ref, Json, StatedUsage?]
  | readonly ['err', Ref, Json, StatedUsage?]
  | readonly ['part', Ref, Json]
  | readonly ['again', Ref, Json?]
  /** The effect begins later, and `again` begins it: once others of the run have settled, or once there is room for what it uses, if that is named. */
  | readonly ['later', Ref, string?]
  /** Nobody knows if the effect has happened: a person is asked. Formats below 3: `doubt`. */
  | readonly ['unknown', Ref]
  /** A person is asked before the effect is performed. The grants that the question is about, if any. */
  | readonly ['pause', Ref, 'budget' | 'permission', Json, (readonly string[])?]
  /** The effect uses grants that may be used so many times, by grant. */
  | readonly ['use', Ref, Readonly<Record<string, number>>]
  /** The permissions of a program, before its first step and whenever they have changed. */
  | readonly ['permits', Json]
  /** The effect asks a question while it is performed: the name of its wait, and the question. Formats below 3: also `pause`. */
  | readonly ['hold', Ref, string, Json, RuntimeAsker?]
  /** The value, its author, and the reason that the author gave. */
  | readonly ['answer', Ref, Json, string?, string?]
  /** The body, the id of the message, and its author. */
  | readonly ['message', Ref, Json, string?, string?]
  /** Messages of a wait that takes several at once, in their order. */
  | readonly ['messages', Ref, readonly TakenMessage[]]
  | readonly ['timer', Ref]
  | readonly ['ret', Ref, EndStatus, Json?]
  | readonly ['end', Ref, EndStatus, Json?]
  | readonly ['cancel', string]
  | readonly ['host', Json]
  | readonly ['kernel', 'start' | 'cancel' | 'stalled' | 'refused' | 'late' | 'fork' | 'forked' | 'resume' | 'seal' | 'skipped', Json?]

/** A message that a record takes, with its author if it has one. */
export type TakenMessage = readonly [id: string, body: Json] | readonly [id: string, body: Json, by: string]

/** An effect asked for: port, arguments, and the idempotency key where a retry must reuse one. */
export type Request = readonly [port: string, args?: Json, key?: string]

/**
 * The asker of a question: the program, or Reflex itself. Reflex asks about the unknown outcome of an effect, about the edge to
 * follow after one, about a retry after a failure, about a budget that is used up, about a permission. The name of a wait is
 * a label and never states the asker. Waits of formats below 3 do not state it (`old-words.ts`).
 */
export type Asker = 'program' | RuntimeAsker
export type RuntimeAsker = 'outcome' | 'edge' | 'retry' | 'budget' | 'permission'

/**
 * A wait opened: what meets it, its name, when it is due (ms since the epoch), what it is about, who asks if not the program, and
 * its rules if it stays open or takes several messages at once.
 */
export type WaitRequest = readonly [
  type: WaitType,
  name: string,
  due?: number | null,
  about?: Json | null,
  asker?: RuntimeAsker | null,
  rules?: WaitRules,
]

/** The rules of a wait that does not close when it is met, or that takes several messages at once. */
export interface WaitRules {
  /** A message that it takes does not close it. */
  readonly stays?: true
  /** A timer that stays open: milliseconds between two of its times. */
  readonly every?: number
  /** The most messages of one input, which is then `messages`. */
  readonly most?: number
  /** The most characters of their bodies as JSON. One message is always taken. */
  readonly bytes?: number
}

/** A wait for a time is a wait with a due date that nothing else can meet. */
export type WaitType = 'answer' | 'message' | 'timer'

/** A function of the host that a program calls in its steps: its name, its version, and the digest of its text if the kind states one. */
export type FunctionPin = readonly [name: string, version: string, digest?: string]

/**
 * A program that a run holds: reference, kind, the kind's revision, the hash of its source, and the functions that it calls. Without
 * functions, it calls none whose version is known.
 */
export type Pin = readonly [name: string, kind: string, rev: number, hash: string, functions?: readonly FunctionPin[]]

/** `[parentKey, childKey]`: copied from the callee's own scope to the caller's when the callee is done. */
export type ReturnPair = readonly [parentKey: string, childKey: string]

/** A call of a program on the caller's stack. */
export interface CallRequest {
  readonly pin: number
  readonly map?: readonly ReturnPair[]
  readonly args?: Json
  /** Named inputs only: the callee's reads do not continue in its caller. */
  readonly isolated?: true
  /** The limits of the callee and of what it calls. */
  readonly limits?: CallLimits
}

/** A strand spawned: its program, its arguments, and what it sees of its spawner. */
export interface SpawnRequest {
  readonly pin: number
  readonly args?: Json
  /** `past` (absent): as of the spawning record. `live`: as it is. `nothing`: isolated. */
  readonly sees?: 'live' | 'nothing'
  /** The inner scope of the spawner in which the strand's reads continue. */
  readonly under?: Ref
  /** The limits of the strand and of what it calls. */
  readonly limits?: CallLimits
}

/** The start of a run. */
export interface Start {
  readonly v: number
  readonly run: string
  readonly trace: string
  readonly seed: string
  readonly at: number
  readonly pins: readonly Pin[]
  readonly args?: Json
  /** The person who started it, its trust and its limits: facts of the operator, never of the program. */
  readonly by?: Json
  /** Further arguments of programs that the run calls, by name: facts of the operator, never of a program. Their kinds read them. */
  readonly hosts?: Readonly<Record<string, Json>>
  /** The run that this one was forked from, and the last record that both share. */
  readonly fork?: readonly [run: string, record: number]
  /** The name of the run in which its program was started first, if this one has another name: it is a fork or was imported under it. */
  readonly origin?: string
}

/** The rarer outputs of a step. */
export interface Outputs {
  /** Changes of the position: by key, where null deletes; of a list, as index, value, index, value. */
  readonly patch?: JsonObject | readonly Json[]
  /** Keys deleted from the frame's own scope. */
  readonly tombstones?: readonly string[]
  /** Writes to the outermost scope that the frame can reach, flat. */
  readonly root?: readonly Json[]
  /** For readers and the comparison of a replay; not state. */
  readonly note?: Json
  /** Step this frame again, with no input. */
  readonly go?: 1
  readonly call?: CallRequest
  readonly spawn?: readonly SpawnRequest[]
  /** Ended strands whose writes are taken over, in this order. */
  readonly adopt?: readonly Ref[]
  /** The frame returns: how, and with which value. */
  readonly return?: readonly [EndStatus, Json?]
  readonly wait?: readonly WaitRequest[]
  /** The effect that the wait of this record asks about: whether it happened. */
  readonly asks?: Ref
  /** The effect that was asked about did not happen: it is performed again. */
  readonly repeat?: Ref
  /** Usage that a step knows of and no effect has stated: of a run that this one continues. */
  readonly used?: StatedUsage
  /** New limits of the run. */
  readonly raise?: Limits
  /** The answer stops the run at this frame: programs of its kind begin nothing more. */
  readonly stop?: 1
  /** Uses that no effect of the run has counted, such as those of a run that this one continues. */
  readonly use?: Readonly<Record<string, number>>
  /** The answer about grants: whether they are permitted at a place. An empty place is the whole run. */
  readonly decided?: readonly (readonly [grant: string, place: string, allowed: boolean])[]
  /** Effects and waits that the frame drops. */
  readonly drop?: readonly Ref[]
  /** Strands to cancel. */
  readonly kill?: readonly Ref[]
  /** Cancel the callee. */
  readonly unwind?: 1
  /** Inner scopes opened, each under another inner scope or under the frame's own (null). */
  readonly open?: readonly (Ref | null)[]
  /** Writes to inner scopes, flat. */
  readonly sub?: readonly (readonly [Ref, readonly Json[]])[]
  /** Keys deleted from inner scopes, before the writes to them. */
  readonly gone?: readonly (readonly [Ref, readonly string[]])[]
  /** Labels of writes of this record that say where they come from; with the inner scope, if they are to one. */
  readonly from?: readonly WriteLabel[]
  readonly shut?: readonly Ref[]
  /** Programs first used here; they take the next indexes. */
  readonly pin?: readonly Pin[]
  /** The frame continues with this pin. */
  readonly become?: number
  readonly start?: Start
}

/** The label of a write: a text, or a list. */
export type WriteLabel = readonly [key: string, label: string | readonly Json[], scope?: Ref]

/**
 * One step of a run: its input and everything that followed. The number is the place in the journal.
 * State is a fold over records (architecture, invariant 2).
 */
export interface Rec {
  readonly frame: Ref
  /** Milliseconds since the previous record. */
  readonly elapsed: number
  readonly input: Input | undefined
  /** Writes to the frame's own scope, flat: key, value, key, value. */
  readonly writes: readonly Json[] | undefined
  /** The new position, whole. Never null. */
  readonly position: Json | undefined
  readonly requests: readonly Request[] | undefined
  readonly more: Outputs | undefined
  /** The frame enters a node, which counts as a step. */
  readonly step?: true | undefined
}
