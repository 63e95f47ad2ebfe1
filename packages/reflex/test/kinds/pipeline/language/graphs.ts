import type { Attributes, AttributeValue, DotEdge, DotGraph, DotNode, Provenance } from '../../../../src/kinds/pipeline/dot/graph.ts'

export function attributesOf(values: Readonly<Record<string, AttributeValue>>, provenance: Provenance = 'own'): Attributes {
  return new Map(Object.entries(values).map(([key, value]) => [key, { value, provenance }]))
}

export function node(id: string, values: Readonly<Record<string, AttributeValue>> = {}, classes: readonly string[] = []): DotNode {
  return { id, attributes: attributesOf(values), classes }
}

/** Nodes that edges name and nobody gives are made without attributes. */
export function graphOf(
  nodes: readonly DotNode[],
  edges: readonly (readonly [from: string, to: string, values?: Readonly<Record<string, AttributeValue>>])[] = [],
  values: Readonly<Record<string, AttributeValue>> = {},
): DotGraph {
  const all = new Map(nodes.map((one) => [one.id, one]))
  for (const [from, to] of edges) for (const id of [from, to]) if (!all.has(id)) all.set(id, node(id))
  const list: DotEdge[] = edges.map(([from, to, more = {}], index) => ({ index, from, to, attributes: attributesOf(more) }))
  return { id: 'G', attributes: attributesOf(values), nodes: all, edges: list, subgraphs: [] }
}
