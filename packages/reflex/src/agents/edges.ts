import type { Fault, FaultDetails } from '../kernel/index.ts'
import { shortJson, didYouMean, quote, suggest } from '../text/index.ts'
import { explainClosed } from '../kinds/workflow/guards/guards.ts'
import type { DecisionContext, Edge } from '../kinds/workflow/index.ts'
import { faults } from './faults.ts'

type EdgeContext = Pick<DecisionContext, 'workflow' | 'node' | 'validEdges' | 'blackboard'>

/** Returns all edges that leave a node, open or closed. */
export function outgoing({ workflow, node }: Pick<DecisionContext, 'workflow' | 'node'>): readonly Edge[] {
  return workflow.edges.filter((edge) => edge.from === node.id)
}

/** Returns the edges that match a name: by id, else by event, else by target. Without a match, the comparison ignores case. */
export function edgesNamed(name: string, edges: readonly Edge[]): readonly Edge[] {
  const plain = (text: string): string => text
  const folded = (text: string): string => text.toLowerCase()
  for (const normalize of [plain, folded]) {
    for (const field of ['id', 'event', 'to'] as const) {
      const found = edges.filter((edge) => normalize(edge[field]) === normalize(name))
      if (found.length > 0) return found
    }
  }
  return []
}

/** Returns the open edge of a name. Throws `R2103` if there is no such edge, `R2104` if it is closed, `R2105` if there are several. */
export function chooseEdge(name: string, context: EdgeContext): Edge {
  const open = edgesNamed(name, context.validEdges)
  const [edge] = open
  if (open.length === 1 && edge !== undefined) return edge
  if (open.length > 1) {
    const ids = open.map(({ id }) => quote(id)).join(', ')
    throw faults.make('R2105', `${quote(name)} names the edges ${ids} of ${context.node.id}`, {
      path: context.node.id,
      fix: `write one of ${ids}`,
    })
  }
  throw closedEdge(name, context)
}

function closedEdge(name: string, context: EdgeContext): Fault {
  const all = outgoing(context)
  const [closed] = edgesNamed(name, all)
  if (closed !== undefined) {
    const why = explainClosed([closed], context.blackboard)[0]?.why ?? 'its guard is false'
    return faults.make('R2104', `${quote(closed.id)} of ${context.node.id} is closed, ${why}; open: ${edgeNames(context.validEdges)}`, {
      path: context.node.id,
    })
  }
  return unknownEdge(name, context.node.id, all, context.validEdges)
}

/** Returns the fault `R2103`: no edge of the node has this name. */
export function unknownEdge(
  name: string,
  node: string,
  all: readonly Edge[],
  open: readonly Edge[] = all,
  place: FaultDetails = { path: node },
): Fault {
  const guess = suggest(
    name,
    all.flatMap(({ id, event, to }) => [event, id, to]),
  )
  const hint = didYouMean(guess)
  return faults.make('R2103', `no edge ${quote(name)} leaves ${node}${hint === undefined ? '' : `; ${hint}`}`, {
    ...place,
    fix: guess === undefined ? `write one of ${edgeNames(open)}` : `write ${guess}`,
  })
}

/** Returns the names of edges for people: the event, or the id if events repeat. */
export function edgeNames(edges: readonly Edge[]): string {
  return edges.length === 0 ? 'none' : edges.map((edge) => edgeName(edge, edges)).join(', ')
}

/** Returns the shortest name that distinguishes an edge from other edges. */
export function edgeName(edge: Edge, edges: readonly Edge[]): string {
  return edges.filter(({ event }) => event === edge.event).length > 1 ? edge.id : edge.event
}

/**
 * Returns the only open edge; undefined at a node without edges, where the workflow ends. Throws `R2102` if all edges are
 * closed, and `R2106` if several are open.
 */
export function onlyEdge(context: EdgeContext): Edge | undefined {
  const [edge, another] = context.validEdges
  if (edge !== undefined && another === undefined) return edge
  if (edge === undefined) {
    const all = outgoing(context)
    if (all.length === 0) return undefined
    const why = explainClosed(all, context.blackboard).map((closed) => `${edgeName(closed.edge, all)} (${closed.why})`)
    throw faults.make('R2102', `no edge of ${context.node.id} is open: ${why.join(', ')}`, { path: context.node.id })
  }
  throw faults.make(
    'R2106',
    `${context.node.id} has ${context.validEdges.length} open edges and no rule that chooses one: ${edgeNames(context.validEdges)}`,
    {
      path: context.node.id,
      data: { open: context.validEdges.map(({ id }) => id), spec: shortJson(Object.keys(context.node.spec)) },
    },
  )
}
