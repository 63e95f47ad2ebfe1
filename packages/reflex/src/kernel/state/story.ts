import type { Frame } from './frame.ts'
import type { Json } from '../journal/json.ts'
import type { Rec, Ref } from '../journal/record.ts'
import type { State } from './state.ts'

/** One record with its surroundings, right after it was applied. */
export interface Change<Def = unknown> {
  /** The record's number. */
  readonly n: number
  readonly at: number
  readonly record: Rec
  readonly state: State
  readonly frame: Frame
  readonly def: Def
  /** The position before the record. */
  readonly before: Json | undefined
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
