import type { InvocationId } from './decision.ts'
import type { ReturnMapping } from './definition.ts'

/** A call that runs, that returned, or that no longer counts because it was repeated or given up. */
export type ExecutionStatus = 'active' | 'completed' | 'invalidated'

/** One call of a workflow by a node of another. */
export interface ExecutionRecord {
  readonly invocationId: InvocationId
  /** The call inside which this one was made; a call by the root has none. */
  readonly parentInvocationId?: InvocationId
  readonly parentWorkflowId: string
  readonly parentNodeId: string
  readonly childWorkflowId: string
  readonly returnMap?: readonly ReturnMapping[]
  readonly status: ExecutionStatus
  readonly childInvocationIds: readonly InvocationId[]
}

/** All calls of a session as JSON, in the order in which they were made. */
export interface ExecutionTreeState {
  readonly records: readonly ExecutionRecord[]
}

/** The calls of a session by their ids, in the order in which they were made; `records` holds the same calls as a list. */
export type ExecutionTreeMap = ReadonlyMap<InvocationId, ExecutionRecord> & ExecutionTreeState

/** A call was made. */
export interface ExecutionRecordEvent {
  readonly record: ExecutionRecord
}

/** Calls no longer count. */
export interface ExecutionInvalidateEvent {
  readonly invalidatedIds: readonly InvocationId[]
}
