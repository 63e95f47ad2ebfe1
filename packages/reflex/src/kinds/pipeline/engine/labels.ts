import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { StepContext } from '../../../kernel/step/context.ts'
import type { TypedNode } from '../model/typed.ts'
import { lookUp } from '../language/look-up.ts'
import {
  combine,
  DERIVED,
  isTrusted,
  type Label,
  packLabel,
  SENSITIVITIES,
  TRUSTED,
  unpackLabel,
  UNTRUSTED,
  LABELS,
} from '../contract/label.ts'
import { isWorthStoring, isLasting } from '../contract/labelled.ts'
import { authorLabel, inputsLabel, PREFERRED, sensitive } from './labelling.ts'
import type { Token } from './middleware.ts'
import { pipelineFrame } from '../contract/branch.ts'
import { INTERNAL } from '../contract/engine-board.ts'
import type { Permissions } from '../contract/handler.ts'
import type { Position } from '../contract/position.ts'

/** The input under which a pipeline that calls another one tells it where the other inputs come from. */
export const INPUT_LABELS = '#labels'

/** What the last called program brought back: the execution that called it, and its labels if it was a pipeline. */
const RETURNED = '#returned'

/** The last program of another kind: the execution that called it, and the worst label of its inputs. */
const PASSED = '#passed'

/** Reads of an execution beside the context: the execution, and the worst label of them. */
const TOUCHED = '#touched'

/** A walk, as far as labels go. */
interface LabelStep {
  readonly x: Pick<StepContext, 'get' | 'set' | 'args' | 'frame' | 'isSameKind' | 'pending'>
  readonly branch: object | undefined
  readonly permissions: Permissions
  readonly position: Position
  readonly node: TypedNode
  reader(): (key: string) => Json | undefined
}

/** The key under which the context keeps what a handler looks up by a key; nothing where it is not there. */
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

/** What is known of where a value of the context comes from. */
export function labelOfKey(step: LabelStep, key: string): Label {
  const stored = storedKey(step, key)
  if (stored === undefined) return TRUSTED
  // It stands in the position, and its label beside the others where it is worse.
  if (stored === PREFERRED) return combine(DERIVED, unpackLabel(step.x.get(`${LABELS}${PREFERRED}`)))
  const packed = step.x.get(`${LABELS}${stored}`)
  if (packed === undefined && isElsewhere(step, stored)) return leastInputLabel(step)
  return packed === undefined && stored.startsWith('graph.') ? authorLabel(step.permissions) : unpackLabel(packed)
}

/** What is known of the worst value that a frame can read. */
export function worstLabel(step: LabelStep): Label {
  const books = step.x.frame.kindReader()
  const kept = books.keys().flatMap((key) => (key.startsWith(LABELS) ? [unpackLabel(books.get(key))] : []))
  return combine(...kept, ...(readsOn(step.x.frame) ? [leastInputLabel(step)] : []))
}

/** Whether a value that can be read stands on the board of a caller of another kind, which keeps no labels. */
function isElsewhere({ x }: LabelStep, key: string): boolean {
  return readsOn(x.frame) && x.frame.reader().has(key) && !x.frame.kindReader().has(key) && !Object.hasOwn(x.pending(), key)
}

/** Whether the reads of a pipeline go on to a caller of another kind. */
function readsOn(frame: Frame): boolean {
  const pipeline = pipelineFrame(frame)
  return pipeline.outer !== undefined && pipeline.link?.isSameKind === false
}

/** Keeps a label; none for what is trusted, and none a second time. A branch keeps its own: its parent reads them apart. */
export function markLabel({ x, branch }: LabelStep, key: string, label: Label): void {
  const packed = packLabel(label)
  const before = x.get(`${LABELS}${key}`)
  if (packed === null ? before === undefined || before === null : branch === undefined && isSame(before, label)) return
  x.set(`${LABELS}${key}`, packed)
}

function isSame(packed: Json | undefined, label: Label): boolean {
  return packed !== undefined && JSON.stringify(packed) === JSON.stringify(packLabel(label))
}

/** The labels of named inputs, for a pipeline that is called with them. */
export function labelsOfInputs(step: LabelStep, token: Token, inputs: JsonObject): JsonObject {
  const labels = Object.keys(inputs).flatMap((key): [string, Json][] => {
    if (key.startsWith('internal.')) return []
    const packed = packLabel(storedKey(step, key) === undefined ? inputsLabel(token) : labelOfKey(step, key))
    return packed === null ? [] : [[key, packed]]
  })
  return Object.fromEntries(labels)
}

/**
 * Labels what a pipeline was given: by the operator as the run is trusted, by a pipeline as it says, by another kind as
 * derived at least. What any caller says can lower a value; only a pipeline's word is taken for its being trusted.
 */
export function labelInputs(step: LabelStep): void {
  const { x } = step
  const given = isObject(x.args) ? x.args : {}
  const said = isObject(given[INPUT_LABELS]) ? given[INPUT_LABELS] : {}
  const least = leastInputLabel(step)
  for (const key of Object.keys(given)) if (!key.startsWith(INTERNAL)) markLabel(step, key, combine(least, unpackLabel(said[key])))
}

function leastInputLabel({ x, permissions }: Pick<LabelStep, 'x' | 'permissions'>): Label {
  const { link } = pipelineFrame(x.frame)
  if (link?.isSameKind === true) return TRUSTED
  if (permissions.trust === 'untrusted') return { ...UNTRUSTED, from: 'input' }
  return link === undefined ? TRUSTED : combine(labelPassedBy(link.caller), unpackLabel(permissions.outside), { ...DERIVED, from: 'input' })
}

/** Inputs that outer pipelines have given to programs of other kinds: those keep no labels, and may pass on everything that they got. */
export function labelPassedBy(caller: Frame | undefined): Label {
  const passed: Label[] = []
  for (let frame: Frame | undefined = caller; frame !== undefined; frame = frame.link?.caller) {
    const kept = frame.kindReader().get(PASSED)
    if (isObject(kept)) passed.push(unpackLabel(kept['label']))
  }
  return combine(...passed)
}

/** Keeps the labels of the inputs of a program of another kind. */
export function storePassed(step: LabelStep, token: Token, inputs: JsonObject): void {
  const given = Object.keys(inputs).map((key) => (storedKey(step, key) === undefined ? inputsLabel(token) : labelOfKey(step, key)))
  step.x.set(PASSED, { at: step.position.at ?? 0, label: packLabel(combine(...given, token.touchedLabel())) })
}

function passedLabel({ x, position }: LabelStep): Label {
  const kept = x.get(PASSED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/** Keeps that an execution has read something beside the context. */
export function touch(step: LabelStep, label: Label): void {
  if (isTrusted(label)) return
  step.x.set(TOUCHED, { at: step.position.at ?? 0, label: packLabel(combine(touchedLabel(step), label)) })
}

/** Returns the reads of an execution beside the context so far. */
export function touchedLabel({ x, position }: LabelStep): Label {
  const kept = x.get(TOUCHED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/** The arguments of an effect that writes what others read later, with the label of its inputs where that must last. */
export function labelledArgs(step: LabelStep, token: Token, port: string, args: Json): Json {
  if ((port !== 'tool' && port !== 'service') || !isObject(args)) return args
  if (port === 'tool' && args['tool'] === 'http') {
    touch(step, { ...UNTRUSTED, from: step.node.id })
    return args
  }
  const label = sensitive(step.node.dataClassification, combine(inputsLabel(token), token.touchedLabel()))
  // A file may be a program later, and a model's text is not the author's.
  return (port === 'tool' ? isWorthStoring(label) : isLasting(label)) ? { ...args, label: packLabel(label) } : args
}

/** The labels of what a pipeline has written, for whoever called it; nothing where nobody did. */
export function labelsOfResults({ x }: LabelStep): { readonly labels?: JsonObject } {
  if (x.frame.link?.role !== 'call') return {}
  const own = { ...x.frame.kindReader().snapshot(), ...x.pending() }
  const labels = Object.entries(own).filter(([key, packed]) => key.startsWith(LABELS) && packed !== null)
  return { labels: Object.fromEntries(labels.map(([key, packed]) => [key.slice(LABELS.length), packed])) }
}

/** Keeps what is known of the values that a called program has brought back; only of a pipeline is anything. */
export function storeReturned({ x, position }: LabelStep, isPipeline: boolean, value: Json): void {
  const { labels, data } = isObject(value) ? value : {}
  const said = isObject(labels) ? labels : isObject(data) && isObject(data['labels']) ? data['labels'] : {}
  x.set(RETURNED, { at: position.at ?? 0, ...(isPipeline ? { labels: said } : {}) })
}

/**
 * Values as those may see them who do not own the run: what sensitive and secret nodes wrote is named and not shown. `read`
 * reads the board (reference pipeline 5.4).
 */
export function withoutSensitive(values: JsonObject, read: (key: string) => Json | undefined): JsonObject {
  const shown = Object.entries(values).map(([key, value]): [string, Json] => {
    const { sensitivity } = unpackLabel(read(`${LABELS}${key}`))
    return [key, sensitivity >= CONFIDENTIAL ? `‹${SENSITIVITIES[sensitivity] ?? 'restricted'}›` : value]
  })
  return Object.fromEntries(shown)
}

const CONFIDENTIAL = SENSITIVITIES.indexOf('confidential')

/** What is known of a value that branches or a called program brought back to this execution, or of all of them. */
export function carriedLabel(step: LabelStep, keys: readonly string[] | undefined): Label | undefined {
  const { x, position } = step
  const results = [...(x.frame.strandResults?.values() ?? [])]
  const unknown = (least: Label): Label => combine(passedLabel(step), touchedLabel(step), { ...least, from: step.node.id })
  // Nobody has asked what a program of another kind that runs beside the node has read.
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
