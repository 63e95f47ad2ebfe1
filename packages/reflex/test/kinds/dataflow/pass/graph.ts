import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { Effect } from '../../../../src/kinds/dataflow/model/effect.ts'
import type { GraphNode, ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import type { ParameterValue } from '../../../../src/kinds/dataflow/model/manifest.ts'
import type { ContextReader, Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { type Scalar, untagged } from '../../../../src/kinds/dataflow/model/value.ts'
import type { PassResult } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'

/** A node: the id of a built-in primitive or a primitive, its parameters, and its connected inputs as `node.port`. */
export type NodeText = readonly [
  primitive: string | Primitive,
  params?: Readonly<Record<string, ParameterValue>>,
  inputs?: Readonly<Record<string, string>>,
]

const BUILT_IN = new Map(STANDARD.map((primitive) => [primitive.manifest.id, primitive]))

/** Returns a graph of named nodes. Runtime ids are in the order of the names, as an expansion gives them. */
export function graphOf(
  nodes: Readonly<Record<string, NodeText>>,
  outputs: Readonly<Record<string, string>> = {},
  id = 'g',
): ValidatedGraph {
  const names = Object.keys(nodes).sort()
  const index = new Map(names.map((name, i) => [name, i]))
  const place = (text: string) => {
    const [node = '', port = ''] = text.split('.')
    return { node: index.get(node) ?? -1, port }
  }
  const list = names.map((name, i): GraphNode => {
    const [what, params = {}] = nodes[name] ?? ['']
    const primitive = typeof what === 'string' ? BUILT_IN.get(what) : what
    if (primitive === undefined) throw new Error(`no primitive for ${name}`)
    const defaults = primitive.manifest.parameters.flatMap((each) =>
      each.default === undefined ? [] : [[each.name, each.default] as const],
    )
    const { version } = primitive.manifest
    return { id: `n${i}`, primitive, selector: version, params: { ...Object.fromEntries(defaults), ...params }, path: [[id, name]] }
  })
  const producers = names.map((name) =>
    Object.fromEntries(Object.entries(nodes[name]?.[2] ?? {}).map(([port, from]) => [port, place(from)])),
  )
  const edges = producers.flatMap((ports, node) => Object.entries(ports).map(([port, from]) => ({ from, to: { node, port } })))
  return {
    id,
    version: '1.0.0',
    nodes: list,
    edges,
    outputs: Object.entries(outputs).map(([name, text]) => {
      const { node, port } = place(text)
      const type = list[node]?.primitive.manifest.outputs.find((output) => output.name === port)?.type
      if (type === undefined) throw new Error(`no output ${text}`)
      return { name, node, port, type }
    }),
    order: orderOf(list, producers),
    producers,
  }
}

/** Of the nodes that are ready, the smallest id as text first. */
function orderOf(nodes: readonly GraphNode[], producers: ValidatedGraph['producers']): number[] {
  const users = nodes.map((): number[] => [])
  const waiting = producers.map((ports, node) => {
    const from = Object.values(ports)
    for (const { node: producer } of from) users[producer]?.push(node)
    return from.length
  })
  const ready = nodes.flatMap((_, node) => (waiting[node] === 0 ? [node] : []))
  const order: number[] = []
  while (ready.length > 0) {
    const next = ready.reduce((least, node) => ((nodes[node]?.id ?? '') < (nodes[least]?.id ?? '') ? node : least))
    ready.splice(ready.indexOf(next), 1)
    order.push(next)
    for (const user of users[next] ?? []) {
      waiting[user] = (waiting[user] ?? 0) - 1
      if (waiting[user] === 0) ready.push(user)
    }
  }
  if (order.length < nodes.length) throw new Error('the graph has a cycle')
  return order
}

/** Returns a context of values. */
export function contextOf(values: Readonly<Record<string, unknown>> = {}): ContextReader {
  return { value: (key) => (Object.hasOwn(values, key) ? (values[key] as Scalar) : undefined) }
}

/** Returns effects as short texts: `x=1` for a write, `kind{field:value}` for an intent. */
export function effectTexts(result: PassResult): string[] {
  if ('error' in result) return [result.error.name]
  return result.effects.map(({ writes, intents }: Effect) =>
    [
      ...writes.map(({ key, value }) => `${key}=${String(untagged(value))}`),
      ...intents.map(({ kind, fields }) => `${kind}{${fields.map(({ name, value }) => `${name}:${String(untagged(value))}`).join(',')}}`),
    ].join('; '),
  )
}

/** A compute of the host. */
export function hostCompute(run: (a: number) => unknown, id = 'custom'): Primitive {
  const manifest = {
    kind: 'compute',
    id,
    version: '1.0.0',
    inputs: [{ name: 'a', type: 'Number' }],
    outputs: [{ name: 'result', type: 'Number' }],
    parameters: [],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: false,
  } as const
  return definePrimitive(manifest, ({ a }) => run(a) as { result: number })
}

/** An action of the host with writes, an intent and a mirror write. */
export function hostAction(run: () => unknown = () => 'Attempted', id = 'set_heater'): Primitive {
  const manifest = {
    kind: 'action',
    id,
    version: '1.0.0',
    inputs: [
      { name: 'event', type: 'Event' },
      { name: 'on', type: 'Bool' },
    ],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters: [{ name: 'zone', type: 'String' }],
    execution: { deterministic: true, retryable: false },
    state: { allowed: false },
    side_effects: true,
    effects: {
      writes: [],
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
    },
  } as const
  return definePrimitive(manifest, run as () => 'Attempted')
}
