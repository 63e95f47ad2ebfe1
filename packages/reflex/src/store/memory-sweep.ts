import type { SweepOptions, SweepResult } from '../kernel/index.ts'
import { isAbandoned, type KnownWorker } from './known-worker.ts'
import type { RunColumns } from './columns.ts'
import type { MemoryJournal } from './memory-segments.ts'
import { addHashes } from './hashes.ts'
import { NeededHashes, parentIn, unneededRuns } from './sweep-candidates.ts'

/** The contents of a memory store that a sweep examines. */
export interface MemoryContents {
  readonly runs: readonly {
    readonly columns: RunColumns
    readonly owner: KnownWorker | undefined
    readonly journal: Pick<MemoryJournal, 'base' | 'parent' | 'firstBatch' | 'needs'>
  }[]
  readonly programs: Iterable<string>
  readonly blobs: Iterable<string>
  /** The values of all ledgers, as JSON text. */
  readonly ledgers: Iterable<string>
}

/** Returns what a sweep removes from a memory store. */
export function unneededOf(
  { runs, programs, blobs, ledgers }: MemoryContents,
  { now, before }: SweepOptions,
): Omit<SweepResult, 'entries'> {
  const rows = runs.map(({ columns, owner, journal }) => ({
    ...columns,
    abandoned: isAbandoned({ last: columns.last, base: journal.base }, owner, now),
  }))
  const parents = new Map<string, string>()
  for (const { columns, journal } of runs) {
    const parent = journal.parent ?? parentIn(columns.id, journal.firstBatch)
    if (parent !== null) parents.set(columns.id, parent)
  }
  const gone = unneededRuns(rows, parents, before)
  const needed = new NeededHashes()
  for (const { columns, journal } of runs)
    if (!gone.has(columns.id) && needed.firstUnread(columns) !== undefined) needed.addRecords(columns, journal.needs())
  for (const value of ledgers) addHashes(value, needed.hashes)
  return { runs: [...gone], programs: needed.unneeded(programs), blobs: needed.unneeded(blobs) }
}
