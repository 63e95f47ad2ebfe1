import type { Fault } from '../../../kernel/index.ts'
import type { ExpandedGraph } from '../clusters/expand.ts'
import type { AuthoringPath, GraphNode, ValidatedGraph } from '../model/graph.ts'
import { GraphChecks } from './checks.ts'
import { canonicalOrder } from './order.ts'
import { checkCycles } from './cycles.ts'

/** A graph in which no rule is broken, or all findings in the order of the rules. */
export interface Validation {
  readonly graph?: ValidatedGraph
  readonly findings: readonly Fault[]
}

/**
 * Checks an expanded graph: rules V.1 to V.5 and ACT-14, together with what its expansion has found (reference 3.6). Returns every finding,
 * in one order for one graph: by rule, then by definition, node and edge. A mistake in a cluster is reported once, however often the
 * cluster is used. The graph is frozen; its primitives are those of the catalog.
 */
export function validateGraph(expanded: ExpandedGraph): Validation {
  const report = expanded.report.copy()
  const next = successors(expanded)
  const { order, rest } = canonicalOrder(next)
  if (rest.length > 0) checkCycles(expanded, rest, next, report)
  new GraphChecks(expanded, report).run()
  const findings = report.faults()
  return findings.length > 0 ? { findings } : { graph: freezeGraph(expanded, order), findings }
}

function successors({ nodes, edges }: ExpandedGraph): number[][] {
  const next: number[][] = nodes.map(() => [])
  for (const { from, to } of edges) if (from !== undefined) next[from.node]?.push(to.node)
  return next
}

function freezeGraph({ source, nodes, edges, outputs }: ExpandedGraph, order: readonly number[]): ValidatedGraph {
  const { id, version, about } = source.definition
  const producers: [string, ValidatedGraph['edges'][number]['from']][][] = nodes.map(() => [])
  const frozenEdges = edges.flatMap(({ from, to }) => {
    if (from === undefined) return []
    const edge = Object.freeze({ from: Object.freeze(from), to: Object.freeze(to) })
    producers[to.node]?.push([to.port, edge.from])
    return [edge]
  })
  return Object.freeze({
    id,
    version,
    ...(about === undefined ? {} : { about }),
    nodes: Object.freeze(nodes.map(freezeNode)),
    edges: Object.freeze(frozenEdges),
    outputs: Object.freeze(outputs.map((output) => Object.freeze(output))),
    order: Object.freeze(order),
    producers: Object.freeze(producers.map((entries) => Object.freeze(Object.fromEntries(entries)))),
  })
}

function freezeNode({ id, primitive, selector, params, path }: GraphNode): GraphNode {
  return Object.freeze({ id, primitive, selector, params: Object.freeze(params), path: freezePath(path) })
}

function freezePath(path: AuthoringPath): AuthoringPath {
  for (const step of path) Object.freeze(step)
  return Object.freeze(path)
}
