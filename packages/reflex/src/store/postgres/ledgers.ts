import type { AppendOptions, Appended, Compaction, LatestEntries, LedgerEntry, NewEntry } from '../../kernel/index.ts'
import { factsAfter, namesOf, PAGE_ROWS, type Removal, removalOf, runsOf } from '../compaction.ts'
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
} from '../ledger-rows.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import type { Value } from './driver.ts'

const NO_ENTRY = { known: null, last: 0 }

/** Appends an entry without a name; `value` is JSON text. A call that loses its number to another one takes the next number. */
export async function appendEntry(ask: Ask, ledger: string, key: string, value: string, at: number): Promise<number> {
  for (;;) {
    const [{ known, last } = NO_ENTRY] = await ask('ledgerEnd', [ledger, storedKey(key)])
    if (known !== null) return known
    const row = singleColumns(key, value, at, last + 1)
    const [entry] = await ask('append', [ledger, row.seq, row.key, at, sumOfEntry(ledger, row), row.value])
    if (entry !== undefined) return row.seq
  }
}

/**
 * Appends entries together, or returns the condition that is not met. The end of the ledger is read before the conditions: if
 * nobody has appended since, the conditions are still met when the entries take the next numbers.
 */
export async function appendEntries(
  ask: Ask,
  ledger: string,
  key: string,
  entries: readonly NewEntry[],
  at: number,
  { keep }: AppendOptions = {},
): Promise<Appended> {
  for (;;) {
    const [{ known, last } = NO_ENTRY] = await ask('ledgerEnd', [ledger, storedKey(key)])
    const conflict = known === null ? await findConflict(ask, ledger, entries) : undefined
    if (conflict !== undefined) return { conflict }
    if (keep !== undefined) await keepEntries(ask, ledger, keep)
    const first = known ?? last + 1
    if (known !== null || entries.length === 0 || (await addEntries(ask, ledger, entryColumns(key, entries, at, first))))
      return { numbers: entries.map((_, i) => first + i) }
  }
}

async function findConflict(ask: Ask, ledger: string, entries: readonly NewEntry[]) {
  const names = entries.flatMap(({ name, after }) => (name === undefined || after === undefined ? [] : [name]))
  if (names.length === 0) return undefined
  const newest = new Map((await newestOf(ask, ledger, names)).map((entry) => [entry.name, entry]))
  return unmetCondition(entries, (name) => newest.get(name))
}

/** Adds entries with the next numbers. Returns false if another writer took these. */
async function addEntries(ask: Ask, ledger: string, rows: readonly EntryColumns[]): Promise<boolean> {
  const columns = [
    rows.map(({ seq }) => seq),
    rows.map(({ key }) => key),
    rows.map((row) => sumOfEntry(ledger, row)),
    rows.map(({ value }) => value),
    rows.map(({ entry_name: name }) => name),
  ]
  const added = await ask('appendAll', [ledger, ...columns, rows[0]?.at ?? 0, rows[0]?.seq ?? 0])
  return added.length > 0
}

/** Returns the newest entries of these names, also those that delete their names. */
async function newestOf(ask: Ask, ledger: string, names: readonly string[]): Promise<LedgerEntry[]> {
  if (names.length === 0) return []
  return (await ask('newestEntries', [ledger, names])).map((row) => checkedEntry(ledger, row))
}

/** Returns at most `limit` entries of a ledger after number `after`, in order. */
export async function entriesOf(ask: Ask, ledger: string, after: number, limit?: number): Promise<readonly LedgerEntry[]> {
  const rows = await ask('entries', [ledger, after, limit === undefined ? null : Math.max(0, limit)])
  // The facts are read after the entries: a removal in between explains no gap that it did not make.
  if (hasGaps(rows, after)) checkGaps(ledger, rows, after, await factsOf(ask, ledger))
  return rows.map((row) => checkedEntry(ledger, row))
}

/** Returns the current values of these names, or of all. */
export async function latestOf(ask: Ask, ledger: string, names?: readonly string[]): Promise<LatestEntries> {
  const rows = await ask('latest', [ledger, names ?? null])
  const found = rows.flatMap(({ last: _, ...row }) => (row.seq === null ? [] : [row]))
  return { last: rows[0]?.last ?? 0, entries: currentValues(found).map((row) => checkedEntry(ledger, row)) }
}

async function factsOf(ask: Ask, ledger: string): Promise<LedgerFacts> {
  return checkedFacts(ledger, (await ask('ledgerFacts', [ledger]))[0])
}

async function keepEntries(ask: Ask, ledger: string, keep: number): Promise<void> {
  for (;;) {
    const facts = await factsOf(ask, ledger)
    if (facts.keep === keep) return
    const [set] = await ask('setLedgerFacts', factColumns(ledger, { ...facts, keep }, facts))
    if (set !== undefined) return
  }
}

/** The facts, and the sum of those that they replace: null if the ledger has none. */
function factColumns(ledger: string, facts: LedgerFacts, before: LedgerFacts): Value[] {
  const { keep, through, floor, removed } = facts
  return [ledger, keep, through, floor, removed, sumOfFacts(ledger, facts), 'sum' in before ? sumOfFacts(ledger, before) : null]
}

/** Removes the entries of a ledger that a compaction removes, one page after the other. Returns their number; `dry` only counts. */
export async function compactLedger(connection: PostgresConnection, ledger: string, compaction: Compaction, dry = false): Promise<number> {
  const [newest, kept] = [new Map<string, number>(), new Set<string>()]
  let removed = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Page = { after, dry, newest, kept }
    const removal = await connection.write((ask, unknownOutcome) => compactPage(ask, ledger, compaction, { page, unknownOutcome }))
    removed += removal.gone.length
    after = removal.upto
  }
  return removed
}

interface Page {
  readonly after: number
  readonly dry: boolean
  /** The newest entries of names, from all pages so far: a name with a newer entry always has one. */
  readonly newest: Map<string, number>
  /** The names with an entry that stays, in the pages so far. */
  readonly kept: Set<string>
  /** The removal that was attempted last, and the sum of the facts after it. */
  attempt?: { readonly removal: Removal; readonly sum: number }
}

/** Removes the entries of one page. After a lost connection, an attempt that was performed is recognized by the facts that it left. */
async function compactPage(
  ask: Ask,
  ledger: string,
  compaction: Compaction,
  { page, unknownOutcome }: { readonly page: Page; readonly unknownOutcome: boolean },
): Promise<Removal> {
  for (;;) {
    // Only compactions remove entries, and each changes the facts: what is read after them is there while they are the same.
    const facts = await factsOf(ask, ledger)
    if (unknownOutcome && page.attempt !== undefined && sumOfFacts(ledger, facts) === page.attempt.sum) return page.attempt.removal
    const removal = await removalAfter(ask, ledger, compaction, page)
    if (page.dry || removal.gone.length === 0) return removal
    const after = factsAfter(facts, removal)
    page.attempt = { removal, sum: sumOfFacts(ledger, after) }
    const gone = await ask('dropEntries', [...factColumns(ledger, after, facts), removal.gone])
    if (gone.length > 0) return removal
    delete page.attempt
  }
}

async function removalAfter(ask: Ask, ledger: string, compaction: Compaction, { after, newest, kept }: Page): Promise<Removal> {
  const [{ last } = NO_ENTRY] = await ask('ledgerEnd', [ledger, ''])
  const rows = await ask('entries', [ledger, after, PAGE_ROWS])
  for (const row of rows) checkedEntry(ledger, row)
  const unknown = namesOf(rows).filter((name) => !newest.has(name))
  for (const { name = '', seq } of await newestOf(ask, ledger, unknown)) newest.set(name, seq)
  const openRuns = new Set((await ask('openRuns', [runsOf(rows)])).map(({ id }) => id))
  return removalOf(rows, compaction, { last, newest, openRuns, kept })
}

/** Removes what the ledgers with a retention no longer keep. Returns the number of entries. */
export async function compactKept(connection: PostgresConnection, now: number, dry: boolean): Promise<number> {
  let removed = 0
  for (const { name, keep } of await connection.ask('keptLedgers', []))
    removed += await compactLedger(connection, name, { before: now - keep }, dry)
  return removed
}
