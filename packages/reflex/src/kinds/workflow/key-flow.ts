import type { WorkflowGraph } from './graph.ts'
import type { Node, NodeInput, Workflow } from './types.ts'

/** A required input that no earlier node provides: the node, the input, and its place among the node's inputs. */
export interface UnmetInput {
  readonly nodeId: string
  readonly input: NodeInput
  readonly index: number
}

/**
 * The required inputs that neither an ancestor writes nor a call returns, in topological order.
 *
 * Keys are carried along the graph 32 at a time, one bit each, so that thousands of nodes with thousands of keys
 * stay a matter of milliseconds.
 */
export function unmetInputs(workflow: Workflow, graph: WorkflowGraph): UnmetInput[] {
  const wanted = wantedInputs(workflow, graph)
  const keys = [...wanted.keys()]
  const flow = flowOf(workflow, graph)
  const unmet: Wanted[] = []
  for (let first = 0; first < keys.length; first += 32) {
    const group = keys.slice(first, first + 32)
    const found = carry(flow, group)
    for (const [bit, key] of group.entries()) {
      for (const want of wanted.get(key) ?? []) if ((((found[want.position] ?? 0) >>> bit) & 1) === 0) unmet.push(want)
    }
  }
  return unmet.sort((a, b) => a.position - b.position || a.index - b.index)
}

/** The keys that a node declares to write. */
export function outputKeys(node: Node | undefined): string[] {
  return (node?.outputs ?? []).map(({ key }) => key)
}

/** The keys that a node's call returns. */
export function returnedKeys(node: Node | undefined): string[] {
  return (node?.invokes?.returnMap ?? []).map(({ parentKey }) => parentKey)
}

/** A node of a workflow, by own keys alone. */
export function ownNode(workflow: Workflow, id: string): Node | undefined {
  return Object.hasOwn(workflow.nodes, id) ? workflow.nodes[id] : undefined
}

interface Wanted extends UnmetInput {
  /** The node's place in the topological order. */
  readonly position: number
}

function wantedInputs(workflow: Workflow, graph: WorkflowGraph): Map<string, Wanted[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const [position, nodeId] of graph.order.entries()) {
    for (const [index, input] of (ownNode(workflow, nodeId)?.inputs ?? []).entries()) {
      if (input.required && input.inherited !== true) add(wanted, input.key, { nodeId, input, index, position })
    }
  }
  return wanted
}

/** The graph by positions in the topological order. */
interface Flow {
  readonly before: readonly (readonly number[])[]
  readonly writers: ReadonlyMap<string, readonly number[]>
  readonly callers: ReadonlyMap<string, readonly number[]>
}

function flowOf(workflow: Workflow, graph: WorkflowGraph): Flow {
  const place = new Map(graph.order.map((id, position) => [id, position]))
  const writers = new Map<string, number[]>()
  const callers = new Map<string, number[]>()
  for (const [position, id] of graph.order.entries()) {
    for (const key of outputKeys(ownNode(workflow, id))) add(writers, key, position)
    for (const key of returnedKeys(ownNode(workflow, id))) add(callers, key, position)
  }
  const before = graph.order.map((id) => graph.incoming(id).flatMap((edge) => place.get(edge.from) ?? []))
  return { before, writers, callers }
}

/** For each node, as bits, which of the keys it finds written when it is decided at. */
function carry({ before, writers, callers }: Flow, keys: readonly string[]): Int32Array {
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
export function add<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}
