import type { LaidNode } from '../compile/layout.ts'
import { endPause } from './debug-state.ts'
import { PAUSED_AT } from './debug-words.ts'
import type { Ticking } from './ticking.ts'
import type { TreeStep } from './tree-step.ts'
import { HAS_FAILED, IS_RUNNING } from './states.ts'
import type { TreeState } from './tree-state.ts'

/**
 * Stops everything that is RUNNING, and what has begun in a tick that waits for a leaf, deepest first. Each becomes FAILURE with the reason of the
 * cancellation. Reports it in one event.
 */
export function stopAll(x: TreeStep, state: TreeState, tick: Ticking, reason: string): void {
  const nodes = state.layout.nodes.filter((node) => state.state(node) === IS_RUNNING || state.hasBegun(node)).toReversed()
  const { open } = state
  const isWaiting = open !== undefined && open.ref !== PAUSED_AT
  const operations = nodes.filter(({ index }) => state.operation(index) !== undefined).length + (isWaiting ? 1 : 0)
  const last = tick.openLeaf() ?? nodes.find(({ manifest }) => manifest.role === 'leaf') ?? state.layout.root
  // Nothing is RUNNING below a root that is not.
  if (nodes.length > 0) tick.halt(state.layout.root)
  if (open !== undefined) endPause(x, state)
  if (isWaiting) x.drop(open.ref)
  state.open = undefined
  for (const node of nodes) failed(tick, node, reason)
  tick.emit('tree.cancelled', {
    reason,
    node_id: last.id,
    node_path: last.path,
    async_operations_cancelled: operations,
    error_code: 'E3006',
    severity: 'warning',
  })
}

function failed(tick: Ticking, node: LaidNode, reason: string): void {
  tick.fail(node, `cancelled:${reason}`)
  tick.failed(node)
  tick.state.setState(node.index, HAS_FAILED, tick.now)
}
