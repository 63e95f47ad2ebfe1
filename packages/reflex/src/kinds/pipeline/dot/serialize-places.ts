import type { DotGraph, DotNode } from './graph.ts'
import { ROOT, type ScopeLayout } from './serialize-scopes.ts'

/** The place of each node and edge in the text of a graph. */
export interface EdgePlaces {
  /** The slot of each edge; never less than the slot of the edge before, so that edges keep their order. */
  readonly edges: readonly number[]
  /** By the position of an edge: the nodes that it names first and that have no statement. */
  readonly created: ReadonlyMap<number, readonly DotNode[]>
  /** The nodes with a statement. */
  readonly declared: readonly DotNode[]
  /** Returns the scope of a node: the scope of its statement with attributes, or of the edge that names it first. */
  origin(id: string): number
}

/**
 * Finds a place for each edge, so that no node becomes a member of another subgraph, and implicit nodes stay implicit. Edges are placed as
 * late as possible, so most of them are behind all nodes. A parsed graph always has such places; in any other graph, an implicit node gets
 * a statement if the edge that names it first cannot be where the node belongs.
 */
export function placeEdges(graph: DotGraph, layout: ScopeLayout): EdgePlaces {
  const mentions = firstMentions(graph)
  const created = createdNodes(mentions, layout)
  const early = new Set<string>()
  const edges: number[] = []
  let slot = layout.slots.length - 1
  for (let at = mentions.length - 1; at >= 0; at--) {
    const [made] = created.get(at) ?? []
    const homeSlot = made === undefined ? slot : lastSlot(scopeOf(made.id, layout), slot, layout)
    if (homeSlot === undefined) created.delete(at)
    else slot = homeSlot
    edges[at] = slot
    for (const node of mentions[at] ?? []) if (!created.get(at)?.includes(node) && !isHarmless(node.id, slot, layout)) early.add(node.id)
  }
  const fromEdges = new Set([...created.values()].flat())
  return {
    edges,
    created,
    declared: [...graph.nodes.values()].filter((node) => !fromEdges.has(node)),
    // A statement in the graph itself makes a node a member of no subgraph; the statements in its subgraphs follow.
    origin: (id) => (early.has(id) ? ROOT : scopeOf(id, layout)),
  }
}

/** Returns for each edge the nodes that no earlier edge names. */
function firstMentions(graph: DotGraph): DotNode[][] {
  const seen = new Set<string>()
  return graph.edges.map(({ from, to }) => {
    const fresh = [...new Set([from, to])].filter((id) => !seen.has(id))
    for (const id of fresh) seen.add(id)
    return fresh.flatMap((id) => graph.nodes.get(id) ?? [])
  })
}

/** Returns for each edge the implicit nodes that it creates. One edge cannot create two nodes of different scopes or defaults. */
function createdNodes(mentions: readonly DotNode[][], layout: ScopeLayout): Map<number, DotNode[]> {
  const created = new Map<number, DotNode[]>()
  mentions.forEach((nodes, at) => {
    const [one, other] = nodes.filter((node) => isImplicit(node, layout))
    if (one === undefined) return
    const both = other !== undefined && scopeOf(one.id, layout) === scopeOf(other.id, layout) && sameValues(one, other)
    created.set(at, both ? [one, other] : [one])
  })
  return created
}

/** True for an implicit node: it has only defaults and belongs to one scope. */
function isImplicit(node: DotNode, layout: ScopeLayout): boolean {
  if (node.implicit !== true || (layout.innermost.get(node.id)?.length ?? 0) > 1) return false
  for (const attribute of node.attributes.values()) if (attribute.provenance !== 'default') return false
  return true
}

function sameValues(one: DotNode, other: DotNode): boolean {
  if (one.attributes === other.attributes) return true
  if (one.attributes.size !== other.attributes.size) return false
  for (const [key, { value }] of one.attributes) if (other.attributes.get(key)?.value !== value) return false
  return true
}

/** Returns the first of the innermost scopes that hold a node. */
function scopeOf(id: string, layout: ScopeLayout): number {
  return layout.innermost.get(id)?.[0] ?? ROOT
}

/** Returns the last slot of a scope that is not behind another slot; undefined if there is none. */
function lastSlot(scope: number, limit: number, layout: ScopeLayout): number | undefined {
  const first = layout.first[scope] ?? 0
  for (let slot = limit; slot >= first; slot--) if (layout.slots[slot] === scope) return slot
  return undefined
}

/** True if naming a node in a slot makes it a member of no new scope: its statement comes before, or it belongs there. */
function isHarmless(id: string, slot: number, layout: ScopeLayout): boolean {
  return (layout.first[scopeOf(id, layout)] ?? 0) <= slot || layout.contains(layout.slots[slot] ?? ROOT, id)
}
