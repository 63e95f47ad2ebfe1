import type { Committed } from '../kernel/index.ts'
import { isRest } from './run-removal.ts'
import type { Statements } from './statements.ts'

/**
 * Returns the batches after a place, which is the row of a batch: SQLite numbers the rows in the order of the commits, and the mark of
 * packed rows keeps a number from being given twice. Undefined for a place that is not one of this store, or before a packed row.
 */
export function committedIn(sql: Statements, after?: string, limit = -1): Committed | undefined {
  const end = sql.lastRow.get()?.row ?? 0
  const from = after === undefined ? end : readPlace(after)
  if (from === undefined || from > end || from < (sql.packedRows.get()?.last ?? 0)) return undefined
  const found = sql.rowsAfter.all(from, limit)
  const batches = found
    .filter((row) => !isRest(row))
    .map(({ row, id, first, count }) => ({ run: id, first, last: first + count - 1, place: placeText(row) }))
  return { batches, end: placeText(limit >= 0 && found.length >= limit ? (found.at(-1)?.row ?? from) : end) }
}

/** Returns a number of the order of commits as a place. */
export function placeText(number: number): string {
  return number.toString(36)
}

/** Returns the number of a place, or undefined if it is none. */
export function readPlace(text: string): number | undefined {
  if (!/^[0-9a-z]{1,11}$/.test(text)) return undefined
  const number = Number.parseInt(text, 36)
  return Number.isSafeInteger(number) && placeText(number) === text ? number : undefined
}
