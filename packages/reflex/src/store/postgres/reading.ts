import { isFault } from '../../kernel/journal/fault.ts'
import type { RunFilter, RunRow, StoredBatch, StoredRun } from '../../kernel/ports/store.ts'
import { isStillborn } from '../alive.ts'
import type { Ask } from './connection.ts'
import { chainEnd, checkedRow, ownerOf, type StoredRunRow } from '../rows.ts'
import { checkChain, sumOf } from '../sums.ts'

const EVER = Number.MAX_SAFE_INTEGER
/** Runs that are fetched at a time. */
const PAGE = 500

export function readRun(ask: Ask, id: string, until = EVER): Promise<StoredRun | undefined> {
  return whileItStands(ask, id, async (run) => {
    const row = checkedRow(run)
    const end = Math.min(until, run.last)
    const snapshot = await soundSnapshot(ask, run.seq, end)
    const batches = await readBatches(ask, run, (snapshot?.at ?? 0) + 1, end)
    return { row, ...(snapshot === undefined ? {} : { snapshot }), batches }
  })
}

/**
 * Reads what belongs to a run, as it stood when its row was read. Journals and snapshots grow at their end alone, and what
 * stands beyond the last record of the row is left out; or they go with the whole run, and then it is looked for again.
 */
async function whileItStands<T>(ask: Ask, id: string, work: (run: StoredRunRow) => Promise<T>): Promise<T | undefined> {
  for (;;) {
    const [run] = await ask('run', [id])
    if (run === undefined) return undefined
    try {
      return await work(run)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      const [now] = await ask('run', [id])
      if (now?.seq === run.seq) throw thrown
    }
  }
}

/** The newest snapshot that is what was written. A damaged one costs time only: the journal has everything. */
async function soundSnapshot(ask: Ask, seq: number, until: number): Promise<StoredRun['snapshot']> {
  for (let end = until; ; ) {
    const [snapshot] = await ask('snapshot', [seq, end])
    if (snapshot === undefined) return undefined
    const { at, sum, body } = snapshot
    if (sumOf(at, body) === sum) return { at, body }
    end = at - 1
  }
}

export async function readJournal(ask: Ask, id: string, from = 1): Promise<readonly StoredBatch[]> {
  const batches = await whileItStands(ask, id, async (run) => {
    const [holding] = await ask('holding', [run.seq, from])
    return readBatches(ask, run, holding?.first ?? 1, run.last)
  })
  return (batches ?? []).filter(({ first, count }) => first + count > from)
}

async function readBatches(ask: Ask, run: StoredRunRow, first: number, until: number): Promise<StoredBatch[]> {
  const batches = [...(await ask('batches', [run.seq, first, until]))]
  const before = batches[0] !== undefined && batches[0].first < first ? batches.shift() : undefined
  return checkChain(chainEnd(run), before, batches, until)
}

export async function readRuns(ask: Ask, { status, prefix, limit = EVER }: RunFilter): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  let place: readonly [started: number, seq: number] = [EVER, EVER]
  while (rows.length < limit) {
    const page = await ask('runs', [status ?? null, prefix ?? null, ...place, PAGE])
    for (const run of page) if (rows.length < limit && !isStillborn(run.last, ownerOf(run))) rows.push(checkedRow(run))
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) break
    place = [end.started, end.seq]
  }
  return rows
}
