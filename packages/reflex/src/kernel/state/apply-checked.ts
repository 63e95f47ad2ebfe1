import { type Fault, toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Rec } from '../journal/record.ts'
import type { State } from './state.ts'

/** `R5003`: record `n` is none that could have come after those before it. */
export function invalidRecord(state: State, n: number, why: string): Fault {
  const run = state.start?.run
  return faults.make('R5003', `record ${n} cannot follow the records before it: ${why}`, { run, data: { record: n } })
}

/** Does something with the next record of a state. One that was written by somebody else may hold anything: what it breaks is said of it. */
export function withRecordFault<Result>(state: State, act: () => Result): Result {
  const n = state.n + 1
  try {
    return act()
  } catch (thrown) {
    throw toFault(thrown, (message) => invalidRecord(state, n, message))
  }
}

/** Applies the next record, which may hold anything. Throws `R5003`. */
export function applyChecked(state: State, record: Rec): void {
  withRecordFault(state, () => state.apply(record))
}
