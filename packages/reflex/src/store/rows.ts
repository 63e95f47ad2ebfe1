import type { RunRow, UnreadRun, Worker } from '../kernel/ports/store.ts'
import type { KnownWorker } from './known-worker.ts'
import { corruption, type MessageColumns, type RunColumns, rowOf } from './columns.ts'
import { type ChainEnd, type SummedBatch, sumOf } from './checksums.ts'

/** The worker of a run, as a join answers: all null where there is none. */
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
}

/** What a commit must know of a run: how far it is, and what its row keeps. */
export interface Head extends Pick<RunColumns, 'id' | 'trace' | 'program' | 'status' | 'last' | 'started'> {
  readonly seq: number
  readonly token: number
  readonly chain: number
}

/** A run that may still be advanced, and what lies in its inbox. */
export interface OpenRun extends OwnerColumns {
  readonly id: string
  readonly status: RunRow['status']
  readonly last: number
  readonly due: number | null
  readonly updated: number
  /** The time at which the first answer or cancellation in the inbox was posted; null if there is none. */
  readonly told: number | null
  /** The time at which the first message in the inbox was posted; null if there is none. */
  readonly heard: number | null
  /** The topics of the messages there, as a JSON list, and then the waits of the row; null where there are none. */
  readonly topics: string | null
  readonly waits: string | null
}

/** The position of a batch among all batches. */
interface BatchPlace {
  readonly row: number
  readonly run: number
  readonly first: number
  readonly sum: number
}

/** What each statement that reads answers with. */
export interface Rows {
  readonly run: StoredRunRow
  readonly runs: StoredRunRow
  readonly head: Head
  readonly snapshots: { readonly at: number; readonly sum: number; readonly body: string }
  readonly before: SummedBatch
  readonly batches: SummedBatch
  readonly holding: { readonly first: number | null }
  readonly program: { readonly hash: string; readonly kind: string; readonly sum: number; readonly source: string }
  readonly blob: { readonly sum: number; readonly body: string }
  readonly posted: { readonly row: number }
  readonly answered: { readonly row: number }
  readonly inbox: MessageColumns & { readonly row: number; readonly sum: number }
  readonly version: { readonly data_version: number }
  readonly layout: { readonly user_version: number }
  readonly unread: UnreadRun
  readonly open: OpenRun
  readonly entryOf: { readonly seq: number }
  readonly lastEntry: { readonly seq: number | null }
  readonly tip: BatchPlace
  readonly batchAt: BatchPlace
  readonly since: { readonly body: string }
  readonly forks: { readonly id: string; readonly version: number; readonly body: string }
  readonly ledgers: { readonly row: number; readonly value: string }
  readonly programs: { readonly hash: string }
  readonly blobs: { readonly hash: string }
  readonly entries: { readonly seq: number; readonly key: string; readonly at: number; readonly sum: number; readonly value: string }
}

export function sumOfRun(run: RunColumns, chain: number): number {
  const { id, trace, program, status, last, started, updated, due, waits, value, used } = run
  const sum = [id, trace, program, status, last, chain, started, updated, due, waits, value] as const
  // A row that an older release wrote has no usage, and no place for it in its sum.
  return used === null ? sumOf(...sum) : sumOf(...sum, used)
}

/** The row as the contract has it. Throws `R5003` if it is not what was written. */
export function checkedRow(stored: StoredRunRow): RunRow {
  if (sumOfRun(stored, stored.chain) !== stored.sum) throw corruption(`the row of ${stored.id}`, stored.id)
  const owner = ownerOf(stored)
  return rowOf(stored, owner === undefined ? null : plainWorker(owner))
}

export function chainEnd({ id, last, chain }: StoredRunRow): ChainEnd {
  return { id, last, sum: chain }
}

/** Who holds a run, if the store knows that worker. */
export function ownerOf({ worker, host, pid, place, began, seen, ttl }: OwnerColumns): KnownWorker | undefined {
  return worker === null ? undefined : { id: worker, host, pid, place, began, seen, ttl }
}

export function plainWorker({ id, host, pid }: Worker): Worker {
  return { id, host, pid }
}
