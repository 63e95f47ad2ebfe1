import type { Json } from '../journal/json.ts'
import type { RuntimeAsker, WaitRequest, WaitRules, WaitType } from '../journal/record.ts'
import type { State } from '../state/state.ts'

/** The options of a wait. */
export interface WaitOptions {
  /** Milliseconds since the epoch. */
  readonly due?: number
  readonly about?: Json
  /** The asker, if it is not the program. */
  readonly asker?: RuntimeAsker
  /** For messages: a message does not close the wait. It ends with its frame, at its due time, or by `drop`. */
  readonly stays?: boolean
  /**
   * For timers: milliseconds between two times. The timer stays open and fires at each of them, from `due`, or else from `every`
   * milliseconds after now. Times that pass while no process runs the run, or while the timer is held, are one firing.
   */
  readonly every?: number
  /** For messages: the most messages of one input, which is then `['messages', wait, [[id, body, by?], …]]`. */
  readonly most?: number
  /** With `most`: the most characters of their bodies as JSON. One message is always taken. */
  readonly bytes?: number
}

/** The last time that a date can have, in milliseconds since the epoch. No wait can be due later. */
export const END_OF_TIME = 8_640_000_000_000_000

/** True for a time that a date can have, in milliseconds since the epoch. Fractions are rounded. */
export function isTime(ms: number): boolean {
  return Number.isFinite(ms) && Math.abs(Math.round(ms)) <= END_OF_TIME
}

/** Returns a wait as stored in a record. Formats below 3 do not state the asker. Throws a `TypeError` for options that the type does not have. */
export function waitRequest(state: State, type: WaitType, title: string, options: WaitOptions): WaitRequest {
  const { about, asker } = options
  const rules = waitRules(type, title, options)
  if ((options.every ?? 0) > END_OF_TIME) throw refused(type, title, `every must be at most ${END_OF_TIME} milliseconds`)
  const due = options.due === undefined ? undefined : Math.round(options.due)
  if (options.due !== undefined && !isTime(options.due))
    throw refused(type, title, `due is ${options.due}; it must be a time in milliseconds, at most ${END_OF_TIME} from 1970`)
  if (rules !== undefined) return [type, title, due ?? null, about ?? null, asker ?? null, rules]
  if (asker !== undefined && state.isCurrentFormat) return [type, title, due ?? null, about ?? null, asker]
  if (about !== undefined) return [type, title, due ?? null, about]
  return due === undefined ? [type, title] : [type, title, due]
}

/** Returns the rules of a wait. Throws a `TypeError` for rules that its type does not have. */
function waitRules(type: WaitType, title: string, { stays, every, most, bytes }: WaitOptions): WaitRules | undefined {
  if (stays === undefined && every === undefined && most === undefined && bytes === undefined) return undefined
  const refuse = (why: string) => refused(type, title, why)
  for (const [name, amount] of Object.entries({ every, most, bytes }))
    if (amount !== undefined && !(Number.isSafeInteger(amount) && amount > 0)) throw refuse(`${name} must be a whole number above 0`)
  if (every !== undefined && type !== 'timer') throw refuse('only timers have "every"')
  if ((stays === true || most !== undefined) && type !== 'message') throw refuse('only waits for messages have "stays" and "most"')
  if (bytes !== undefined && most === undefined) throw refuse('"bytes" needs "most"')
  const rules = {
    ...(stays === true ? { stays } : {}),
    ...(every === undefined ? {} : { every }),
    ...(most === undefined ? {} : { most }),
    ...(bytes === undefined ? {} : { bytes }),
  }
  return Object.keys(rules).length === 0 ? undefined : rules
}

function refused(type: WaitType, title: string, why: string): TypeError {
  return new TypeError(`the ${type} wait ${title} cannot be opened: ${why}`)
}
