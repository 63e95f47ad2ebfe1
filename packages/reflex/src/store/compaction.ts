import type { Compaction } from '../kernel/index.ts'
import { type EntryColumns, isContinued, keyOf, type LedgerFacts } from './ledger-rows.ts'

/** The entries after which a page ends, and the most that one append adds to it: what was appended together is in one page. */
const PAGE = 500
export const PAGE_ROWS = PAGE + 1000

/** The facts about the entries of a page that a compaction needs. */
export interface PageFacts {
  /** The number of the last entry of the ledger. */
  readonly last: number
  /** The number of the newest entry of each name in the page. */
  readonly newest: ReadonlyMap<string, number>
  /** The open runs among those that may have appended the entries of the page. */
  readonly openRuns: ReadonlySet<string>
  /** The names with an entry that stays, in the pages so far. A deletion stays with them, or an older value would be current again. */
  readonly kept: Set<string>
}

/** The entries that go from one page. */
export interface Removal {
  readonly gone: readonly number[]
  /** The last of them that a reader cannot do without; 0 if there is none. */
  readonly floor: number
  /** The last entry of the page. Undefined: the page was the last one. */
  readonly upto: number | undefined
}

/** Returns the appends of a page, each with its entries. `rows` has up to `PAGE_ROWS` entries. */
function appendsOf<Row extends EntryColumns>(rows: readonly Row[]): Row[][] {
  const appends: Row[][] = []
  for (const row of rows) {
    const append = appends.at(-1)
    if (append !== undefined && isContinued(row)) append.push(row)
    else if (rows.length === PAGE_ROWS && row.seq >= (rows[PAGE]?.seq ?? 0)) break
    else appends.push([row])
  }
  return appends
}

/** Returns the runs that may have appended these entries. */
export function runsOf(rows: readonly EntryColumns[]): string[] {
  return [...new Set(rows.flatMap((row) => runOf(row) ?? []))]
}

export function namesOf(rows: readonly EntryColumns[]): string[] {
  return [...new Set(rows.flatMap(({ entry_name: name }) => name ?? []))]
}

/** Returns the run of a key that the kernel made: `RUN:RECORD`. */
function runOf(row: EntryColumns): string | undefined {
  const key = keyOf(row)
  const colon = key.lastIndexOf(':')
  return colon < 0 ? undefined : key.slice(0, colon)
}

/** Returns the entries of a page that a compaction removes. Entries that were appended together go together. */
export function removalOf(rows: readonly EntryColumns[], compaction: Compaction, facts: PageFacts): Removal {
  const appends = appendsOf(rows)
  const gone = appends
    .filter((append) => {
      const goes = append.every((row) => isUnneeded(row, compaction, facts))
      if (!goes) for (const { entry_name: name } of append) if (name !== null) facts.kept.add(name)
      return goes
    })
    .flat()
  const needed = gone.filter((row) => !isReplaced(row, facts))
  const upto = appends.at(-1)?.at(-1)?.seq
  return {
    gone: gone.map(({ seq }) => seq),
    floor: needed.at(-1)?.seq ?? 0,
    upto: rows.length < PAGE_ROWS ? undefined : upto,
  }
}

function isUnneeded(row: EntryColumns, compaction: Compaction, facts: PageFacts): boolean {
  if (row.seq >= facts.last || isRepeatable(row, facts)) return false
  if ('before' in compaction) return row.at <= compaction.before && isReplaced(row, facts)
  return (
    row.seq <= compaction.through &&
    (row.entry_name === null || isReplaced(row, facts) || (row.value === '' && !facts.kept.has(row.entry_name)))
  )
}

/** True if a newer entry has the same name. */
function isReplaced({ seq, entry_name: name }: EntryColumns, { newest }: PageFacts): boolean {
  return name !== null && (newest.get(name) ?? 0) > seq
}

/** True if the run that appended an entry may append it again after a crash: an effect in flight outlives any number of seals. */
function isRepeatable(row: EntryColumns, { openRuns }: PageFacts): boolean {
  const run = runOf(row)
  return run !== undefined && openRuns.has(run)
}

/** Returns the facts of a ledger after a removal. */
export function factsAfter(facts: LedgerFacts, { gone, floor }: Removal): LedgerFacts {
  return {
    ...facts,
    through: Math.max(facts.through, gone.at(-1) ?? 0),
    floor: Math.max(facts.floor, floor),
    removed: facts.removed + gone.length,
  }
}
