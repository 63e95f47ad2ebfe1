import type { Attributes, DotGraph } from './graph.ts'

const REFUSE = {
  value: (): never => {
    throw new TypeError('a graph of the cache cannot be changed: create a new one')
  },
}
const REFUSALS: PropertyDescriptorMap = { set: REFUSE, delete: REFUSE, clear: REFUSE }

/** Freezes a graph and everything in it, including its maps. Returns the same graph. */
export function freezeGraph(graph: DotGraph): DotGraph {
  const seen = new Set<Attributes>()
  const seal = (attributes: Attributes): void => {
    if (seen.has(attributes)) return
    seen.add(attributes)
    for (const attribute of attributes.values()) {
      Object.freeze(attribute.keyAt)
      Object.freeze(attribute.valueAt)
      Object.freeze(attribute)
    }
    freezeMap(attributes)
  }
  seal(graph.attributes)
  for (const node of graph.nodes.values()) {
    seal(node.attributes)
    Object.freeze(node.classes)
    Object.freeze(node.at)
    Object.freeze(node)
  }
  for (const edge of graph.edges) {
    seal(edge.attributes)
    Object.freeze(edge.at)
    Object.freeze(edge)
  }
  for (const subgraph of graph.subgraphs) {
    seal(subgraph.attributes)
    Object.freeze(subgraph.members)
    Object.freeze(subgraph)
  }
  freezeMap(graph.nodes)
  Object.freeze(graph.edges)
  Object.freeze(graph.subgraphs)
  return Object.freeze(graph)
}

function freezeMap(map: ReadonlyMap<string, unknown>): void {
  if (!Object.isFrozen(map)) Object.freeze(Object.defineProperties(map, REFUSALS))
}
