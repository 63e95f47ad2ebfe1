import type { Wait } from './frame.ts'
import type { Json } from '../journal/json.ts'
import type { Rec } from '../journal/record.ts'
import { State } from './state.ts'

/** The end of a wait. */
export interface ClosedWait {
  /** The number of the record that closed it. */
  readonly record: number
  /** The answer that closed it, and who gave it; absent where it was no answer. */
  readonly answer?: { readonly value: Json; readonly by?: string }
}

/**
 * The record that closed a wait, if the records begin with the first and open it. Looked up when
 * an answer is refused, so that no state has to remember every question that was ever asked.
 */
export function findClosedWait(records: readonly Rec[], matches: (wait: Wait) => boolean): ClosedWait | undefined {
  const state = new State()
  if (records[0]?.more?.start === undefined) return undefined
  let open: Wait | undefined
  for (const record of records) {
    state.apply(record)
    if (open !== undefined && !state.waits.has(open.id)) return closedWaitOf(state.n, record, open)
    open ??= [...state.waits.values()].find(matches)
  }
  return undefined
}

function closedWaitOf(record: number, { input }: Rec, { id }: Wait): ClosedWait {
  if (input?.[0] !== 'answer' || input[1] !== id) return { record }
  const [, , value, by] = input
  return { record, answer: { value, ...(by === undefined ? {} : { by }) } }
}

/** Says in a refusal how the question was closed: by whose answer, and in which record. Empty where it is not known. */
export function closedWaitText(closed: ClosedWait | undefined): string {
  if (closed === undefined) return ''
  const { record, answer } = closed
  const first = answer?.by === undefined ? '' : `; ${answer.by} was first, with ${shortText(answer.value)}`
  return `${first}; record ${record} closed it`
}

/** Characters of an answer that a refusal repeats. */
const MAX_LENGTH = 60

function shortText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`
}
