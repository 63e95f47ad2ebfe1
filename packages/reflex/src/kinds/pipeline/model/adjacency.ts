import type { DotGraph } from '../dot/graph.ts'
import type { TypedEdge } from './typed.ts'

type Lists = ReadonlyMap<string, readonly TypedEdge[]>

/** The edges of a graph by their nodes. */
export interface Adjacency {
  /**
   * The edges that leave and reach each node, in the order of declaration. An edge to an unknown node is only in the list of
   * its other end.
   */
  readonly outgoing: Lists
  readonly incoming: Lists
  readonly targets: EdgeTargets
}

/**
 * The edges of a graph by node position in the order of declaration: `targets` from `begins[n]` up to `begins[n + 1]` are the
 * targets of node n. A target is -1 if it is not a node.
 */
export interface EdgeTargets {
  readonly begins: Uint32Array
  readonly targets: Int32Array
}

/** Builds the adjacency of a graph in one pass over its edges. */
export function adjacencyOf({ nodes }: DotGraph, edges: readonly TypedEdge[]): Adjacency {
  const places = placesOf(nodes.keys())
  const from = edges.map(({ edge }) => places.get(edge.from) ?? -1)
  const to = edges.map(({ edge }) => places.get(edge.to) ?? -1)
  const out = sortByEnd(from, places.size)
  return {
    outgoing: listsOf(nodes.keys(), edges, out),
    incoming: listsOf(nodes.keys(), edges, sortByEnd(to, places.size)),
    targets: { begins: out.begins, targets: out.order.map((edge) => to[edge] ?? -1) },
  }
}

function placesOf(ids: Iterable<string>): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const id of ids) places.set(id, places.size)
  return places
}

/** Edges sorted by the node at one end: those of node n are from `begins[n]` up to `begins[n + 1]`. */
interface SortedEdges {
  readonly begins: Uint32Array
  readonly order: Int32Array
}

function sortByEnd(ends: readonly number[], nodes: number): SortedEdges {
  const begins = new Uint32Array(nodes + 1)
  for (const end of ends) if (end >= 0) begins[end + 1] = (begins[end + 1] ?? 0) + 1
  for (let node = 0; node < nodes; node++) begins[node + 1] = (begins[node + 1] ?? 0) + (begins[node] ?? 0)
  const next = begins.slice()
  const order = new Int32Array(begins[nodes] ?? 0)
  ends.forEach((end, edge) => {
    const at = next[end]
    if (at === undefined) return
    order[at] = edge
    next[end] = at + 1
  })
  return { begins, order }
}

function listsOf(ids: Iterable<string>, edges: readonly TypedEdge[], { begins, order }: SortedEdges): Lists {
  const none: readonly TypedEdge[] = []
  const inOrder: TypedEdge[] = []
  for (const place of order) {
    const edge = edges[place]
    if (edge !== undefined) inOrder.push(edge)
  }
  const lists = new Map<string, readonly TypedEdge[]>()
  let from = 0
  for (const id of ids) {
    const to = begins[lists.size + 1] ?? from
    lists.set(id, from === to ? none : inOrder.slice(from, to))
    from = to
  }
  return lists
}
