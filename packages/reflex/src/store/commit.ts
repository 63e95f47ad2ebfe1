import type { Batch } from '../kernel/store.ts'
import { movingColumns, type RunColumns } from './columns.ts'
import { type Head, sumOfRun } from './rows.ts'
import type { Statements } from './statements.ts'
import { nextSum, sumOf } from './sums.ts'

/** Writes batches inside the caller's transaction. Answers with the runs that are refused; of theirs nothing is written. */
export function writeBatches(sql: Statements, batches: readonly Batch[]): readonly string[] {
  const heads = headsOf(sql, batches)
  const refused = refusedRuns(heads, batches)
  for (const batch of batches) {
    const head = heads.get(batch.lease.run)
    if (head !== undefined && !refused.has(head.id)) heads.set(head.id, writeBatch(sql, head, batch))
  }
  return [...refused]
}

function headsOf(sql: Statements, batches: readonly Batch[]): Map<string, Head> {
  const heads = new Map<string, Head>()
  for (const { lease } of batches) {
    const head = heads.get(lease.run) ?? sql.head.get(lease.run)
    if (head !== undefined) heads.set(lease.run, head)
  }
  return heads
}

/** Those whose lease is void, and those whose numbers do not follow. */
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

/** A run's row after a batch. */
export interface MovedRow extends RunColumns {
  readonly seq: number
  readonly token: number
  readonly chain: number
  readonly sum: number
}

/** The row of a run that stands at `head`, after this batch. */
export function rowAfter(head: Head, batch: Batch): MovedRow {
  // Field by field: what SQLite answers with has no prototype, and spreading it costs a tenth of a commit.
  const { seq, id, token, trace, program, started } = head
  const columns = { id, trace, program, started, ...movingColumns(batch.row), last: batch.first + batch.count - 1 }
  const chain = nextSum(head.chain, batch)
  return { ...columns, seq, token, chain, sum: sumOfRun(columns, chain) }
}

function writeBatch(sql: Statements, head: Head, batch: Batch): Head {
  const { first, count, version, body } = batch
  const after = rowAfter(head, batch)
  const { seq, last, chain, sum, updated, due, waits, value, status } = after
  sql.record.run(seq, first, count, version, chain, body)
  if (status === head.status) sql.advance.run(last, chain, sum, updated, due, waits, value, seq)
  else sql.turn.run(last, chain, sum, updated, due, waits, value, status, seq)
  writeRest(sql, seq, last, batch)
  return after
}

/** What goes with the records. A program or blob that is there already is the same: its name is its hash. */
function writeRest(sql: Statements, seq: number, last: number, { programs, blobs, taken, snapshot }: Batch): void {
  if (programs !== undefined)
    for (const { hash, kind, source } of programs) sql.addProgram.run(hash, kind, sumOf(hash, kind, source), source)
  if (blobs !== undefined) for (const [hash, body] of blobs) sql.addBlob.run(hash, sumOf(hash, body), body)
  if (taken !== undefined) for (const message of taken) sql.taken.run(last, message, seq)
  if (snapshot !== undefined) sql.addSnapshot.run(seq, last, sumOf(last, snapshot), snapshot)
}
