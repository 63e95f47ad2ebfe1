import { type AppendConflict, compactedAway, type LedgerEntry, type NewEntry } from '../kernel/index.ts'
import { sumOf } from './checksums.ts'
import { corruption, parseJson } from './columns.ts'

/**
 * The columns of an entry. `value` is JSON text, empty for a deletion. Entries that were appended together have one key; from the
 * second one on, their position follows it after U+0001 "2". In the key itself, U+0001 is U+0001 "1".
 */
export interface EntryColumns {
  readonly seq: number
  readonly key: string
  readonly at: number
  readonly value: string
  /** The name that the entry gives a value or deletes. */
  readonly entry_name: string | null
}

/** A stored entry with its checksum. */
export interface EntryRow extends EntryColumns {
  readonly sum: number
}

const [ESCAPE, ESCAPED, PART] = ['\u0001', '\u00011', '\u00012']

/** Returns the columns of entries that are appended together; `first` is the number of the first one. */
export function entryColumns(key: string, entries: readonly NewEntry[], at: number, first: number): EntryColumns[] {
  const stored = storedKey(key)
  return entries.map(({ name = null, value }, i) => ({
    seq: first + i,
    key: i === 0 ? stored : `${stored}${PART}${i}`,
    at,
    value: value === undefined ? '' : JSON.stringify(value),
    entry_name: name,
  }))
}

/** Returns the columns of a single entry without a name; `value` is JSON text. */
export function singleColumns(key: string, value: string, at: number, seq: number): EntryColumns {
  return { seq, key: storedKey(key), at, value, entry_name: null }
}

/** Returns the key of the first entry of an append. */
export function storedKey(key: string): string {
  return key.includes(ESCAPE) ? key.replaceAll(ESCAPE, ESCAPED) : key
}

/** True for an entry that was appended together with the entry before it. */
export function isContinued({ key }: EntryColumns): boolean {
  return key.includes(PART)
}

export function keyOf({ key }: EntryColumns): string {
  if (!key.includes(ESCAPE)) return key
  const part = key.indexOf(PART)
  return (part < 0 ? key : key.slice(0, part)).replaceAll(ESCAPED, ESCAPE)
}

export function sumOfEntry(ledger: string, { seq, key, at, value, entry_name: name }: EntryColumns): number {
  // Entries without a name have the sum of releases that knew no names.
  return name === null ? sumOf(ledger, seq, key, at, value) : sumOf(ledger, seq, key, at, value, name)
}

/** Returns the entry as the contract defines it. Throws `R5003` if it is not what was written. */
export function checkedEntry(ledger: string, row: EntryRow): LedgerEntry {
  if (sumOfEntry(ledger, row) !== row.sum) throw corruption(describe(ledger, row))
  return entryOf(ledger, row)
}

export function entryOf(ledger: string, row: EntryColumns): LedgerEntry {
  const { seq, at, value, entry_name: name } = row
  return {
    seq,
    key: keyOf(row),
    at,
    ...(name === null ? {} : { name }),
    ...(value === '' ? {} : { value: parseJson(value, describe(ledger, row)) }),
  }
}

function describe(ledger: string, { seq }: EntryColumns): string {
  return `entry ${seq} of ledger ${ledger}`
}

/** Returns the entries that are current values, in the order of their numbers. */
export function currentValues<Row extends EntryColumns>(rows: readonly Row[]): Row[] {
  return rows.filter(({ value }) => value !== '').sort((a, b) => a.seq - b.seq)
}

/** Returns the first condition that is not met. `newest` has the newest entry of each name with a condition. */
export function unmetCondition(
  entries: readonly NewEntry[],
  newest: (name: string) => LedgerEntry | undefined,
): AppendConflict | undefined {
  for (const { name, after } of entries) {
    if (name === undefined || after === undefined) continue
    const found = newest(name)
    const current = found?.value === undefined ? undefined : found
    if ((current?.seq ?? 0) !== after) return { name, ...(current === undefined ? {} : { newest: current }) }
  }
  return undefined
}

/** The facts of a ledger that are not in its entries. */
export interface LedgerFacts {
  /** The retention in milliseconds; null if it keeps everything. */
  readonly keep: number | null
  /** The last entry that a compaction removed; 0 if none did. */
  readonly through: number
  /** The last removed entry that a reader cannot do without; 0 if none was. */
  readonly floor: number
  /** The number of removed entries. */
  readonly removed: number
}

/** The stored facts of a ledger with their checksum. */
export interface LedgerFactsRow extends LedgerFacts {
  readonly sum: number
}

export const NO_FACTS: LedgerFacts = { keep: null, through: 0, floor: 0, removed: 0 }

export function sumOfFacts(ledger: string, { keep, through, floor, removed }: LedgerFacts): number {
  return sumOf(ledger, keep, through, floor, removed)
}

/** Returns the facts of a ledger. Throws `R5003` if they are not what was written. */
export function checkedFacts(ledger: string, row: LedgerFactsRow | undefined): LedgerFacts {
  if (row === undefined) return NO_FACTS
  if (sumOfFacts(ledger, row) !== row.sum) throw corruption(`the state of ledger ${ledger}`)
  return row
}

/** True if entries are missing between number `after` and the last of these. */
export function hasGaps(rows: readonly EntryColumns[], after: number): boolean {
  const last = rows.at(-1)
  return last !== undefined && last.seq !== Math.max(0, after) + rows.length
}

/** Throws `R5056` for entries that a compaction has removed and the reader needs, `R5003` for entries that are missing otherwise. */
export function checkGaps(ledger: string, rows: readonly EntryColumns[], after: number, { through, floor, removed }: LedgerFacts): void {
  let before = Math.max(0, after)
  for (const { seq } of rows) {
    if (seq > before + 1 && before < floor) throw compactedAway(ledger, before, floor)
    if (seq <= before || (seq > before + 1 && seq - 1 > through)) throw corruption(`entry ${before + 1} of ledger ${ledger}`)
    before = seq
  }
  if (after > 0 || before <= through) return
  // What a page leaves out lies after its last entry, so it has all entries up to there. Only those of an older state are more.
  if (rows.filter(({ seq }) => seq <= through).length < through - removed) throw corruption(`the ledger ${ledger}`)
}
