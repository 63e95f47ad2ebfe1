import type { RunRow, StoredBatch, UnreadRun, Worker } from '../kernel/index.ts'
import { isAbandoned, type KnownWorker } from './known-worker.ts'
import { corruption, type MessageColumns, type RunColumns, rowOf } from './columns.ts'
import { type ChainEnd, type SummedBatch, sumOf } from './checksums.ts'
import type { EntryRow, LedgerFactsRow } from './ledger-rows.ts'
import { type SegmentRow, summedSegment } from './segments.ts'

/** The columns of a run's owner, from a join. All are null if there is no owner. */
export interface OwnerColumns {
  readonly owner: string | null
  readonly worker: string | null
  readonly host: string
  readonly pid: number
  readonly place: string
  readonly began: string
  readonly seen: number
  readonly ttl: number
}

/** A row of the table `run`, with its owner. */
export interface StoredRunRow extends RunColumns, OwnerColumns {
  readonly seq: number
  readonly token: number
  readonly chain: number
  readonly sum: number
  /** The last record before its first one, of a run that began with a snapshot; null for all others. */
  readonly base: number | null
  /** The segment row with number 0, which states `base`, as a JSON object; null if there is none. */
  readonly base_row: string | null
}

/** A row of the table `run` alone. */
export type OwnerlessRow = Omit<StoredRunRow, keyof OwnerColumns>

/** The facts of a run that a commit needs: its position, and the columns that a commit keeps. */
export interface Head extends Pick<RunColumns, 'id' | 'trace' | 'program' | 'status' | 'last' | 'started'> {
  readonly seq: number
  readonly token: number
  readonly chain: number
}

/** A run that can still be advanced, and a summary of its inbox. */
export interface OpenRun extends OwnerColumns {
  readonly id: string
  readonly status: RunRow['status']
  readonly last: number
  readonly base: number | null
  readonly due: number | null
  readonly updated: number
  /** The time at which the first answer or cancellation in the inbox was posted; null if there is none. */
  readonly told: number | null
  /** The time at which the first message in the inbox was posted; null if there is none. */
  readonly heard: number | null
  /** The topics of the messages in the inbox, as a JSON list; null if there are none. */
  readonly topics: string | null
  /** The waits of the row; may be null if `topics` is null. */
  readonly waits: string | null
}

/** The position of a batch among all batches, or of a seal among all seals. */
export interface Place {
  readonly row: number
  readonly run: number
  readonly first: number
  /** The checksum of the records up to the last one of the batch or segment. */
  readonly sum: number
}

/** The type of the rows that each reading statement returns. */
export interface Rows {
  readonly run: StoredRunRow
  readonly runs: StoredRunRow
  readonly head: Head
  readonly lastSegment: SegmentRow
  readonly segments: SegmentRow
  readonly segment: SegmentRow
  readonly segmentsNumbered: SegmentRow
  readonly segmentBefore: SegmentRow
  readonly lastVersion: { readonly version: number }
  readonly segmentBody: { readonly body: Uint8Array | null }
  readonly parents: { readonly id: string; readonly parent: string }
  readonly snapshots: { readonly at: number; readonly sum: number; readonly body: string }
  readonly before: SummedBatch
  readonly batches: SummedBatch
  readonly holding: { readonly first: number | null }
  readonly program: { readonly hash: string; readonly kind: string; readonly sum: number; readonly source: string }
  readonly blob: { readonly sum: number; readonly body: string }
  readonly lastRow: { readonly row: number | null }
  readonly packedRows: { readonly last: number }
  readonly rowsAfter: { readonly row: number; readonly id: string; readonly first: number; readonly count: number }
  readonly posted: { readonly row: number }
  readonly postedTo: { readonly row: number }
  readonly answered: { readonly row: number }
  readonly inbox: MessageColumns & { readonly row: number; readonly sum: number }
  readonly waiting: { readonly count: number }
  readonly version: { readonly data_version: number }
  readonly layout: { readonly user_version: number }
  readonly unread: UnreadRun
  readonly open: OpenRun
  readonly entryOf: { readonly seq: number }
  readonly lastEntry: { readonly seq: number | null }
  readonly runsAfter: StoredRunRow
  readonly forks: { readonly id: string; readonly version: number; readonly body: string }
  readonly lastBatch: Place
  readonly batchAt: Place
  /** `id` is null for the batch of a run that is not in the store. */
  readonly batchesAfter: Place & StoredBatch & { readonly id: string | null }
  readonly lastSealed: Place
  readonly sealedAt: Place
  /** `without_rows` is 1 for a segment whose records are not in rows, and for the one before the first records of a run. */
  readonly sealedAfter: Place & { readonly id: string | null; readonly parent: string | null; readonly without_rows: number }
  readonly ledgersAfter: { readonly row: number; readonly value: string }
  readonly rowsOf: { readonly count: number }
  readonly programs: { readonly hash: string }
  readonly blobs: { readonly hash: string }
  readonly entries: EntryRow
  readonly newestEntry: EntryRow
  readonly entryNames: { readonly name: string }
  readonly ledgerFacts: LedgerFactsRow
  readonly keptLedgers: { readonly name: string; readonly keep: number }
  readonly openRun: { readonly id: string }
}

/** Returns the checksum of a run's row; `chain` is that of its last batch. */
export function sumOfRun(run: RunColumns, chain: number): number {
  const { id, trace, program, status, last, started, updated, due, waits, value, used } = run
  // A row that an older release wrote has no usage, and no place for it in its sum.
  return used === null
    ? sumOf(id, trace, program, status, last, chain, started, updated, due, waits, value)
    : sumOf(id, trace, program, status, last, chain, started, updated, due, waits, value, used)
}

/** Returns the row as the contract defines it. Throws `R5003` if it is not what was written. */
export function checkedRow(stored: StoredRunRow): RunRow {
  const owner = ownerOf(stored)
  return ownedRow(stored, owner === undefined ? null : plainWorker(owner))
}

/** Returns the row of a run that has this owner. Throws as `checkedRow`. */
export function ownedRow(stored: OwnerlessRow, owner: Worker | null): RunRow {
  if (sumOfRun(stored, stored.chain) !== stored.sum) throw corruption(`the row of ${stored.id}`, stored.id)
  return rowOf(stored, owner)
}

/** Returns the last record before the first one of a run, 0 for most. Throws `R5003` if the store does not have what was written. */
export function baseOf(run: StoredRunRow): number {
  const base = intactBase(run)
  if (base === undefined) throw corruption(`the snapshot that opens ${run.id}`, run.id)
  return base
}

/** True if a run is not in lists: it never began. One of which the store cannot tell is listed, so that somebody sees its fault. */
export function isHidden(run: StoredRunRow): boolean {
  const base = intactBase(run)
  return base !== undefined && isAbandoned({ last: run.last, base }, ownerOf(run))
}

function intactBase({ id, base_row: baseRow }: StoredRunRow): number | undefined {
  if (baseRow === null) return 0
  const row = JSON.parse(baseRow) as SegmentRow
  return summedSegment(id, row).sum === row.sum ? row.last : undefined
}

export function chainEnd({ id, last, chain }: StoredRunRow): ChainEnd {
  return { id, last, sum: chain }
}

/** Returns the worker that owns a run, if the store knows it. */
export function ownerOf({ worker, host, pid, place, began, seen, ttl }: OwnerColumns): KnownWorker | undefined {
  return worker === null ? undefined : { id: worker, host, pid, place, began, seen, ttl }
}

export function plainWorker({ id, host, pid }: Worker): Worker {
  return { id, host, pid }
}
