import type { BoardReader, Change, Frame, Json, PendingEffect, Ref } from '../kernel/index.ts'
import type { AgentChoice } from '../policy/index.ts'
import type { Graph } from './graph.ts'

/** An edge of a node, and why it is closed if it is. */
export interface EdgeState {
  readonly id: string
  readonly label: string
  readonly open: boolean
  readonly why?: string
  /** The condition on which it depends, if that is not known yet. */
  readonly when?: string
}

/**
 * One line of a trace, the same for progress, trace and studio. What the marks mean: `enter` a node begins,
 * `done`, `fail` and `skip` it ends, `step` something of it is done, `fork` branches begin beside each other, `push` and `pop`
 * a program is entered and left, `decide` a choice among several, `ask` and `answer` a question, `wait` a pause, `warn` and `note` remarks.
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
  /** The node, where there is one. */
  readonly node?: string
  readonly text?: string
  /** Facts for the right margin and for machines. */
  readonly facts?: { readonly [key: string]: Json }
  readonly effect?: Ref
}

/** The result of a run as its kind displays it: the value without the kind's own part, and how the run ended where that is not plain. */
export interface KindResult {
  readonly value: Json
  readonly how?: string
}

/**
 * How a kind displays its programs and their runs. Nothing of it changes a run, and no step asks for it. Every method is pure;
 * a kind leaves out what it does not have.
 */
export interface KindView<Def = unknown> {
  /** The program as a picture. */
  graph?(def: Def): Graph
  /** The lines of a trace that a record stands for. */
  story?(change: Change<Def>): readonly StoryEvent[]
  /** The edges of the node at which a frame stands, open and closed. */
  edges?(def: Def, frame: Frame): readonly EdgeState[]
  /**
   * The result of an effect in flight as if a person had decided by hand: `word` names an edge, `by` who chose it. Undefined for
   * an effect that decides nothing. Throws `R2064` for an edge that is not open.
   */
  decide?(def: Def, effect: PendingEffect, word: string, by: string): { readonly value: Json; readonly chose: string } | undefined
  /** The result of a run that has ended. */
  result?(def: Def, value: Json, args: Json | undefined): KindResult
  /** Returns further facts of the kind about a value of the board, such as its trust. */
  provenance?(reader: BoardReader, key: string): string | undefined
  /** Names the agent that decides at the nodes of its programs; absent where no agent decides. `model`: the configured model. */
  decides?(choice: AgentChoice | undefined, model: string | undefined): string
}
