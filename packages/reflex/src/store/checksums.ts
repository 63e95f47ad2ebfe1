import { crc32 } from 'node:zlib'
import { faults } from '../kernel/journal/faults.ts'
import type { StoredBatch } from '../kernel/ports/store.ts'

/** A checksum of several facts, in this order. */
export function sumOf(...facts: readonly (string | number | null | undefined)[]): number {
  return crc32(facts.join('\0'))
}

/** Where the chain of a run's batches begins, so that no batch of another run fits. */
export function firstSum(run: string): number {
  return crc32(run)
}

/** The checksum of a batch goes on from the one before it: a batch that is removed or exchanged breaks the chain. */
export function nextSum(before: number, batch: StoredBatch): number {
  return crc32(`${batch.first} ${batch.count} ${batch.version}\n${batch.body}`, before)
}

/** A batch with its place in the chain. */
export interface SummedBatch extends StoredBatch {
  readonly sum: number
}

/** The end of a run's chain, as its row says. */
export interface ChainEnd {
  readonly id: string
  readonly last: number
  readonly sum: number
}

/**
 * Batches as they were written, up to the one that holds record `until`. Throws `R5003` with the number of the
 * first record that is missing or not what was written. `before` is the batch before the first of them.
 */
export function checkChain(end: ChainEnd, before: SummedBatch | undefined, batches: readonly SummedBatch[], until: number): StoredBatch[] {
  let next = before === undefined ? 1 : before.first + before.count
  let sum = before === undefined ? firstSum(end.id) : before.sum
  const checked = batches.map((batch): StoredBatch => {
    const { first, count, version, body } = batch
    if (first !== next) throw damagedJournal(end.id, next, 'is missing')
    if (count < 1 || nextSum(sum, batch) !== batch.sum) throw damagedJournal(end.id, first, 'is not what was written')
    next = first + count
    sum = batch.sum
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
