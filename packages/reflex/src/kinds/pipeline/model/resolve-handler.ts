import { type Attributes, type DotNode, textOf } from '../dot/graph.ts'
import { type Alias, SHAPES, TYPE_NAMES } from './aliases.ts'
import type { Idempotency, Resolution } from './typed.ts'

/** What a host says of a handler that it registers. */
export interface CustomHandler {
  /** What it needs beside being executed; `arbor://orchestrator/execute/custom/<name>` unless said. */
  readonly capabilities?: readonly string[] | undefined
  /** `side_effecting` unless said. */
  readonly idempotency?: Idempotency | undefined
}

type TypeSource = Pick<Resolution, 'rawType' | 'by' | 'unknown'>

/**
 * Which handler a node has (reference pipeline 4.1). The first that applies: a custom handler for the type that would
 * be taken; the node's own type; its own shape unless that is `box`; a type of a `node [...]` block; such a shape; and
 * `codergen` for everything else. A type that nothing knows is passed over and remembered in `unknown`;
 * a service that no session has is taken at its word, and nothing performs it (reference pipeline 4.6.2).
 */
export function resolveHandler(node: DotNode, custom: ReadonlyMap<string, CustomHandler> = new Map()): Resolution {
  const { rawType, by, unknown } = writtenType(node.attributes, custom)
  const alias: Alias = TYPE_NAMES.get(rawType) ?? (rawType === unknown ? SESSION : MODEL)
  const customName = custom.has(rawType) ? rawType : custom.has(alias.canonical) ? alias.canonical : undefined
  const { canonical, injected } = alias
  if (customName === undefined && unknown === undefined) return { canonical, rawType, by, injected }
  return {
    canonical,
    rawType,
    by: customName === undefined ? by : 'custom',
    injected,
    ...(customName === undefined ? {} : { custom: customName }),
    ...(unknown === undefined ? {} : { unknown }),
  }
}

function writtenType(attributes: Attributes, custom: ReadonlyMap<string, CustomHandler>): TypeSource {
  const type = textOf(attributes, 'type')?.trim() ?? ''
  const shape = SHAPES.get(textOf(attributes, 'shape')?.trim() ?? '')
  const isOwnType = isOwn(attributes, 'type')
  const isKnown = TYPE_NAMES.has(type) || custom.has(type)
  const unknown = type !== '' && !isKnown ? type : undefined
  if ((isKnown || type.startsWith('session.')) && isOwnType) return { rawType: type, by: 'own type', unknown }
  if (shape !== undefined && isOwn(attributes, 'shape')) return { rawType: shape, by: 'own shape', unknown }
  if (isKnown && !isOwnType) return { rawType: type, by: 'default type', unknown }
  return shape === undefined ? { rawType: 'codergen', by: 'fallback', unknown } : { rawType: shape, by: 'default shape', unknown }
}

const MODEL: Alias = { canonical: 'compute', injected: {} }
const SESSION: Alias = { canonical: 'compose', injected: { mode: 'session' } }

/** Whether the attribute belongs to this node rather than to a block of defaults. */
function isOwn(attributes: Attributes, key: string): boolean {
  return attributes.get(key)?.provenance !== 'default'
}
