import type { RunStatus, TreeStatus } from '../model/run-status.ts'
import type { FailureEntry } from '../tick/failures.ts'

/** What a tick of a tree has brought. The names are those of the events. */
export interface TickResult {
  /** YIELDED: the tree has used its budget of ticks and waits for its token or an event. */
  readonly status: 'SUCCESS' | 'FAILURE' | 'RUNNING' | 'YIELDED'
  /** The status of the root. */
  readonly run_status: RunStatus
  readonly tree_status: TreeStatus
  /** The ticks of the execution so far. */
  readonly tick_count: number
  /** Milliseconds, by the clock of the tree. */
  readonly duration_ms: number
  /** The nodes that this tick has ticked. */
  readonly nodes_ticked: number
  /** True with the status YIELDED. */
  readonly budget_exceeded: boolean
  /** The token of a tree that has yielded. It is valid once. */
  readonly resume_token?: string
  /** The node that was RUNNING for too long and has failed. */
  readonly stuck_node?: string
  /** The events of this tick. */
  readonly events_emitted: number
  /** The newest 50 failures of a tree that has failed, oldest first (EP-03). */
  readonly failure_trace?: readonly FailureEntry[]
}

/** What a tree is after a tick. */
interface TickedTree {
  readonly status: TreeStatus
  readonly root: { readonly status: RunStatus }
  readonly resumeToken: string | undefined
  readonly failureTrace: readonly FailureEntry[]
}

type TickFacts = Pick<TickResult, 'tick_count' | 'duration_ms' | 'nodes_ticked' | 'events_emitted' | 'stuck_node'>

/** Returns the result of a tick that has left a tree so. */
export function tickResult({ status, root, resumeToken, failureTrace }: TickedTree, facts: TickFacts): TickResult {
  const result = status === 'COMPLETED' ? 'SUCCESS' : status === 'FAILED' ? 'FAILURE' : status === 'YIELDED' ? 'YIELDED' : 'RUNNING'
  return {
    status: result,
    run_status: root.status,
    tree_status: status,
    budget_exceeded: status === 'YIELDED',
    ...facts,
    ...(resumeToken === undefined ? {} : { resume_token: resumeToken }),
    ...(status === 'FAILED' ? { failure_trace: failureTrace } : {}),
  }
}
