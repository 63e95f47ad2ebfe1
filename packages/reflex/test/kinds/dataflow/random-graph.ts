import * as fc from 'fast-check'
import { canFeed } from '../../../src/kinds/dataflow/graph/wiring.ts'
import type { ParameterDeclaration, ParameterValue, PrimitiveKind } from '../../../src/kinds/dataflow/model/manifest.ts'
import type { Primitive } from '../../../src/kinds/dataflow/model/primitive.ts'
import type { PortType, Scalar } from '../../../src/kinds/dataflow/model/value.ts'
import { STANDARD } from '../../../src/kinds/dataflow/primitives/standard.ts'

/** A document whose edges are texts. */
export interface GraphDocument {
  readonly id: string
  readonly version: string
  readonly nodes: Readonly<Record<string, { readonly impl?: string; readonly cluster?: string; readonly params?: object }>>
  readonly edges: readonly string[]
  readonly outputs: Readonly<Record<string, string>>
  readonly inputs?: readonly { readonly name: string; readonly type: PortType }[]
}

export interface RandomGraphOptions {
  /** The largest number of nodes after the first six. Default: 30. */
  readonly maxNodes?: number
  /** The primitives that it is made of. Default: the standard ones. */
  readonly primitives?: readonly Primitive[]
}

const NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.25, 1e308, -1e308, 5e-324, 1e-160, 2 ** 53, 0.1]
/** The keys of the context of random graphs, each with its type. */
export const RANDOM_KEYS = {
  Number: ['num_a', 'num_b'],
  Bool: ['bool_a', 'bool_b'],
  String: ['text_a'],
  Series: ['list_a', 'list_b'],
} as const

/** The first nodes of each graph, so that every later one finds inputs: the sources of each type, a Bool of a compute, and an event. */
const BEGINNING: readonly Step[] = [
  'context_number_source',
  'context_bool_source',
  'context_series_source',
  'context_string_source',
  'and',
  'emit_if_true',
].map((primitive) => ({ pick: primitive, wires: [0], value: 0 }))

interface Step {
  /** The id of a primitive, or a number that selects one. */
  readonly pick: number | string
  readonly wires: readonly number[]
  readonly value: number
}

/**
 * Random graphs that break no rule: any primitives, wired as their ports allow, with parameters at numeric edges. Names have random places
 * in the order of texts, so the order of runtime ids is not the order of evaluation. Each scalar output that nothing takes, and each outcome,
 * is an output of the graph.
 */
export function randomDocument({ maxNodes = 30, primitives = STANDARD }: RandomGraphOptions = {}): fc.Arbitrary<GraphDocument> {
  const step = fc.record({ pick: fc.nat(), wires: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), value: fc.nat() })
  return fc
    .tuple(fc.array(step, { maxLength: maxNodes, size: 'max' }), fc.infiniteStream(fc.nat({ max: 999_999 })))
    .map(([steps, names]) => build([...BEGINNING, ...steps], names, primitives))
}

/** Random contexts for random graphs. Keys can be absent. */
export function randomContext(): fc.Arbitrary<Readonly<Record<string, Scalar>>> {
  const number = fc.oneof(
    fc.constantFrom(...NUMBERS),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  )
  const values = { Number: number, Bool: fc.boolean(), String: fc.string({ maxLength: 4 }), Series: fc.array(number, { maxLength: 6 }) }
  const keys = Object.entries(RANDOM_KEYS).flatMap(([type, names]) =>
    names.map((name) => [name, values[type as keyof typeof values]] as const),
  )
  return fc.record<Record<string, Scalar>>(Object.fromEntries(keys), { requiredKeys: [] })
}

/** Returns the same document with its nodes, edges and outputs in another order. */
export function shuffledDocument<T extends GraphDocument>(document: T, places: readonly number[]): T {
  const place = (i: number) => places[i % Math.max(1, places.length)] ?? 0
  const shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item, i) => ({ item, key: (place(i) + i * 7919) % 1013 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  return {
    ...document,
    nodes: Object.fromEntries(shuffle(Object.entries(document.nodes))),
    edges: shuffle(document.edges),
    outputs: document.outputs,
  }
}

/**
 * Moves the nodes from one place to another in the order of names into a cluster. The names are chosen so that each primitive keeps its
 * runtime id: the expanded graph is the same.
 */
export function clusteredDocument(
  document: GraphDocument,
  from: number,
  to: number,
  id = 'part',
): { readonly document: GraphDocument; readonly cluster: GraphDocument } {
  const names = Object.keys(document.nodes).sort()
  const inside = new Set(names.slice(from, Math.max(from + 1, to)))
  const instance = names[from] ?? ''
  const isInside = (end: string) => inside.has(end.slice(0, end.indexOf('.')))
  const port = (end: string) => end.replace('.', '_')
  const ends = document.edges.map((edge) => edge.split(' -> ') as [string, string])
  const entering = ends.filter(([start, end]) => !isInside(start) && isInside(end))
  const leaving = new Map(
    [
      ...ends.filter(([start, end]) => isInside(start) && !isInside(end)).map(([start]) => start),
      ...Object.values(document.outputs).filter(isInside),
    ].map((start) => [port(start), start]),
  )
  const pick = (keep: (name: string) => boolean) => Object.fromEntries(Object.entries(document.nodes).filter(([name]) => keep(name)))
  const outer = (end: string) => (isInside(end) ? `${instance}.${port(end)}` : end)
  return {
    cluster: {
      id,
      version: '1.0.0',
      // Unused optional ports have no edges, so each input of the cluster is one port of a node.
      inputs: entering.map(([, end]) => ({ name: port(end), type: portType(document, end) })),
      nodes: pick((name) => inside.has(name)),
      edges: [
        ...ends.filter(([start, end]) => isInside(start) && isInside(end)).map(([start, end]) => `${start} -> ${end}`),
        ...entering.map(([, end]) => `$${port(end)} -> ${end}`),
      ],
      outputs: Object.fromEntries(leaving),
    },
    document: {
      ...document,
      nodes: { ...pick((name) => !inside.has(name)), [instance]: { cluster: `${id}@^1` } },
      edges: ends.filter(([start, end]) => !isInside(start) || !isInside(end)).map(([start, end]) => `${outer(start)} -> ${outer(end)}`),
      outputs: Object.fromEntries(Object.entries(document.outputs).map(([name, end]) => [name, outer(end)])),
    },
  }
}

function portType(document: GraphDocument, end: string): PortType {
  const [node = '', port = ''] = end.split('.')
  const id = document.nodes[node]?.impl?.split('@')[0]
  const type = STANDARD.find(({ manifest }) => manifest.id === id)?.manifest.inputs.find(({ name }) => name === port)?.type
  if (type === undefined) throw new Error(`no port ${end}`)
  return type
}

interface Output {
  readonly end: string
  readonly kind: PrimitiveKind
  readonly type: PortType
}

function build(steps: readonly Step[], names: Iterator<number>, primitives: readonly Primitive[]): GraphDocument {
  const nodes: Record<string, { impl: string; params?: Record<string, ParameterValue> }> = {}
  const edges: string[] = []
  const outputs: Output[] = []
  const taken = new Set<string>()
  for (const { pick, wires, value } of steps) {
    const primitive =
      typeof pick === 'string' ? STANDARD.find(({ manifest }) => manifest.id === pick) : primitives[pick % primitives.length]
    if (primitive === undefined) continue
    const { id, version, inputs, parameters } = primitive.manifest
    const found = inputs.map((input, i) => {
      const wire = wires[i % wires.length] ?? 0
      if (input.required === false && wire % 2 === 0) return { port: input.name }
      const fits = outputs.filter(({ kind, type }) => type === input.type && canFeed(kind, primitive.kind, input.type))
      return { port: input.name, from: fits[wire % Math.max(1, fits.length)]?.end }
    })
    let place = Number(names.next().value)
    while (nodes[nameOf(place)] !== undefined) place = (place + 1) % 1_000_000
    const name = nameOf(place)
    const params = parameters.map((parameter, i) => [parameter.name, parameterValue(parameter, id, value + i)] as const)
    nodes[name] = { impl: `${id}@${version}`, ...(params.length === 0 ? {} : { params: Object.fromEntries(params) }) }
    for (const { port, from } of found) {
      if (from === undefined) continue
      edges.push(`${from} -> ${name}.${port}`)
      taken.add(from)
    }
    for (const output of primitive.manifest.outputs)
      outputs.push({ end: `${name}.${output.name}`, kind: primitive.kind, type: output.type })
  }
  const shown = outputs.filter(({ end, kind }) => kind !== 'trigger' && !taken.has(end))
  return { id: 'random', version: '1.0.0', nodes, edges, outputs: Object.fromEntries(shown.map(({ end }) => [end.replace('.', '_'), end])) }
}

function nameOf(place: number): string {
  return `n${String(place).padStart(6, '0')}`
}

function parameterValue({ name, type, values }: ParameterDeclaration, primitive: string, pick: number): ParameterValue {
  if (name === 'key') {
    const keys = RANDOM_KEYS[keyType(primitive)]
    return keys[pick % keys.length] ?? keys[0]
  }
  switch (type) {
    case 'Bool':
      return pick % 2 === 0
    case 'String':
      return `text ${pick % 3}`
    case 'Enum':
      return values?.[pick % values.length] ?? ''
    case 'Int':
      return pick % 10
    default:
      return name === 'size' ? (pick % 5) + 1 : (NUMBERS[pick % NUMBERS.length] ?? 0)
  }
}

function keyType(primitive: string): keyof typeof RANDOM_KEYS {
  if (primitive.includes('bool')) return 'Bool'
  if (primitive.includes('string')) return 'String'
  return primitive.includes('series') ? 'Series' : 'Number'
}
