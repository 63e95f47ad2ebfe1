import { textOf, type Attributes } from '../dot/graph.ts'
import type { TypedGraph } from '../model/typed.ts'

/** The attributes by which a node or a graph names a node to jump to. */
export const JUMPS = ['retry_target', 'fallback_retry_target'] as const

/** All attributes by which a node names the next node. */
const TARGETS = [...JUMPS, 'join_target']

const NO_NODES: readonly string[] = []

/** The nodes that attributes name as targets of jumps, as they are written. */
export function jumpsOf(attributes: Attributes): string[] {
  if (!JUMPS.some((key) => attributes.has(key))) return []
  return JUMPS.map((key) => textOf(attributes, key) ?? '').filter((target) => target !== '')
}

/**
 * Returns every node that can be reached from some, those included, over edges, in linear time. `more`: further ways on from a
 * node, such as its jumps.
 */
export function reachedFrom(
  { outgoing }: Pick<TypedGraph, 'outgoing'>,
  from: Iterable<string>,
  more: (node: string) => readonly string[] = () => NO_NODES,
): Set<string> {
  const reached = new Set(from)
  // In the order of the ways: an iterator of a set visits what is added meanwhile.
  for (const node of reached) {
    for (const { edge } of outgoing.get(node) ?? []) reached.add(edge.to)
    for (const to of more(node)) reached.add(to)
  }
  return reached
}

/** Returns what a run can come to: over edges, jumps after a failure, and to where branches join (reference pipeline 11.3). */
export function reachable(typed: TypedGraph): Set<string> {
  const jumps = new Map<string, readonly string[]>()
  for (const { id, node } of typed.nodes.values()) {
    const { attributes } = node
    if (!typed.joins.has(id) && !TARGETS.some((key) => attributes.has(key))) continue
    const joins = [textOf(attributes, 'join_target') ?? '', typed.joins.get(id) ?? '']
    jumps.set(
      id,
      [...jumpsOf(attributes), ...joins].filter((target) => target !== ''),
    )
  }
  return reachedFrom(typed, [...typed.starts, ...jumpsOf(typed.graph.attributes)], (node) => jumps.get(node) ?? NO_NODES)
}
