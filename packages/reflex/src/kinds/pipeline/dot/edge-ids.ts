import type { DotEdge, DotGraph } from './graph.ts'

/**
 * Returns the names of edges, each unique in its graph: `build->ship`, and `build->ship#2` for the second edge between the same two nodes
 * in the order of the file.
 */
export function edgeIds(edges: readonly DotEdge[]): Map<DotEdge, string> {
  const count = new Map<string, number>()
  return new Map(
    edges.map((edge) => {
      const plain = `${edge.from}->${edge.to}`
      const before = count.get(plain) ?? 0
      count.set(plain, before + 1)
      return [edge, before === 0 ? plain : `${plain}#${before + 1}`]
    }),
  )
}

const idsByGraph = new WeakMap<DotGraph, ReadonlyMap<DotEdge, string>>()

/** Returns the names of the edges of a graph that does not change any more. */
export function edgeIdsOf(graph: DotGraph): ReadonlyMap<DotEdge, string> {
  const ids = idsByGraph.get(graph) ?? edgeIds(graph.edges)
  idsByGraph.set(graph, ids)
  return ids
}
