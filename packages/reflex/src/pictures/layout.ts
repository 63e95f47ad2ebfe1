import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js'

/** Width and height in the unit of the drawing: pixels, or the cells of a terminal. */
export interface Extent {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The position and size of a rectangle; `x` and `y` are its upper left corner. */
export type Place = Point & Extent

/** The input of a layout; an edge refers to nodes by their index in the list. */
export interface Plan {
  readonly nodes: readonly Extent[]
  readonly edges: readonly { readonly from: number; readonly to: number; readonly label: Extent | undefined }[]
  readonly spacing: Spacing
  /** Frames around nodes, outer ones first; the label stands above the nodes. */
  readonly groups?: readonly { readonly nodes: readonly number[]; readonly label: Extent | undefined }[]
}

/** Distances, in the unit of the drawing. */
export interface Spacing {
  /** The distance between nodes of one layer. */
  readonly node: number
  /** The distance between a layer and the next one below it. */
  readonly layer: number
  /** The distance between two lines, and between a line and its label. */
  readonly line: number
  readonly label: number
}

/**
 * The positions of everything. Lines go along the axes, from the lower edge of a node to the upper edge of another; a
 * line that leads back goes from the upper edge of a node to the lower edge of a node above.
 */
export interface Layout extends Extent {
  readonly nodes: readonly Place[]
  readonly edges: readonly { readonly points: readonly Point[]; readonly label: Place | undefined }[]
  readonly groups: readonly Place[]
}

/** Above these limits a graph is printed as a list: the layout would take long, and the graph would not be readable. */
export const MOST_NODES = 400
export const MOST_LAYER_SPAN = 1500
/**
 * Up to this limit the layout keeps the order of the program and draws straighter lines. That takes more than quadratic
 * time.
 */
const TIDY_LAYER_SPAN = 200

type Ends = Pick<Plan['edges'][number], 'from' | 'to'>

/** Returns the total number of layers that all edges cross, without cycles. The time of a layout depends on it. */
export function layerSpan(nodes: number, edges: readonly Ends[]): number {
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
 * Lays a graph out in layers, from top to bottom, in the order of the program. The same plan gives the same layout. It
 * works in this thread and keeps no state; the engine is loaded when it is first needed.
 */
export async function layOut(plan: Plan): Promise<Layout> {
  const { default: Elk } = await import('elkjs/lib/elk.bundled.js')
  // With groups, the engine reverses the edges of cycles in its own order, not in the order of the program.
  const turned = plan.groups?.length ? backEdges(plan) : new Set<number>()
  const result = await new Elk.default().layout(elkGraph(plan, turned))
  const edges = new Map(result.edges?.map((edge) => [edge.id, edge]))
  const nodes = new Map(inside(result).map((node) => [node.id, node]))
  return {
    width: result.width ?? 0,
    height: result.height ?? 0,
    nodes: plan.nodes.map((_, i) => placeOf(nodes.get(`n${i}`))),
    edges: plan.edges.map((_, i) => lineOf(edges.get(`e${i}`), turned.has(i))),
    groups: (plan.groups ?? []).map((_, i) => placeOf(nodes.get(`g${i}`))),
  }
}

function inside({ children = [] }: ElkNode): ElkNode[] {
  return children.flatMap((node) => [node, ...inside(node)])
}

function elkGraph({ nodes, edges, spacing, groups = [] }: Plan, turned: ReadonlySet<number>): ElkNode {
  const tidy = groups.length === 0 && layerSpan(nodes.length, edges) <= TIDY_LAYER_SPAN
  return {
    id: 'graph',
    layoutOptions: { ...options(spacing, tidy), ...(groups.length === 0 ? {} : NESTED) },
    children: nested(nodes, groups),
    edges: edges.map(({ from, to, label }, i) => ({
      id: `e${i}`,
      sources: [`n${turned.has(i) ? to : from}`],
      targets: [`n${turned.has(i) ? from : to}`],
      ...(label === undefined ? {} : { labels: [{ text: ' ', ...label }] }),
    })),
  }
}

/** Returns the edges that lead back to a node on the path to them; paths follow the order of the program. */
function backEdges({ nodes, edges }: Plan): Set<number> {
  const leaving = Map.groupBy([...edges.keys()], (i) => edges[i]?.from)
  const back = new Set<number>()
  const seen = new Set<number>()
  for (const first of nodes.keys()) {
    const path = [{ node: first, next: 0 }]
    const open = new Set([first])
    if (seen.has(first)) continue
    seen.add(first)
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      const i = leaving.get(current.node)?.[current.next++]
      const to = i === undefined ? undefined : edges[i]?.to
      if (i === undefined || to === undefined) open.delete(path.pop()?.node ?? -1)
      else if (open.has(to)) back.add(i)
      else if (!seen.has(to)) {
        seen.add(to)
        open.add(to)
        path.push({ node: to, next: 0 })
      }
    }
  }
  return back
}

/** Lines cross the frames of groups, and all positions count from the corner of the drawing. */
const NESTED = { 'elk.hierarchyHandling': 'INCLUDE_CHILDREN', 'elk.json.shapeCoords': 'ROOT', 'elk.json.edgeCoords': 'ROOT' }
const GROUP_PADDING = 16

/** Puts each node into the innermost group that contains it, and each group into the group around it. */
function nested(nodes: readonly Extent[], groups: NonNullable<Plan['groups']>): ElkNode[] {
  const boxes = groups.map(({ label }, i): ElkNode & { children: ElkNode[] } => ({
    id: `g${i}`,
    children: [],
    layoutOptions: {
      'elk.padding': `[top=${GROUP_PADDING + (label?.height ?? 0)},left=${GROUP_PADDING},bottom=${GROUP_PADDING},right=${GROUP_PADDING}]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${(label?.width ?? 0) + 2 * GROUP_PADDING},0)`,
    },
  }))
  const top: ElkNode[] = []
  const innermost = (member: number, before = groups.length): number =>
    groups.findLastIndex(({ nodes: members }, i) => i < before && members.includes(member))
  boxes.forEach((box, i) => (boxes[innermost(groups[i]?.nodes[0] ?? -1, i)]?.children ?? top).push(box))
  nodes.forEach(({ width, height }, i) => (boxes[innermost(i)]?.children ?? top).push({ id: `n${i}`, width, height }))
  return top
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
    // The first strategy keeps lines straight, and gives whole positions if all extents are whole.
    [`${layered}.nodePlacement.strategy`]: tidy ? 'NETWORK_SIMPLEX' : 'BRANDES_KOEPF',
    [`${layered}.edgeLabels.sideSelection`]: 'ALWAYS_UP',
    // In a cycle, the line that leads back to an earlier node goes up.
    [`${layered}.cycleBreaking.strategy`]: 'DEPTH_FIRST',
  }
}

function placeOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Place> = {}): Place {
  return { x, y, width, height }
}

function lineOf(edge: ElkExtendedEdge | undefined, turned: boolean): Layout['edges'][number] {
  const [label] = edge?.labels ?? []
  const points = (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint])
  return {
    points: turned ? points.toReversed() : points,
    label: label === undefined ? undefined : placeOf(label),
  }
}
