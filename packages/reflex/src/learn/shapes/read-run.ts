import { keptRecords, readPart, type RunRow, type Store } from '../../kernel/index.ts'
import type { RunRead } from './call-sequence.ts'
import { JournalReader, type ReadOptions } from './journal-reader.ts'

/** The statuses of ended runs. */
const ENDED: readonly RunRow['status'][] = ['completed', 'failed', 'cancelled']

/** True for a run that has ended and can be read. */
export function hasEnded({ status }: Pick<RunRow, 'status'>): boolean {
  return ENDED.includes(status)
}

/**
 * Reads the shape of an ended run from its journal, whatever its kind: the records are folded again, no program is loaded. Returns undefined for
 * a simulated run: what never happened teaches nothing. A fork has only the calls after its fork. Of a run whose earlier segments are gone,
 * the calls after them are read. Throws `R5003` for a journal that cannot be read.
 */
export async function readRun(store: Store, row: RunRow, options: ReadOptions = {}): Promise<RunRead | undefined> {
  const part = await readPart(store, row.id, (await keptRecords(store, row.id)).first, row.last)
  const reader = new JournalReader(part.opening(), options)
  for await (const [, record] of part.records()) reader.take(record)
  return reader.read(row)
}
