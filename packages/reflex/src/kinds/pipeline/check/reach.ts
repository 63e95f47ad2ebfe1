import { textOf, type Attributes } from '../dot/graph.ts'
import type { TypedGraph } from '../model/typed.ts'

/** The attributes by which a node or a graph names a node to jump to. */
export const JUMPS = ['retry_target', 'fallback_retry_target'] as const

const NO_MORE: readonly string[] = []

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
  more: (node: string) => readonly string[] = () => NO_MORE,
): Set<string> {
  const reached = new Set(from)
  const pending = [...reached]
  const reach = (to: string): void => {
    if (reached.has(to)) return
    reached.add(to)
    pending.push(to)
  }
  // In the order of the ways: an array's iterator visits what is added meanwhile.
  for (const node of pending) {
    for (const { edge } of outgoing.get(node) ?? []) reach(edge.to)
    for (const to of more(node)) reach(to)
  }
  return reached
}

/** Returns what a run can come to: over edges, jumps after a failure, and to where branches join (reference pipeline 11.3). */
export function reachable(typed: TypedGraph): Set<string> {
  const jumps = (node: string): readonly string[] => {
    const attributes = typed.nodes.get(node)?.node.attributes
    if (attributes === undefined) return []
    const joins = [textOf(attributes, 'join_target') ?? '', typed.joins.get(node) ?? '']
    return [...jumpsOf(attributes), ...joins].filter((target) => target !== '')
  }
  return reachedFrom(typed, [...typed.starts, ...jumpsOf(typed.graph.attributes)], jumps)
}
