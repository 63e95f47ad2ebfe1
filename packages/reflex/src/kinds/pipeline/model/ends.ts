import type { DotNode } from '../dot/graph.ts'
import type { TypedGraph } from './typed.ts'
import type { CanonicalType, Resolution } from './resolution.ts'

/** A node with the handler that its own attributes select. */
export interface Resolved {
  readonly id: string
  readonly node: DotNode
  readonly resolution: Resolution
}

/** The starts and exits of a pipeline, and the resolutions that change because of them. */
export interface Ends extends Pick<TypedGraph, 'start' | 'starts' | 'exits'> {
  readonly changed: ReadonlyMap<string, Resolution>
}

/**
 * Returns start and exit nodes: first those with the type, then those with the shape (reference pipeline 2.6, 13). Without any,
 * nodes with the right name and without type and shape become one: `start` and `Start`, `exit` and `end` in any case. A start
 * with a prompt keeps its type and is executed first.
 */
export function endsOf(nodes: readonly Resolved[]): Ends {
  const changed = new Map<string, Resolution>()
  const starts = resolvedAs(nodes, 'start')
  const exits = resolvedAs(nodes, 'exit')
  if (starts.length === 0) {
    for (const { id, node, resolution } of nodes) {
      if (id !== 'start' && id !== 'Start') continue
      starts.push(id)
      if (isUndecided(resolution) && !node.attributes.has('prompt')) changed.set(id, withType(resolution, 'start'))
    }
  }
  if (exits.length === 0) {
    for (const { id, resolution } of nodes) {
      if (!/^(exit|end)$/i.test(id) || !isUndecided(resolution)) continue
      exits.push(id)
      changed.set(id, withType(resolution, 'exit'))
    }
  }
  return { start: starts[0], starts, exits, changed }
}

function resolvedAs(nodes: readonly Resolved[], type: CanonicalType): string[] {
  const byType: string[] = []
  const others: string[] = []
  for (const { id, resolution } of nodes) {
    if (resolution.canonical === type) (resolution.by.endsWith('type') ? byType : others).push(id)
  }
  return [...byType, ...others]
}

/** True if no attribute of the node itself determines its type. */
function isUndecided({ by, unknown }: Resolution): boolean {
  return unknown === undefined && (by === 'fallback' || by === 'default type' || by === 'default shape')
}

function withType(resolution: Resolution, canonical: 'start' | 'exit'): Resolution {
  return { ...resolution, canonical, rawType: canonical, by: 'fallback', injected: {} }
}
