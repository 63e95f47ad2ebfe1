import { isFault, type RunFilter, type RunRow, type StoredBatch, type StoredRun } from '../../kernel/index.ts'
import type { Ask } from './connection.ts'
import { baseOf, chainEnd, checkedRow, isHidden, type StoredRunRow } from '../rows.ts'
import type { FoundRun } from './statements.ts'
import { checkChain, sumOf, type UncheckedBatch } from '../checksums.ts'
import { unknownRun } from '../columns.ts'
import { laterOf, requireOpening } from '../reading.ts'
import { checkedSegment, goneRecords, placeOf, type SegmentRow, unpackSegment } from '../segments.ts'

const LAST_RECORD = Number.MAX_SAFE_INTEGER
/** The number of runs that one statement reads. */
const PAGE = 500

/** Reads a run: its row, the newest snapshot up to record `until`, and the batches after it. Throws `R5003` for damage. */
export function readRun(ask: Ask, id: string, until = LAST_RECORD): Promise<StoredRun | undefined> {
  return retryIfReplaced(ask, id, async (run) => {
    const row = checkedRow(run)
    const end = Math.min(until, run.last)
    if (end < 1) return { row, batches: [] }
    const snapshot = run.has_snapshots > 0 ? await validSnapshot(ask, run.seq, end) : undefined
    if (snapshot === undefined && run.has_segments > 0) requireOpening(run, await ask('segmentsIn', [run.seq, 0, end + 1]), end)
    const batches = await readBatches(ask, run, (snapshot?.at ?? 0) + 1, end)
    return { row, ...(snapshot === undefined ? {} : { snapshot }), batches }
  })
}

/**
 * Reads the data of a run as of the moment when its row was read. Journals and snapshots grow only at their end, and
 * everything after the last record of the row is ignored. If the whole run was removed meanwhile, it is looked up
 * again.
 */
export async function retryIfReplaced<T>(ask: Ask, id: string, work: (run: FoundRun) => Promise<T>): Promise<T | undefined> {
  for (;;) {
    const [run] = await ask('run', [id])
    if (run === undefined) return undefined
    try {
      return await work(run)
    } catch (thrown) {
      if (!isAboutRecords(thrown)) throw thrown
      const [current] = await ask('run', [id])
      if (current?.seq === run.seq) throw thrown
    }
  }
}

/** True for a fault that says that records are missing or not what was written. */
function isAboutRecords(thrown: unknown): boolean {
  return isFault(thrown) && (thrown.code === 'R5003' || thrown.code === 'R5054')
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

/** Reads the batches of a run from the one with record `from` to the one with record `until`. Throws `R5003` and `R5054`. */
export async function readJournal(ask: Ask, id: string, from = 1, until = LAST_RECORD): Promise<readonly StoredBatch[]> {
  const batches = await retryIfReplaced(ask, id, (run) => readBatches(ask, run, Math.max(from, baseOf(run) + 1), Math.min(until, run.last)))
  return batches ?? []
}

/** Reads the batches of a run from the one with record `from` to the one with record `until`. Throws `R5003` and `R5054`. */
export function readBatches(ask: Ask, run: FoundRun, from: number, until: number): Promise<StoredBatch[]> {
  const segments = () => ask('segmentsIn', [run.seq, from, until])
  return retryIfMoved(segments, (found) => readAround(ask, run, found, from, until), run.has_segments > 0 ? undefined : [])
}

/**
 * Runs `work` on segments of a run, and again if it fails because another process packed or forgot one between two statements. `known`: the
 * segments as they were read before.
 */
export async function retryIfMoved<T>(
  read: () => Promise<readonly SegmentRow[]>,
  work: (segments: readonly SegmentRow[]) => Promise<T>,
  known?: readonly SegmentRow[],
): Promise<T> {
  for (let segments = known ?? (await read()); ; ) {
    try {
      return await work(segments)
    } catch (thrown) {
      if (!isAboutRecords(thrown)) throw thrown
      const current = await read()
      if (current.map(placeOf).join() === segments.map(placeOf).join()) throw thrown
      segments = current
    }
  }
}

async function readAround(
  ask: Ask,
  run: StoredRunRow,
  segments: readonly SegmentRow[],
  from: number,
  until: number,
): Promise<StoredBatch[]> {
  const sealed = segments.filter(({ number, first, last }) => number > 0 && last >= from && first <= until)
  const gone = sealed.findLast((row) => placeOf(checkedSegment(run.id, row)) === 'gone')
  if (gone !== undefined) throw goneRecords(run.id, gone)
  const packed = sealed.filter((row) => placeOf(row) === 'packed')
  // A packed segment is checked from its first record on; a segment that ends before these records is not read.
  const inside = packed.find(({ first }) => first <= from)
  const earlier = segments.findLast(({ last }) => last < (inside?.first ?? from))
  const start = inside?.first ?? from
  const bodies = packed.length === 0 ? [] : await ask('segmentBodies', [run.seq, packed.map(({ number }) => number)])
  const unpacked = packed.flatMap((row) => {
    const body = bodies.find(({ number }) => number === row.number)?.body
    return unpackSegment(run.id, row, body === undefined ? null : Buffer.from(body, 'base64'))
  })
  const found = await ask('batches', [run.seq, start, until])
  const rows = found.filter(({ first, count }) => first + count > start)
  const before = found.findLast(({ first, count }) => first + count <= start)
  const all: UncheckedBatch[] = [...unpacked, ...rows].sort((a, b) => a.first - b.first)
  const checked = checkChain(chainEnd(run), laterOf(before, earlier), all, until)
  return checked.filter(({ first, count }) => first + count > from && first <= until)
}

/** Reads the rows of the runs that match a filter, the newest first. Abandoned runs are left out. */
export async function readRuns(ask: Ask, filter: RunFilter): Promise<readonly RunRow[]> {
  const { status, prefix, kind, program, since, until, limit = LAST_RECORD } = filter
  const wanted = [status ?? null, prefix ?? null, jsonText(kind), jsonText(program), since ?? 0, until ?? LAST_RECORD]
  const rows: RunRow[] = []
  let after = await startOf(ask, filter.after)
  while (rows.length < limit) {
    const page = await ask('runs', [...wanted, ...after, Math.min(PAGE, limit - rows.length + 1)])
    for (const run of page) if (rows.length < limit && !isHidden(run)) rows.push(checkedRow(run))
    const end = page.at(-1)
    if (end === undefined) break
    after = [end.started, end.seq]
  }
  return rows
}

function jsonText(value: string | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** Returns the position after which a list begins. Throws `R2016`. */
async function startOf(ask: Ask, run: string | undefined): Promise<readonly [started: number, seq: number]> {
  if (run === undefined) return [LAST_RECORD, LAST_RECORD]
  const [row] = await ask('run', [run])
  if (row === undefined) throw unknownRun(run)
  return [row.started, row.seq]
}
