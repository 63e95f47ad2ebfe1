import { type Attributes, type DotGraph, listOf, textOf } from '../dot/graph.ts'
import type { TypedNode } from './typed.ts'

/** Returns the classes of a node: those of its subgraphs, innermost first, then its own. */
export function classesOf({
  classes,
  attributes,
}: {
  readonly classes: readonly string[]
  readonly attributes: Attributes
}): readonly string[] {
  if (!attributes.has('class')) return classes
  const listed = listOf(attributes, 'class')
  if (listed.length < 2 && classes.length === 0) return listed
  return listed.length === 0 ? classes : [...new Set([...classes, ...listed])]
}

/**
 * Returns the key of the conversation that a node with full fidelity continues: its own `thread_id`, that of the edge that
 * entered it, the graph's, its first class, or the previous stage (reference pipeline 2.6, 38, and 6.5). Undefined only for a
 * first node without any of these.
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
