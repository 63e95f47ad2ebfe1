import type { DecisionSource } from './fork-decision.ts'
import { type Frame, framePath, isObject, type JsonObject, topOf } from '../kernel/index.ts'
import type { Graph, GraphNode } from '../programs/graph.ts'

/** The effects of a fork after it is resumed, in words: `a question`, `payments.refund`. `first` is certain; `later` is possible. */
export interface ForkPreview {
  readonly first: readonly string[]
  readonly later: readonly string[]
}

/** A question that was answered for a fork: its frame, its place and the answer. */
interface ForkAnswer {
  readonly frame: Frame
  readonly place: string
  readonly chose: string
}

/**
 * Returns the effects of a fork after it is resumed, read from the graphs of its programs. `first` has effects before which no
 * choice lies. A question that was just answered is not asked again, and its answer may name the next edge.
 */
export function previewFork(
  { state, definitions }: Pick<DecisionSource, 'state' | 'definitions'>,
  answered: ForkAnswer | undefined,
): ForkPreview {
  if (state.ended !== undefined) return { first: [], later: [] }
  const first = new Set<string>()
  const later = new Set<string>()
  for (const base of state.frames.values()) {
    if (base.callee !== undefined) continue
    const top = topOf(base)
    for (let frame: Frame | undefined = top; frame !== undefined; frame = frame.link?.caller) {
      const { def, kind } = definitions.program(frame.pin)
      const graph = definitions.view(kind).graph?.(def)
      const current = placeIn(graph, definitions.kind(kind).node?.(def, frame.position))
      if (graph === undefined || current === undefined) continue
      const isAnswered = answered?.frame === frame && framePath(frame, definitions) === answered.place
      // If a call is in flight at the node, it has been made.
      const isCalled = current.calls !== undefined && frame.pendingEffects.length > 0
      const isDone = frame !== top || isAnswered || isCalled
      const begin = isDone ? nextNodes(graph, current, isAnswered ? answered.chose : undefined) : [current]
      if (frame === top) add(first, certainEffect(graph, begin))
      for (const node of reachableNodes(graph, begin)) add(later, effectOf(node))
    }
  }
  return { first: [...first], later: [...later].filter((effect) => !first.has(effect)) }
}

function add(to: Set<string>, effect: string | undefined): void {
  if (effect !== undefined) to.add(effect)
}

/** Returns the node of a frame in its graph; the entry if the frame has not begun. */
function placeIn(graph: Graph | undefined, id: string | undefined): GraphNode | undefined {
  return graph?.nodes.find((node) => (id === undefined || id === '' ? node.entry === true : node.id === id))
}

/** Returns the nodes after a node. If the answer names some of its edges, only their targets. */
function nextNodes({ nodes, edges }: Graph, { id, spec }: GraphNode, answer?: string): GraphNode[] {
  const word = answer === undefined ? undefined : eventOf(spec, answer).toLowerCase()
  const all = edges.filter(({ from }) => from === id)
  const named = word === undefined ? [] : all.filter((edge) => [edge.id, edge.label, edge.to].some((name) => name?.toLowerCase() === word))
  const ends = new Set((named.length === 0 ? all : named).map(({ to }) => to))
  return nodes.filter((node) => ends.has(node.id))
}

/** Returns the event that an option of a question names in its spec; else the answer itself. */
function eventOf(spec: GraphNode['spec'], answer: string): string {
  const options: unknown = spec?.['options']
  const option = (Array.isArray(options) ? options : []).find((one: unknown) => isObject(one) && one['value'] === answer) as
    | JsonObject
    | undefined
  return typeof option?.['event'] === 'string' ? option['event'] : answer
}

/** Returns the first effect on the only path; undefined if the path branches before an effect. */
function certainEffect(graph: Graph, begin: readonly GraphNode[]): string | undefined {
  const passed = new Set<GraphNode>()
  for (let nodes = begin; nodes.length === 1; ) {
    const [node] = nodes
    if (node === undefined || passed.has(node)) return undefined
    passed.add(node)
    const effect = effectOf(node)
    if (effect !== undefined) return effect
    nodes = nextNodes(graph, node)
  }
  return undefined
}

/** Returns some nodes and all nodes reachable from them, nearest first. */
function reachableNodes(graph: Graph, begin: readonly GraphNode[]): Iterable<GraphNode> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const next = Map.groupBy(graph.edges, ({ from }) => from)
  const found = new Set(begin)
  for (const { id } of found)
    for (const { to } of next.get(id) ?? []) {
      const node = nodes.get(to)
      if (node !== undefined) found.add(node)
    }
  return found
}

/**
 * Returns the effect of a node that is visible outside the run; undefined for a node that only computes. A single word, such as
 * the program of a command, says less than the id of the node.
 */
function effectOf({ id, form, deed, calls, spec, still }: GraphNode): string | undefined {
  if (still === true) return undefined
  if (form === 'question' || spec?.['ask'] !== undefined) return 'a question'
  if (typeof spec?.['tool'] === 'string') return spec['tool']
  if (spec?.['prompt'] !== undefined) return 'a model'
  if (calls !== undefined) return calls.slice(calls.indexOf(':') + 1)
  return deed === undefined || deed.includes(' ') ? deed : id
}
