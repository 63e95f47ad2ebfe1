import type { DotGraph } from '../dot/graph.ts'
import type { TypedEdge } from './typed.ts'

type Lists = ReadonlyMap<string, readonly TypedEdge[]>

/** The edges that leave and reach each node, in the order of declaration. An edge to no node stands in the list of its one end. */
export function adjacencyOf(graph: DotGraph, edges: readonly TypedEdge[]): { readonly outgoing: Lists; readonly incoming: Lists } {
  const none: TypedEdge[] = []
  const outgoing = new Map<string, TypedEdge[]>()
  const incoming = new Map<string, TypedEdge[]>()
  for (const id of graph.nodes.keys()) {
    outgoing.set(id, none)
    incoming.set(id, none)
  }
  for (const typed of edges) {
    add(outgoing, typed.edge.from, typed)
    add(incoming, typed.edge.to, typed)
  }
  return { outgoing, incoming }
}

/** Most lists have one edge: such a list takes no more room than that, where one that grows takes room for many. */
function add(lists: Map<string, TypedEdge[]>, id: string, typed: TypedEdge): void {
  const list = lists.get(id)
  if (list?.length === 0) lists.set(id, [typed])
  else list?.push(typed)
}
