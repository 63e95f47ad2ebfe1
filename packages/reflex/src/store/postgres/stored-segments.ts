import type { PackResult, Segment, StoredBatch, StoredRun, StoredSegment } from '../../kernel/index.ts'
import { sumOf } from '../checksums.ts'
import { corruption, unknownRun } from '../columns.ts'
import { checkedRow, type StoredRunRow } from '../rows.ts'
import {
  checkedSegment,
  checkedSegments,
  forgottenSegments,
  goneRecords,
  noSealedSegment,
  openSegment,
  packSegment,
  placeOf,
  segmentOf,
  type SegmentRow,
} from '../segments.ts'
import { parentIn } from '../sweep-candidates.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import { readBatches, retryIfMoved, retryIfReplaced } from './reading.ts'

/** Returns the segments of a run in order, the open one last. Throws `R5003` for damage. */
export async function listSegments(ask: Ask, run: StoredRunRow): Promise<readonly Segment[]> {
  checkedRow(run)
  const { id, seq, last, chain } = run
  const rows = checkedSegments(id, await ask('segments', [seq])).filter((row) => row.last <= last)
  const [newest] = await ask('lastVersion', [seq])
  const open = openSegment(rows.at(-1), { last, version: newest?.version ?? 0, chain })
  return [...rows.filter(({ number }) => number > 0).map(segmentOf), ...(open === undefined ? [] : [open])]
}

/** Reads a segment and everything that folds it. Throws `R5054` if it is gone, `R5003` for damage. */
export async function readSegment(ask: Ask, run: StoredRunRow, number: number): Promise<StoredSegment | undefined> {
  const segment = (await listSegments(ask, run)).find((found) => found.number === number)
  if (segment === undefined) return undefined
  if (segment.place === 'gone') throw goneRecords(run.id, { last: segment.last, archive: segment.archive ?? null })
  const batches = await readBatches(ask, run, segment.first, segment.last)
  const snapshot = await openingSnapshot(ask, run, segment.opens)
  if (snapshot === undefined) return { segment, batches }
  const around = await ask('segmentsFrom', [run.seq, segment.first])
  const { chain = 0 } = around.find(({ last }) => last === segment.opens) ?? {}
  return { segment, snapshot: { ...snapshot, chain }, batches }
}

async function openingSnapshot(ask: Ask, { id, seq }: StoredRunRow, at: number): Promise<StoredRun['snapshot']> {
  if (at === 0) return undefined
  const [found] = await ask('snapshot', [seq, at])
  if (found === undefined || found.at !== at || sumOf(at, found.body) !== found.sum)
    throw corruption(`the snapshot of ${id} after record ${at}`, id)
  return { at, body: found.body }
}

/** Packs a segment, as for SQLite, in one statement. Of two processes that pack it at the same time, the second one changes nothing. */
export async function packStored(connection: PostgresConnection, id: string, number: number): Promise<PackResult> {
  for (;;) {
    const found = await retryIfReplaced(connection.ask, id, (run) => readRows(connection.ask, run, number))
    if (found === undefined) throw unknownRun(id)
    const { run, row: before, batches } = found
    if (batches === undefined) return { ...segmentOf(before), saved: 0 }
    const { row, body, saved } = await packSegment(id, before, batches, parentIn(id, batches[0]))
    const values = [run.seq, number, before.sum, row.parent, row.needs, row.crc, row.sum, Buffer.from(body).toString('base64')]
    const packed = await connection.write((ask) => ask('pack', values))
    if (packed.length > 0) return { ...segmentOf(row), saved }
    // Another process packed it, or the answer to the first attempt was lost: the segment tells.
  }
}

/** Returns a sealed segment, and its batches unless they are packed or gone. Throws `R5051` and `R5003`. */
async function readRows(
  ask: Ask,
  run: StoredRunRow,
  number: number,
): Promise<{ readonly run: StoredRunRow; readonly row: SegmentRow; readonly batches?: readonly StoredBatch[] }> {
  const row = (await ask('segments', [run.seq])).find((found) => found.number === number && number > 0)
  if (row === undefined) throw noSealedSegment(run.id, number)
  const isInRows = placeOf(checkedSegment(run.id, row)) === 'rows'
  return { run, row, ...(isInRows ? { batches: await readBatches(ask, run, row.first, row.last) } : {}) }
}

/** Removes the records of the segments up to `through`. Throws `R2016`, `R5051` and `R5052`. */
export async function forgetStored(connection: PostgresConnection, id: string, through: number, archive: string): Promise<void> {
  const { ask } = connection
  for (;;) {
    const [run] = await ask('run', [id])
    if (run === undefined) throw unknownRun(id)
    const rows = await ask('segments', [run.seq])
    const changed = forgottenSegments(id, rows, through, archive)
    if (changed.length === 0) return
    const before = changed.map(({ number }) => rows.find((row) => row.number === number)?.sum ?? 0)
    const values = [run.seq, archive, changed.map(({ number }) => number), before, changed.map(({ sum }) => sum)]
    // The next round shows whether all of it was done: another process may have been faster.
    await connection.write((write) => write('forget', values))
  }
}

/** Returns the texts with the hashes that a run needs because of its records from `from` on, as for SQLite. */
export async function readNeeds(ask: Ask, id: string, from: number): Promise<readonly { readonly body: string }[]> {
  const needs = (run: StoredRunRow) =>
    retryIfMoved(
      () => ask('segments', [run.seq]),
      (segments) => needsOf(ask, run, segments, from),
    )
  return (await retryIfReplaced(ask, id, needs)) ?? []
}

async function needsOf(
  ask: Ask,
  run: StoredRunRow,
  segments: readonly SegmentRow[],
  from: number,
): Promise<readonly { readonly body: string }[]> {
  const rows = checkedSegments(run.id, segments)
  const opens = rows.findLast((row) => row.number === 0 || placeOf(row) === 'gone')?.last ?? 0
  const snapshot = from <= opens ? await openingSnapshot(ask, run, opens) : undefined
  const texts: { readonly body: string }[] = snapshot === undefined ? [] : [snapshot]
  for (const row of rows.filter(({ last }) => last > opens && last >= from && last <= run.last)) {
    if (row.needs !== null) texts.push({ body: row.needs })
    else texts.push(...(await readBatches(ask, run, Math.max(from, row.first), row.last)))
  }
  const open = Math.max(from, (rows.findLast(({ last }) => last <= run.last)?.last ?? 0) + 1)
  return [...texts, ...(await readBatches(ask, run, open, run.last))]
}
