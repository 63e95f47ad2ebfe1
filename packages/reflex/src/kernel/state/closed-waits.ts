import type { Wait } from './frame.ts'
import type { Json } from '../journal/json.ts'
import type { Rec } from '../journal/record.ts'
import { State } from './state.ts'

/** The end of a wait. */
export interface ClosedWait {
  /** The number of the record that closed it. */
  readonly record: number
  /** The answer that closed it, and its author; absent if something else closed it. */
  readonly answer?: { readonly value: Json; readonly by?: string }
}

/**
 * Returns the record that closed a wait, if the wait is open in `state`, which is before the first of the records, or one of them opens
 * it. Computed when an answer is refused, so that the state need not store all closed questions. Changes `state`.
 */
export function findClosedWait(
  records: readonly Rec[],
  matches: (wait: Wait) => boolean,
  state: State = new State(),
): ClosedWait | undefined {
  if (state.n === 0 && records[0]?.more?.start === undefined) return undefined
  let open = [...state.waits.values()].find(matches)
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

/** Returns the text that explains how a question was closed: by whose answer and in which record. Empty if unknown. */
export function closedWaitText(closed: ClosedWait | undefined): string {
  if (closed === undefined) return ''
  const { record, answer } = closed
  const first = answer?.by === undefined ? '' : `; ${answer.by} was first, with ${shortText(answer.value)}`
  return `${first}; record ${record} closed it`
}

/** The limit of characters of an answer in a refusal. */
const MAX_LENGTH = 60

function shortText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`
}
