import type { Fault } from '../kernel/index.ts'
import { faults } from './faults.ts'
import type { ModelTry } from './types.ts'

/** Characters of an answer: its text, its thoughts and the arguments of its calls. A record holds four times as many. */
const MOST_CHARACTERS = 16_000_000
/** Levels of a value that a model wrote: a record holds twice as many, and it stands inside of one. */
const MOST_LEVELS = 256

/** Refuses an answer that has grown too long, by its characters so far: `R4007`. */
export function limitLength(characters: number): void {
  if (characters > MOST_CHARACTERS) throw tooLarge(`the answer is longer than ${MOST_CHARACTERS / 1_000_000} million characters`)
}

/** How long an answer is, as `limitLength` counts. */
export function lengthOf({ text, reasoning = '', calls = [] }: ModelTry): number {
  return text.length + reasoning.length + (calls.length === 0 ? 0 : JSON.stringify(calls).length)
}

/** What was answered is larger than Reflex takes, and would be again. */
export function tooLarge(message: string): Fault {
  return faults.make('R4007', message, { fix: 'ask for less at once, set `maxTokens`, or name another model' })
}

/** A value is nested too deeply to be kept. Looks no deeper than that itself. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}
