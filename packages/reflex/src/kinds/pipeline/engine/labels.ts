import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { StepContext } from '../../../kernel/step/context.ts'
import type { TypedNode } from '../model/typed.ts'
import { lookUp } from '../language/reading.ts'
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
import { isKept, isLasting } from '../contract/labelled.ts'
import { authorLabel, inputsLabel, PREFERRED, sensitive } from './labelling.ts'
import type { Token } from './middleware.ts'
import { pipelineFrame } from './spending.ts'
import { OWN } from '../contract/tally.ts'
import type { Charter } from '../contract/handler.ts'
import type { Position } from '../contract/position.ts'

/** The input under which a pipeline that calls another one tells it where the other inputs come from. */
export const GIVEN = '#labels'

/** What the last called program brought back: the execution that called it, and its labels if it was a pipeline. */
const RETURNED = '#returned'

/** The last program of another kind: the execution that called it, and the worst label of its inputs. */
const PASSED = '#passed'

/** Reads of an execution beside the context: the execution, and the worst label of them. */
const TOUCHED = '#touched'

/** A walk, as far as labels go. */
interface Walk {
  readonly x: Pick<StepContext, 'get' | 'set' | 'args' | 'frame' | 'isKindred' | 'pending'>
  readonly branch: object | undefined
  readonly charter: Charter
  readonly position: Position
  readonly node: TypedNode
  reader(): (key: string) => Json | undefined
}

/** The key under which the context keeps what a handler looks up by a key; nothing where it is not there. */
export function storedKey(walk: Walk, key: string): string | undefined {
  const read = walk.reader()
  let stored: string | undefined
  const found = lookUp((spelling) => {
    const value = read(spelling)
    if (value !== undefined) stored = spelling
    return value
  }, key)
  return found === undefined ? undefined : stored
}

/** What is known of where a value of the context comes from. */
export function labelOfKey(walk: Walk, key: string): Label {
  const stored = storedKey(walk, key)
  if (stored === undefined) return TRUSTED
  // It stands in the position, and its label beside the others where it is worse.
  if (stored === PREFERRED) return combine(DERIVED, unpackLabel(walk.x.get(`${LABELS}${PREFERRED}`)))
  const packed = walk.x.get(`${LABELS}${stored}`)
  if (packed === undefined && isElsewhere(walk, stored)) return leastGiven(walk)
  return packed === undefined && stored.startsWith('graph.') ? authorLabel(walk.charter) : unpackLabel(packed)
}

/** What is known of the worst value that a frame can read. */
export function worstLabel(walk: Walk): Label {
  const books = walk.x.frame.books()
  const kept = books.keys().flatMap((key) => (key.startsWith(LABELS) ? [unpackLabel(books.get(key))] : []))
  return combine(...kept, ...(readsOn(walk.x.frame) ? [leastGiven(walk)] : []))
}

/** Whether a value that can be read stands on the board of a caller of another kind, which keeps no labels. */
function isElsewhere({ x }: Walk, key: string): boolean {
  return readsOn(x.frame) && x.frame.reader().has(key) && !x.frame.books().has(key) && !Object.hasOwn(x.pending(), key)
}

/** Whether the reads of a pipeline go on to a caller of another kind. */
function readsOn(frame: Frame): boolean {
  const whole = pipelineFrame(frame)
  return whole.outer !== undefined && whole.link?.kindred === false
}

/** Keeps a label; none for what is trusted, and none a second time. A branch keeps its own: its parent reads them apart. */
export function markLabel({ x, branch }: Walk, key: string, label: Label): void {
  const packed = packLabel(label)
  const before = x.get(`${LABELS}${key}`)
  if (packed === null ? before === undefined || before === null : branch === undefined && isSame(before, label)) return
  x.set(`${LABELS}${key}`, packed)
}

function isSame(packed: Json | undefined, label: Label): boolean {
  return packed !== undefined && JSON.stringify(packed) === JSON.stringify(packLabel(label))
}

/** The labels of named inputs, for a pipeline that is called with them. */
export function labelsOfInputs(walk: Walk, token: Token, inputs: JsonObject): JsonObject {
  const labels = Object.keys(inputs).flatMap((key): [string, Json][] => {
    if (key.startsWith('internal.')) return []
    const packed = packLabel(storedKey(walk, key) === undefined ? inputsLabel(token) : labelOfKey(walk, key))
    return packed === null ? [] : [[key, packed]]
  })
  return Object.fromEntries(labels)
}

/**
 * Labels what a pipeline was given: by the operator as the run is trusted, by a pipeline as it says, by another kind as
 * derived at least. What any caller says can lower a value; only a pipeline's word is taken for its being trusted.
 */
export function labelGiven(walk: Walk): void {
  const { x } = walk
  const given = isObject(x.args) ? x.args : {}
  const said = isObject(given[GIVEN]) ? given[GIVEN] : {}
  const least = leastGiven(walk)
  for (const key of Object.keys(given)) if (!key.startsWith(OWN)) markLabel(walk, key, combine(least, unpackLabel(said[key])))
}

function leastGiven({ x, charter }: Pick<Walk, 'x' | 'charter'>): Label {
  const { link } = pipelineFrame(x.frame)
  if (link?.kindred === true) return TRUSTED
  if (charter.trust === 'untrusted') return { ...UNTRUSTED, from: 'input' }
  return link === undefined ? TRUSTED : combine(passedBy(link.caller), unpackLabel(charter.outside), { ...DERIVED, from: 'input' })
}

/** Inputs that outer pipelines have given to programs of other kinds: those keep no labels, and may pass on everything that they got. */
export function passedBy(caller: Frame | undefined): Label {
  const passed: Label[] = []
  for (let frame: Frame | undefined = caller; frame !== undefined; frame = frame.link?.caller) {
    const kept = frame.books().get(PASSED)
    if (isObject(kept)) passed.push(unpackLabel(kept['label']))
  }
  return combine(...passed)
}

/** Keeps the labels of the inputs of a program of another kind. */
export function keepPassed(walk: Walk, token: Token, inputs: JsonObject): void {
  const given = Object.keys(inputs).map((key) => (storedKey(walk, key) === undefined ? inputsLabel(token) : labelOfKey(walk, key)))
  walk.x.set(PASSED, { at: walk.position.at ?? 0, label: packLabel(combine(...given, token.touched())) })
}

function passedLabel({ x, position }: Walk): Label {
  const kept = x.get(PASSED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/** Keeps that an execution has read something beside the context. */
export function touch(walk: Walk, label: Label): void {
  if (isTrusted(label)) return
  walk.x.set(TOUCHED, { at: walk.position.at ?? 0, label: packLabel(combine(touchedLabel(walk), label)) })
}

/** Returns the reads of an execution beside the context so far. */
export function touchedLabel({ x, position }: Walk): Label {
  const kept = x.get(TOUCHED)
  return isObject(kept) && kept['at'] === (position.at ?? 0) ? unpackLabel(kept['label']) : TRUSTED
}

/** The arguments of an effect that writes what others read later, with the label of its inputs where that must last. */
export function labelledArgs(walk: Walk, token: Token, port: string, args: Json): Json {
  if ((port !== 'tool' && port !== 'service') || !isObject(args)) return args
  if (port === 'tool' && args['tool'] === 'http') {
    touch(walk, { ...UNTRUSTED, from: walk.node.id })
    return args
  }
  const label = sensitive(walk.node.dataClassification, combine(inputsLabel(token), token.touched()))
  // A file may be a program later, and a model's text is not the author's.
  return (port === 'tool' ? isKept(label) : isLasting(label)) ? { ...args, label: packLabel(label) } : args
}

/** The labels of what a pipeline has written, for whoever called it; nothing where nobody did. */
export function labelsOfResults({ x }: Walk): { readonly labels?: JsonObject } {
  if (x.frame.link?.role !== 'call') return {}
  const own = { ...x.frame.books().snapshot(), ...x.pending() }
  const labels = Object.entries(own).filter(([key, packed]) => key.startsWith(LABELS) && packed !== null)
  return { labels: Object.fromEntries(labels.map(([key, packed]) => [key.slice(LABELS.length), packed])) }
}

/** Keeps what is known of the values that a called program has brought back; only of a pipeline is anything. */
export function keepReturned({ x, position }: Walk, isPipeline: boolean, value: Json): void {
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
export function carriedLabel(walk: Walk, keys: readonly string[] | undefined): Label | undefined {
  const { x, position } = walk
  const kids = [...(x.frame.kids?.values() ?? [])]
  const unknown = (least: Label): Label => combine(passedLabel(walk), touchedLabel(walk), { ...least, from: walk.node.id })
  // Nobody has asked what a program of another kind that runs beside the node has read.
  if (kids.length > 0) return combine(...kids.map((kid) => (x.isKindred(kid) ? keptIn(kid.scope.live(), keys) : unknown(UNTRUSTED))))
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
