import type { RunFilter, RunRow, StoredBatch, StoredProgram, StoredRun } from '../kernel/index.ts'
import { isAbandoned } from './known-worker.ts'
import { corruption } from './columns.ts'
import { chainEnd, checkedRow, ownerOf, type Rows, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { checkChain, sumOf } from './checksums.ts'

const LAST_RECORD = Number.MAX_SAFE_INTEGER

/** Reads a run: its row, the newest snapshot up to record `until`, and the batches after it. Throws `R5003` for damage. */
export function readRun(sql: Statements, id: string, until = LAST_RECORD): StoredRun | undefined {
  const run = sql.run.get(id)
  if (run === undefined) return undefined
  const row = checkedRow(run)
  const snapshot = validSnapshot(sql, run.seq, until)
  const batches = readBatches(sql, run, (snapshot?.at ?? 0) + 1, until)
  return { row, ...(snapshot === undefined ? {} : { snapshot }), batches }
}

/** Returns the newest snapshot that is what was written. A damaged one costs only time: the journal contains everything. */
function validSnapshot(sql: Statements, seq: number, until: number): StoredRun['snapshot'] {
  for (const { at, sum, body } of sql.snapshots.iterate(seq, until)) {
    if (sumOf(at, body) === sum) return { at, body }
  }
  return undefined
}

/** Reads the batches of a run from the one with record `from`. Throws `R5003` for damage. */
export function readJournal(sql: Statements, id: string, from = 1): readonly StoredBatch[] {
  const run = sql.run.get(id)
  if (run === undefined) return []
  const start = sql.holding.get(run.seq, from)?.first ?? 1
  return readBatches(sql, run, start, LAST_RECORD).filter(({ first, count }) => first + count > from)
}

function readBatches(sql: Statements, run: StoredRunRow, first: number, until: number): StoredBatch[] {
  const before = sql.before.get(run.seq, first)
  return checkChain(chainEnd(run), before, sql.batches.all(run.seq, first, until), until)
}

/** Reads the rows of the runs that match a filter, the newest first. Abandoned runs are left out. */
export function readRuns(sql: Statements, { status, prefix, limit }: RunFilter): readonly RunRow[] {
  const statuses = status === undefined ? null : JSON.stringify(status)
  const start = prefix ?? null
  // The highest of all characters: a text that starts with the prefix sorts before it.
  const end = `${prefix ?? ''}\u{10ffff}`
  const rows: RunRow[] = []
  for (const row of sql.runs.iterate(statuses, statuses, start, start, start, end)) {
    if (rows.length >= (limit ?? LAST_RECORD)) break
    if (!isAbandoned(row.last, ownerOf(row))) rows.push(checkedRow(row))
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
