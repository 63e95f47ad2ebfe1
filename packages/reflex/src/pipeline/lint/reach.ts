import { textOf } from '../dot/graph.ts'
import type { Attributes } from '../dot/graph.ts'
import type { TypedGraph } from '../compile/typed.ts'

/** The attributes by which a node or a graph names a node to jump to. */
export const JUMPS = ['retry_target', 'fallback_retry_target'] as const

/** The nodes that attributes name as targets of jumps, as they are written. */
export function jumpsOf(attributes: Attributes): string[] {
  return JUMPS.map((key) => textOf(attributes, key) ?? '').filter((target) => target !== '')
}

/**
 * Every node that can be reached from some, those included, over edges. Linear: a set visits what is added while it is
 * walked. `more`: further ways on from a node, such as its jumps.
 */
export function reachedFrom(
  { outgoing }: Pick<TypedGraph, 'outgoing'>,
  from: Iterable<string>,
  more: (node: string) => readonly string[] = () => [],
): Set<string> {
  const reached = new Set(from)
  for (const node of reached) {
    for (const { edge } of outgoing.get(node) ?? []) reached.add(edge.to)
    for (const to of more(node)) reached.add(to)
  }
  return reached
}
