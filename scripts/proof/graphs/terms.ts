/** Terms that mutators add to a graph: each returns its output. */
import { add, type DraftGraph } from './draft.ts'

export const PERCENT = { type: 'number', minimum: 0, maximum: 100 }
export const FLAG = { type: 'boolean' }

/** Adds a constant. */
export function constant(graph: DraftGraph, name: string, value: number): string {
  add(graph, { [name]: ['number_source', { value }] })
  return `${name}.value`
}

/** Adds a comparison with a constant. */
export function compare(graph: DraftGraph, name: string, impl: string, a: string, value: number): string {
  return binary(graph, name, impl, a, constant(graph, `${name}_limit`, value))
}

/** Adds a primitive with the inputs `a` and `b`. */
export function binary(graph: DraftGraph, name: string, impl: string, a: string, b: string): string {
  add(graph, { [name]: [impl, {}, { a, b }] })
  return `${name}.result`
}

export function both(graph: DraftGraph, name: string, a: string, b: string): string {
  return binary(graph, name, 'and', a, b)
}

export function either(graph: DraftGraph, name: string, a: string, b: string): string {
  return binary(graph, name, 'or', a, b)
}

/** Adds a primitive with the input `value`: `not`, `abs` or `negate`. */
export function unary(graph: DraftGraph, name: string, impl: string, value: string): string {
  add(graph, { [name]: [impl, {}, { value }] })
  return `${name}.result`
}

/** Adds a source of a key that no event has. */
export function remembered(graph: DraftGraph, name: string, type: 'number' | 'bool' | 'series', key: string): string {
  add(graph, { [name]: [`context_${type}_source`, { key }] })
  return `${name}.value`
}

/** Adds a cluster with its parameters, and the producer of each input. */
export function cluster(
  graph: DraftGraph,
  name: string,
  id: string,
  params: Record<string, number | string>,
  inputs: Readonly<Record<string, string>>,
): void {
  graph.nodes[name] = { cluster: `${id}@^1`, params }
  graph.edges.push(...Object.entries(inputs).map(([port, from]) => `${from} -> ${name}.${port}`))
}
