import type { Graph, GraphEdge, GraphGroup, GraphNode, NodeForm } from '../../../programs/graph.ts'
import type { TypedEdge, TypedGraph, TypedNode } from '../model/typed.ts'
import { isOn, textOf } from '../dot/graph.ts'
import { edgeIds } from '../dot/edge-ids.ts'
import { WrittenNode } from '../model/written-node.ts'
import { jumpsIn } from '../model/jumps.ts'
import { printCondition } from '../language/condition.ts'

/** Returns the graph of a pipeline: nodes and edges in file order, conditions in readable form. */
export function pictureOf(typed: TypedGraph): Graph {
  const { graph, nodes } = typed
  const ids = edgeIds(graph.edges)
  const typedEdges = new Map([...typed.outgoing.values()].flat().map((edge) => [edge.edge, edge]))
  return {
    nodes: [...nodes.values()].map((node) => nodeOf(node, typed)),
    edges: [
      ...graph.edges.flatMap((edge) => {
        const known = typedEdges.get(edge)
        return known === undefined || !nodes.has(edge.to) ? [] : [edgeOf(known, ids.get(edge) ?? '')]
      }),
      ...jumpsIn(typed).map(({ id, from, to, reason }) => ({ id, from, to, jump: reason })),
    ],
    ...groupsOf(typed),
  }
}

/** Returns the labelled subgraphs as groups. Only nested groups are shown: a frame cannot show two groups that overlap. */
function groupsOf({ graph, nodes }: TypedGraph): { readonly groups?: readonly GraphGroup[] } {
  const labelled = graph.subgraphs.flatMap(({ attributes, members }) => {
    const label = oneLine(textOf(attributes, 'label'))
    const inside = members.filter((id) => nodes.has(id))
    return label === undefined || inside.length === 0 ? [] : [{ label, nodes: inside }]
  })
  const groups: GraphGroup[] = []
  for (const group of labelled.toSorted((a, b) => b.nodes.length - a.nodes.length))
    if (groups.every((other) => nests(group.nodes, other.nodes))) groups.push(group)
  return groups.length === 0 ? {} : { groups }
}

/** True if the other nodes contain all of the nodes, or none. */
function nests(inner: readonly string[], outer: readonly string[]): boolean {
  const around = new Set(outer)
  const shared = inner.filter((id) => around.has(id)).length
  return shared === 0 || shared === inner.length
}

function nodeOf(typedNode: TypedNode, typed: TypedGraph): GraphNode {
  const { outgoing, start, exits } = typed
  const { id, node } = typedNode
  const label = oneLine(textOf(node.attributes, 'label'))
  const edges = outgoing.get(id) ?? []
  const calls = calledBy(typedNode, typed)
  const summary = nodeSummary(typedNode)
  return {
    id,
    form: calls === undefined ? formOf(typedNode, edges) : 'call',
    ...(label === undefined || label === id ? {} : { label }),
    ...(id === start ? { entry: true } : {}),
    ...(exits.includes(id) || edges.length === 0 ? { end: true } : {}),
    ...(isPlainEnd(typedNode) ? { still: true } : {}),
    ...(calls === undefined ? {} : { calls }),
    ...(summary === undefined ? {} : { deed: summary }),
  }
}

function isPlainEnd({ canonical, custom }: TypedNode): boolean {
  return custom === undefined && (canonical === 'start' || canonical === 'exit')
}

/** All branches of a block are taken, so a block is not a choice. */
function formOf(typedNode: TypedNode, edges: readonly TypedEdge[]): NodeForm {
  if (asksPerson(typedNode)) return 'question'
  if (typedNode.canonical === 'parallel' || isOn(typedNode.node.attributes, 'fan_out')) return 'step'
  return edges.length > 1 ? 'choice' : 'step'
}

/** Returns the program that a node calls, as a run resolves it. */
function calledBy({ facts, node }: TypedNode, { graph }: TypedGraph): string | undefined {
  return facts.calls?.(new WrittenNode(node.attributes, graph.attributes))
}

function asksPerson({ facts: { form } }: TypedNode): boolean {
  return form === 'choice' || form === 'approval'
}

/** Returns a short text for the action of a node: what it calls, otherwise the name of its type. */
function nodeSummary(typedNode: TypedNode): string | undefined {
  const { node, canonical, rawType } = typedNode
  if (canonical === 'start' || canonical === 'exit' || canonical === 'branch') return undefined
  const { form, performs } = typedNode.facts
  if (asksPerson(typedNode)) return 'asks a person'
  if (form === 'model') return textOf(node.attributes, 'llm_model') ?? 'a model'
  const command = oneLine(textOf(node.attributes, 'tool_command') ?? textOf(node.attributes, 'command'))
  if (canonical === 'exec' && command !== undefined) return shortened(command)
  const what = performs === undefined ? rawType : textOf(node.attributes, performs)
  const file = oneLine(textOf(node.attributes, 'path'))
  return file === undefined ? what : shortened(`${what ?? ''} ${file}`.trim())
}

/** The limit of characters of a node's summary. */
const LONGEST_SUMMARY = 32

function shortened(text: string): string {
  return text.length <= LONGEST_SUMMARY ? text : `${text.slice(0, LONGEST_SUMMARY - 1).trimEnd()}…`
}

function edgeOf({ edge, label, condition }: TypedEdge, id: string): GraphEdge {
  const shown = oneLine(label)
  return {
    id,
    from: edge.from,
    to: edge.to,
    ...(shown === undefined ? {} : { label: shown }),
    ...(condition === undefined ? {} : { guard: printCondition(condition) }),
    ...(isOn(edge.attributes, 'loop_restart') ? { jump: 'begins a new round' } : {}),
  }
}

/** Labels contain line ends for Graphviz; other drawings wrap by themselves. */
function oneLine(text = ''): string | undefined {
  const line = text.replace(/\s+/g, ' ').trim()
  return line === '' ? undefined : line
}
