import type { Json, LedgerEntry } from '../kernel/index.ts'
import { corruption, parseJson } from './columns.ts'
import type { Rows } from './rows.ts'
import type { Statements } from './statements.ts'
import { sumOf } from './checksums.ts'

/** Appends an entry to a ledger and returns its number. A key that the ledger has already keeps its entry. */
export function appendEntry(sql: Statements, name: string, key: string, value: Json, at: number): number {
  const known = sql.entryOf.get(name, key)
  if (known !== undefined) return known.seq
  const seq = (sql.lastEntry.get(name)?.seq ?? 0) + 1
  const text = JSON.stringify(value)
  sql.append.run(name, seq, key, at, sumOfEntry(name, seq, key, at, text), text)
  return seq
}

/** Returns at most `limit` entries of a ledger after number `after`, in order. */
export function entriesOf(sql: Statements, name: string, after = 0, limit?: number): readonly LedgerEntry[] {
  return checkedEntries(sql.entries.all(name, after, limit === undefined ? -1 : Math.max(0, limit)), name, after)
}

/**
 * Returns the entries after number `after` as the contract defines them. Throws `R5003` if one is missing or not what
 * was written.
 */
export function checkedEntries(rows: readonly Rows['entries'][], name: string, after: number): readonly LedgerEntry[] {
  return rows.map(({ seq, key, at, sum, value }, i) => {
    const what = `entry ${seq} of ledger ${name}`
    if (sumOfEntry(name, seq, key, at, value) !== sum || seq !== Math.max(0, after) + i + 1) throw corruption(what)
    return { seq, key, at, value: parseJson(value, what) }
  })
}

export function sumOfEntry(name: string, seq: number, key: string, at: number, value: string): number {
  return sumOf(name, seq, key, at, value)
}
