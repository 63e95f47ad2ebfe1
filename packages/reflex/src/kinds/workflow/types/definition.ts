import type { Validator } from '../../../kernel/state/board.ts'
import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { BlackboardReader } from './board.ts'

/** Data of a node for whoever decides there. Reflex carries it and never reads it (seed workflow 2.3). */
export interface NodeSpec {
  [key: string]: unknown
}

/** A board key that a node reads: a declaration for `verify`, without effect on a run. */
export interface NodeInput {
  key: string
  /** Whether the node cannot do without it. */
  required: boolean
  /** Whether a caller or a seed provides it, so that no node of this workflow need write it. */
  inherited?: boolean
  description?: string
}

/** A board key that a node writes: a declaration for `verify`, without effect on a run. */
export interface NodeOutput {
  key: string
  /** Whether the node writes it each time. */
  guaranteed: boolean
  description?: string
}

/** Copies one value of a finished child's own board to its parent's (seed workflow 2.5). */
export interface ReturnMapping {
  parentKey: string
  childKey: string
}

/** Copies a value that the caller can read to the board of the workflow that it calls, before its entry (seed workflow 6.3). */
export interface InputMapping {
  from: string
  to: string
}

/** Makes a node a call: entering it starts the workflow, its end writes the return map (seed workflow 2.4). */
export interface InvocationSpec {
  workflowId: string
  returnMap: ReturnMapping[]
  /** Values that the caller hands to the child, on the child's own board before its entry (seed workflow 6.3). */
  inputMap?: InputMapping[]
}

/** A place of a workflow where something is decided or another workflow is called (seed workflow 2.2). */
export interface Node {
  id: string
  description?: string
  spec: NodeSpec
  invokes?: InvocationSpec
  inputs?: NodeInput[]
  outputs?: NodeOutput[]
}

/** A condition on one board key. `value` belongs to `equals` and `not-equals` (seed workflow 2.8). */
export interface BuiltinGuard {
  type: 'exists' | 'equals' | 'not-exists' | 'not-equals'
  key: string
  value?: unknown
}

/**
 * A condition in code. It must be total, end, and have no side effect (seed workflow 1.2, 2.8).
 *
 * `name` stands for it in JSON; `name` and `version` are needed for a store that outlives the process, which
 * keeps the decisions of a guard and must know when the guard itself has changed.
 */
export interface CustomGuard {
  type: 'custom'
  evaluate: (blackboard: BlackboardReader) => boolean
  name?: string
  version?: string
}

/**
 * A condition as an expression in CEL. Board keys are its variables, `board` is all of them together, as
 * `board["Part Object"]`. Total, and ends in time linear in its input.
 */
export interface CelGuard {
  type: 'cel'
  expr: string
}

/** A condition on an edge; an edge without one is always open. */
export type Guard = BuiltinGuard | CustomGuard | CelGuard

/** A named way from one node to another (seed workflow 2.6). */
export interface Edge {
  id: string
  from: string
  to: string
  event: string
  guard?: Guard
}

/** Says what a board key holds. */
export type BoardSchema = Validator | JsonObject

/** A directed graph without cycles. Repetition is a workflow that calls itself (seed workflow 1.5, 2.1). */
export interface Workflow {
  id: string
  /** The version that a call names as `id@version`; a call without one gets the version that was registered last. */
  version?: string
  entry: string
  nodes: Record<string, Node>
  edges: Edge[]
  /**
   * What the board's keys hold (seed workflow 6.3): a JSON Schema, or any validator that speaks Standard Schema and
   * answers at once. What does not fit is not written. Keys without one hold anything.
   */
  board?: Record<string, BoardSchema>
  metadata?: Record<string, unknown>
}
