import { SAFETIES } from './operation-ports.ts'

/**
 * What is known before a run of a value that a model or the outside made; values of the author and of Reflex have none.
 * Levels, from better to worse: 1 derived (a model wrote it), 2 untrusted (the outside did).
 */
export interface TaintLabel {
  readonly level: 1 | 2
  /** What it has been made safe against, as bits in the order of `SAFETIES`. */
  readonly safeBits: number
  /** Whether something has validated it or somebody has confirmed it. */
  readonly isConfirmed: boolean
  /** The node that made it, and the one that checked it. */
  readonly from: string
  readonly checkedBy?: string | undefined
  /** The node whose check a model's rewriting undid. */
  readonly wiped?: string | undefined
}

export const EVERY_SAFETY = (1 << SAFETIES.length) - 1

/** The bits of some safeties by their names; names that nothing knows add nothing. */
export function safetyBits(names: readonly string[]): number {
  return SAFETIES.reduce((bits, safety, i) => (names.includes(safety) ? bits | (1 << i) : bits), 0)
}

/** The worse of two in each regard; the same object as `a` if `b` adds nothing. */
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

/** What a model makes of what it reads: at least derived, nothing confirmed, nothing safe. */
export function rewrittenLabel(node: string, inputs: readonly TaintLabel[]): TaintLabel {
  return {
    level: inputs.some(({ level }) => level === 2) ? 2 : 1,
    safeBits: 0,
    isConfirmed: false,
    from: node,
    wiped: inputs.find(({ safeBits }) => safeBits !== 0)?.checkedBy ?? inputs.find(({ wiped }) => wiped !== undefined)?.wiped,
  }
}
