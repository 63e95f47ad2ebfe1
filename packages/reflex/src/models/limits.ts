import type { Fault } from '../kernel/index.ts'
import { faults } from './faults.ts'
import type { ModelTry } from './types.ts'

/**
 * The most characters of an answer: its text, its thoughts and the arguments of its calls. A record can have four times
 * as many.
 */
const MOST_CHARACTERS = 16_000_000
/** The most levels of a value that a model wrote: a record can have twice as many, and the value is inside a record. */
const MOST_LEVELS = 256

/** Throws `R4007` for an answer that has become too long; `characters` is its current length. */
export function limitLength(characters: number): void {
  if (characters > MOST_CHARACTERS) throw tooLarge(`the answer is longer than ${MOST_CHARACTERS / 1_000_000} million characters`)
}

/** Returns the length of an answer as `limitLength` counts it. */
export function lengthOf({ text, reasoning = '', calls = [] }: ModelTry): number {
  return text.length + reasoning.length + (calls.length === 0 ? 0 : JSON.stringify(calls).length)
}

/** Returns the fault `R4007` for an answer that is too large; a retry would not help. */
export function tooLarge(message: string): Fault {
  return faults.make('R4007', message, { fix: 'ask for less at once, set `maxTokens`, or name another model' })
}

/** True if a value is nested too deeply to be stored. Reads no deeper than `levels` itself. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}
