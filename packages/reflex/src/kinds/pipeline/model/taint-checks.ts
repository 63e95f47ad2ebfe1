import { listOf, textOf } from '../dot/graph.ts'
import { statusesTested } from '../language/condition.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import { plainKey } from './node-keys.ts'
import { EVERY_SAFETY, safetyBits, type TaintLabel } from './taint-label.ts'
import type { TypedEdge, TypedNode } from './typed.ts'

/** Returns the label of a value after it passes a node, on one of its edges. Undefined if the value is then trusted. */
export type TaintCheck = (label: TaintLabel, key: string, edge: TypedEdge | undefined) => TaintLabel | undefined

/**
 * Returns the check that a node performs on values (reference pipeline 5.3, reduction). `output.validate` with a pattern or a
 * schema makes its value safe against the attacks in `sanitizes`, by default all; `pipeline.validate` and a person who reviews
 * raise the trust level. The edge after a failure skips the check. Undefined for a node without a check.
 */
export function checkOf(node: TypedNode): TaintCheck | undefined {
  const { attributes } = node.node
  const { sanitizes } = node.facts
  if (sanitizes === 'content') {
    if (!attributes.has('pattern') && !attributes.has('json_schema')) return undefined
    if (textOf(attributes, 'action')?.trim() === 'warn') return undefined
    const safe = attributes.has('sanitizes') ? safetyBits(listOf(attributes, 'sanitizes')) : EVERY_SAFETY
    return sourceCheck(sourceOf(node), (label) => ({ ...label, safeBits: label.safeBits | safe, isConfirmed: true, checkedBy: node.id }))
  }
  if (sanitizes === 'pipeline') {
    return sourceCheck(sourceOf(node), (label) => ({ ...label, level: 1, isConfirmed: true, checkedBy: node.id }))
  }
  const reviewed = listOf(attributes, 'reviews_keys').map(plainKey)
  return sanitizes === 'review' && reviewed.length > 0 ? reviewCheck(node, new Set(reviewed)) : undefined
}

function sourceCheck(source: string, checked: (label: TaintLabel) => TaintLabel): TaintCheck {
  return (label, key, edge) => (key === source && !isFailure(edge) ? checked(label) : label)
}

function reviewCheck({ id, node: { attributes } }: TypedNode, reviewed: ReadonlySet<string>): TaintCheck {
  const choice = normaliseLabel(textOf(attributes, 'review_on_choice') ?? '')
  const target = textOf(attributes, 'review_target')?.trim() ?? 'trusted'
  return (label, key, edge) => {
    if (!reviewed.has(key) || (choice !== '' && normaliseLabel(edge?.label ?? '') !== choice)) return label
    if (target === 'trusted') return undefined
    return { ...label, level: target === 'derived' ? 1 : label.level, isConfirmed: true, checkedBy: id }
  }
}

function sourceOf({ node }: TypedNode): string {
  return plainKey(textOf(node.attributes, 'source_key')?.trim() || 'last_response')
}

/** True if an edge is taken only after a failure. */
function isFailure(edge: TypedEdge | undefined): boolean {
  if (edge === undefined) return true
  if (edge.condition === undefined) return /^(fail|failed|failure|error)$/.test(normaliseLabel(edge.label))
  return statusesTested(edge.condition).some(
    ({ status, operator }) => (operator === '=' && status === 'fail') || (operator === '!=' && status === 'success'),
  )
}
