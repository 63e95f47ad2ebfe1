import type { TypedEdge } from '../model/typed.ts'

/** Returns the values of a map that pass a test, in order. A rule searches with it, because long loops are slow in a generator. */
export function valuesThat<Value>(map: ReadonlyMap<string, Value>, test: (value: Value) => boolean): Value[] {
  const found: Value[] = []
  for (const value of map.values()) if (test(value)) found.push(value)
  return found
}

/** Returns the edges that pass a test, in the order of the nodes that they leave. */
export function edgesThat(outgoing: ReadonlyMap<string, readonly TypedEdge[]>, test: (edge: TypedEdge) => boolean): TypedEdge[] {
  const found: TypedEdge[] = []
  for (const edges of outgoing.values()) for (const edge of edges) if (test(edge)) found.push(edge)
  return found
}
