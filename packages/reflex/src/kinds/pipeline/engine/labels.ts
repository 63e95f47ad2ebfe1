import { type Frame, isObject, type Json, type JsonObject, type StepContext } from '../../../kernel/index.ts'
import type { TypedNode } from '../model/typed.ts'
import { lookUp } from '../language/look-up.ts'
import {
  combine,
  DERIVED,
  isLasting,
  isTrusted,
  isWorthStoring,
  type Label,
  packLabel,
  SENSITIVITIES,
  TRUSTED,
  unpackLabel,
  UNTRUSTED,
  LABELS,
} from '../../../policy/label.ts'
import { labelPassedBy, PASSED } from '../../../policy/index.ts'
import { authorLabel, inputsLabel, PREFERRED, sensitive } from './labelling.ts'
import type { Token } from './middleware.ts'
import { pipelineFrame } from '../contract/branch.ts'
import { INTERNAL, OUTSIDE } from '../contract/engine-board.ts'
import type { Permissions } from '../contract/handler.ts'
import type { Position } from '../contract/position.ts'

/** The input with which a calling pipeline passes the labels of the other inputs. */
export const INPUT_LABELS = '#labels'

/** The key for the last called program: the execution that called it, and its labels if it was a pipeline. */
const RETURNED = '#returned'

/** The key for reads beside the context: the execution, and their worst label. */
const TOUCHED = '#touched'

/** The parts of a step that labels need. */
export interface LabelStep {
  readonly x: Pick<StepContext, 'get' | 'set' | 'args' | 'frame' | 'isSameKind' | 'pending'>
  readonly branch: object | undefined
  readonly permissions: Permissions
  readonly position: Position
  readonly node: TypedNode
  reader(): (key: string) => Json | undefined
}

/** Returns the key under which the context stores what a handler looks up by a key; undefined if there is none. */
export function storedKey(step: LabelStep, key: string): string | undefined {
  const read = step.reader()
  let stored: string | undefined
  const found = lookUp((spelling) => {
    const value = read(spelling)
    if (value !== undefined) stored = spelling
    return value
  }, key)
  return found === undefined ? undefined : stored
}

/** Returns the label of a value of the context. */
export function labelOfKey(step: LabelStep, key: string): Label {
  const stored = storedKey(step, key)
  if (stored === undefined) return TRUSTED
  // The preferred label is in the position; its own label is stored with the others if it is worse than derived.
  if (stored === PREFERRED) return combine(DERIVED, unpackLabel(step.x.get(`${LABELS}${PREFERRED}`)))
  const packed = step.x.get(`${LABELS}${stored}`)
  if (packed === undefined && isElsewhere(step, stored)) return leastInputLabel(step)
  return packed === undefined && stored.startsWith('graph.') ? authorLabel(step.permissions) : unpackLabel(packed)
}

/** Returns the worst label of all values that a frame can read. */
export function worstLabel(step: LabelStep): Label {
  const books = step.x.frame.kindReader()
  const kept = books.keys().flatMap((key) => (key.startsWith(LABELS) ? [unpackLabel(books.get(key))] : []))
  return combine(...kept, ...(readsOn(step.x.frame) ? [leastInputLabel(step)] : []))
}

/** True if a value that can be read is on the board of a caller of another kind, which stores no labels. */
function isElsewhere({ x }: LabelStep, key: string): boolean {
  return readsOn(x.frame) && x.frame.reader().has(key) && !x.frame.kindReader().has(key) && !Object.hasOwn(x.pending(), key)
}

/** True if the reads of a pipeline continue to a caller of another kind. */
function readsOn(frame: Frame): boolean {
  const pipeline = pipelineFrame(frame)
  return pipeline.outer !== undefined && pipeline.link?.isSameKind === false
}

/**
 * Stores a label that has changed. A branch also stores an unchanged label, because its parent reads the labels of each
 * branch separately.
 */
export function markLabel({ x, branch }: LabelStep, key: string, label: Label): void {
  const packed = packLabel(label)
  const before = x.get(`${LABELS}${key}`)
  if (packed === null ? before === undefined || before === null : branch === undefined && isSame(before, label)) return
  x.set(`${LABELS}${key}`, packed)
}

function isSame(packed: Json | undefined, label: Label): boolean {
  return packed !== undefined && JSON.stringify(packed) === JSON.stringify(packLabel(label))
}

/** Returns the labels of named inputs, for a pipeline that is called with them. */
export function labelsOfInputs(step: LabelStep, token: Token, inputs: JsonObject): JsonObject {
  const labels = Object.keys(inputs).flatMap((key): [string, Json][] => {
    if (key.startsWith('internal.')) return []
    const packed = packLabel(storedKey(step, key) === undefined ? inputsLabel(token) : labelOfKey(step, key))
    return packed === null ? [] : [[key, packed]]
  })
  return Object.fromEntries(labels)
}

/**
 * Labels the inputs of a pipeline: from the operator by the trust of the run, from a pipeline by its labels, from
 * another kind as derived at least. Any caller can lower the label of a value; only a pipeline can declare it trusted.
 */
export function labelInputs(step: LabelStep): void {
  const { x } = step
  const given = isObject(x.args) ? x.args : {}
  const said = isObject(given[INPUT_LABELS]) ? given[INPUT_LABELS] : {}
  const least = leastInputLabel(step)
  for (const key of Object.keys(given)) if (!key.startsWith(INTERNAL)) markLabel(step, key, combine(least, unpackLabel(said[key])))
}

/** Returns the argument that labels all inputs of a run as text from outside. */
export function outsideLabels(input: JsonObject): JsonObject {
  const label = packLabel({ ...UNTRUSTED, from: 'input' })
  return { [INPUT_LABELS]: Object.fromEntries(Object.keys(input).map((key) => [key, label])) }
}

function leastInputLabel({ x, permissions }: Pick<LabelStep, 'x' | 'permissions'>): Label {
  const { link } = pipelineFrame(x.frame)
  if (link?.isSameKind === true) return TRUSTED
  if (permissions.trust === 'untrusted') return { ...UNTRUSTED, from: 'input' }
  return link === undefined ? TRUSTED : combine(labelPassedBy(link.caller), unpackLabel(x.get(OUTSIDE)), { ...DERIVED, from: 'input' })
}

/** Stores the labels of the inputs of a program of another kind, and the execution that called it. */
export function storePassed(step: LabelStep, token: Token, inputs: JsonObject): void {
  const given = Object.keys(inputs).map((key) => (storedKey(step, key) === undefined ? inputsLabel(token) : labelOfKey(step, key)))
  step.x.set(PASSED, { at: step.position.at ?? 0, label: packLabel(combine(...given, token.touchedLabel())) })
}

function passedLabel({ x, position }: LabelStep): Label {
  const kept = x.get(PASSED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/** Stores the label of something that an execution read beside the context. */
export function touch(step: LabelStep, label: Label): void {
  if (isTrusted(label)) return
  step.x.set(TOUCHED, { at: step.position.at ?? 0, label: packLabel(combine(touchedLabel(step), label)) })
}

/** Returns the label of the reads of an execution beside the context so far. */
export function touchedLabel({ x, position }: LabelStep): Label {
  const kept = x.get(TOUCHED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/**
 * Returns the arguments of an effect that writes data which is read later, with the label of its inputs if the label
 * must last.
 */
export function labelledArgs(step: LabelStep, token: Token, port: string, args: Json): Json {
  if ((port !== 'tool' && port !== 'service') || !isObject(args)) return args
  if (port === 'tool' && args['tool'] === 'http') {
    touch(step, { ...UNTRUSTED, from: step.node.id })
    return args
  }
  const label = sensitive(step.node.dataClassification, combine(inputsLabel(token), token.touchedLabel()))
  // A file may become a program later, and a model's text is not the author's.
  return (port === 'tool' ? isWorthStoring(label) : isLasting(label)) ? { ...args, label: packLabel(label) } : args
}

/** Returns the labels of a pipeline's writes, for its caller; nothing if it was not called. */
export function labelsOfResults({ x }: LabelStep): { readonly labels?: JsonObject } {
  if (x.frame.link?.role !== 'call') return {}
  const own = { ...x.frame.kindReader().snapshot(), ...x.pending() }
  const labels = Object.entries(own).filter(([key, packed]) => key.startsWith(LABELS) && packed !== null)
  return { labels: Object.fromEntries(labels.map(([key, packed]) => [key.slice(LABELS.length), packed])) }
}

/** Stores the labels of the values that a called program returned; only a pipeline returns labels. */
export function storeReturned({ x, position }: LabelStep, isPipeline: boolean, value: Json): void {
  const { labels, data } = isObject(value) ? value : {}
  const said = isObject(labels) ? labels : isObject(data) && isObject(data['labels']) ? data['labels'] : {}
  x.set(RETURNED, { at: position.at ?? 0, ...(isPipeline ? { labels: said } : {}) })
}

/**
 * Returns values for readers who do not own the run: values of sensitive and secret nodes are named and not shown.
 * `read` reads the board (reference pipeline 5.4).
 */
export function withoutSensitive(values: JsonObject, read: (key: string) => Json | undefined): JsonObject {
  const shown = Object.entries(values).map(([key, value]): [string, Json] => {
    const { sensitivity } = unpackLabel(read(`${LABELS}${key}`))
    return [key, sensitivity >= CONFIDENTIAL ? `‹${SENSITIVITIES[sensitivity] ?? 'restricted'}›` : value]
  })
  return Object.fromEntries(shown)
}

const CONFIDENTIAL = SENSITIVITIES.indexOf('confidential')

/**
 * Returns the label of a value that branches or a called program returned to this execution, or of all their values;
 * undefined if none did.
 */
export function carriedLabel(step: LabelStep, keys: readonly string[] | undefined): Label | undefined {
  const { x, position } = step
  const results = [...(x.frame.strandResults?.values() ?? [])]
  const unknown = (least: Label): Label => combine(passedLabel(step), touchedLabel(step), { ...least, from: step.node.id })
  // Nothing is known of the reads of a program of another kind that runs beside the node.
  if (results.length > 0)
    return combine(...results.map((kid) => (x.isSameKind(kid) ? keptIn(kid.scope.liveEntries(), keys) : unknown(UNTRUSTED))))
  const returned = x.get(RETURNED)
  if (!isObject(returned) || returned['at'] !== position.at) return undefined
  const { labels } = returned
  if (!isObject(labels)) return unknown(DERIVED)
  return combine(...(keys === undefined ? Object.values(labels) : keys.map((key) => labels[key])).map(unpackLabel))
}

function keptIn(entries: ReadonlyMap<string, { readonly value: Json | undefined }>, keys: readonly string[] | undefined): Label {
  if (keys !== undefined) return combine(...keys.map((key) => unpackLabel(entries.get(`${LABELS}${key}`)?.value)))
  const labels = [...entries].flatMap(([kept, { value }]) => (kept.startsWith(LABELS) ? [unpackLabel(value)] : []))
  return combine(...labels)
}
