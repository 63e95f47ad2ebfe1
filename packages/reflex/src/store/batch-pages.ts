import type { Awaitable, StoredBatch } from '../kernel/index.ts'
import { unknownRun } from './columns.ts'

/** The number of records that one part of a long journal has, besides those of the batch at its end. */
const RECORDS = 1000

/** Yields the batches of a run between two records, and reads them in parts. Throws `R2016` if the run is removed meanwhile. */
export async function* batchPages(
  run: string,
  [first, last]: readonly [number, number],
  read: (from: number, until: number) => Awaitable<readonly StoredBatch[]>,
): AsyncGenerator<StoredBatch> {
  for (let from = first; from <= last; ) {
    const batches = await read(from, Math.min(last, from + RECORDS - 1))
    yield* batches
    const end = batches.at(-1)
    if (end === undefined) throw unknownRun(run)
    from = end.first + end.count
  }
}
