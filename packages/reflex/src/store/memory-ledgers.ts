import type { AppendOptions, Appended, Compaction, LatestEntries, LedgerEntry, NewEntry } from '../kernel/index.ts'
import { factsAfter, namesOf, PAGE_ROWS, type PageFacts, removalOf, runsOf } from './compaction.ts'
import {
  checkGaps,
  currentValues,
  type EntryColumns,
  entryColumns,
  entryOf,
  hasGaps,
  isContinued,
  type LedgerFacts,
  NO_FACTS,
  singleColumns,
  storedKey,
  unmetCondition,
} from './ledger-rows.ts'

interface MemoryLedger {
  entries: EntryColumns[]
  last: number
  /** The number of the first entry of each key. */
  readonly keys: Map<string, number>
  /** The newest entry of each name. */
  readonly newest: Map<string, EntryColumns>
  facts: LedgerFacts
}

/** The ledgers of a memory store. */
export class MemoryLedgers {
  readonly #ledgers = new Map<string, MemoryLedger>()

  /** Appends an entry without a name; `value` is JSON text. Returns its number. */
  appendOne(name: string, key: string, value: string, at: number): number {
    const ledger = this.#ledger(name)
    const row = singleColumns(key, value, at, ledger.last + 1)
    const known = ledger.keys.get(row.key)
    if (known !== undefined) return known
    ledger.entries.push(row)
    ledger.keys.set(row.key, row.seq)
    ledger.last = row.seq
    return row.seq
  }

  append(name: string, key: string, entries: readonly NewEntry[], at: number, { keep }: AppendOptions = {}): Appended {
    const ledger = this.#ledger(name)
    const known = ledger.keys.get(storedKey(key))
    if (known === undefined) {
      const conflict = unmetCondition(entries, (entryName) => newestIn(ledger, name, entryName))
      if (conflict !== undefined) return { conflict }
    }
    if (keep !== undefined) ledger.facts = { ...ledger.facts, keep }
    const first = known ?? ledger.last + 1
    if (known === undefined) for (const entry of entryColumns(key, entries, at, first)) add(ledger, entry)
    return { numbers: entries.map((_, i) => first + i) }
  }

  #ledger(name: string): MemoryLedger {
    const found = this.#ledgers.get(name)
    if (found !== undefined) return found
    const ledger: MemoryLedger = { entries: [], last: 0, keys: new Map(), newest: new Map(), facts: NO_FACTS }
    this.#ledgers.set(name, ledger)
    return ledger
  }

  entries(name: string, after = 0, limit?: number): readonly LedgerEntry[] {
    const ledger = this.#ledgers.get(name)
    if (ledger === undefined) return []
    const from = placeAfter(ledger, after)
    const rows = ledger.entries.slice(from, limit === undefined ? undefined : from + Math.max(0, limit))
    if (hasGaps(rows, after)) checkGaps(name, rows, after, ledger.facts)
    return rows.map((row) => entryOf(name, row))
  }

  latest(name: string, names?: readonly string[]): LatestEntries {
    const ledger = this.#ledgers.get(name)
    if (ledger === undefined) return { last: 0, entries: [] }
    const rows = names === undefined ? [...ledger.newest.values()] : [...new Set(names)].flatMap((one) => ledger.newest.get(one) ?? [])
    return { last: ledger.last, entries: currentValues(rows).map((row) => entryOf(name, row)) }
  }

  /** Removes what a compaction removes, and returns the number of entries; `dry` only counts. `openRuns` as in `PageFacts`. */
  compact(name: string, compaction: Compaction, openRuns: (runs: readonly string[]) => PageFacts['openRuns'], dry = false): number {
    const ledger = this.#ledgers.get(name)
    if (ledger === undefined) return 0
    const gone = new Set<number>()
    const kept = new Set<string>()
    let { facts } = ledger
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from = placeAfter(ledger, after)
      const rows = ledger.entries.slice(from, from + PAGE_ROWS)
      const newest = new Map(namesOf(rows).map((one) => [one, ledger.newest.get(one)?.seq ?? 0]))
      const removal = removalOf(rows, compaction, { last: ledger.last, newest, openRuns: openRuns(runsOf(rows)), kept })
      for (const seq of removal.gone) gone.add(seq)
      facts = factsAfter(facts, removal)
      after = removal.upto
    }
    if (!dry && gone.size > 0) {
      drop(ledger, gone)
      ledger.facts = facts
    }
    return gone.size
  }

  /** Compacts the ledgers with a retention. Returns the number of entries. */
  compactKept(now: number, openRuns: (runs: readonly string[]) => PageFacts['openRuns'], dry: boolean): number {
    let removed = 0
    for (const [name, { facts }] of this.#ledgers)
      if (facts.keep !== null) removed += this.compact(name, { before: now - facts.keep }, openRuns, dry)
    return removed
  }

  /** The values of all entries, as JSON text. */
  *values(): Generator<string> {
    for (const { entries } of this.#ledgers.values()) for (const { value } of entries) yield value
  }
}

function newestIn(ledger: MemoryLedger, name: string, entryName: string): LedgerEntry | undefined {
  const row = ledger.newest.get(entryName)
  return row === undefined ? undefined : entryOf(name, row)
}

function add(ledger: MemoryLedger, entry: EntryColumns): void {
  ledger.entries.push(entry)
  ledger.last = entry.seq
  if (!isContinued(entry)) ledger.keys.set(entry.key, entry.seq)
  if (entry.entry_name !== null) ledger.newest.set(entry.entry_name, entry)
}

function drop(ledger: MemoryLedger, gone: ReadonlySet<number>): void {
  ledger.entries = ledger.entries.filter((entry) => {
    const { seq, key, entry_name: name } = entry
    if (!gone.has(seq)) return true
    if (!isContinued(entry)) ledger.keys.delete(key)
    if (name !== null && ledger.newest.get(name) === entry) ledger.newest.delete(name)
    return false
  })
}

/** Returns the place of the first entry after a number. */
function placeAfter({ entries }: MemoryLedger, after: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.seq ?? 0) <= after) low = middle + 1
    else high = middle
  }
  return low
}
