import type { PackResult, Segment, StoredBatch, StoredRun, StoredSegment } from '../../kernel/index.ts'
import { sumOf } from '../checksums.ts'
import { corruption, unknownRun } from '../columns.ts'
import { checkedRow, type StoredRunRow } from '../rows.ts'
import type { FoundRun } from './statements.ts'
import { needSources, numberedSegment, recordsToCheck } from '../segment-ranges.ts'
import {
  checkedSegment,
  checkedSegments,
  forgottenSegments,
  goneRecords,
  noSealedSegment,
  openSegment,
  packSegment,
  placeOf,
  type SegmentEnd,
  segmentOf,
  type SegmentRow,
} from '../segments.ts'
import { parentIn } from '../sweep-candidates.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import { readBatches, retryIfMoved, retryIfReplaced } from './reading.ts'

/** Returns the segments of a run in order, the open one last. Throws `R5003` for damage. */
export async function listSegments(ask: Ask, run: FoundRun): Promise<readonly Segment[]> {
  checkedRow(run)
  const { id, seq, last } = run
  const rows = checkedSegments(id, await ask('segments', [seq])).filter((row) => row.last <= last)
  const open = openSegment(rows.at(-1), await endOf(ask, run))
  const segments = [...rows.filter(({ number }) => number > 0).map(segmentOf), ...(open === undefined ? [] : [open])]
  for (const record of recordsToCheck(segments)) await readBatches(ask, run, record, record)
  return segments
}

async function endOf(ask: Ask, { seq, last, chain }: StoredRunRow): Promise<SegmentEnd> {
  const [newest] = await ask('lastVersion', [seq])
  return { last, version: newest?.version ?? 0, chain }
}

/** Reads a segment and everything that folds it. Throws `R5054` if it is gone, `R5003` for damage. */
export async function readSegment(ask: Ask, run: FoundRun, number: number): Promise<StoredSegment | undefined> {
  checkedRow(run)
  const found = numberedSegment(run.id, number, await ask('segmentsNumbered', [run.seq, number]), await endOf(ask, run))
  if (found === undefined) return undefined
  const { segment, before } = found
  if (segment.place === 'gone') throw goneRecords(run.id, { last: segment.last, archive: segment.archive ?? null })
  const batches = await readBatches(ask, run, segment.first, segment.last)
  const snapshot = await openingSnapshot(ask, run, segment.opens)
  return { segment, ...(snapshot === undefined ? {} : { snapshot: { ...snapshot, chain: before?.chain ?? 0 } }), batches }
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
  run: FoundRun,
  number: number,
): Promise<{ readonly run: FoundRun; readonly row: SegmentRow; readonly batches?: readonly StoredBatch[] }> {
  const row = number > 0 ? (await ask('segmentsNumbered', [run.seq, number])).find((found) => found.number === number) : undefined
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

/** Returns the texts with the hashes that a run needs because of its records from `from` to `until`, as for SQLite. */
export async function readNeeds(ask: Ask, id: string, from: number, until: number): Promise<readonly { readonly body: string }[]> {
  const needs = (run: FoundRun) =>
    retryIfMoved(
      () => ask('segmentsIn', [run.seq, from, until + 1]),
      (segments) => needsOf(ask, run, segments, [from, Math.min(until, run.last)]),
    )
  return (await retryIfReplaced(ask, id, needs)) ?? []
}

async function needsOf(
  ask: Ask,
  run: FoundRun,
  segments: readonly SegmentRow[],
  [from, until]: readonly [number, number],
): Promise<readonly { readonly body: string }[]> {
  const { opens, packed, ranges } = needSources(run.id, segments, from, until)
  const snapshot = opens === undefined ? undefined : await openingSnapshot(ask, run, opens)
  const texts = [...(snapshot === undefined ? [] : [snapshot]), ...packed]
  for (const [first, last] of ranges) texts.push(...(await readBatches(ask, run, first, last)))
  return texts
}
