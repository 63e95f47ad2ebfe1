import type { Rec, Ref } from './record.ts'
import { State } from './state.ts'

/**
 * The number of the record that closed a wait, if the records begin with the first and open it. Looked up when
 * an answer is refused, so that no state has to remember every question that was ever asked.
 */
export function closingRecord(records: readonly Rec[], wait: Ref): number | undefined {
  const state = new State()
  if (records[0]?.more?.start === undefined) return undefined
  let open = false
  for (const record of records) {
    state.apply(record)
    if (open && !state.waits.has(wait)) return state.n
    open ||= state.waits.has(wait)
  }
  return undefined
}
