import type { DotGraph } from '../dot/graph.ts'
import type { TypedEdge } from './typed.ts'

type Lists = ReadonlyMap<string, readonly TypedEdge[]>

/** The edges of a graph by their nodes. */
export interface Adjacency {
  /** The edges that leave and reach each node, in the order of declaration. An edge to no node stands in the list of its one end. */
  readonly outgoing: Lists
  readonly incoming: Lists
  readonly ways: Ways
}

/**
 * The edges of a graph as numbers, the places of their nodes in the order of declaration: `targets` from `begins[n]` up to
 * `begins[n + 1]` are the nodes to which those of node n lead, -1 where that is no node.
 */
export interface Ways {
  readonly begins: Uint32Array
  readonly targets: Int32Array
}

/** Looks each end of each edge up once. */
export function adjacencyOf({ nodes }: DotGraph, edges: readonly TypedEdge[]): Adjacency {
  const places = new Map<string, number>()
  for (const id of nodes.keys()) places.set(id, places.size)
  const from = Int32Array.from(edges, ({ edge }) => places.get(edge.from) ?? -1)
  const to = Int32Array.from(edges, ({ edge }) => places.get(edge.to) ?? -1)
  const out = sorted(from, places.size)
  return {
    outgoing: listsOf(nodes.keys(), edges, out),
    incoming: listsOf(nodes.keys(), edges, sorted(to, places.size)),
    ways: { begins: out.begins, targets: out.order.map((edge) => to[edge] ?? -1) },
  }
}

/** Edges in the order of the nodes at one end: those of node n stand from `begins[n]` up to `begins[n + 1]`. */
interface Sorted {
  readonly begins: Uint32Array
  readonly order: Int32Array
}

function sorted(ends: Int32Array, nodes: number): Sorted {
  const begins = new Uint32Array(nodes + 1)
  for (const end of ends) if (end >= 0) begins[end + 1] = (begins[end + 1] ?? 0) + 1
  for (let node = 0; node < nodes; node++) begins[node + 1] = (begins[node + 1] ?? 0) + (begins[node] ?? 0)
  const next = begins.slice()
  const order = new Int32Array(begins[nodes] ?? 0)
  for (const [edge, end] of ends.entries()) {
    if (end < 0) continue
    const at = next[end] ?? 0
    order[at] = edge
    next[end] = at + 1
  }
  return { begins, order }
}

function listsOf(ids: Iterable<string>, edges: readonly TypedEdge[], { begins, order }: Sorted): Lists {
  const inOrder = Array.from(order, (edge) => edges[edge]).filter((edge) => edge !== undefined)
  const none: readonly TypedEdge[] = []
  const lists = new Map<string, readonly TypedEdge[]>()
  for (const id of ids) {
    const [from = 0, to = 0] = [begins[lists.size], begins[lists.size + 1]]
    lists.set(id, from === to ? none : inOrder.slice(from, to))
  }
  return lists
}
