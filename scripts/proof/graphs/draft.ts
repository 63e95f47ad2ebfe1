/** A graph with its adapter that is changed in place. */
import type { JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import type { Dice } from '../random.ts'

type Params = Record<string, number | boolean | string>

export interface DraftNode {
  impl?: string
  cluster?: string
  params?: Params
}

/** A field of events: its schema, and true for one that events may leave out. */
export interface DraftField {
  schema: JsonObject
  optional?: boolean
}

export interface DraftGraph {
  id: string
  nodes: Record<string, DraftNode>
  edges: string[]
  outputs: Record<string, string>
  /** The fields of the events of each kind. Keys that actions write are added to all kinds. */
  events: Record<string, Record<string, DraftField>>
}

/** Returns a copy of a graph that can be changed. */
export function draftOf(graph: DraftGraph): DraftGraph {
  return structuredClone(graph)
}

/** Adds nodes in short: primitive, parameters, and the producer of each input. Names begin with `m_`. */
export function add(
  graph: DraftGraph,
  nodes: Readonly<Record<string, readonly [impl: string, params?: Params, inputs?: Record<string, string>]>>,
): void {
  for (const [name, [impl, params, inputs = {}]] of Object.entries(nodes)) {
    const target = impl === 'divide' ? `${impl}@^0.2` : `${impl}@^0.1`
    graph.nodes[name] = { impl: target, ...(params === undefined ? {} : { params }) }
    graph.edges.push(...Object.entries(inputs).map(([port, from]) => `${from} -> ${name}.${port}`))
  }
}

/** Adds a field to the events of all kinds, and a source of it. Returns the output of the source. */
export function field(graph: DraftGraph, key: string, schema: JsonObject, optional = false): string {
  for (const fields of Object.values(graph.events)) fields[key] = { schema, ...(optional ? { optional } : {}) }
  const source = schema['type'] === 'boolean' ? 'context_bool_source' : 'context_number_source'
  add(graph, { [`m_${key}`]: [source, { key }] })
  return `m_${key}.value`
}

/** Adds a gate. A source cannot feed a trigger, so a compute comes between them. */
function gate(graph: DraftGraph, name: string, condition: string): void {
  const isSource = graph.nodes[condition.split('.')[0] ?? '']?.impl?.includes('_source@') === true
  if (isSource) add(graph, { [`${name}_is`]: ['and', {}, { a: condition, b: condition }] })
  add(graph, { [`${name}_gate`]: ['emit_if_true', {}, { input: isSource ? `${name}_is.result` : condition }] })
}

/** Adds an action that a Bool gates. */
export function act(graph: DraftGraph, name: string, condition: string): void {
  gate(graph, name, condition)
  add(graph, {
    [name]: ['annotate_action', {}, { event: `${name}_gate.event` }],
  })
}

/** Adds an action that a Bool gates and that writes a value to a key. */
export function write(
  graph: DraftGraph,
  name: string,
  type: 'number' | 'bool' | 'series',
  key: string,
  condition: string,
  value: string,
): void {
  gate(graph, name, condition)
  add(graph, {
    [name]: [`context_set_${type}`, { key }, { event: `${name}_gate.event`, value }],
  })
}

/** Returns the name of a node of a primitive; undefined if there is none. */
export function pick(graph: DraftGraph, dice: Dice, impl: string): string | undefined {
  const names = Object.keys(graph.nodes).filter((name) => graph.nodes[name]?.impl?.split('@')[0] === impl)
  return names.length === 0 ? undefined : dice.pick(names)
}
