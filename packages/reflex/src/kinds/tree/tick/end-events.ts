import type { StepContext } from '../../../kernel/index.ts'
import { type FailureEntry, failureTrace } from './failures.ts'
import type { TreeEvent } from './ticking.ts'
import { FAILED } from './states.ts'
import type { TreeState } from './tree-state.ts'

/** Returns the events of an execution that has ended: `tree.failed` with the failure trace if it has failed, then `tree.completed` (EP-03). */
export function endEvents(x: StepContext, state: TreeState): TreeEvent[] {
  const hasFailed = state.status === FAILED
  const { entries, total } = failureTrace((key) => x.get(key))
  const reason = x.get('_failure_reason')
  const completed: TreeEvent = [
    'tree.completed',
    {
      final_status: hasFailed ? 'failure' : 'success',
      total_ticks: state.execution.ticks,
      total_duration_ms: x.now - state.execution.start,
      ...(hasFailed && reason !== undefined ? { failure_reason: reason } : {}),
    },
  ]
  if (!hasFailed) return [completed]
  const origin = originOf(entries, state)
  const failed: TreeEvent = [
    'tree.failed',
    {
      failure_node: origin?.node_id ?? state.layout.root.id,
      failure_path: origin?.node_path ?? state.layout.root.path,
      ...(origin?.error_code === undefined ? {} : { error_code: origin.error_code }),
      error_message: origin?.reason ?? 'the root of the tree returned FAILURE',
      failure_trace: entries,
      total_errors: total,
      severity: 'error',
    },
  ]
  return [failed, completed]
}

/** The node in which the last failure began that nothing has absorbed. */
function originOf(entries: readonly FailureEntry[], { layout }: TreeState): FailureEntry | undefined {
  const leaves = new Set(layout.nodes.filter(({ children }) => children.length === 0).map(({ path }) => path))
  const counted = entries.filter(({ recovered }) => recovered !== true)
  return counted.findLast(({ node_path }) => leaves.has(node_path)) ?? counted.at(-1)
}
