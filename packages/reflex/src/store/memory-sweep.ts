import type { StoredBatch, SweepOptions, SweepResult } from '../kernel/index.ts'
import { isAbandoned, type KnownWorker } from './known-worker.ts'
import type { RunColumns } from './columns.ts'
import { addHashes, FORK_MARK, NeededHashes, parentsOf, unneededRuns } from './sweep-candidates.ts'

/** The contents of a memory store that a sweep examines. */
export interface MemoryContents {
  readonly runs: readonly {
    readonly columns: RunColumns
    readonly owner: KnownWorker | undefined
    readonly batches: readonly StoredBatch[]
  }[]
  readonly programs: Iterable<string>
  readonly blobs: Iterable<string>
  /** The values of all ledgers, as JSON text. */
  readonly ledgers: Iterable<string>
}

/** Returns what a sweep removes from a memory store. */
export function unneededOf({ runs, programs, blobs, ledgers }: MemoryContents, { now, before }: SweepOptions): SweepResult {
  const rows = runs.map(({ columns, owner }) => ({ ...columns, abandoned: isAbandoned(columns.last, owner, now) }))
  const forkBatches = runs.flatMap(({ columns: { id }, batches: [first] }) =>
    first?.body.includes(FORK_MARK) === true ? [{ ...first, id }] : [],
  )
  const gone = unneededRuns(rows, parentsOf(forkBatches), before)
  const needed = new NeededHashes()
  for (const { columns, batches } of runs)
    if (!gone.has(columns.id) && needed.firstUnread(columns) !== undefined) needed.addRecords(columns, batches)
  for (const value of ledgers) addHashes(value, needed.hashes)
  return { runs: [...gone], programs: needed.unneeded(programs), blobs: needed.unneeded(blobs) }
}
