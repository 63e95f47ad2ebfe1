import { firstSum } from './checksums.ts'
import { sumOfRun, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'

/** The most rows of all tables that one transaction removes. */
const ROWS_REMOVED = 1000
/** Begins the names of runs that are removed in parts. No run can be created with such a name. */
const REMOVED = 'removed/'

/** The result of one transaction that removes runs. */
export interface Removal {
  /** The runs that are no longer in the store. */
  readonly removed: readonly StoredRunRow[]
  /** The runs that have changed since they were read: another process wrote their first record meanwhile. */
  readonly changed: readonly StoredRunRow[]
  /** What is left of a removed run, to be removed next. */
  readonly rest?: StoredRunRow
}

/**
 * Removes as many of these runs as one transaction may. A run with more rows than that is removed in parts: first its row gets a name
 * that nobody uses and looks as if the run never began, so that it is gone for everybody. Every sweep, of this release or an older
 * one, removes such a run, also after a crash.
 */
export function removeRuns(sql: Statements, rows: readonly StoredRunRow[]): Removal {
  const removed: StoredRunRow[] = []
  const changed: StoredRunRow[] = []
  let left = ROWS_REMOVED
  for (const row of rows) {
    const size = sizeOf(sql, row)
    if (size > left && left < ROWS_REMOVED) break
    if (size > ROWS_REMOVED) {
      const rest = rename(sql, row)
      if (rest === undefined) return { removed, changed: [row] }
      removeRows(sql, rest)
      return { removed: [row], changed, rest }
    }
    if (removeRun(sql, row)) removed.push(row)
    else changed.push(row)
    left -= size + 1
  }
  return { removed, changed }
}

/** Removes a part of the rest of a run. Returns true if nothing is left. */
export function removeRest(sql: Statements, rest: StoredRunRow): boolean {
  // Another sweep may have removed it, and another run may have its number.
  const current = sql.run.get(rest.id)
  if (current === undefined) return true
  if (sizeOf(sql, current) > ROWS_REMOVED) {
    removeRows(sql, current)
    return false
  }
  return removeRun(sql, current)
}

/** True for the name of a run that is removed in parts. */
export function isRest({ id }: Pick<StoredRunRow, 'id'>): boolean {
  return id.startsWith(REMOVED)
}

function sizeOf(sql: Statements, { seq }: StoredRunRow): number {
  return sql.rowsOf.get(seq, seq, seq, seq, ROWS_REMOVED + 1)?.count ?? 0
}

/** Gives a run a name that nobody uses, and no record. Returns its new row, or undefined if the run has changed since it was read. */
function rename(sql: Statements, row: StoredRunRow): StoredRunRow | undefined {
  const { seq, trace, token, last } = row
  const id = `${REMOVED}${trace}/${seq}`
  const chain = firstSum(id)
  const { changes } = sql.renameRun.run(id, chain, sumOfRun({ ...row, id, last: 0 }, chain), seq, trace, token, last)
  if (Number(changes) === 0) return undefined
  sql.dropBase.run(seq)
  return sql.run.get(id)
}

function removeRows(sql: Statements, { seq }: StoredRunRow): void {
  let left = ROWS_REMOVED
  sql.markRemoved.run(seq)
  for (const table of [sql.dropJournalPart, sql.dropSnapshotsPart, sql.dropMessagesPart, sql.dropSegmentsPart])
    if (left > 0) left -= Number(table.run(seq, left).changes)
}

/** Removes a run. Returns false if the run has changed since it was read. */
function removeRun(sql: Statements, { seq, trace, token, last }: StoredRunRow): boolean {
  if (Number(sql.dropRun.run(seq, trace, token, last).changes) === 0) return false
  sql.markRemoved.run(seq)
  for (const table of [sql.dropJournal, sql.dropSnapshots, sql.dropMessages, sql.dropSegments]) table.run(seq)
  return true
}
