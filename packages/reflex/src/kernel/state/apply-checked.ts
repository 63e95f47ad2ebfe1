import { type Fault, toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Rec } from '../journal/record.ts'
import type { State } from './state.ts'

/** Makes `R5003`: record `n` cannot follow the records before it. */
export function invalidRecord(state: State, n: number, why: string): Fault {
  const run = state.start?.run
  return faults.make('R5003', `record ${n} cannot follow the records before it: ${why}`, { run, data: { record: n } })
}

/** Runs a function for the next record of a state. A record from outside may contain anything: an error becomes `R5003` for that record. */
export function withRecordFault<Result>(state: State, act: () => Result): Result {
  const n = state.n + 1
  try {
    return act()
  } catch (thrown) {
    throw toFault(thrown, (message) => invalidRecord(state, n, message))
  }
}

/** Applies the next record, which may contain anything. Throws `R5003`. */
export function applyChecked(state: State, record: Rec): void {
  withRecordFault(state, () => state.apply(record))
}
