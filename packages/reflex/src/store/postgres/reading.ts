import { isFault, type RunFilter, type RunRow, type StoredBatch, type StoredRun } from '../../kernel/index.ts'
import { isAbandoned } from '../known-worker.ts'
import type { Ask } from './connection.ts'
import { chainEnd, checkedRow, ownerOf, type StoredRunRow } from '../rows.ts'
import { checkChain, sumOf } from '../checksums.ts'

const LAST_RECORD = Number.MAX_SAFE_INTEGER
/** The number of runs that one statement reads. */
const PAGE = 500

/** Reads a run: its row, the newest snapshot up to record `until`, and the batches after it. Throws `R5003` for damage. */
export function readRun(ask: Ask, id: string, until = LAST_RECORD): Promise<StoredRun | undefined> {
  return retryIfReplaced(ask, id, async (run) => {
    const row = checkedRow(run)
    const end = Math.min(until, run.last)
    const snapshot = await validSnapshot(ask, run.seq, end)
    const batches = await readBatches(ask, run, (snapshot?.at ?? 0) + 1, end)
    return { row, ...(snapshot === undefined ? {} : { snapshot }), batches }
  })
}

/**
 * Reads the data of a run as of the moment when its row was read. Journals and snapshots grow only at their end, and
 * everything after the last record of the row is ignored. If the whole run was removed meanwhile, it is looked up
 * again.
 */
async function retryIfReplaced<T>(ask: Ask, id: string, work: (run: StoredRunRow) => Promise<T>): Promise<T | undefined> {
  for (;;) {
    const [run] = await ask('run', [id])
    if (run === undefined) return undefined
    try {
      return await work(run)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      const [current] = await ask('run', [id])
      if (current?.seq === run.seq) throw thrown
    }
  }
}

/** Returns the newest snapshot that is what was written. A damaged one costs only time: the journal contains everything. */
async function validSnapshot(ask: Ask, seq: number, until: number): Promise<StoredRun['snapshot']> {
  for (let end = until; ; ) {
    const [snapshot] = await ask('snapshot', [seq, end])
    if (snapshot === undefined) return undefined
    const { at, sum, body } = snapshot
    if (sumOf(at, body) === sum) return { at, body }
    end = at - 1
  }
}

/** Reads the batches of a run from the one with record `from`. Throws `R5003` for damage. */
export async function readJournal(ask: Ask, id: string, from = 1): Promise<readonly StoredBatch[]> {
  const batches = await retryIfReplaced(ask, id, async (run) => {
    const [start] = await ask('holding', [run.seq, from])
    return readBatches(ask, run, start?.first ?? 1, run.last)
  })
  return (batches ?? []).filter(({ first, count }) => first + count > from)
}

async function readBatches(ask: Ask, run: StoredRunRow, first: number, until: number): Promise<StoredBatch[]> {
  const batches = [...(await ask('batches', [run.seq, first, until]))]
  const before = batches[0] !== undefined && batches[0].first < first ? batches.shift() : undefined
  return checkChain(chainEnd(run), before, batches, until)
}

/** Reads the rows of the runs that match a filter, the newest first. Abandoned runs are left out. */
export async function readRuns(ask: Ask, { status, prefix, limit = LAST_RECORD }: RunFilter): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  let after: readonly [started: number, seq: number] = [LAST_RECORD, LAST_RECORD]
  while (rows.length < limit) {
    const page = await ask('runs', [status ?? null, prefix ?? null, ...after, PAGE])
    for (const run of page) if (rows.length < limit && !isAbandoned(run.last, ownerOf(run))) rows.push(checkedRow(run))
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) break
    after = [end.started, end.seq]
  }
  return rows
}
