import { type Attribute, type Attributes, type DotNode, textOf } from '../dot/graph.ts'
import type { OperationTable } from './operation-table.ts'
import type { TypeName } from './type-names.ts'
import type { Resolution } from './resolution.ts'

type TypeSource = Pick<Resolution, 'rawType' | 'by' | 'unknown'>

/**
 * Returns the handler of a node (reference pipeline 4.1). The first that applies: a custom handler for the type; the node's own
 * type; its own shape unless that is `box`; a type of a `node [...]` block; such a shape; and `codergen` otherwise. An unknown
 * type is ignored and stored in `unknown`. An unknown `session.` type is kept, and fails when it is executed (reference
 * pipeline 4.6.2).
 */
export function resolveHandler(node: DotNode, table: OperationTable): Resolution {
  const { custom, types } = table
  const { rawType, by, unknown } = writtenType(node.attributes, table)
  const alias = types.get(rawType) ?? (rawType === unknown ? SESSION : MODEL)
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

function writtenType(attributes: Attributes, { types, custom }: OperationTable): TypeSource {
  const typeWritten = attributes.get('type')
  const shapeWritten = attributes.get('shape')
  if (typeWritten === undefined && shapeWritten === undefined) return FALLBACK
  const type = textOf(attributes, 'type')?.trim() ?? ''
  const shape = types.shape(textOf(attributes, 'shape')?.trim() ?? '')
  const isOwnType = isOwn(typeWritten)
  const isKnown = types.get(type) !== undefined || custom.has(type)
  const unknown = type !== '' && !isKnown ? type : undefined
  if ((isKnown || type.startsWith('session.')) && isOwnType) return { rawType: type, by: 'own type', unknown }
  if (shape !== undefined && isOwn(shapeWritten)) return { rawType: shape, by: 'own shape', unknown }
  if (isKnown && !isOwnType) return { rawType: type, by: 'default type', unknown }
  return shape === undefined ? { ...FALLBACK, unknown } : { rawType: shape, by: 'default shape', unknown }
}

/** The type of a node without a known type and shape. */
const FALLBACK: TypeSource = { rawType: 'codergen', by: 'fallback', unknown: undefined }
const MODEL: TypeName = { canonical: 'compute', injected: {} }
const SESSION: TypeName = { canonical: 'compose', injected: { mode: 'session' } }

/** True if the attribute belongs to this node and not to a block of defaults. */
function isOwn(attribute: Attribute | undefined): boolean {
  return attribute?.provenance !== 'default'
}
