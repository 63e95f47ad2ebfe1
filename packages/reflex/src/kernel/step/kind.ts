import type { BoardRules, Validator } from '../state/board.ts'
import type { Frame } from '../state/frame.ts'
import type { PlainShape } from '../journal/contents.ts'
import type { Json, JsonObject } from '../journal/value.ts'
import type { FunctionPin, Input } from '../journal/record.ts'
import type { CallLimits } from '../journal/usage.ts'
import type { StepContext } from './context.ts'

/** What records of a kind keep readable in a run that keeps no contents. What is not named here becomes a hash. */
export interface PlainParts {
  /** Of the arguments of its frames. */
  readonly args?: PlainShape
  /** Of its positions, and of patches of them. */
  readonly position?: PlainShape
  readonly note?: PlainShape
  /** Of the facts that its steps read out of contents, by name. */
  readonly facts?: Readonly<Record<string, PlainShape>>
  /** Of inputs from the host of a run. */
  readonly host?: PlainShape
  /** Of the arguments of its effects, by port. */
  readonly requests?: Readonly<Record<string, PlainShape>>
  /** Of the results of its effects, by port. */
  readonly results?: Readonly<Record<string, PlainShape>>
  /** Of what its questions are about, by the name of the wait. */
  readonly waits?: Readonly<Record<string, PlainShape>>
  /** Of a value of its board. */
  writes?(key: string): PlainShape
  /** Of what its frames return, unless they fail. */
  readonly result?: PlainShape
}

/**
 * An interpreter that steps a frame. The kernel knows this interface and the facts declared here, and no
 * kind by name.
 */
export interface Kind<Def = unknown> {
  readonly name: string
  /** Pinned by every run: a kind keeps the behaviour of every revision that it ever had. */
  readonly rev: number
  /**
   * The oldest revision whose runs this one steps as they were begun; 1 unless set. Runs of an older revision can be shown, but
   * not resumed, replayed or forked: that is `R5011`.
   */
  readonly oldestRev?: number
  readonly board?: BoardRules
  /**
   * The limits that a program states for itself and for what it calls; undefined where it states none. An effect that exceeds them fails with
   * `R3021`, and so does a frame that enters one node more than `steps`.
   */
  limits?(def: Def): CallLimits | undefined
  /**
   * The ports that are open while a program is on the stack of a run (`Port.open`). No effect of a started or resumed run begins before
   * they are open; a program that is called later waits only with the effects of that port. Ports without `open` are ignored.
   */
  ports?(def: Def): readonly string[]
  /** True if it receives `cancel` and returns by itself, for instance after compensation. */
  readonly cancels?: true
  /**
   * The capabilities that a program will need. The first input of a program of a kind that states them is `['permits', …]`, and
   * `StepContext.permissions` has its permissions from then on.
   */
  needs?(def: Def): readonly string[]
  /** The facts that the host states for programs of the kind, for their permissions. */
  readonly facts?: JsonObject
  /** True at a position at which a program only closes: no limit keeps its effects back, so it can undo what it began. */
  isClosing?(def: Def, position: Json | undefined): boolean
  /**
   * The size of a segment in records, for runs that may never end: a whole number from 1 on, such as 10,000. A run whose root program is
   * of the kind seals its segment at its first rest after so many records: when its queue is empty and no input is waiting, or after twice
   * as many as soon as its queue is empty. Effects in flight and open waits stay. A segment is folded, replayed and archived alone;
   * the id of a message is forgotten at the second seal after its record, so one segment is the window of duplicates. Absent: the journal is one segment. A run without a store is
   * never sealed.
   */
  readonly endless?: number
  /**
   * Validates a program and prepares it. Pure; throws a `Fault`. Cached by hash and functions. `functions`: those that a run has pinned;
   * the definition must call these versions. Absent: the current ones.
   */
  compile(source: Json, functions?: readonly FunctionPin[]): Def
  /**
   * The functions of the host that a program calls in its steps. A run pins them with the program. A run that is resumed, replayed or
   * forked gets the same versions, or is refused with `R5014` before anything is performed.
   */
  functions?(def: Def): readonly FunctionPin[]
  /** The programs that it may call, as `kind:id`: closed over and pinned when a run starts. */
  calls?(def: Def): readonly string[]
  /** True for a program with an untrusted text: its effects, and those of the programs that it calls, have the lowest rights. */
  isUntrusted?(def: Def): boolean
  /** Schemas of the board's keys; undefined for a program that declares none. */
  schemas?(def: Def): Readonly<Record<string, Validator>> | undefined
  /** Pure, synchronous, total: reads the context, calls its methods, returns. A throw is a bug, recorded as one. */
  step(x: StepContext<Def>, input: Input | undefined): void
  /** The node that a position stands at: a step of the path that people see. */
  node?(def: Def, position: Json | undefined): string | undefined
  /** Returns the name of a strand among its siblings, such as a branch: a part of the path of its nodes. Undefined for other frames. */
  strand?(frame: Frame): string | undefined
  /** True for a key of the board that the kind keeps for itself: it is not a value of the program. */
  isInternal?(key: string): boolean
  /**
   * What records keep readable in a run that keeps no contents. Its steps then read everything on which the form of a record depends by
   * `StepContext.fact`. Absent: such a run cannot call programs of the kind (`R2066`).
   */
  readonly plain?: PlainParts
  /** True: a run that begins with a program of the kind keeps hashes in place of contents. */
  readonly hidesContents?: boolean
}
