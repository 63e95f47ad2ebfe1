import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js'

/** Width and height, in whatever unit the drawing has: pixels, or the cells of a terminal. */
export interface Extent {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** Where a rectangle stands; `x` and `y` are its upper left corner. */
export type Place = Point & Extent

/** What is laid out: nodes are named by their place in the list. */
export interface Plan {
  readonly nodes: readonly Extent[]
  readonly edges: readonly { readonly from: number; readonly to: number; readonly label: Extent | undefined }[]
  readonly spacing: Spacing
}

/** Distances, in the unit of the drawing. */
export interface Spacing {
  /** Between nodes of one layer. */
  readonly node: number
  /** Between what stands above and what stands below. */
  readonly layer: number
  /** Between two lines, and between a line and its label. */
  readonly line: number
  readonly label: number
}

/**
 * Where everything stands. Lines go along the axes, from the lower edge of a node to the upper edge of another; one that leads
 * back goes from the upper edge of a node to the lower edge of one above.
 */
export interface Layout extends Extent {
  readonly nodes: readonly Place[]
  readonly edges: readonly { readonly points: readonly Point[]; readonly label: Place | undefined }[]
}

/** Above these a graph is told as a list: laying it out would take long, and nobody could read it. */
export const MOST_NODES = 400
export const MOST_REACH = 1500
/** Up to here the order of the program is kept and lines are drawn straighter, whose time grows with more than the square. */
const TIDY_REACH = 200

type Ends = Pick<Plan['edges'][number], 'from' | 'to'>

/** How many layers all edges together go over, circles left out: what a layout takes its time for. */
export function reachOf(nodes: number, edges: readonly Ends[]): number {
  const leaving = Map.groupBy(edges, ({ from }) => from)
  const waiting = Array.from({ length: nodes }, () => 0)
  const layers = Array.from({ length: nodes }, () => 0)
  for (const { to } of edges) waiting[to] = (waiting[to] ?? 0) + 1
  const order = [...waiting.keys()].filter((node) => waiting[node] === 0)
  for (const node of order)
    for (const { to } of leaving.get(node) ?? []) {
      layers[to] = Math.max(layers[to] ?? 0, (layers[node] ?? 0) + 1)
      waiting[to] = (waiting[to] ?? 0) - 1
      if (waiting[to] === 0) order.push(to)
    }
  return edges.reduce((sum, { from, to }) => sum + Math.abs((layers[to] ?? 0) - (layers[from] ?? 0)) + 1, 0)
}

/**
 * Lays a graph out in layers, from above to below, in the order of the program. The same plan gives the same layout. It
 * works in this thread and leaves nothing behind; the engine is loaded when it is first needed.
 */
export async function layOut(plan: Plan): Promise<Layout> {
  const { default: Elk } = await import('elkjs/lib/elk.bundled.js')
  const laid = await new Elk.default().layout(elkGraph(plan))
  const edges = new Map(laid.edges?.map((edge) => [edge.id, edge]))
  const nodes = new Map(laid.children?.map((node) => [node.id, node]))
  return {
    width: laid.width ?? 0,
    height: laid.height ?? 0,
    nodes: plan.nodes.map((_, i) => placeOf(nodes.get(`n${i}`))),
    edges: plan.edges.map((_, i) => lineOf(edges.get(`e${i}`))),
  }
}

function elkGraph({ nodes, edges, spacing }: Plan): ElkNode {
  const tidy = reachOf(nodes.length, edges) <= TIDY_REACH
  return {
    id: 'graph',
    layoutOptions: options(spacing, tidy),
    children: nodes.map(({ width, height }, i) => ({ id: `n${i}`, width, height })),
    edges: edges.map(({ from, to, label }, i) => ({
      id: `e${i}`,
      sources: [`n${from}`],
      targets: [`n${to}`],
      ...(label === undefined ? {} : { labels: [{ text: ' ', ...label }] }),
    })),
  }
}

function options({ node, layer, line, label }: Spacing, tidy: boolean): Record<string, string> {
  const layered = 'elk.layered'
  return {
    'elk.algorithm': 'layered',
    'elk.direction': 'DOWN',
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.padding': '[top=0,left=0,bottom=0,right=0]',
    'elk.edgeLabels.placement': 'CENTER',
    'elk.spacing.nodeNode': String(node),
    'elk.spacing.edgeNode': String(line),
    'elk.spacing.edgeEdge': String(line),
    'elk.spacing.edgeLabel': String(label),
    'elk.spacing.labelLabel': String(label),
    [`${layered}.spacing.nodeNodeBetweenLayers`]: String(layer),
    [`${layered}.spacing.edgeNodeBetweenLayers`]: String(layer),
    [`${layered}.spacing.edgeEdgeBetweenLayers`]: String(layer),
    ...(tidy ? { [`${layered}.considerModelOrder.strategy`]: 'NODES_AND_EDGES' } : {}),
    // The first keeps lines straight, and places whole numbers where all extents are.
    [`${layered}.nodePlacement.strategy`]: tidy ? 'NETWORK_SIMPLEX' : 'BRANDES_KOEPF',
    [`${layered}.edgeLabels.sideSelection`]: 'ALWAYS_UP',
    // Of a circle, the line that leads back to what comes before it goes up.
    [`${layered}.cycleBreaking.strategy`]: 'DEPTH_FIRST',
  }
}

function placeOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Place> = {}): Place {
  return { x, y, width, height }
}

function lineOf(edge: ElkExtendedEdge | undefined): Layout['edges'][number] {
  const [label] = edge?.labels ?? []
  return {
    points: (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]),
    label: label === undefined ? undefined : placeOf(label),
  }
}
