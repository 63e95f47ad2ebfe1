import { isObject, type Json, type Ref } from '../../../kernel/index.ts'
import type { Status } from './outcome.ts'

/** The position of a pipeline frame. Its size does not grow with the run: growing data (outcomes, visits, the context) is on the board. */
export interface Position {
  readonly node: string
  /**
   * The next action: `enter` the node, `wait` for what its handler asked for, `rest` before the next attempt; `permit` until a
   * permit is given, `outside` until the label of what other programs have read is known. `close` comes after the last node.
   */
  readonly phase: 'enter' | 'wait' | 'rest' | 'permit' | 'outside' | 'close'
  /**
   * The step after a permit: to enter the node, to begin its first attempt, or a further one. After `outside`, its handler
   * continues with the answers that it has (`wait`); absent where the pipeline begins.
   */
  readonly next?: 'enter' | 'begin' | 'rest' | 'wait'
  /** The index of the edge that was taken to the node. */
  readonly edge?: number
  /** The last stage that is not a branch, its result, and the label that it prefers (reference pipeline 3.4). */
  readonly last?: string
  readonly status?: Status
  readonly label?: string
  readonly reason?: string
  /** True if a stage had a partial success: the pipeline then has at most a partial success. */
  readonly partial?: true
  /** True if the warning about the budget was given. */
  readonly warned?: true
  /** The number of restarts (`loop_restart`); absent in the first round. */
  readonly round?: number
  /** The start of a branch. */
  readonly since?: number
  /** The number of nodes executed in this frame. */
  readonly steps: number
  /** The hook of the node that is running: before its first attempt, or after its last. */
  readonly hook?: 'pre' | 'post'
  /** The attempt at this node, from 1. */
  readonly attempt?: number
  /** The time and the record at which the execution began. */
  readonly began?: number
  readonly at?: number
  /** The number of answers that the handler has received. */
  readonly asked?: number
  /** The value with which the handler restarted itself. Small. */
  readonly kept?: Json
  /** True if a further attempt continues with the answers of this one. */
  readonly continues?: true
  /** The pending request: effects in order, a wait, a called program, or branches. */
  readonly for?: Waiting
  /** The timer of the node's timeout, and whether it has fired. */
  readonly limit?: Ref
  readonly late?: true
  /** Engine fan-out: the remaining targets, each with its edge (reference pipeline 3.9.1). */
  readonly pending?: readonly (readonly [node: string, edge: number])[]
  /** Goal gates: how often an exit has sent the run back. */
  readonly returns?: number
  /** The end of the run, once its closing steps are done. */
  readonly ending?: Ending
}

/** The end of a pipeline, before its last hook has run. */
export interface Ending {
  readonly status: 'success' | 'fail' | 'cancelled'
  readonly reason?: string
  /** The node that the failure is about, if it is not the last one. */
  readonly node?: string
  /** The code of the failed stage that ended it. */
  readonly code?: string
}

export type Waiting =
  | { readonly is: 'effect'; readonly ids: readonly Ref[]; readonly all?: true }
  | { readonly is: 'wait'; readonly id: Ref }
  /** `pipeline`: the called program labels its own results. */
  | { readonly is: 'call'; readonly pipeline?: true }
  | {
      readonly is: 'fork'
      readonly next: number
      readonly good: number
      readonly stop?: true
      readonly running: number
    }

/** A field that a position need not have. */
export type PositionField = Exclude<keyof Position, 'node' | 'phase' | 'steps'>

/** Returns a position without some of its fields: a copy field by field takes half the time of a rest pattern. */
export function withoutFields(position: Position, gone: ReadonlySet<PositionField>): Position {
  const kept: Record<string, unknown> = {}
  for (const field in position) if (!gone.has(field as PositionField)) kept[field] = position[field as keyof Position]
  return kept as unknown as Position
}

/** Returns the node of a position, for people. */
export function nodeOf(position: Json | undefined): string | undefined {
  return isObject(position) && typeof position['node'] === 'string' ? position['node'] : undefined
}
