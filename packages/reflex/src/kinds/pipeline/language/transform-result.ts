import { quote } from '../../../text/index.ts'
import type { Attribute, Attributes, DotEdge, DotGraph, DotNode, Subgraph } from '../dot/graph.ts'

/**
 * Copies the result of a transform to a new graph: renumbers edges, keeps places and provenance of unchanged attributes, and
 * gives all others the provenance `transform`. Returns a text that explains the mistake if the result is not a graph.
 */
export function readTransformed(before: DotGraph, returned: unknown): DotGraph | string {
  try {
    return readGraph(before, returned)
  } catch (thrown) {
    if (thrown instanceof InvalidGraph) return thrown.message
    // A getter of the result may throw.
    return 'it cannot be read'
  }
}

class InvalidGraph extends Error {}

function readGraph(before: DotGraph, returned: unknown): DotGraph {
  const { id, attributes, nodes, edges, subgraphs = [] } = fieldsOf(returned, 'it')
  if (typeof id !== 'string') throw new InvalidGraph('its id is not a text')
  if (!(nodes instanceof Map)) throw new InvalidGraph('its nodes are not a Map')
  if (!Array.isArray(edges)) throw new InvalidGraph('its edges are not a list')
  if (!Array.isArray(subgraphs)) throw new InvalidGraph('its subgraphs are not a list')
  const newNodes = new Map<string, DotNode>()
  for (const [key, node] of nodes) {
    const newNode = readNode(before, key, node)
    newNodes.set(newNode.id, newNode)
  }
  return {
    id,
    attributes: readAttributes(before.attributes, attributes, 'the graph'),
    nodes: newNodes,
    edges: edges.map((edge: unknown, index) => readEdge(before, edge, index)),
    subgraphs: subgraphs.map((subgraph: unknown, index) => readSubgraph(before.subgraphs[index], subgraph)),
  }
}

function readNode(before: DotGraph, key: unknown, value: unknown): DotNode {
  const { id, attributes, classes = [], implicit } = fieldsOf(value, `node ${quote(String(key))}`)
  if (typeof id !== 'string' || id !== key) throw new InvalidGraph(`node ${quote(String(key))} has an id that differs from its key`)
  if (!/^[A-Za-z_]\w*$/.test(id)) throw new InvalidGraph(`${quote(id)} is not a valid id`)
  const old = before.nodes.get(id)
  return {
    id,
    attributes: readAttributes(old?.attributes, attributes, `node ${quote(id)}`),
    classes: textList(classes, `the classes of node ${quote(id)}`),
    ...(implicit === true ? { implicit } : {}),
    at: old?.at,
  }
}

function readEdge(before: DotGraph, value: unknown, index: number): DotEdge {
  const { index: number, from, to, attributes } = fieldsOf(value, `edge ${index}`)
  if (typeof from !== 'string' || typeof to !== 'string') throw new InvalidGraph(`edge ${index} has no from or to`)
  const former = typeof number === 'number' ? before.edges[number] : undefined
  const old = former?.from === from && former.to === to ? former : undefined
  return { index, from, to, attributes: readAttributes(old?.attributes, attributes, `edge ${index}`), at: old?.at }
}

function readSubgraph(before: Subgraph | undefined, value: unknown): Subgraph {
  const { id, attributes, members, parent } = fieldsOf(value, 'a subgraph')
  if (id !== undefined && typeof id !== 'string') throw new InvalidGraph('the id of a subgraph is not a text')
  const old = before?.id === id ? before : undefined
  return {
    id,
    attributes: readAttributes(old?.attributes, attributes, 'a subgraph'),
    members: textList(members, 'the members of a subgraph'),
    parent: typeof parent === 'number' ? parent : undefined,
  }
}

function readAttributes(before: Attributes | undefined, value: unknown, where: string): Attributes {
  if (value === undefined) return new Map()
  if (!(value instanceof Map)) throw new InvalidGraph(`the attributes of ${where} are not a Map`)
  const newAttributes = new Map<string, Attribute>()
  for (const [key, attribute] of value) {
    if (typeof key !== 'string') throw new InvalidGraph(`an attribute of ${where} has no name`)
    newAttributes.set(key, readAttribute(before?.get(key), attribute, `${quote(key)} of ${where}`))
  }
  return newAttributes
}

/** A transform may set an attribute to a plain value. */
function readAttribute(before: Attribute | undefined, attribute: unknown, where: string): Attribute {
  const value = typeof attribute === 'object' && attribute !== null && 'value' in attribute ? attribute.value : attribute
  if (before !== undefined && before.value === value) return before
  if (typeof value === 'string' || typeof value === 'boolean') return { value, provenance: 'transform' }
  if (typeof value === 'number' && Number.isFinite(value)) return { value, provenance: 'transform' }
  throw new InvalidGraph(`${where} is not text, a number or a boolean`)
}

function textList(value: unknown, where: string): string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw new InvalidGraph(`${where} are not a list of texts`)
  return [...value]
}

function fieldsOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new InvalidGraph(`${where} is ${value === null ? 'null' : typeof value}, not an object`)
  if ('then' in value) throw new InvalidGraph(`${where} is a promise; a transform must return synchronously`)
  return { ...value }
}
