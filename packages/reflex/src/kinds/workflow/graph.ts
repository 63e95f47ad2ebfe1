import { cyclesOf } from './cycles.ts'
import type { Edge, Workflow } from './types.ts'

/** The shape of a workflow, worked out once. It tolerates edges that lead nowhere: those are left out. */
export interface WorkflowGraph {
  /** Node ids in the order of their definition. */
  readonly nodes: readonly string[]
  /** The edges that leave a node, in the order of their definition, also those that lead nowhere. */
  outgoing(nodeId: string): readonly Edge[]
  /** The edges that reach a node. */
  incoming(nodeId: string): readonly Edge[]
  /** Nodes without outgoing edges. */
  readonly terminals: readonly string[]
  /** Every node after those that lead to it; among equals the order of definition. Nodes on or behind a cycle are left out. */
  readonly order: readonly string[]
  /** The members of each cycle, exactly: nodes that can be reached from themselves. */
  readonly cycles: readonly (readonly string[])[]
  /** Nodes from which a node can be reached, without itself (unless it lies on a cycle). */
  ancestors(nodeId: string): ReadonlySet<string>
  /** Nodes that can be reached from a node, with itself. */
  reachable(nodeId: string): ReadonlySet<string>
}

const NO_EDGES: readonly Edge[] = []
const NO_NODES: readonly string[] = []

/**
 * The graph of a workflow. Time and memory grow with nodes plus edges; nothing recurses, so that depth does not matter.
 * It does not follow later changes of the workflow.
 */
export function graphOf(workflow: Pick<Workflow, 'nodes' | 'edges'>): WorkflowGraph {
  const nodes = Object.keys(workflow.nodes)
  const known = new Set(nodes)
  const outgoing = groupBy(workflow.edges, (edge) => edge.from)
  const incoming = groupBy(workflow.edges, (edge) => edge.to)
  const successors = neighbours(outgoing, (edge) => edge.to, known)
  const predecessors = neighbours(incoming, (edge) => edge.from, known)
  const next = (node: string): readonly string[] => successors.get(node) ?? NO_NODES
  const previous = (node: string): readonly string[] => predecessors.get(node) ?? NO_NODES
  let cycles: readonly (readonly string[])[] | undefined
  return {
    nodes,
    outgoing: (node) => outgoing.get(node) ?? NO_EDGES,
    incoming: (node) => incoming.get(node) ?? NO_EDGES,
    terminals: nodes.filter((node) => !outgoing.has(node)),
    order: topologicalOrder(nodes, next),
    get cycles() {
      return (cycles ??= cyclesOf(nodes, next))
    },
    ancestors: (node) => closure(previous(node), previous),
    reachable: (node) => closure(known.has(node) ? [node] : [], next),
  }
}

function groupBy(edges: readonly Edge[], key: (edge: Edge) => string): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>()
  for (const edge of edges) {
    const group = groups.get(key(edge))
    if (group === undefined) groups.set(key(edge), [edge])
    else group.push(edge)
  }
  return groups
}

/** The other ends of grouped edges, those that are nodes: walks ask for them again and again. */
function neighbours(groups: ReadonlyMap<string, readonly Edge[]>, end: (edge: Edge) => string, known: ReadonlySet<string>) {
  return new Map([...groups].map(([node, edges]) => [node, edges.map(end).filter((other) => known.has(other))]))
}

/** Kahn: take away nodes that nothing leads to, in order, until none is left or only cycles are. */
function topologicalOrder(nodes: readonly string[], next: (node: string) => readonly string[]): string[] {
  const remaining = new Map<string, number>(nodes.map((node) => [node, 0]))
  for (const node of nodes) for (const to of next(node)) remaining.set(to, (remaining.get(to) ?? 0) + 1)
  const order = nodes.filter((node) => remaining.get(node) === 0)
  for (let i = 0; i < order.length; i++) {
    for (const to of next(order[i] ?? '')) {
      const left = (remaining.get(to) ?? 0) - 1
      remaining.set(to, left)
      if (left === 0) order.push(to)
    }
  }
  return order
}

function closure(start: readonly string[], next: (node: string) => readonly string[]): Set<string> {
  const found = new Set(start)
  // A set visits what is added while it is walked.
  for (const node of found) for (const to of next(node)) found.add(to)
  return found
}
