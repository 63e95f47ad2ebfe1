import type { Graph, GraphEdge, GraphGroup, GraphNode as DrawnNode } from '../../../programs/graph.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'

/** Returns a graph for drawing: one node for each primitive, named as people write it, and a group for each cluster. */
export function toGraph(graph: ValidatedGraph): Graph {
  const entries = new Set(graph.order.filter((index) => Object.keys(graph.producers[index] ?? {}).length === 0))
  const nodes = graph.nodes.map((node, index) => drawnNode(node, entries.has(index)))
  const edges = graph.edges.map(
    ({ from, to }): GraphEdge => ({ id: edgeId(graph, from, to), from: nameOf(graph, from), to: nameOf(graph, to), label: to.port }),
  )
  const groups = groupsOf(graph.nodes)
  return { nodes, edges, ...(groups.length === 0 ? {} : { groups }) }
}

/** Returns the id of an edge in a drawing. */
export function edgeId(graph: ValidatedGraph, from: PortOf, to: PortOf): string {
  return `${nameOf(graph, from)}.${from.port} -> ${nameOf(graph, to)}.${to.port}`
}

interface PortOf {
  readonly node: number
  readonly port: string
}

function nameOf({ nodes }: ValidatedGraph, { node }: PortOf): string {
  const found = nodes[node]
  return found === undefined ? '' : nodeName(found)
}

/** A trigger is a choice: it decides what happens. An action is an end. */
function drawnNode(node: GraphNode, isEntry: boolean): DrawnNode {
  const { primitive, params } = node
  const { kind, manifest } = primitive
  const values = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return {
    id: nodeName(node),
    form: kind === 'trigger' ? 'choice' : 'step',
    ...(isEntry ? { entry: true as const } : {}),
    ...(kind === 'action' ? { end: true as const } : {}),
    ...(manifest.about === undefined ? {} : { about: manifest.about }),
    deed: values.length === 0 ? manifest.id : `${manifest.id}: ${values.join(', ')}`,
    spec: { primitive: `${manifest.id}@${manifest.version}`, params },
  }
}

function groupsOf(nodes: readonly GraphNode[]): GraphGroup[] {
  const groups = new Map<string, { label: string; nodes: string[] }>()
  for (const node of nodes) {
    const names = node.path.map(([, name]) => name)
    for (let length = 1; length < names.length; length++) {
      const place = names.slice(0, length).join('/')
      const cluster = node.path[length]?.[0] ?? ''
      const group = groups.get(place) ?? { label: `${place} (${cluster})`, nodes: [] }
      group.nodes.push(nodeName(node))
      groups.set(place, group)
    }
  }
  return [...groups.values()]
}
