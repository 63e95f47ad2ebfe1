import * as fc from 'fast-check'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import type { ParameterValue } from '../../../../src/kinds/dataflow/model/manifest.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import type { PortType, Scalar } from '../../../../src/kinds/dataflow/model/value.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'
import { graphOf, hostAction, type NodeText } from './graph.ts'

/** Numbers at every edge. */
export const EDGE_NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  2,
  3,
  0.1,
  1e-5,
  -1.5,
  5e-324,
  -5e-324,
  2.2250738585072014e-308,
  -1e-310,
  1e154,
  1e308,
  -1e308,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  2 ** 53,
  2 ** 53 + 2,
  Number.EPSILON,
]
/** Numbers with which few graphs fail. */
const MILD_NUMBERS = [0, -0, 1, -1, 0.5, 0.25, 5e-324, -5e-324, -1e-310]

const KEYS = { Number: ['n1', 'n2'], Bool: ['b1', 'b2'], String: ['s1'], Series: ['v1', 'v2'] } as const

const number = fc.oneof(fc.constantFrom(...EDGE_NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }))
const series = fc.array(number, { maxLength: 6 })
const text = fc.constantFrom('', 'a', '__proto__', 'constructor')
/** A value that a context can hold, and sometimes one that it cannot. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  n1: fc.oneof({ weight: 9, arbitrary: number }, { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, true) }),
  n2: number,
  b1: fc.boolean(),
  b2: fc.oneof({ weight: 20, arbitrary: fc.boolean() }, { weight: 1, arbitrary: fc.constant(1) }),
  s1: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constant('\udc00') }),
  v1: series,
  v2: fc.oneof(
    { weight: 9, arbitrary: series },
    { weight: 1, arbitrary: fc.constantFrom([Number.NaN], ['x'], [1, Number.NEGATIVE_INFINITY]) },
  ),
}

/** Contexts with any of the keys that random graphs read. */
export const contexts: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(VALUES, { requiredKeys: [] })

const PERCENT = Array.from({ length: 100 }, (_, i) => i)
const MILD = STANDARD.filter(({ manifest }) => !['divide', 'add', 'subtract', 'sum', 'append'].includes(manifest.id))

/** The calls of the functions of the host, in order. */
export type Calls = string[]

/** The primitives of the host: each notes its calls, and fails for some inputs. */
function hostPrimitives(calls: Calls): readonly Primitive[] {
  const pure = { version: '1.0.0', execution: { deterministic: true }, state: { allowed: false }, side_effects: false } as const
  const half = definePrimitive(
    {
      ...pure,
      kind: 'compute',
      id: 'host_half',
      inputs: [
        { name: 'a', type: 'Number' },
        { name: 'v', type: 'Series' },
        { name: 'b', type: 'Bool', required: false },
      ],
      outputs: [
        { name: 'result', type: 'Number' },
        { name: 'rest', type: 'Series' },
        { name: 'small', type: 'Bool' },
      ],
      parameters: [],
      errors: { allowed: true, types: ['TooMany'], deterministic: true },
    },
    ({ a, v, b }) => {
      calls.push(`half ${a} ${v.join()} ${b}`)
      if (v.length > 5) return { error: 'TooMany' }
      if (a === 1e308) throw new Error('large')
      return { result: a === 2 ? Number.NaN : -a / 2, rest: v.slice(1), small: Math.abs(a) < 1 }
    },
  )
  const both = definePrimitive(
    {
      ...pure,
      kind: 'trigger',
      id: 'host_both',
      inputs: [
        { name: 'event', type: 'Event' },
        { name: 'x', type: 'Number', required: false },
      ],
      outputs: [{ name: 'event', type: 'Event' }],
      parameters: [],
    },
    ({ event, x }) => {
      calls.push(`both ${event} ${x}`)
      return event === 'Emitted' && x !== 0 ? 'Emitted' : 'NotEmitted'
    },
  )
  const read = definePrimitive(
    {
      ...pure,
      kind: 'source',
      id: 'host_read',
      inputs: [],
      outputs: [{ name: 'value', type: 'String' }],
      parameters: [],
      requires: { context: [{ name: 's1', type: 'String', required: true }] },
    },
    (_, context) => {
      calls.push('read')
      return { value: `${String(context.value('s1'))}!` }
    },
  )
  const act = hostAction(() => (calls.push('act'), 'Completed'))
  return [half, both, read, act]
}

/** A random number for each choice of a graph. */
export interface GraphSeed {
  readonly size: number
  readonly choices: readonly number[]
  /** Of 100 nodes, those of the host. */
  readonly host: number
  /** True for mild numbers and no division, so that most passes succeed. */
  readonly mild: boolean
}

export const graphSeeds: fc.Arbitrary<GraphSeed> = fc.record({
  size: fc.integer({ min: 1, max: 60 }),
  choices: fc.array(fc.nat(), { minLength: 40, maxLength: 400 }),
  host: fc.constantFrom(0, 0, 10, 30),
  mild: fc.boolean(),
})

/** Contexts with mild numbers and every key. */
export const mildContexts: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record({
  n1: fc.constantFrom(...MILD_NUMBERS),
  n2: fc.constantFrom(...MILD_NUMBERS),
  b1: fc.boolean(),
  b2: fc.boolean(),
  s1: text,
  v1: fc.array(fc.constantFrom(...MILD_NUMBERS), { maxLength: 3 }),
  v2: fc.array(fc.constantFrom(...MILD_NUMBERS), { maxLength: 3 }),
})

/** Makes a graph of a seed: each input takes a node before it. */
export function randomGraph({ size, choices, host, mild }: GraphSeed, calls: Calls = []): ValidatedGraph {
  let at = 0
  const choose = <T>(list: readonly T[]): T => {
    const choice = (choices[at++ % choices.length] ?? 0) + at * 7919
    return list[choice % list.length] as T
  }
  const own = hostPrimitives(calls)
  const nodes: Record<string, NodeText> = {}
  const made: Record<PortType, string[]> = { Number: [], Bool: [], String: [], Series: [], Event: [] }
  for (let i = 0; i < size; i++) {
    const candidates = choose(PERCENT) < host ? own : mild ? MILD : STANDARD
    const fitting = candidates.filter(({ manifest }) =>
      manifest.inputs.every(({ type, required }) => required === false || made[type].length > 0),
    )
    const primitive = choose(fitting.length === 0 ? STANDARD.filter(({ kind }) => kind === 'source') : fitting)
    const { manifest, kind } = primitive
    const inputs = manifest.inputs.flatMap(({ name, type, required }) =>
      made[type].length === 0 || (required === false && choose([true, false])) ? [] : [[name, choose(made[type])] as const],
    )
    const params = manifest.parameters.map(({ name, type }) => [name, parameter(primitive, name, type, choose, mild)] as const)
    // Names in no order, so that ids are in none.
    const node = `k${(i * 37) % 101}_${i}`
    nodes[node] = [primitive, Object.fromEntries(params), Object.fromEntries(inputs)]
    if (kind !== 'action') for (const { name, type } of manifest.outputs) made[type].push(`${node}.${name}`)
  }
  const names = Object.keys(nodes).slice(-30)
  const outputs = names.flatMap((name) => {
    const [primitive] = nodes[name] ?? []
    return typeof primitive === 'object' ? primitive.manifest.outputs.map((output) => `${name}.${output.name}`) : []
  })
  return graphOf(nodes, Object.fromEntries(outputs.map((output, i) => [`o${i}`, output])))
}

type Choose = <T>(list: readonly T[]) => T

function parameter({ manifest }: Primitive, name: string, type: string, choose: Choose, mild: boolean): ParameterValue {
  if (name === 'size') return choose(mild ? [1, 2, 3, 5] : [1, 2, 3, 5, 7, 1e300, 2, 3, 1, 4, 2, 1, 2, 2, 6, 0])
  if (name === 'key') {
    const port = manifest.outputs[0]?.type === 'Event' ? manifest.inputs.at(-1)?.type : manifest.outputs[0]?.type
    return choose(KEYS[port as keyof typeof KEYS])
  }
  if (type === 'Number') return choose(mild ? MILD_NUMBERS : EDGE_NUMBERS)
  return type === 'Bool' ? choose([true, false]) : choose(['', 'hall', '__proto__'])
}

/** Returns a value as text in which equal texts are equal bits. */
export function bits(value: unknown): string {
  return JSON.stringify(value, (_, each: Scalar) =>
    Object.is(each, -0) ? '−0' : typeof each === 'number' && !Number.isFinite(each) ? String(each) : each,
  )
}
