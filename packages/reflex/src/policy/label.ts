import { type Json, isList, isObject, type Frame } from '../kernel/index.ts'

/** The trust levels of values, from most to least trusted (reference pipeline 5.3). */
export const LEVELS = ['trusted', 'derived', 'untrusted', 'hostile'] as const
export type Level = (typeof LEVELS)[number]

export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const
export const CONFIDENCES = ['unverified', 'plausible', 'corroborated', 'verified'] as const

/** The attacks that a value has been made safe against, as bits. */
export const SANITIZED = {
  xss: 1,
  sqli: 2,
  command_injection: 4,
  path_traversal: 8,
  prompt_injection: 16,
  ssrf: 32,
  log_injection: 64,
  deserialization: 128,
} as const

/** The label of a value: the index in each list above, and the bits. */
export interface Label {
  readonly level: number
  readonly sensitivity: number
  readonly confidence: number
  readonly bits: number
  /** The node that lowered it to this level; `input` for inputs of the run. Absent for a trusted value. */
  readonly from?: string | undefined
}

export const ALL_BITS = 255

/** The label of text from the author or the operator. */
export const TRUSTED: Label = { level: 0, sensitivity: 0, confidence: 3, bits: ALL_BITS }

/** The label of text from a model, or from a program that has read such text. */
export const DERIVED: Label = { level: 1, sensitivity: 0, confidence: 0, bits: 0 }

/** The label of text from outside. */
export const UNTRUSTED: Label = { level: 2, sensitivity: 0, confidence: 0, bits: 0 }

/** Returns the label of several values together: the worst of each field. */
export function combine(...labels: readonly Label[]): Label {
  let all = TRUSTED
  for (const one of labels) if (one !== TRUSTED) all = worse(all, one)
  return all
}

function worse(all: Label, one: Label): Label {
  return {
    level: Math.max(all.level, one.level),
    sensitivity: Math.max(all.sensitivity, one.sensitivity),
    confidence: Math.min(all.confidence, one.confidence),
    bits: all.bits & one.bits,
    from: one.level > all.level ? one.from : (all.from ?? one.from),
  }
}

/** True if a label must be stored outside the board: a value that is read again gets level 1 without sensitivity anyway. */
export function isLasting({ level, sensitivity }: Label): boolean {
  return level > 1 || sensitivity > 0
}

/** True if a program with this label must not count as the operator's: it contains text of a model or from outside. */
export function isWorthStoring({ level, sensitivity }: Label): boolean {
  return level > 0 || sensitivity > 0
}

export function isTrusted({ level, sensitivity, confidence, bits }: Label): boolean {
  return level === 0 && sensitivity === 0 && confidence === 3 && bits === ALL_BITS
}

/** Returns a label in its stored form; null for a fully trusted value. */
export function packLabel(label: Label): Json {
  const { level, sensitivity, confidence, bits, from } = label
  return isTrusted(label) ? null : [level, sensitivity, confidence, bits, ...(from === undefined ? [] : [from])]
}

export function unpackLabel(packed: Json | undefined): Label {
  if (!isList(packed)) return TRUSTED
  const [level = 0, sensitivity = 0, confidence = 0, bits = 0] = packed.slice(0, 4).map(Number)
  const from = packed[4]
  return { level, sensitivity, confidence, bits, ...(typeof from === 'string' ? { from } : {}) }
}

/** Returns the word for a level, for messages and notes. */
export function levelOf({ level }: Label): Level {
  return LEVELS[level] ?? 'hostile'
}

/** The prefix of label keys. Labels are on the board with the values, so branches read both in the same way. */
export const LABELS = '#t/'

const LABEL = '#label'
const VALUE = '#value'

/** Returns the result of an effect with its label, or the result itself if it is trusted. */
export function labelled(value: Json, label: Label): Json {
  return isTrusted(label) && !isLabelled(value) ? value : { [LABEL]: packLabel(label), [VALUE]: value }
}

/** Reads a labelled result. A label in a result can lower its trust but never raise it. */
export function unlabelled(result: Json): { readonly value: Json; readonly label: Label } {
  if (!isLabelled(result)) return { value: result, label: TRUSTED }
  return { value: result[VALUE] ?? null, label: unpackLabel(result[LABEL]) }
}

function isLabelled(value: Json): value is { readonly [key: string]: Json } {
  return isObject(value) && Object.hasOwn(value, LABEL) && Object.hasOwn(value, VALUE)
}

/**
 * The key on the board of a frame whose kind keeps labels: the label of the inputs that the frame has passed to a program of a kind that
 * keeps none, as `{ label }`.
 */
export const PASSED = '#passed'

/**
 * Returns the label of the inputs that outer programs passed to programs of other kinds: these store no labels and may
 * pass on everything that they received.
 */
export function labelPassedBy(caller: Frame | undefined): Label {
  const passed: Label[] = []
  for (let frame: Frame | undefined = caller; frame !== undefined; frame = frame.link?.caller) {
    const kept = frame.kindReader().get(PASSED)
    if (isObject(kept)) passed.push(unpackLabel(kept['label']))
  }
  return combine(...passed)
}
