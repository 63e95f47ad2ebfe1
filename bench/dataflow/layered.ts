import type { JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { compileGraph } from '../../packages/reflex/src/kinds/dataflow/run/compile.ts'
import type { CompiledGraph } from '../../packages/reflex/src/kinds/dataflow/run/compiled.ts'

/** A node of a benchmark graph: a key of the event, a constant, or an operation on earlier nodes. */
export interface LayeredNode {
  readonly op: keyof typeof PORTS | 'key' | 'constant'
  readonly operands: readonly number[]
  /** The value of a constant. */
  readonly value: number
}

/** The operations of a benchmark graph, with the ports of their operands. */
export const PORTS = {
  add: ['a', 'b'],
  subtract: ['a', 'b'],
  multiply: ['a', 'b'],
  min: ['a', 'b'],
  max: ['a', 'b'],
  gt: ['a', 'b'],
  select: ['cond', 'when_true', 'when_false'],
} as const

/** The keys that each event has. */
export const KEYS = 10
const LAYERS = 20
const MIXED = ['add', 'gt', 'subtract', 'min', 'multiply', 'add', 'max', 'subtract', 'gt', 'add'] as const

/**
 * Returns a graph of exactly `size` nodes in 20 layers: each node reads the one before it in its column, and others of the layer before. All of
 * it leads to one output, the last node. No value grows beyond 2^20 times its inputs, and none is so small that a processor computes it slowly.
 */
export function layered(size: number, keys = KEYS): LayeredNode[] {
  const dice = diceOf(size)
  const nodes: LayeredNode[] = Array.from({ length: keys }, () => ({ op: 'key', operands: [], value: 0 }))
  for (const value of [0.5, 1, 3, -2]) nodes.push({ op: 'constant', operands: [], value })
  const constants = nodes.slice(keys).map((_, i) => keys + i)
  const width = Math.floor((size - nodes.length) / (LAYERS + 1))
  let layer = nodes.map((_, i) => i)
  const numbersOf = (ids: readonly number[]): number[] => ids.filter((id) => nodes[id]?.op !== 'gt')
  for (let depth = 0; depth < LAYERS; depth++) {
    const numbers = numbersOf(layer)
    const pick = (): number => numbers[dice(numbers.length)] ?? 0
    layer = Array.from({ length: width }, (_, column) => {
      const above = layer[column % layer.length] ?? 0
      const mixed = MIXED[(column + depth) % MIXED.length] ?? 'add'
      // The last layer has only numbers.
      const op = mixed === 'gt' && depth === LAYERS - 1 ? 'min' : mixed
      if (nodes[above]?.op === 'gt') nodes.push({ op: 'select', operands: [above, pick(), pick()], value: 0 })
      else nodes.push({ op, operands: [above, op === 'multiply' ? (constants[0] ?? 0) : pick()], value: 0 })
      return nodes.length - 1
    })
  }
  for (let last = nodes.length - 1, i = 0; nodes.length < size; i++) {
    nodes.push({ op: 'max', operands: [last, layer[i % layer.length] ?? 0], value: 0 })
    last = nodes.length - 1
  }
  return nodes
}

/** Returns a graph of parts that have nothing to do with one another: each has three keys of its own. */
export function parted(size: number, part: number): LayeredNode[] {
  return Array.from({ length: size / part }, (_, i) =>
    layered(part, 3).map((node) => ({ ...node, operands: node.operands.map((operand) => operand + i * part) })),
  ).flat()
}

/** Returns whole numbers below a bound, always the same ones. */
function diceOf(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** Returns the graph as its document: node 7 is `n7`, key 3 of the context `k3`. */
export function documentOf(nodes: readonly LayeredNode[], id = 'layered'): JsonObject {
  const impl: Partial<Record<LayeredNode['op'], string>> = { key: 'context_number_source', constant: 'number_source' }
  const outputOf = (node: LayeredNode | undefined): string => (node?.op === 'key' || node?.op === 'constant' ? 'value' : 'result')
  const paramsOf = ({ op, value }: LayeredNode, i: number): JsonObject =>
    op === 'key' ? { params: { key: `k${i}` } } : op === 'constant' ? { params: { value } } : {}
  return {
    kind: 'cluster',
    id,
    version: '0.1.0',
    nodes: Object.fromEntries(nodes.map((node, i) => [`n${i}`, { impl: `${impl[node.op] ?? node.op}@^0.1`, ...paramsOf(node, i) }])),
    edges: nodes.flatMap(({ op, operands }, i) =>
      op === 'key' || op === 'constant'
        ? []
        : operands.map((from, j) => `n${from}.${outputOf(nodes[from])} -> n${i}.${PORTS[op][j] ?? ''}`),
    ),
    outputs: { last: `n${nodes.length - 1}.result` },
  }
}

/** Returns the graph as passes run it. */
export function compiled(nodes: readonly LayeredNode[]): CompiledGraph {
  return compileGraph({ format: 'reflex-dataflow-1', graph: documentOf(nodes) }, { primitives: [] })
}

/** Returns the values of the keys of so many events. */
export function payloads(count: number, keys = KEYS): Readonly<Record<string, number>>[] {
  const dice = diceOf(17)
  return Array.from({ length: count }, () =>
    Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1 + dice(10_000) / 100] as const)),
  )
}
