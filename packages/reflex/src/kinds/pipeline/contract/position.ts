import { isObject, type Json, type Ref } from '../../../kernel/index.ts'
import type { Status } from './outcome.ts'

/**
 * Where a frame of a pipeline stands: small, and of the same size however long the run is. What grows (outcomes, visits,
 * the context) is on the board.
 */
export interface Position {
  readonly node: string
  /**
   * What happens next: `enter` the node, `wait` for what its handler asked for, `rest` before the next attempt; `hold` until a
   * permit is given, `outside` until the label of what other programs have read is known. `close` comes after the last node.
   */
  readonly phase: 'enter' | 'wait' | 'rest' | 'hold' | 'outside' | 'close'
  /**
   * The step after a permit: to enter the node, to begin its first attempt, or a further one. After `outside`, its handler
   * continues with the answers that it has (`wait`); absent where the pipeline begins.
   */
  readonly onward?: 'enter' | 'begin' | 'rest' | 'wait'
  /** The index of the edge that led here. */
  readonly edge?: number
  /** The last stage that is no branch, how it ended, and what it prefers (reference pipeline 3.4). */
  readonly last?: string
  readonly status?: Status
  readonly label?: string
  readonly reason?: string
  /** A stage has come to a partial success: the whole is no more than that. */
  readonly partial?: true
  /** It was told that the budget is nearly spent. */
  readonly warned?: true
  /** Restarts of the whole (`loop_restart`), from 1 after the first. */
  readonly lap?: number
  /** When a branch began. */
  readonly since?: number
  /** Nodes executed in this frame. */
  readonly steps: number
  /** A hook of the node is running: before its first attempt, or behind its last one. */
  readonly hook?: 'pre' | 'post'
  /** Attempts at this node, from 1. */
  readonly attempt?: number
  /** When and with which record the execution began. */
  readonly began?: number
  readonly at?: number
  /** Answers that the handler has had. */
  readonly asked?: number
  /** What the handler has kept when it began again. Small. */
  readonly kept?: Json
  /** The handler keeps its answers: a further attempt continues behind them. */
  readonly keeps?: true
  /** What it waits for: effects in the order in which they were asked for, a wait, a called program, or its branches. */
  readonly for?: Waiting
  /** The timer of the node's timeout, and whether it has rung. */
  readonly limit?: Ref
  readonly late?: true
  /** Engine fan-out: targets that are still to be walked, with the edges to them (reference pipeline 3.9.1). */
  readonly pending?: readonly (readonly [node: string, edge: number])[]
  /** Goal gates: how often an exit has sent the run back. */
  readonly returns?: number
  /** How the run is to end, once what closes it is done. */
  readonly ending?: Ending
}

/** How a pipeline ends, before its last hook has run. */
export interface Ending {
  readonly status: 'success' | 'fail' | 'cancelled'
  readonly reason?: string
  /** The node that the failure is about, if it is not the last one. */
  readonly node?: string
  /** The code of the failure of the stage that ended it. */
  readonly code?: string
}

export type Waiting =
  | { readonly is: 'effect'; readonly ids: readonly Ref[]; readonly all?: true }
  | { readonly is: 'wait'; readonly id: Ref }
  /** `pipeline`: what is called says where its results come from. */
  | { readonly is: 'call'; readonly pipeline?: true }
  | {
      readonly is: 'fork'
      readonly next: number
      readonly good: number
      readonly stop?: true
      readonly running: number
    }

/** The node of a position, for people. */
export function nodeOf(position: Json | undefined): string | undefined {
  return isObject(position) && typeof position['node'] === 'string' ? position['node'] : undefined
}
