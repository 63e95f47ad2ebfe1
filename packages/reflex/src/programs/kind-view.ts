import type { BoardReader, Change, Definitions, Frame, Json, JsonObject, PendingEffect, Ref, State } from '../kernel/index.ts'
import type { AgentChoice } from '../policy/index.ts'
import type { Graph } from './graph.ts'
import type { InsideView } from './inside-view.ts'

/** An edge of a node, with the reason if it is closed. */
export interface EdgeState {
  readonly id: string
  readonly label: string
  readonly open: boolean
  readonly why?: string
  /** The condition on which it depends, if its value is not known yet. */
  readonly when?: string
}

/**
 * A line of a trace, the same for progress, trace and studio. The marks: `enter`: a node starts; `done`, `fail` and `skip`: it
 * ends; `step`: a part of it is done; `fork`: branches start in parallel; `push` and `pop`: a program is entered and left;
 * `decide`: a choice among several; `ask` and `answer`: a question; `wait`: a pause; `warn` and `note`: remarks.
 */
export interface StoryEvent {
  readonly mark:
    | 'enter'
    | 'step'
    | 'done'
    | 'fail'
    | 'skip'
    | 'fork'
    | 'push'
    | 'pop'
    | 'decide'
    | 'ask'
    | 'answer'
    | 'wait'
    | 'warn'
    | 'note'
    | 'end'
  /** The node, if there is one. */
  readonly node?: string
  /** The depth of the node in its program, for a kind whose nodes contain nodes. The root has depth 0. */
  readonly depth?: number
  readonly text?: string
  /** Facts for the right margin and for machine readers. */
  readonly facts?: { readonly [key: string]: Json }
  readonly effect?: Ref
}

/** An event of a kind, for programs that follow a run: dashboards, alarms, other systems. */
export interface KindEvent {
  /** Unique in its run, and the same each time that the journal is read: the record, and the place among its events. */
  readonly id: string
  readonly type: string
  /** The program. */
  readonly source: string
  readonly severity: string
  readonly priority: string
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly payload: JsonObject
}

/**
 * The result of a run as its kind displays it: the value without data of the kind itself, and the way in which the run ended,
 * if that is not obvious.
 */
export interface KindResult {
  readonly value: Json
  readonly how?: string
  /** True if `how` says all that the value does, so that a terminal shows only `how`. */
  readonly isTold?: boolean
}

/** A line of a picture of a program at work: its mark, as the command draws it, and how long the node has been at it. */
export interface PictureLine {
  readonly depth: number
  readonly mark: 'open' | 'running' | 'done' | 'failed' | 'waits'
  readonly node: string
  /** The path of the node, by which commands name it. */
  readonly path: string
  readonly text?: string
  /** Milliseconds. */
  readonly ms?: number
}

/** A failure of a node that a run remembers. */
export interface PastFailure {
  /** The path of the node. */
  readonly node: string
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** True if a node above it has absorbed the failure. */
  readonly isRecovered: boolean
}

/** Returns the definition of another program of the run, by its name as `kind:id`; undefined for an unknown one. */
export type FindDefinition = (name: string) => unknown

/** Returns how to find the programs of a run. Of two versions of a program, the newer one is found. */
export function definitionFinder({ pins }: Pick<State, 'pins'>, definitions: Pick<Definitions, 'program'>): FindDefinition {
  return (name) => {
    const pin = pins.findLastIndex(([pinned]) => pinned === name)
    return pin < 0 ? undefined : definitions.program(pin).def
  }
}

/** What a picture is drawn from, besides the program of its frame. */
export interface PictureFacts {
  /** The time of the picture, in milliseconds since the epoch. */
  readonly now: number
  readonly definition: FindDefinition
}

/** The values that a program takes and gives, as JSON Schema, and its purpose. */
export interface ProgramSignature {
  /** The schema of an object: the named inputs. */
  readonly inputs: JsonObject
  /** The schema of the result; absent if the program does not declare it. */
  readonly output?: JsonObject
  readonly about?: string
}

/** The display of a kind's programs and their runs. It never changes a run, and no step uses it. All methods are pure and optional. */
export interface KindView<Def = unknown> {
  /** Returns the program as a graph. */
  graph?(def: Def): Graph
  /** Returns the declared inputs and outputs of a program. Absent: its programs declare none. */
  signature?(def: Def): ProgramSignature
  /** Returns the facts of a program that the header of a run shows in place of the name of its kind. */
  headline?(def: Def): readonly string[]
  /** Returns the trace lines of a record. Absent: a trace has one plain line for each record. */
  story?(change: Change<Def>, definition: FindDefinition): readonly StoryEvent[]
  /** Explains what happens inside a record. Absent: a record is one thing. */
  readonly inside?: InsideView<Def>
  /** Returns the events of a record, as the kind names them, for programs that follow a run. Absent: the kind has none. */
  events?(change: Change<Def>, definition: FindDefinition): readonly KindEvent[]
  /** Returns a picture of all nodes of a frame with their states, for kinds whose programs are at several nodes at once. */
  picture?(def: Def, frame: Frame, facts: PictureFacts): readonly PictureLine[]
  /** Returns what a frame has done so far, in a few words, for kinds whose programs do not go from node to node: `1,204 events`. */
  soFar?(def: Def, frame: Frame): readonly string[]
  /** Returns the failures that a frame remembers, oldest first. */
  failures?(def: Def, frame: Frame): readonly PastFailure[]
  /** Returns the edges of the current node of a frame, open and closed. */
  edges?(def: Def, frame: Frame): readonly EdgeState[]
  /**
   * Returns the result of an effect in flight for a decision by a person: `word` names an edge, `by` the person. Undefined for
   * an effect that decides nothing. Throws `R2064` for an edge that is not open.
   */
  decide?(def: Def, effect: PendingEffect, word: string, by: string): { readonly value: Json; readonly chose: string } | undefined
  /** Returns the result of an ended run. */
  result?(def: Def, value: Json, args: Json | undefined): KindResult
  /** Returns further facts of the kind about a board value, such as its trust. */
  provenance?(reader: BoardReader, key: string): string | undefined
  /** Returns the name of the agent that decides at the nodes of its programs; absent if no agent decides. `model`: the configured model. */
  decides?(choice: AgentChoice | undefined, model: string | undefined): string
}
