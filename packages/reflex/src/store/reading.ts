import type { RunFilter, RunRow, StoredBatch, StoredProgram, StoredRun } from '../kernel/index.ts'
import { corruption, unknownRun } from './columns.ts'
import { baseOf, chainEnd, checkedRow, isHidden, type Rows, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { checkChain, type SummedBatch, sumOf, type UncheckedBatch } from './checksums.ts'
import { isWithoutRecords } from './segment-ranges.ts'
import { checkedSegment, goneRecords, placeOf, recordsBeforeBase, type SegmentRow, unpackSegment } from './segments.ts'

const LAST_RECORD = Number.MAX_SAFE_INTEGER

/** Reads a run: its row, the newest snapshot up to record `until`, and the batches after it. Throws `R5003` for damage. */
export function readRun(sql: Statements, id: string, until = LAST_RECORD): StoredRun | undefined {
  const run = sql.run.get(id)
  if (run === undefined) return undefined
  const row = checkedRow(run)
  if (until < 1) return { row, batches: [] }
  const snapshot = validSnapshot(sql, run.seq, until)
  if (snapshot === undefined) requireOpening(run, segmentsIn(sql, run.seq, 0, until + 1), until)
  const batches = readBatches(sql, run, (snapshot?.at ?? 0) + 1, until)
  return { row, ...(snapshot === undefined ? {} : { snapshot }), batches }
}

/**
 * Throws for a read up to record `until` that found no snapshot: `R5054` if the records before it were never here or are gone, `R5003`
 * if the snapshot that opens the first records here is missing or damaged. `segments` are those up to the one with the record after
 * `until`.
 */
export function requireOpening(run: StoredRunRow, segments: readonly SegmentRow[], until: number): void {
  const { id } = run
  if (until < baseOf(run)) throw recordsBeforeBase(id, baseOf(run))
  const before = segments.findLast((row) => isWithoutRecords(checkedSegment(id, row)))
  if (before === undefined) return
  throw before.last <= until ? corruption(`the snapshot that opens ${id}`, id) : goneRecords(id, before)
}

/** Returns the newest snapshot that is what was written. A damaged one costs only time: the journal contains everything. */
function validSnapshot(sql: Statements, seq: number, until: number): StoredRun['snapshot'] {
  for (const { at, sum, body } of sql.snapshots.iterate(seq, until)) {
    if (sumOf(at, body) === sum) return { at, body }
  }
  return undefined
}

/** Reads the batches of a run from the one with record `from` to the one with record `until`. Throws `R5003` and `R5054`. */
export function readJournal(sql: Statements, id: string, from = 1, until = LAST_RECORD): readonly StoredBatch[] {
  const run = sql.run.get(id)
  if (run === undefined) return []
  return readBatches(sql, run, Math.max(from, baseOf(run) + 1), until)
}

/** Reads the batches of a run from the one with record `from` to the one with record `until`. Throws `R5003` and `R5054`. */
export function readBatches(sql: Statements, run: StoredRunRow, from: number, until: number): StoredBatch[] {
  const sealed = segmentsIn(sql, run.seq, from, until).filter(({ number }) => number > 0)
  const gone = sealed.findLast((row) => placeOf(checkedSegment(run.id, row)) === 'gone')
  if (gone !== undefined) throw goneRecords(run.id, gone)
  const packed = sealed.filter((row) => placeOf(row) === 'packed')
  // A packed segment is checked from its first record on; a segment that ends before these records is not read.
  const inside = packed.find(({ first }) => first <= from)
  const earlier = sql.segmentBefore.get(run.seq, inside?.first ?? from)
  const start = inside?.first ?? Math.max(sql.holding.get(run.seq, from)?.first ?? from, (earlier?.last ?? 0) + 1)
  const rows = sql.batches.all(run.seq, start, until)
  const unpacked = packed.flatMap((row) => unpackSegment(run.id, row, sql.segmentBody.get(run.seq, row.number)?.body ?? null))
  const all: UncheckedBatch[] = unpacked.length === 0 ? rows : [...unpacked, ...rows].sort((a, b) => a.first - b.first)
  const checked = checkChain(chainEnd(run), laterOf(sql.before.get(run.seq, start), earlier), all, until)
  return start === from && unpacked.length === 0 ? checked : checked.filter(({ first, count }) => first + count > from && first <= until)
}

/** Returns the rows of the segments with the records from `from` to `until`. The rows after them are not read. */
export function segmentsIn(sql: Statements, seq: number, from: number, until: number): SegmentRow[] {
  const found: SegmentRow[] = []
  for (const row of sql.segments.iterate(seq, from)) {
    if (row.first > until) break
    found.push(row)
  }
  return found
}

/** Returns the later one of a batch and of the end of a segment, as a batch. */
export function laterOf(batch: SummedBatch | undefined, segment: SegmentRow | undefined): SummedBatch | undefined {
  if (segment === undefined || (batch !== undefined && batch.first + batch.count - 1 >= segment.last)) return batch
  return { first: segment.last, count: 1, version: segment.version, body: '', sum: segment.chain }
}

/** Reads the rows of the runs that match a filter, the newest first. Abandoned runs are left out. */
export function readRuns(sql: Statements, { status, prefix, kind, program, since, until, after, limit }: RunFilter): readonly RunRow[] {
  const statuses = status === undefined ? null : JSON.stringify(status)
  const start = prefix ?? null
  // The highest of all characters: a text that starts with the prefix sorts before it.
  const end = `${prefix ?? ''}\u{10ffff}`
  const before = after === undefined ? undefined : (sql.run.get(after) ?? unknownRun(after))
  if (before instanceof Error) throw before
  const filter = [statuses, statuses, start, start, start, end, kind ?? null, kind ?? null, program ?? null, program ?? null]
  const range = [since ?? 0, until ?? LAST_RECORD, before?.started ?? LAST_RECORD, before?.seq ?? LAST_RECORD]
  const rows: RunRow[] = []
  for (const row of sql.runs.iterate(...filter, ...range)) {
    if (rows.length >= (limit ?? LAST_RECORD)) break
    if (!isHidden(row)) rows.push(checkedRow(row))
  }
  return rows
}

export function readProgram(sql: Statements, hash: string): StoredProgram | undefined {
  return checkedProgram(sql.program.get(hash))
}

/** Returns the program as the contract defines it. Throws `R5003` if it is not what was written. */
export function checkedProgram(row: Rows['program'] | undefined): StoredProgram | undefined {
  if (row === undefined) return undefined
  const { hash, kind, source, sum } = row
  if (sumOf(hash, kind, source) !== sum) throw corruption(`program ${hash.slice(0, 6)}`)
  return { hash, kind, source }
}

export function readBlob(sql: Statements, hash: string): string | undefined {
  return checkedBlob(hash, sql.blob.get(hash))
}

/** Returns the value of a blob. Throws `R5003` if it is not what was written. */
export function checkedBlob(hash: string, row: Rows['blob'] | undefined): string | undefined {
  if (row !== undefined && sumOf(hash, row.body) !== row.sum) throw corruption(`the value ${hash.slice(0, 6)}`)
  return row?.body
}
