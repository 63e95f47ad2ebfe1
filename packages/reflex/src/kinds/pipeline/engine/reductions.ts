import type { JsonObject } from '../../../kernel/index.ts'
import { plainKey } from '../model/node-keys.ts'
import { listOf, textOf } from '../dot/graph.ts'
import { isGood, type Outcome } from '../contract/outcome.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import { ALL_BITS, CONFIDENCES, type Label, LEVELS, SANITIZED, TRUSTED } from '../../../policy/label.ts'
import type { Token } from './middleware.ts'

/** A check of a node, and the label of the value after it. */
export interface Reduction {
  readonly key: string
  readonly before: Label
  readonly label: Label
  readonly why: 'validated' | 'decided' | 'reviewed'
}

const PLAUSIBLE = CONFIDENCES.indexOf('plausible')
const CORROBORATED = CONFIDENCES.indexOf('corroborated')
const DERIVED = LEVELS.indexOf('derived')

/**
 * Returns the reductions of an execution. A value only becomes more trusted if a gate has checked it against a pattern
 * or a schema, if several have decided, or if a person has reviewed it (reference pipeline 5.3). Its sensitivity never
 * changes. `made` has the labels of the node's writes: the values themselves are written afterwards.
 */
export function reductions(token: Token, outcome: Outcome, updates: JsonObject, made: ReadonlyMap<string, Label>): Reduction[] {
  if (!isGood(outcome.status)) return []
  switch (token.context.node.facts.sanitizes) {
    case 'content':
      return validated(token)
    case 'pipeline':
      return known(token, sourceOf(token), (label) => atMostDerived(label, PLAUSIBLE), 'validated')
    case 'votes':
      return [...made].flatMap(([key, label]) => changed(key, label, (before) => atMostDerived(before, CORROBORATED), 'decided'))
    case 'review':
      return reviewed(token, updates)
    default:
      return []
  }
}

function validated(token: Token): Reduction[] {
  const { attributes } = token.context
  const checks = attributes.has('pattern') || attributes.has('json_schema')
  if (!checks || textOf(attributes, 'action')?.trim() === 'warn') return []
  const safe = attributes.has('sanitizes') ? bitsOf(listOf(attributes, 'sanitizes')) : ALL_BITS
  const better = (label: Label): Label => ({ ...label, bits: label.bits | safe, confidence: Math.max(label.confidence, PLAUSIBLE) })
  return known(token, sourceOf(token), better, 'validated')
}

/**
 * Returns the reductions of content that a person approved: only by an explicit choice, never because of a timeout or
 * an automatic answer.
 */
function reviewed(token: Token, updates: JsonObject): Reduction[] {
  const { attributes } = token.context
  const wanted = normaliseLabel(textOf(attributes, 'review_on_choice') ?? '')
  const label = updates['human.gate.label']
  const said = normaliseLabel(typeof label === 'string' ? label : '')
  const passed = wanted === '' ? updates['approval.status'] !== 'rejected' : said === wanted
  if (!passed || said === '' || updates['human.gate.timed_out'] === true || updates['human.gate.automatic'] === true) return []
  const target = LEVELS.findIndex((level) => level === (textOf(attributes, 'review_target')?.trim() ?? 'trusted'))
  if (target < 0) return []
  const better = (label: Label): Label => {
    if (target === 0) return { ...TRUSTED, sensitivity: label.sensitivity }
    return { ...label, level: Math.min(label.level, target), confidence: Math.max(label.confidence, CORROBORATED) }
  }
  return listOf(attributes, 'reviews_keys').flatMap((key) => known(token, plainKey(key), better, 'reviewed'))
}

/**
 * Returns the reduction of a value of the context. A part of a value has no label of its own, so it cannot be raised
 * alone.
 */
function known(token: Token, key: string, better: (label: Label) => Label, why: Reduction['why']): Reduction[] {
  return token.stored(key) === key ? changed(key, token.label(key), better, why) : []
}

function changed(key: string, before: Label, better: (label: Label) => Label, why: Reduction['why']): Reduction[] {
  const label = better(before)
  const changes = label.level !== before.level || label.bits !== before.bits || label.confidence !== before.confidence
  return changes ? [{ key, before, label, why }] : []
}

function atMostDerived(label: Label, confidence: number): Label {
  return { ...label, level: Math.min(label.level, DERIVED), confidence: Math.max(label.confidence, confidence) }
}

function sourceOf({ context: { attributes } }: Token): string {
  return plainKey(textOf(attributes, 'source_key')?.trim() || 'last_response')
}

function bitsOf(names: readonly string[]): number {
  return Object.entries(SANITIZED).reduce((bits, [name, bit]) => (names.includes(name) ? bits | bit : bits), 0)
}
