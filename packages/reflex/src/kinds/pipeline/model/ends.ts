import type { DotNode } from '../dot/graph.ts'
import type { TypedGraph } from './typed.ts'
import type { CanonicalType, Resolution } from './resolution.ts'

/** A node with the handler that it has by itself. */
export interface Resolved {
  readonly id: string
  readonly node: DotNode
  readonly resolution: Resolution
}

/** Where a pipeline begins and ends, and the resolutions that are others because of it. */
export interface Ends extends Pick<TypedGraph, 'start' | 'starts' | 'exits'> {
  readonly changed: ReadonlyMap<string, Resolution>
}

/**
 * Start and exit nodes: those whose type says so, then those whose shape does (reference pipeline 2.6, 13). Where there is
 * none, nodes that are called so and have neither type nor shape of their own become one: `start` and `Start`, `exit` and
 * `end` in any case. A start that has a prompt stays what it is, and is executed first.
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

/** Whether nothing that stands at the node itself says what it is. */
function isUndecided({ by, unknown }: Resolution): boolean {
  return unknown === undefined && (by === 'fallback' || by === 'default type' || by === 'default shape')
}

function withType(resolution: Resolution, canonical: 'start' | 'exit'): Resolution {
  return { ...resolution, canonical, rawType: canonical, by: 'fallback', injected: {} }
}
