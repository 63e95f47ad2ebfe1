import { type Attributes, type DotGraph, listOf, textOf } from '../dot/graph.ts'
import type { TypedNode } from './typed.ts'

/** The classes of each node: those of the subgraphs around it, innermost first, then its own. */
export function classesOf({
  classes,
  attributes,
}: {
  readonly classes: readonly string[]
  readonly attributes: Attributes
}): readonly string[] {
  const listed = listOf(attributes, 'class')
  return listed.length === 0 ? classes : [...new Set([...classes, ...listed])]
}

/**
 * The key of the conversation that a node with full fidelity goes on with: its own `thread_id`, that of the edge by which
 * it is entered, the graph's, its first class, the stage before it (reference pipeline 2.6, 38, and 6.5). Nothing only
 * for a first node that none of these names.
 */
export function threadKey(
  { node, classes }: Pick<TypedNode, 'node' | 'classes'>,
  edge: Attributes | undefined,
  graph: DotGraph,
  previous: string | undefined,
): string | undefined {
  return (
    trimmedText(node.attributes, 'thread_id') ??
    (edge && trimmedText(edge, 'thread_id')) ??
    trimmedText(graph.attributes, 'thread_id') ??
    trimmedText(graph.attributes, 'default_thread_id') ??
    classes[0] ??
    previous
  )
}

function trimmedText(attributes: Attributes, key: string): string | undefined {
  return textOf(attributes, key)?.trim() || undefined
}
