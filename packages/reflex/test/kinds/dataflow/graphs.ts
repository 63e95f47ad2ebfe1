import type { GraphEdge, GraphNode, ValidatedGraph } from '../../../src/kinds/dataflow/model/graph.ts'
import type { Manifest, ParameterValue, WriteDeclaration, IntentDeclaration } from '../../../src/kinds/dataflow/model/manifest.ts'
import type { Primitive } from '../../../src/kinds/dataflow/model/primitive.ts'
import type { PortType } from '../../../src/kinds/dataflow/model/value.ts'
import { STANDARD } from '../../../src/kinds/dataflow/primitives/standard.ts'

/** A node in short: its primitive, its parameters, and the producer of each input as `node.port`. */
type ShortNode = readonly [
  primitive: string | Primitive,
  params?: Readonly<Record<string, ParameterValue>>,
  inputs?: Readonly<Record<string, string>>,
]

/** Returns a graph made by hand, with its nodes in the order of their names. It is not validated. */
export function graphOf(
  id: string,
  short: Readonly<Record<string, ShortNode>>,
  outputs: Readonly<Record<string, string>> = {},
): ValidatedGraph {
  const names = Object.keys(short).sort()
  const nodes = names.map((name, index): GraphNode => {
    const [of, params = {}] = short[name] ?? ['']
    const primitive = typeof of === 'string' ? standard(of) : of
    const defaults = primitive.manifest.parameters.flatMap((declared): [string, ParameterValue][] =>
      declared.default === undefined ? [] : [[declared.name, declared.default]],
    )
    return {
      id: `n${index}`,
      primitive,
      selector: '^0.1',
      params: { ...Object.fromEntries<ParameterValue>(defaults), ...params },
      path: [[id, name]],
    }
  })
  const end = (text: string): { node: number; port: string } => {
    const [node = '', port = ''] = text.split('.')
    return { node: names.indexOf(node), port }
  }
  const edges = names.flatMap((name, index) =>
    Object.entries(short[name]?.[2] ?? {}).map(([port, from]): GraphEdge => ({ from: end(from), to: { node: index, port } })),
  )
  const producers = nodes.map((_, index) =>
    Object.fromEntries(edges.filter(({ to }) => to.node === index).map(({ from, to }) => [to.port, from])),
  )
  return {
    id,
    version: '1.0.0',
    nodes,
    edges,
    outputs: Object.entries(outputs).map(([name, from]) => ({ name, ...end(from), type: 'Event' as PortType })),
    order: orderOf(nodes, edges),
    producers,
  }
}

function standard(id: string): Primitive {
  const found = STANDARD.find(({ manifest }) => manifest.id === id)
  if (found === undefined) throw new Error(`no primitive ${id}`)
  return found
}

/** Returns the nodes so that producers come first, of those that are ready the smallest id as text. */
function orderOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): number[] {
  const order: number[] = []
  const left = new Set(nodes.keys())
  while (left.size > 0) {
    const ready = [...left].filter((node) => edges.every(({ from, to }) => to.node !== node || !left.has(from.node)))
    const [next] = ready.toSorted((a, b) => ((nodes[a]?.id ?? '') < (nodes[b]?.id ?? '') ? -1 : 1))
    if (next === undefined) throw new Error('the graph has a cycle')
    left.delete(next)
    order.push(next)
  }
  return order
}

/** Returns an action with these inputs besides its event, parameters and effects. */
export function action(
  id: string,
  inputs: Readonly<Record<string, PortType>>,
  parameters: Manifest['parameters'],
  effects: { readonly writes?: readonly WriteDeclaration[]; readonly intents?: readonly IntentDeclaration[] },
): Primitive {
  const manifest: Manifest = {
    kind: 'action',
    id,
    version: '0.1.0',
    inputs: [{ name: 'event', type: 'Event' }, ...Object.entries(inputs).map(([name, type]) => ({ name, type }))],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters,
    execution: { deterministic: true, retryable: false },
    state: { allowed: false },
    side_effects: true,
    effects,
  }
  return { kind: 'action', manifest, run: () => 'Attempted', digest: 'a'.repeat(64) }
}

/** The action of reference 9.3. */
export const SET_HEATER = action('set_heater', { on: 'Bool' }, [{ name: 'zone', type: 'String' }], {
  intents: [
    {
      name: 'heater_command',
      fields: [
        { name: 'on', type: 'Bool', from_input: 'on' },
        { name: 'zone', type: 'String', from_param: 'zone' },
      ],
      mirror_writes: [{ name: 'heater_on', type: 'Bool', from_field: 'on' }],
    },
  ],
})

/** The graph of reference 9.3: a thermostat with hysteresis. */
export const THERMOSTAT_GRAPH = graphOf(
  'thermostat',
  {
    temp: ['context_number_source', { key: 'temp' }],
    q: ['context_bool_source', { key: 'heater_on' }],
    lo: ['number_source', { value: 19 }],
    hi: ['number_source', { value: 21 }],
    cold: ['lte', {}, { a: 'temp.value', b: 'lo.value' }],
    below: ['lt', {}, { a: 'temp.value', b: 'hi.value' }],
    hold: ['and', {}, { a: 'q.value', b: 'below.result' }],
    want: ['or', {}, { a: 'cold.result', b: 'hold.result' }],
    either: ['or', {}, { a: 'want.result', b: 'q.value' }],
    both: ['and', {}, { a: 'want.result', b: 'q.value' }],
    notboth: ['not', {}, { value: 'both.result' }],
    changed: ['and', {}, { a: 'either.result', b: 'notboth.result' }],
    gate: ['emit_if_true', {}, { input: 'changed.result' }],
    act: [SET_HEATER, { zone: 'hall' }, { event: 'gate.event', on: 'want.result' }],
  },
  { acted: 'act.outcome' },
)
