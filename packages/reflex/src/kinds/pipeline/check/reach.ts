import { textOf, type Attributes } from '../dot/graph.ts'
import type { TypedGraph } from '../model/typed.ts'

/** The attributes that name a node to jump to. */
export const JUMPS = ['retry_target', 'fallback_retry_target'] as const

/** All attributes that name a next node. */
const TARGETS = [...JUMPS, 'join_target']

const NO_NODES: readonly string[] = []

/** Returns the nodes that attributes name as jump targets, as written. */
export function jumpsOf(attributes: Attributes): string[] {
  if (!JUMPS.some((key) => attributes.has(key))) return []
  return JUMPS.map((key) => textOf(attributes, key) ?? '').filter((target) => target !== '')
}

/**
 * Returns all nodes that can be reached over edges from some nodes, including those, in linear time. `more` returns further
 * successors of a node, such as its jump targets.
 */
export function reachedFrom(
  { outgoing }: Pick<TypedGraph, 'outgoing'>,
  from: Iterable<string>,
  more?: (node: string) => readonly string[],
): Set<string> {
  const reached = new Set(from)
  // The iterator of a set also visits elements that are added during the loop.
  for (const node of reached) {
    for (const { edge } of outgoing.get(node) ?? []) reached.add(edge.to)
    if (more !== undefined) for (const to of more(node)) reached.add(to)
  }
  return reached
}

/** Returns the nodes that a run can reach: over edges, by jumps after a failure, and by joins of branches (reference pipeline 11.3). */
export function reachable(typed: TypedGraph): Set<string> {
  const jumps = new Map<string, readonly string[]>()
  const mayJump = typed.joins.size > 0 || TARGETS.some((name) => typed.attributeNames.has(name))
  for (const { id, node } of mayJump ? typed.nodes.values() : []) {
    const { attributes } = node
    if (!typed.joins.has(id) && !TARGETS.some((key) => attributes.has(key))) continue
    const joins = [textOf(attributes, 'join_target') ?? '', typed.joins.get(id) ?? '']
    jumps.set(
      id,
      [...jumpsOf(attributes), ...joins].filter((target) => target !== ''),
    )
  }
  const starts = [...typed.starts, ...jumpsOf(typed.graph.attributes)]
  return jumps.size === 0 ? reachedFrom(typed, starts) : reachedFrom(typed, starts, (node) => jumps.get(node) ?? NO_NODES)
}
