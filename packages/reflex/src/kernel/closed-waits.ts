import type { Wait } from './frame.ts'
import type { Rec } from './record.ts'
import { State } from './state.ts'

/**
 * The number of the record that closed a wait, if the records begin with the first and open it. Looked up when
 * an answer is refused, so that no state has to remember every question that was ever asked.
 */
export function closingRecord(records: readonly Rec[], is: (wait: Wait) => boolean): number | undefined {
  const state = new State()
  if (records[0]?.more?.start === undefined) return undefined
  let open: Wait | undefined
  for (const record of records) {
    state.apply(record)
    if (open !== undefined && !state.waits.has(open.id)) return state.n
    open ??= [...state.waits.values()].find(is)
  }
  return undefined
}
