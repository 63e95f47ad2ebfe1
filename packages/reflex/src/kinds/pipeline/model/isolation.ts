import { type Attributes, isOn } from '../dot/graph.ts'
import { isBlock, type JoinView } from './joins.ts'

/** The budget of visited nodes for all blocks of one graph. */
const MOST_VISITS = 1_000_000

/**
 * Returns for each node the joins that its writes do not pass: those of the blocks that contain it, unless a block keeps the
 * writes of its branches (reference pipeline 3.9.3). If the budget for a graph is used up, all writes count as kept.
 */
export function isolationOf(view: JoinView & { readonly joins: ReadonlyMap<string, string> }): ReadonlyMap<string, ReadonlySet<string>> {
  const isolated = new Map<string, Set<string>>()
  let left = MOST_VISITS
  for (const [parallel, join] of view.joins) {
    const node = view.nodes.get(parallel)
    if (node === undefined || !isBlock(node) || mergesContext(node.node.attributes)) continue
    const seen = new Set([parallel, join])
    const queue = [parallel]
    for (let id = queue.pop(); id !== undefined && left > 0; id = queue.pop()) {
      for (const { edge } of view.outgoing.get(id) ?? []) {
        left--
        if (seen.has(edge.to)) continue
        seen.add(edge.to)
        queue.push(edge.to)
        isolated.set(edge.to, (isolated.get(edge.to) ?? new Set()).add(join))
      }
    }
    if (left <= 0) return new Map()
  }
  return isolated
}

function mergesContext(attributes: Attributes): boolean {
  return isOn(attributes, 'merge_context') || isOn(attributes, 'fan_out')
}
