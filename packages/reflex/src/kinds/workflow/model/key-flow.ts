import type { WorkflowGraph } from './graph.ts'
import type { Node, NodeInput, Workflow } from '../types/index.ts'

/** A required input that no earlier node provides: the node, the input, and its index among the node's inputs. */
export interface UnmetInput {
  readonly nodeId: string
  readonly input: NodeInput
  readonly index: number
}

/**
 * Returns the required inputs that no ancestor writes and no call returns, in topological order.
 * Keys are propagated along the graph 32 at a time, one bit each, so that thousands of nodes with thousands of keys take
 * milliseconds.
 */
export function unmetInputs(workflow: Workflow, graph: WorkflowGraph): UnmetInput[] {
  const required = requiredInputs(workflow, graph)
  const keys = [...required.keys()]
  const flow = flowOf(workflow, graph)
  const unmet: RequiredInput[] = []
  for (let first = 0; first < keys.length; first += 32) {
    const group = keys.slice(first, first + 32)
    const found = findWritten(flow, group)
    for (const [bit, key] of group.entries()) {
      for (const item of required.get(key) ?? []) if ((((found[item.position] ?? 0) >>> bit) & 1) === 0) unmet.push(item)
    }
  }
  return unmet.sort((a, b) => a.position - b.position || a.index - b.index)
}

/** Returns the keys that a node declares as outputs. */
export function outputKeys(node: Node | undefined): string[] {
  return (node?.outputs ?? []).map(({ key }) => key)
}

/** Returns the keys that a node's call returns. */
export function returnedKeys(node: Node | undefined): string[] {
  return (node?.invokes?.returnMap ?? []).map(({ parentKey }) => parentKey)
}

/** Returns a node of a workflow, by own keys only. */
export function nodeOf(workflow: Workflow, id: string): Node | undefined {
  return Object.hasOwn(workflow.nodes, id) ? workflow.nodes[id] : undefined
}

interface RequiredInput extends UnmetInput {
  /** The index of the node in the topological order. */
  readonly position: number
}

function requiredInputs(workflow: Workflow, graph: WorkflowGraph): Map<string, RequiredInput[]> {
  const required = new Map<string, RequiredInput[]>()
  for (const [position, nodeId] of graph.order.entries()) {
    for (const [index, input] of (nodeOf(workflow, nodeId)?.inputs ?? []).entries()) {
      if (input.required && input.inherited !== true) addToGroup(required, input.key, { nodeId, input, index, position })
    }
  }
  return required
}

/** The graph by indexes in the topological order. */
interface KeyFlow {
  readonly before: readonly (readonly number[])[]
  readonly writers: ReadonlyMap<string, readonly number[]>
  readonly callers: ReadonlyMap<string, readonly number[]>
}

function flowOf(workflow: Workflow, graph: WorkflowGraph): KeyFlow {
  const place = new Map(graph.order.map((id, position) => [id, position]))
  const writers = new Map<string, number[]>()
  const callers = new Map<string, number[]>()
  for (const [position, id] of graph.order.entries()) {
    for (const key of outputKeys(nodeOf(workflow, id))) addToGroup(writers, key, position)
    for (const key of returnedKeys(nodeOf(workflow, id))) addToGroup(callers, key, position)
  }
  const predecessors = graph.order.map((id) => graph.incoming(id).flatMap((edge) => place.get(edge.from) ?? []))
  return { before: predecessors, writers, callers }
}

/** Returns for each node, as bits, the keys that are written before its decision. */
function findWritten({ before, writers, callers }: KeyFlow, keys: readonly string[]): Int32Array {
  const found = new Int32Array(before.length)
  const written = new Int32Array(before.length)
  for (const [bit, key] of keys.entries()) {
    for (const position of writers.get(key) ?? []) written[position] = (written[position] ?? 0) | (1 << bit)
    for (const position of callers.get(key) ?? []) found[position] = (found[position] ?? 0) | (1 << bit)
  }
  for (let position = 0; position < before.length; position++) {
    let bits = found[position] ?? 0
    for (const from of before[position] ?? []) bits |= (found[from] ?? 0) | (written[from] ?? 0)
    found[position] = bits
  }
  return found
}

/** Adds an item to the group of a key. */
export function addToGroup<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}
