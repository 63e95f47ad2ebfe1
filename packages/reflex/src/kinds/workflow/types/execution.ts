import type { InvocationId } from './decision.ts'
import type { ReturnMapping } from './definition.ts'

/** The state of a call: it runs, it has returned, or it is no longer valid because it was repeated or discarded. */
export type ExecutionStatus = 'active' | 'completed' | 'invalidated'

/** One call of a workflow by a node of another. */
export interface ExecutionRecord {
  readonly invocationId: InvocationId
  /** The call that contains this one; absent for a call of the root. */
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

/** The calls of a session by id, in the order in which they were made. `records` has the same calls as a list. */
export type ExecutionTreeMap = ReadonlyMap<InvocationId, ExecutionRecord> & ExecutionTreeState

/** The event of a new call. */
export interface ExecutionRecordEvent {
  readonly record: ExecutionRecord
}

/** The event of calls that are no longer valid. */
export interface ExecutionInvalidateEvent {
  readonly invalidatedIds: readonly InvocationId[]
}
