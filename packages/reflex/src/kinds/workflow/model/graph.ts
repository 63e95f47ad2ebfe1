import { cyclesOf } from '../../../programs/cycles.ts'
import type { Edge, Workflow } from '../types/index.ts'

/** The graph of a workflow, computed once. Edges to unknown nodes are left out. */
export interface WorkflowGraph {
  /** Node ids in the order of their definition. */
  readonly nodes: readonly string[]
  /** Returns the edges that leave a node, in the order of their definition, including edges to unknown nodes. */
  outgoing(nodeId: string): readonly Edge[]
  /** Returns the edges that reach a node. */
  incoming(nodeId: string): readonly Edge[]
  /** Nodes without outgoing edges. */
  readonly terminals: readonly string[]
  /** The topological order; ties are in the order of definition. Nodes on or after a cycle are left out. */
  readonly order: readonly string[]
  /** The members of each cycle, exactly: nodes that can be reached from themselves. */
  readonly cycles: readonly (readonly string[])[]
  /** Returns the nodes from which a node can be reached, without the node itself (unless it lies on a cycle). */
  ancestors(nodeId: string): ReadonlySet<string>
  /** Returns the nodes that can be reached from a node, including itself. */
  reachable(nodeId: string): ReadonlySet<string>
}

const NO_EDGES: readonly Edge[] = []
const NO_NODES: readonly string[] = []

/**
 * Returns the graph of a workflow. Time and memory are proportional to nodes plus edges. Nothing recurses, so depth is
 * unlimited. Later changes of the workflow do not affect the graph.
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

/** Returns the known nodes at the other ends of grouped edges. They are cached, because searches use them repeatedly. */
function neighbours(groups: ReadonlyMap<string, readonly Edge[]>, end: (edge: Edge) => string, known: ReadonlySet<string>) {
  return new Map([...groups].map(([node, edges]) => [node, edges.map(end).filter((other) => known.has(other))]))
}

/** Sorts topologically with Kahn's algorithm: removes nodes without incoming edges, in order, until none or only cycles are left. */
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
  // A set also visits items that are added during the iteration.
  for (const node of found) for (const to of next(node)) found.add(to)
  return found
}
