import type { DotGraph } from '../dot/graph.ts'
import type { CanonicalType, Resolution, TypedGraph } from './typed.ts'

/** Where a pipeline begins and ends, and the resolutions that follow from it. */
export interface Ends extends Pick<TypedGraph, 'start' | 'starts' | 'exits'> {
  readonly resolutions: ReadonlyMap<string, Resolution>
}

/**
 * Start and exit nodes: those whose type says so, then those whose shape does (reference pipeline 2.6, 13). Where there is
 * none, nodes that are called so and have neither type nor shape of their own become one: `start` and `Start`, `exit` and
 * `end` in any case. A start that has a prompt stays what it is, and is executed first.
 */
export function endsOf({ nodes }: DotGraph, resolutions: ReadonlyMap<string, Resolution>): Ends {
  const changed = new Map(resolutions)
  const starts = resolvedAs(resolutions, 'start')
  const exits = resolvedAs(resolutions, 'exit')
  if (starts.length === 0) {
    for (const [id, resolution] of resolutions) {
      if (id !== 'start' && id !== 'Start') continue
      starts.push(id)
      if (isOpen(resolution) && nodes.get(id)?.attributes.has('prompt') === false) changed.set(id, named(resolution, 'start'))
    }
  }
  if (exits.length === 0) {
    for (const [id, resolution] of resolutions) {
      if (!/^(exit|end)$/i.test(id) || !isOpen(resolution)) continue
      exits.push(id)
      changed.set(id, named(resolution, 'exit'))
    }
  }
  return { start: starts[0], starts, exits, resolutions: changed }
}

function resolvedAs(resolutions: ReadonlyMap<string, Resolution>, type: CanonicalType): string[] {
  const found = [...resolutions].filter(([, { canonical }]) => canonical === type)
  const byType = ([, { by }]: readonly [string, Resolution]): boolean => by.endsWith('type')
  return [...found.filter(byType), ...found.filter((one) => !byType(one))].map(([id]) => id)
}

/** Whether nothing that stands at the node itself says what it is. */
function isOpen({ by, unknown }: Resolution): boolean {
  return unknown === undefined && (by === 'fallback' || by === 'default type' || by === 'default shape')
}

function named(resolution: Resolution, canonical: 'start' | 'exit'): Resolution {
  return { ...resolution, canonical, rawType: canonical, by: 'fallback', injected: {} }
}
