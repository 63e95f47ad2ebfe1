import type { DotGraph } from '../dot/graph.ts'
import type { TypedEdge } from './typed.ts'

type Lists = ReadonlyMap<string, readonly TypedEdge[]>

/** The edges that leave and reach each node, in the order of declaration. An edge to no node stands in the list of its one end. */
export function adjacencyOf(graph: DotGraph, edges: readonly TypedEdge[]): { readonly outgoing: Lists; readonly incoming: Lists } {
  const outgoing = new Map<string, TypedEdge[]>()
  const incoming = new Map<string, TypedEdge[]>()
  for (const id of graph.nodes.keys()) {
    outgoing.set(id, [])
    incoming.set(id, [])
  }
  for (const typed of edges) {
    outgoing.get(typed.edge.from)?.push(typed)
    incoming.get(typed.edge.to)?.push(typed)
  }
  return { outgoing, incoming }
}
