import * as fc from 'fast-check'
import type { BlackboardEntry, BlackboardReader, Edge, Node, Workflow } from '../../../src/kinds/workflow/types/index.ts'

export type EdgeNames = readonly [from: string, to: string]

/** A workflow of nodes without more than an id, the first of them the entry, and edges named `from-to`. */
export function workflowOf(
  id: string,
  nodes: readonly string[],
  edges: readonly EdgeNames[],
  extra: Readonly<Record<string, Partial<Node>>> = {},
): Workflow {
  return {
    id,
    entry: nodes[0] ?? '',
    nodes: Object.fromEntries(nodes.map((node) => [node, { id: node, spec: {}, ...extra[node] }])),
    edges: edges.map(([from, to]) => ({ id: `${from}-${to}`, from, to, event: 'NEXT' })),
  }
}

/** One node after the other. */
export function chain(id: string, length: number): Workflow {
  const nodes = Array.from({ length }, (_, i) => `n${i}`)
  return workflowOf(
    id,
    nodes,
    nodes.slice(1).map((node, i): EdgeNames => [`n${i}`, node]),
  )
}

/** Any directed graph, with or without cycles. */
export const graphs: fc.Arbitrary<Workflow> = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30, selector: ([from, to]) => `${from}-${to}` }).map((pairs) =>
    workflowOf(
      'any',
      Array.from({ length: size }, (_, i) => `n${i}`),
      pairs.map(([from, to]): EdgeNames => [`n${from}`, `n${to}`]),
    ),
  ),
)

/** Directed graphs without cycles, their nodes defined in any order. */
export const dags: fc.Arbitrary<Workflow> = graphs.chain((workflow) =>
  fc.shuffledSubarray(Object.keys(workflow.nodes), { minLength: Object.keys(workflow.nodes).length }).map((order) => ({
    ...workflow,
    nodes: Object.fromEntries(order.map((id) => [id, { id, spec: {} }])),
    edges: workflow.edges.filter((edge) => Number(edge.from.slice(1)) < Number(edge.to.slice(1))),
  })),
)

/** A board of one scope. */
export function board(values: Readonly<Record<string, unknown>>): BlackboardReader {
  const source = { workflowId: 'w', nodeId: 'n', stackDepth: 0 }
  const entries = Object.entries(values).map(([key, value]): BlackboardEntry => ({ key, value, source, timestamp: 0 }))
  return {
    get: (key) => entries.find((entry) => entry.key === key)?.value,
    has: (key) => entries.some((entry) => entry.key === key),
    getAll: (key) => entries.filter((entry) => entry.key === key),
    entries: () => [...entries],
    keys: () => entries.map(({ key }) => key),
    local: () => [...entries],
  }
}

/** An edge with a guard. */
export function guarded(id: string, guard: Edge['guard']): Edge {
  return guard === undefined ? { id, from: 'a', to: 'b', event: id } : { id, from: 'a', to: 'b', event: id, guard }
}
