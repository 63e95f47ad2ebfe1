import { crc32 } from 'node:zlib'
import { faults, type StoredBatch } from '../kernel/index.ts'

/** Returns the checksum of several values in the given order. */
export function sumOf(...facts: readonly (string | number | null | undefined)[]): number {
  return crc32(facts.join('\0'))
}

/**
 * Returns the checksum before the first batch of a run. It depends on the run's id, so a batch of another run does not
 * fit.
 */
export function firstSum(run: string): number {
  return crc32(run)
}

/** Returns the checksum of a batch. It depends on the batch before it: removing or replacing a batch breaks the chain. */
export function nextSum(before: number, batch: StoredBatch): number {
  return crc32(`${batch.first} ${batch.count} ${batch.version}\n${batch.body}`, before)
}

/** A batch to check. Of a packed segment, only the last batch has a checksum: that of the segment. */
export interface UncheckedBatch extends StoredBatch {
  readonly sum?: number
}

/** A batch with its checksum in the chain. */
export interface SummedBatch extends StoredBatch {
  readonly sum: number
}

/** The end of a run's chain, read from the run's row. */
export interface ChainEnd {
  readonly id: string
  readonly last: number
  readonly sum: number
}

/**
 * Checks batches against the chain of their run and returns them as they were written. `before` is the batch before the
 * first of them; `until` is the last record that must be present. Throws `R5003` with the number of the first record
 * that is missing or not what was written.
 */
export function checkChain(
  end: ChainEnd,
  before: SummedBatch | undefined,
  batches: readonly UncheckedBatch[],
  until: number,
): StoredBatch[] {
  let next = before === undefined ? 1 : before.first + before.count
  let sum = before === undefined ? firstSum(end.id) : before.sum
  const checked = batches.map((batch): StoredBatch => {
    const { first, count, version, body } = batch
    if (first !== next) throw damagedJournal(end.id, next, 'is missing')
    sum = nextSum(sum, batch)
    if (count < 1 || (batch.sum !== undefined && batch.sum !== sum)) throw damagedJournal(end.id, first, 'is not what was written')
    next = first + count
    return { first, count, version, body }
  })
  if (next <= Math.min(until, end.last)) throw damagedJournal(end.id, next, 'is missing')
  if (next > end.last + 1 || (next === end.last + 1 && sum !== end.sum))
    throw damagedJournal(end.id, next - 1, 'is not the one that was written last')
  return checked
}

function damagedJournal(run: string, record: number, what: string): Error {
  return faults.make('R5003', `${run}: record ${record} ${what}`, { run, data: { record }, fix: 'restore the store from a copy' })
}
