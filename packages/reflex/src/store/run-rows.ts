import type { RunRow, Worker } from '../kernel/store.ts'
import type { KnownWorker } from './alive.ts'
import { changed, type RunColumns, rowOf } from './columns.ts'
import { type ChainEnd, sumOf } from './sums.ts'

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

export function sumOfRun(run: RunColumns, chain: number): number {
  return sumOf(run.id, run.trace, run.program, run.status, run.last, chain, run.started, run.updated, run.due, run.waits, run.value)
}

/** The row as the contract has it. Throws `R5003` if it is not what was written. */
export function checkedRow(stored: StoredRunRow): RunRow {
  if (sumOfRun(stored, stored.chain) !== stored.sum) throw changed(`the row of ${stored.id}`, stored.id)
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
