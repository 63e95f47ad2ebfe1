import type { DotEdge } from './dot/graph.ts'

/**
 * Names of edges, each unique in its graph: `build->ship`, and `build->ship#2` for the second between the same two nodes
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
