import { dotHash } from '../dot/cache.ts'
import type { DotGraph } from '../dot/graph.ts'
import { serializeGraph } from '../dot/serialize.ts'

const HASHES = new WeakMap<DotGraph, string>()

/** Returns the SHA-256 of a graph in its serialised form, which identifies the graph (reference pipeline 6.2). */
export function graphHash(graph: DotGraph): string {
  const known = HASHES.get(graph) ?? dotHash(serializeGraph(graph))
  HASHES.set(graph, known)
  return known
}
