import type { Validator, JsonObject } from '../../../kernel/index.ts'
import type { BlackboardReader } from './board.ts'

/** Data of a node for its agent. Reflex carries it and never reads it (seed workflow 2.3). */
export interface NodeSpec {
  [key: string]: unknown
}

/** A board key that a node reads: a declaration for `verify`, without effect on a run. */
export interface NodeInput {
  key: string
  /** True if the node fails without the key. */
  required: boolean
  /** True if a caller or a seed provides the key, so that no node of this workflow needs to write it. */
  inherited?: boolean
  description?: string
}

/** A board key that a node writes: a declaration for `verify`, without effect on a run. */
export interface NodeOutput {
  key: string
  /** True if the node always writes the key. */
  guaranteed: boolean
  description?: string
}

/** Copies one value of a finished child's own board to the board of its parent (seed workflow 2.5). */
export interface ReturnMapping {
  parentKey: string
  childKey: string
}

/** Copies a value that the caller can read to the board of the called workflow, before its entry (seed workflow 6.3). */
export interface InputMapping {
  from: string
  to: string
}

/** Makes a node a call: entering the node starts the workflow, and its end writes the return map (seed workflow 2.4). */
export interface InvocationSpec {
  workflowId: string
  returnMap: ReturnMapping[]
  /** Values that the caller passes to the child. They are on the child's own board before its entry (seed workflow 6.3). */
  inputMap?: InputMapping[]
}

/** A step of a workflow at which an agent decides or another workflow is called (seed workflow 2.2). */
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
 * A condition in code. It must always return a boolean, end, and have no side effect (seed workflow 1.2, 2.8).
 * `name` represents it in JSON. A store that outlives the process needs `name` and `version`: it keeps decisions of the guard
 * and must detect a changed guard.
 */
export interface CustomGuard {
  type: 'custom'
  evaluate: (blackboard: BlackboardReader) => boolean
  name?: string
  version?: string
}

/**
 * A condition as an expression in CEL. Board keys are its variables; `board` has all of them, as in `board["Part Object"]`. It
 * ends in time linear in its input.
 */
export interface CelGuard {
  type: 'cel'
  expr: string
}

/** A condition on an edge. An edge without one is always open. */
export type Guard = BuiltinGuard | CustomGuard | CelGuard

/** A named connection from one node to another (seed workflow 2.6). */
export interface Edge {
  id: string
  from: string
  to: string
  event: string
  guard?: Guard
}

/** The schema of a board key. */
export type BoardSchema = Validator | JsonObject

/** A directed graph without cycles. Repetition is a workflow that calls itself (seed workflow 1.5, 2.1). */
export interface Workflow {
  id: string
  /** The version that a call names as `id@version`. A call without a version gets the version that was registered last. */
  version?: string
  entry: string
  nodes: Record<string, Node>
  edges: Edge[]
  /**
   * The schemas of board keys (seed workflow 6.3): a JSON Schema, or any synchronous validator of Standard Schema. A value that
   * does not fit is not written. Keys without a schema may have any value.
   */
  board?: Record<string, BoardSchema>
  metadata?: Record<string, unknown>
}
