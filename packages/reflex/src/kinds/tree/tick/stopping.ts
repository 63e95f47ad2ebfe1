import type { LaidNode } from '../compile/layout.ts'
import { endPause } from './debug-state.ts'
import { PAUSED_AT } from './debug-words.ts'
import type { Ticking } from './ticking.ts'
import type { TreeStep } from './tree-step.ts'
import { HAS_FAILED, IS_RUNNING } from './states.ts'
import type { TreeState } from './tree-state.ts'

/**
 * Stops everything that is RUNNING, deepest first, and the leaf that the tick waits for. Each becomes FAILURE with the reason of the cancellation.
 * Reports it in one event.
 */
export function stopAll(x: TreeStep, state: TreeState, tick: Ticking, reason: string): void {
  const nodes = state.layout.nodes.filter((node) => state.state(node) === IS_RUNNING).toReversed()
  const open = tick.openLeaf()
  const operations = nodes.filter(({ index }) => state.operation(index) !== undefined).length + (open === undefined ? 0 : 1)
  const last = open ?? nodes.find(({ manifest }) => manifest.role === 'leaf') ?? state.layout.root
  if (state.open !== undefined) {
    endPause(x, state)
    if (state.open.ref !== PAUSED_AT) x.drop(state.open.ref)
    state.open = undefined
  }
  for (const node of nodes) tick.halt(node)
  for (const node of nodes) failed(tick, node, reason)
  if (open !== undefined && !nodes.includes(open)) failed(tick, open, reason)
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
