import type { StoredBatch, SweepOptions, Swept } from '../kernel/ports/store.ts'
import { isStillborn, type KnownWorker } from './alive.ts'
import type { RunColumns } from './columns.ts'
import { addHashes, FORK, Needed, parentsOf, unneededRuns } from './unneeded.ts'

/** What a store in memory holds, as far as a sweep looks at it. */
export interface Held {
  readonly runs: readonly {
    readonly columns: RunColumns
    readonly owner: KnownWorker | undefined
    readonly batches: readonly StoredBatch[]
  }[]
  readonly programs: Iterable<string>
  readonly blobs: Iterable<string>
  /** Every value of every ledger. */
  readonly ledgers: Iterable<string>
}

/** What a sweep takes away of it. */
export function unneededOf({ runs, programs, blobs, ledgers }: Held, { now, before }: SweepOptions): Swept {
  const rows = runs.map(({ columns, owner }) => ({ ...columns, stillborn: isStillborn(columns.last, owner, now) }))
  const begun = runs.flatMap(({ columns: { id }, batches: [first] }) => (first?.body.includes(FORK) === true ? [{ ...first, id }] : []))
  const gone = unneededRuns(rows, parentsOf(begun), before)
  const needed = new Needed()
  for (const { columns, batches } of runs) if (!gone.has(columns.id) && needed.from(columns) !== undefined) needed.add(columns, batches)
  for (const value of ledgers) addHashes(value, needed.hashes)
  return { runs: [...gone], programs: needed.without(programs), blobs: needed.without(blobs) }
}
