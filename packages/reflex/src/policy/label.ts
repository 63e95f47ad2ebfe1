import { type Json, isList } from '../kernel/index.ts'

/** How far a value can be trusted, from most to least (reference pipeline 5.3). */
export const LEVELS = ['trusted', 'derived', 'untrusted', 'hostile'] as const
export type Level = (typeof LEVELS)[number]

export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const
export const CONFIDENCES = ['unverified', 'plausible', 'corroborated', 'verified'] as const

/** What a value has been made harmless for, as bits. */
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

/** Where a value comes from: the index in each list above, and the bits. */
export interface Label {
  readonly level: number
  readonly sensitivity: number
  readonly confidence: number
  readonly bits: number
  /** The node that brought it to this level; `input` for what the run was given. Nothing for what is trusted. */
  readonly from?: string | undefined
}

export const ALL_BITS = 255

/** What the author or the operator wrote. */
export const TRUSTED: Label = { level: 0, sensitivity: 0, confidence: 3, bits: ALL_BITS }

/** What a model wrote, or a program that saw it. */
export const DERIVED: Label = { level: 1, sensitivity: 0, confidence: 0, bits: 0 }

/** What somebody outside wrote. */
export const UNTRUSTED: Label = { level: 2, sensitivity: 0, confidence: 0, bits: 0 }

/** What several values together are worth: the least of each. */
export function combine(...labels: readonly Label[]): Label {
  return labels.reduce(
    (all, one) => ({
      level: Math.max(all.level, one.level),
      sensitivity: Math.max(all.sensitivity, one.sensitivity),
      confidence: Math.min(all.confidence, one.confidence),
      bits: all.bits & one.bits,
      from: one.level > all.level ? one.from : (all.from ?? one.from),
    }),
    TRUSTED,
  )
}

/** True if a label must outlive the board: a value that is read again gets level 1 without sensitivity anyway. */
export function isLasting({ level, sensitivity }: Label): boolean {
  return level > 1 || sensitivity > 0
}

/** True if a program with this label is not its author's alone: a model's text is no program of the operator's. */
export function isWorthStoring({ level, sensitivity }: Label): boolean {
  return level > 0 || sensitivity > 0
}

export function isTrusted({ level, sensitivity, confidence, bits }: Label): boolean {
  return level === 0 && sensitivity === 0 && confidence === 3 && bits === ALL_BITS
}

/** A label as the board keeps it; nothing for what is trusted in every way. */
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

/** The word for a level, as messages and remarks have it. */
export function levelOf({ level }: Label): Level {
  return LEVELS[level] ?? 'hostile'
}

/** The prefix of the keys of labels: beside the values, so that branches read them as they read the values. */
export const LABELS = '#t/'
