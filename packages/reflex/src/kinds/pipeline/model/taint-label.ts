import { SAFETIES } from './operation-ports.ts'

/**
 * The static label of a value from a model or from outside; values of the author and of Reflex have none. Levels, from better
 * to worse: 1 derived (from a model), 2 untrusted (from outside).
 */
export interface TaintLabel {
  readonly level: 1 | 2
  /** The attacks that it has been made safe against, as bits in the order of `SAFETIES`. */
  readonly safeBits: number
  /** True if a node has validated it or a person has confirmed it. */
  readonly isConfirmed: boolean
  /** The node that wrote it, and the node that checked it. */
  readonly from: string
  readonly checkedBy?: string | undefined
  /** The node whose check was lost when a model rewrote the value. */
  readonly wiped?: string | undefined
}

export const EVERY_SAFETY = (1 << SAFETIES.length) - 1

/** Returns the bits of some safeties by name. Ignores unknown names. */
export function safetyBits(names: readonly string[]): number {
  return SAFETIES.reduce((bits, safety, i) => (names.includes(safety) ? bits | (1 << i) : bits), 0)
}

/** Returns the worse of two labels in each field, or `a` itself if `b` adds nothing. */
export function combineTaint(a: TaintLabel | undefined, b: TaintLabel): TaintLabel {
  if (a === undefined) return b
  const level = b.level > a.level ? b.level : a.level
  const safeBits = a.safeBits & b.safeBits
  const isConfirmed = a.isConfirmed && b.isConfirmed
  if (level === a.level && safeBits === a.safeBits && isConfirmed === a.isConfirmed && (a.wiped !== undefined || b.wiped === undefined))
    return a
  const source = b.level > a.level || (a.isConfirmed && !b.isConfirmed) || a.safeBits !== safeBits ? b : a
  return { level, safeBits, isConfirmed, from: source.from, checkedBy: a.checkedBy ?? b.checkedBy, wiped: a.wiped ?? b.wiped }
}

/** Returns the label of a model's output: derived or worse, unconfirmed, safe against nothing. */
export function rewrittenLabel(node: string, inputs: readonly TaintLabel[]): TaintLabel {
  return {
    level: inputs.some(({ level }) => level === 2) ? 2 : 1,
    safeBits: 0,
    isConfirmed: false,
    from: node,
    wiped: inputs.find(({ safeBits }) => safeBits !== 0)?.checkedBy ?? inputs.find(({ wiped }) => wiped !== undefined)?.wiped,
  }
}
