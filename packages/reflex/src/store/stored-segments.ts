import type { PackResult, Segment, StoredBatch, StoredRun, StoredSegment } from '../kernel/index.ts'
import { sumOf } from './checksums.ts'
import { corruption, unknownRun } from './columns.ts'
import type { Connection } from './connection.ts'
import { readBatches, segmentsIn } from './reading.ts'
import { checkedRow, type StoredRunRow } from './rows.ts'
import { needSources, numberedSegment, recordsToCheck } from './segment-ranges.ts'
import {
  checkedSegment,
  checkedSegments,
  forgottenSegments,
  goneRecords,
  noSealedSegment,
  openSegment,
  type PackedSegment,
  packSegment,
  placeOf,
  type SegmentEnd,
  segmentOf,
  type SegmentRow,
} from './segments.ts'
import type { Statements } from './statements.ts'
import { parentIn } from './sweep-candidates.ts'

/** Returns the segments of a run in order, the open one last. Throws `R5003` for damage. */
export function listSegments(sql: Statements, id: string): readonly Segment[] {
  const run = sql.run.get(id)
  if (run === undefined) return []
  checkedRow(run)
  const rows = checkedSegments(id, sql.segments.all(run.seq, 0))
  const open = openSegment(rows.at(-1), endOf(sql, run))
  const segments = [...rows.filter(({ number }) => number > 0).map(segmentOf), ...(open === undefined ? [] : [open])]
  for (const record of recordsToCheck(segments)) readBatches(sql, run, record, record)
  return segments
}

function endOf(sql: Statements, { seq, last, chain }: StoredRunRow): SegmentEnd {
  return { last, version: sql.lastVersion.get(seq)?.version ?? 0, chain }
}

/** Reads a segment and everything that folds it. Throws `R5054` if it is gone, `R5003` for damage. */
export function readSegment(sql: Statements, id: string, number: number): StoredSegment | undefined {
  const run = sql.run.get(id)
  if (run === undefined) return undefined
  checkedRow(run)
  const found = numberedSegment(id, number, sql.segmentsNumbered.all(run.seq, number - 1, number, run.seq), endOf(sql, run))
  if (found === undefined) return undefined
  const { segment, before } = found
  if (segment.place === 'gone') throw goneRecords(id, { last: segment.last, archive: segment.archive ?? null })
  const snapshot = openingSnapshot(sql, run, segment.opens)
  const batches = readBatches(sql, run, segment.first, segment.last)
  return { segment, ...(snapshot === undefined ? {} : { snapshot: { ...snapshot, chain: before?.chain ?? 0 } }), batches }
}

/** Returns the snapshot that opens a segment. Throws `R5003` if it is missing or not what was written. */
export function openingSnapshot(sql: Statements, { id, seq }: StoredRunRow, at: number): StoredRun['snapshot'] {
  if (at === 0) return undefined
  const found = sql.snapshots.get(seq, at)
  if (found === undefined || found.at !== at || sumOf(at, found.body) !== found.sum)
    throw corruption(`the snapshot of ${id} after record ${at}`, id)
  return { at, body: found.body }
}

/**
 * Packs a segment: reads it, compresses it outside of any transaction, and replaces the rows in one transaction. Of two
 * processes that pack it at the same time, the second one changes nothing.
 */
export async function packStored(connection: Connection, id: string, number: number): Promise<PackResult> {
  const { run, row, batches } = connection.read((sql) => readRows(sql, id, number))
  if (batches === undefined) return { ...segmentOf(row), saved: 0 }
  const packed = await packSegment(id, row, batches, parentIn(id, batches[0]))
  return connection.write((sql) => {
    if (replaceRows(sql, run.seq, row, packed)) return { ...segmentOf(packed.row), saved: packed.saved }
    return { ...segmentOf(readRows(sql, id, number).row), saved: 0 }
  })
}

/** Returns a sealed segment, and its batches unless they are packed or gone. Throws `R2016`, `R5051` and `R5003`. */
function readRows(
  sql: Statements,
  id: string,
  number: number,
): { readonly run: StoredRunRow; readonly row: SegmentRow; readonly batches?: readonly StoredBatch[] } {
  const run = sql.run.get(id)
  if (run === undefined) throw unknownRun(id)
  const row = number > 0 ? sql.segment.get(run.seq, number) : undefined
  if (row === undefined) throw noSealedSegment(id, number)
  const isInRows = placeOf(checkedSegment(id, row)) === 'rows'
  return { run, row, ...(isInRows ? { batches: readBatches(sql, run, row.first, row.last) } : {}) }
}

/** Replaces the rows of a segment. Returns false if the segment is no longer what was read. */
function replaceRows(sql: Statements, seq: number, before: SegmentRow, { row, body }: PackedSegment): boolean {
  const { number, first, last, chain } = before
  const { parent, archive, needs, crc, sum } = row
  const { changes } = sql.changeSegment.run(parent, archive, needs, crc, sum, body, seq, number, chain, last, before.sum)
  if (changes === 0) return false
  sql.markPacked.run(seq, first, last)
  sql.dropRecords.run(seq, first, last)
  sql.dropSnapshotsIn.run(seq, first, last)
  return true
}

/**
 * Returns the texts with the hashes that a run needs because of its records from `from` to `until`. Packed records are not read.
 * The snapshot that opens the run's first segment here stands for the records before it. Throws `R5003` for damage.
 */
export function readNeeds(sql: Statements, run: StoredRunRow, from: number, until: number): { readonly body: string }[] {
  const before = sql.segmentBefore.get(run.seq, from)
  const rows = [...(before === undefined ? [] : [before]), ...segmentsIn(sql, run.seq, from, until + 1)]
  const { opens, packed, ranges } = needSources(run.id, rows, from, until)
  const snapshot = opens === undefined ? undefined : openingSnapshot(sql, run, opens)
  const records = ranges.flatMap(([first, last]) => readBatches(sql, run, first, last))
  return [...(snapshot === undefined ? [] : [snapshot]), ...packed, ...records]
}

/** Removes the records of the segments up to `through`, and the snapshots that open them. Throws `R2016`, `R5051` and `R5052`. */
export function forgetStored(sql: Statements, id: string, through: number, archive: string): void {
  const run = sql.run.get(id)
  if (run === undefined) throw unknownRun(id)
  const rows = sql.segments.all(run.seq, 0)
  for (const row of forgottenSegments(id, rows, through, archive)) {
    const { number, chain, last, parent, needs, crc, sum } = row
    const before = rows.find((one) => one.number === number)
    sql.changeSegment.run(parent, archive, needs, crc, sum, null, run.seq, number, chain, last, before?.sum ?? 0)
    sql.dropSnapshotsIn.run(run.seq, 0, last)
  }
}
