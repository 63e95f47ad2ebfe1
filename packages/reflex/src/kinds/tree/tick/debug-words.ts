import { FAILURE, type Outcome, RUNNING, SUCCESS } from '../manifest/behaviour.ts'

/** The place of the ref of an operation, for a walk that has stopped before a node. */
export const PAUSED_AT = 'paused'
/** The walk stops before this node. */
export const BREAK = -6

/** The answers that a node can be forced to give. */
export const FORCED = { success: SUCCESS, failure: FAILURE, running: RUNNING } as const satisfies Readonly<Record<string, Outcome>>
export type DebugWord = keyof typeof FORCED

export function isDebugWord(word: unknown): word is DebugWord {
  return typeof word === 'string' && Object.hasOwn(FORCED, word)
}
