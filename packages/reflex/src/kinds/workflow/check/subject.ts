import { suggester, pathOnly, type Locator, type Path, type Suggester } from '../../../text/index.ts'
import { graphOf, type WorkflowGraph } from '../model/graph.ts'
import type { Edge, Node, Workflow } from '../types/index.ts'

/** An edge with its index in the workflow. */
export interface PlacedEdge {
  readonly edge: Edge
  readonly index: number
}

/** A workflow as the checks see it: its parts of the right shape, with their places. */
export interface Subject {
  readonly workflow: Workflow
  readonly nodes: readonly (readonly [key: string, node: Node])[]
  readonly edges: readonly PlacedEdge[]
  /** The paths of parts that were left out because they have the wrong shape. */
  readonly misshapen: readonly Path[]
  readonly graph: WorkflowGraph
  readonly locate: Locator
  readonly isNode: (id: unknown) => boolean
  /** Suggests the node that a misspelt id was meant to be. */
  readonly guess: Suggester
}

/** Prepares a workflow to be checked. It may be any value from a file or from JavaScript. */
export function subjectOf(workflow: Workflow, locate: Locator = pathOnly): Subject {
  const [nodes, badNodes] = partition(isRecord(workflow.nodes) ? Object.entries(workflow.nodes) : [], ([, node]) => isRecord(node))
  const [edges, badEdges] = partition(placedEdges(workflow.edges), ({ edge }) => isRecord(edge) && isText(edge.from) && isText(edge.to))
  const misshapen: Path[] = [
    ...(isRecord(workflow.nodes) ? badNodes.map(([key]) => ['nodes', key]) : [['nodes']]),
    ...(Array.isArray(workflow.edges) ? badEdges.map(({ index }) => ['edges', index]) : [['edges']]),
  ]
  const known = new Set([...nodes, ...badNodes].map(([key]) => key))
  let guess: Suggester | undefined
  return {
    workflow,
    nodes,
    edges,
    misshapen,
    graph: graphOf({ nodes: isRecord(workflow.nodes) ? workflow.nodes : {}, edges: edges.map(({ edge }) => edge) }),
    locate,
    isNode: (id) => isText(id) && known.has(id),
    guess: (word) => (guess ??= suggester(known))(word),
  }
}

function placedEdges(edges: unknown): PlacedEdge[] {
  return Array.isArray(edges) ? edges.map((edge: Edge, index) => ({ edge, index })) : []
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [yes: Item[], no: Item[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
