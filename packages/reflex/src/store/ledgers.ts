import {
  type AppendOptions,
  type Appended,
  type Compaction,
  type LatestEntries,
  type LedgerEntry,
  type NewEntry,
  systemHost,
} from '../kernel/index.ts'
import { factsAfter, namesOf, PAGE_ROWS, type Removal, removalOf, runsOf } from './compaction.ts'
import type { Connection } from './connection.ts'
import {
  checkedEntry,
  checkedFacts,
  checkGaps,
  currentValues,
  type EntryColumns,
  entryColumns,
  hasGaps,
  type LedgerFacts,
  singleColumns,
  storedKey,
  sumOfEntry,
  sumOfFacts,
  unmetCondition,
} from './ledger-rows.ts'
import type { Statements } from './statements.ts'

/** Appends an entry without a name; `value` is JSON text. Returns its number. A key that the ledger has already keeps its entry. */
export function appendEntry(sql: Statements, ledger: string, key: string, value: string, at: number): number {
  const known = sql.entryOf.get(ledger, storedKey(key))
  if (known !== undefined) return known.seq
  const row = singleColumns(key, value, at, lastOf(sql, ledger) + 1)
  addEntry(sql, ledger, row)
  return row.seq
}

/** Appends entries together, or returns the condition that is not met. A key that the ledger has already keeps its entries. */
export function appendEntries(
  sql: Statements,
  ledger: string,
  key: string,
  entries: readonly NewEntry[],
  at: number,
  { keep }: AppendOptions = {},
): Appended {
  const known = sql.entryOf.get(ledger, storedKey(key))?.seq
  if (known === undefined) {
    const conflict = unmetCondition(entries, (name) => newestOf(sql, ledger, name))
    if (conflict !== undefined) return { conflict }
  }
  if (keep !== undefined) keepEntries(sql, ledger, keep)
  const first = known ?? addEntries(sql, ledger, key, entries, at)
  return { numbers: entries.map((_, i) => first + i) }
}

/** Adds entries and returns the number of the first one. */
function addEntries(sql: Statements, ledger: string, key: string, entries: readonly NewEntry[], at: number): number {
  const first = lastOf(sql, ledger) + 1
  for (const row of entryColumns(key, entries, at, first)) addEntry(sql, ledger, row)
  return first
}

function addEntry(sql: Statements, ledger: string, row: EntryColumns): void {
  sql.append.run(ledger, row.seq, row.key, row.at, sumOfEntry(ledger, row), row.value, row.entry_name)
}

function lastOf(sql: Statements, ledger: string): number {
  return sql.lastEntry.get(ledger)?.seq ?? 0
}

/** Returns the newest entry of a name, also if it deletes the name. */
function newestOf(sql: Statements, ledger: string, name: string): LedgerEntry | undefined {
  const row = sql.newestEntry.get(ledger, name)
  return row === undefined ? undefined : checkedEntry(ledger, row)
}

/** Returns at most `limit` entries of a ledger after number `after`, in order. */
export function entriesOf(sql: Statements, ledger: string, after = 0, limit?: number): readonly LedgerEntry[] {
  const rows = sql.entries.all(ledger, after, limit === undefined ? -1 : Math.max(0, limit))
  if (hasGaps(rows, after)) checkGaps(ledger, rows, after, factsOf(sql, ledger))
  return rows.map((row) => checkedEntry(ledger, row))
}

/** Returns the current values of these names, or of all. */
export function latestOf(sql: Statements, ledger: string, names?: readonly string[]): LatestEntries {
  const wanted = names === undefined ? sql.entryNames.all(ledger, ledger).map(({ name }) => name) : [...new Set(names)]
  const rows = wanted.flatMap((name) => sql.newestEntry.get(ledger, name) ?? [])
  return { last: lastOf(sql, ledger), entries: currentValues(rows).map((row) => checkedEntry(ledger, row)) }
}

function factsOf(sql: Statements, ledger: string): LedgerFacts {
  return checkedFacts(ledger, sql.ledgerFacts.get(ledger))
}

function keepEntries(sql: Statements, ledger: string, keep: number): void {
  const facts = factsOf(sql, ledger)
  if (facts.keep !== keep) setFacts(sql, ledger, { ...facts, keep })
}

function setFacts(sql: Statements, ledger: string, facts: LedgerFacts): void {
  const { keep, through, floor, removed } = facts
  sql.setLedgerFacts.run(ledger, keep, through, floor, removed, sumOfFacts(ledger, facts))
}

/** Removes the entries of a ledger that a compaction removes, one page after the other. Returns their number; `dry` only counts. */
export async function compactLedger(connection: Connection, ledger: string, compaction: Compaction, dry = false): Promise<number> {
  const [newest, kept] = [new Map<string, number>(), new Set<string>()]
  let removed = 0
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    const removal = connection.read((sql) => removalAfter(sql, ledger, compaction, { after: from, newest, kept }))
    removed += dry || removal.gone.length === 0 ? removal.gone.length : connection.write((sql) => removeEntries(sql, ledger, removal))
    after = removal.upto
    // Lets the runs of this process continue between two transactions.
    if (after !== undefined) await new Promise<void>((resolve) => systemHost.turn(resolve))
  }
  return removed
}

interface Page {
  readonly after: number
  /** The newest entries of names, from all pages so far: a name with a newer entry always has one. */
  readonly newest: Map<string, number>
  /** The names with an entry that stays, in the pages so far. */
  readonly kept: Set<string>
}

function removalAfter(sql: Statements, ledger: string, compaction: Compaction, { after, newest, kept }: Page): Removal {
  const rows = sql.entries.all(ledger, after, PAGE_ROWS)
  for (const row of rows) checkedEntry(ledger, row)
  for (const name of namesOf(rows)) if (!newest.has(name)) newest.set(name, newestOf(sql, ledger, name)?.seq ?? 0)
  const openRuns = new Set(runsOf(rows).filter((run) => sql.openRun.get(run) !== undefined))
  return removalOf(rows, compaction, { last: lastOf(sql, ledger), newest, openRuns, kept })
}

/** Removes entries. Another process may have removed some of them already. */
function removeEntries(sql: Statements, ledger: string, { gone, floor }: Removal): number {
  const removed = gone.filter((seq) => Number(sql.dropEntry.run(ledger, seq).changes) > 0)
  if (removed.length > 0) setFacts(sql, ledger, factsAfter(factsOf(sql, ledger), { gone: removed, floor, upto: undefined }))
  return removed.length
}

/** Removes what the ledgers with a retention no longer keep. Returns the number of entries. */
export async function compactKept(connection: Connection, now: number, dry: boolean): Promise<number> {
  let removed = 0
  for (const { name, keep } of connection.read((sql) => sql.keptLedgers.all()))
    removed += await compactLedger(connection, name, { before: now - keep }, dry)
  return removed
}
