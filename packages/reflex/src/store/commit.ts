import type { Batch, Lease } from '../kernel/index.ts'
import { isOpen, movingColumns, type RunColumns } from './columns.ts'
import type { Connection } from './connection.ts'
import { type Head, sumOfRun } from './rows.ts'
import { addTaken } from './inbox.ts'
import type { Statements } from './statements.ts'
import { nextSum, sumOf } from './checksums.ts'
import { requireSnapshots, sealedSegment, type SegmentRow } from './segments.ts'

/** Writes batches into a SQLite store. */
export class Commits {
  readonly #connection: Connection
  /**
   * The last known state of this process's runs, so that most commits need no lookup. Each is a guess that the update
   * checks.
   */
  readonly #heads = new Map<string, Head>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  forget({ run }: Lease): void {
    this.#heads.delete(run)
  }

  /** Writes batches in one transaction. Returns the runs whose batches are refused; nothing of those runs is written. */
  commit(batches: readonly Batch[]): readonly string[] {
    requireSnapshots(batches)
    const { refused, moved } = this.#connection.write((sql) => writeBatches(sql, this.#headsOf(sql, batches), batches))
    for (const run of refused) this.#heads.delete(run)
    for (const [run, head] of moved) {
      if (isOpen(head.status)) this.#heads.set(run, head)
      else this.#heads.delete(run)
    }
    return [...refused]
  }

  /** Returns the heads of the runs. Uses a known head only if it fits the batch: no run is refused without a lookup. */
  #headsOf(sql: Statements, batches: readonly Batch[]): ReadonlyMap<string, Head> {
    const heads = new Map<string, Head>()
    for (const { lease, first } of batches) {
      if (heads.has(lease.run)) continue
      const known = this.#heads.get(lease.run)
      const head = known?.token === lease.token && known.last === first - 1 ? known : sql.head.get(lease.run)
      if (head !== undefined) heads.set(lease.run, head)
    }
    return heads
  }
}

/** Returns the runs whose lease is void, and those whose record numbers do not follow the last record. */
export function refusedRuns(heads: ReadonlyMap<string, Head>, batches: readonly Batch[]): Set<string> {
  const refused = new Set<string>()
  const ends = new Map<string, number>()
  for (const { lease, first, count } of batches) {
    const head = heads.get(lease.run)
    if (head?.token !== lease.token || first - 1 !== (ends.get(lease.run) ?? head.last)) refused.add(lease.run)
    ends.set(lease.run, first + count - 1)
  }
  return refused
}

/** The row of a run after a batch. */
export interface AdvancedRow extends RunColumns {
  readonly seq: number
  readonly token: number
  readonly chain: number
  readonly sum: number
}

/** Returns the row of a run that stands at `head`, after this batch. */
export function rowAfter(head: Head, batch: Batch): AdvancedRow {
  // Copies field by field: SQLite's row objects have no prototype, and spreading them costs a tenth of a commit.
  const { seq, id, token, trace, program, started } = head
  const { status, updated, due, waits, value, used } = movingColumns(batch.row)
  const last = batch.first + batch.count - 1
  const chain = nextSum(head.chain, batch)
  const sum = sumOfRun({ id, trace, program, status, last, started, updated, due, waits, value, used }, chain)
  return { seq, id, token, trace, program, status, last, started, updated, due, waits, value, used, chain, sum }
}

function writeBatches(
  sql: Statements,
  heads: ReadonlyMap<string, Head>,
  batches: readonly Batch[],
): { readonly refused: ReadonlySet<string>; readonly moved: ReadonlyMap<string, Head> } {
  const refused = refusedRuns(heads, batches)
  const advanced = new Map<string, Head>()
  for (const batch of batches) {
    const { run } = batch.lease
    const head = advanced.get(run) ?? heads.get(run)
    if (head === undefined || refused.has(run)) continue
    const nextRow = rowAfter(head, batch)
    if (advanceRow(sql, head, nextRow)) {
      writeRecords(sql, nextRow, batch)
      advanced.set(run, nextRow)
    } else refused.add(run)
  }
  return { refused, moved: advanced }
}

/** Advances the row if the run is still at `head` under the same lease. Returns false otherwise. */
function advanceRow(
  sql: Statements,
  head: Head,
  { seq, last, chain, sum, updated, due, waits, value, used, status }: AdvancedRow,
): boolean {
  const { trace, token, last: previousLast } = head
  const { changes } =
    status === head.status
      ? sql.advance.run(last, chain, sum, updated, due, waits, value, used, seq, trace, token, previousLast)
      : sql.advanceStatus.run(last, chain, sum, updated, due, waits, value, used, status, seq, trace, token, previousLast)
  return changes === 1
}

function writeRecords(sql: Statements, row: AdvancedRow, batch: Batch): void {
  const { seq, last, chain } = row
  const { first, count, version, body, seal } = batch
  sql.record.run(seq, first, count, version, chain, body)
  writeAttachments(sql, seq, last, batch)
  if (seal === true) writeSeal(sql, row, version)
}

/** Ends a segment. Messages that the records before it took are forgotten, except the newest one of the run. */
function writeSeal(sql: Statements, { seq, id, last, chain }: AdvancedRow, version: number): void {
  const previous = sql.lastSegment.get(seq)
  addSegment(sql, seq, sealedSegment(id, previous, { last, version, chain }))
  if (previous !== undefined) sql.dropTaken.run(seq, previous.last, seq)
}

export function addSegment(sql: Statements, seq: number, row: SegmentRow): void {
  const { number, first, last, version, chain, parent, archive, needs, crc, sum } = row
  sql.addSegment.run(seq, number, first, last, version, chain, parent, archive, needs, crc, sum)
}

/** Writes what a batch brings besides records. A program or blob is named by its hash, so an existing one is the same. */
function writeAttachments(sql: Statements, seq: number, last: number, { programs, blobs, taken, delivered, snapshot }: Batch): void {
  if (programs !== undefined)
    for (const { hash, kind, source } of programs) sql.addProgram.run(hash, kind, sumOf(hash, kind, source), source)
  if (blobs !== undefined) for (const [hash, body] of blobs) sql.addBlob.run(hash, sumOf(hash, body), body)
  if (taken !== undefined) for (const message of taken) sql.markTaken.run(last, message, seq)
  if (delivered !== undefined) for (const message of delivered) addTaken(sql, seq, last, message)
  if (snapshot !== undefined) sql.addSnapshot.run(seq, last, sumOf(last, snapshot), snapshot)
}
