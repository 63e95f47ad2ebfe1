import { faults } from '../journal/faults.ts'
import { copyJson, isObject, type Json } from '../journal/json.ts'

/** An entry of a ledger: a log that outlives runs. */
export interface LedgerEntry {
  /** The number of the entry in its ledger, from 1. No number is used twice. */
  readonly seq: number
  /** The run and the effect that appended it. Entries that were appended together have the same key. */
  readonly key: string
  readonly at: number
  /** The name that the entry gives a value or deletes. Absent: the entry is only read in order. */
  readonly name?: string
  /** Absent: the entry deletes its name. */
  readonly value?: Json
}

/** An entry to append. */
export interface NewEntry {
  readonly name?: string
  /** Absent: the entry deletes its name. */
  readonly value?: Json
  /**
   * Appends only if the current value of the name is that of the entry with this number; 0: only if the name has no value,
   * because it has no entry or was deleted. Absent: appends in any case.
   */
  readonly after?: number
}

/** Options of an append. */
export interface AppendOptions {
  /**
   * The retention of the ledger from now on, in milliseconds: a sweep removes entries that are older and no longer the newest of
   * their name. Absent: the retention stays as it is; a ledger without one keeps all its entries.
   */
  readonly keep?: number
}

/** A condition that was not met: another entry gave the name a value, or deleted it. */
export interface AppendConflict {
  readonly name: string
  /** The entry with the current value. Absent: the name has no value. */
  readonly newest?: LedgerEntry
}

/** The result of an append: the numbers of all entries, or the first condition that was not met; then nothing was appended. */
export type Appended = { readonly numbers: readonly number[] } | { readonly conflict: AppendConflict }

/** The current values of a ledger. */
export interface LatestEntries {
  /** The number of the last entry of the ledger, 0 if it has none: reading after it continues from these values. */
  readonly last: number
  /** The newest entry of each name that has a value, in the order of their numbers. */
  readonly entries: readonly LedgerEntry[]
}

/**
 * The entries that a compaction removes: with `before`, those of this time or earlier that are no longer the newest of their name;
 * with `through`, all up to this number that are not the current value of a name.
 */
export type Compaction = { readonly before: number } | { readonly through: number }

/** The most entries of one append. */
const MOST_ENTRIES = 1000
/** The most characters of a name: a server cannot index much longer ones. */
const NAME_LENGTH = 500

/**
 * Returns the JSON text of the value of a single entry without a name. Throws `R5055` for a ledger or a key that no store takes, and
 * `R2004` for a value that has no JSON text.
 */
export function entryText(ledger: string, key: string, value: Json): string {
  checkText(ledger, 'the name of a ledger', ledger)
  checkText(key, 'the key of an append', ledger)
  try {
    const text = JSON.stringify(value) as string | undefined
    if (text !== undefined) return text
  } catch {
    // The copy fails too, with a fault that has the place inside the value.
  }
  return JSON.stringify(copyJson(value, placeOf(ledger)))
}

function placeOf(ledger: string): string {
  return `the entry for ledger ${ledger}`
}

/**
 * Returns the entries with checked names and copied values. Throws `R5055` for a name, key, condition, retention or list that no
 * store takes, and `R2004` or `R2019` for a value that is not JSON or too large.
 */
export function checkEntries(ledger: string, key: string, entries: readonly NewEntry[], { keep }: AppendOptions = {}): readonly NewEntry[] {
  checkText(ledger, 'the name of a ledger', ledger)
  checkText(key, 'the key of an append', ledger)
  if (entries.length > MOST_ENTRIES) throw refused(ledger, `${entries.length} entries are more than ${MOST_ENTRIES} in one append`)
  if (keep !== undefined && !isCount(keep)) throw refused(ledger, `keep is ${keep}; it must be a whole number of milliseconds`)
  const names = new Set<string>()
  return entries.map(({ name, value, after }) => {
    if (name !== undefined) checkName(ledger, name, names)
    if (name === undefined && value === undefined) throw refused(ledger, 'an entry has neither a name nor a value')
    if (name === undefined && after !== undefined) throw refused(ledger, 'an entry has a condition but no name')
    if (after !== undefined && !isCount(after)) throw refused(ledger, `the condition of ${name} is not the number of an entry`)
    return {
      ...(name === undefined ? {} : { name }),
      ...(value === undefined ? {} : { value: copyJson(value, placeOf(ledger)) }),
      ...(after === undefined ? {} : { after }),
    }
  })
}

/**
 * Returns a compaction that has one valid bound. Throws `R5085` for a compaction with none, with both or with another bound, and for a
 * bound that is not a whole number from 0.
 */
export function checkCompaction(ledger: string, compaction: Compaction): Compaction {
  const given: readonly (readonly [string, unknown])[] = isObject(compaction)
    ? Object.entries(compaction).filter(([, value]) => value !== undefined)
    : []
  const [[name, value] = [undefined, undefined]] = given
  if (given.length !== 1 || (name !== 'before' && name !== 'through'))
    throw notCompacted(ledger, name === undefined ? 'no bound is given' : `the bounds are ${given.map(([key]) => key).join(' and ')}`)
  if (typeof value !== 'number' || !isCount(value))
    throw notCompacted(ledger, `${name} is ${shown(value)}; it must be a whole number from 0`)
  return compaction
}

function shown(value: unknown): string {
  return typeof value === 'number' || value === null ? String(value) : `a ${typeof value}`
}

function notCompacted(ledger: string, why: string): Error {
  return faults.make('R5085', `nothing was removed from the ledger ${JSON.stringify(ledger)}: ${why}`, {
    fix: 'write { before: MILLISECONDS } with a time since the epoch, or { through: NUMBER } with the number of an entry',
  })
}

function checkName(ledger: string, name: string, names: Set<string>): void {
  checkText(name, 'the name of an entry', ledger)
  if (name === '' || name.length > NAME_LENGTH) throw refused(ledger, `the name of an entry must have 1 to ${NAME_LENGTH} characters`)
  if (names.has(name)) throw refused(ledger, `the name ${name} occurs twice in one append`)
  names.add(name)
}

function checkText(text: string, what: string, ledger: string): void {
  if (typeof text !== 'string') throw refused(ledger, `${what} is a ${typeof text}; it must be a string`)
  if (!text.isWellFormed()) throw refused(ledger, `${what} contains half of a surrogate pair`)
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}

function refused(ledger: string, why: string): Error {
  return faults.make('R5055', `nothing was appended to the ledger ${JSON.stringify(ledger)}: ${why}`, {
    fix: `correct the entry; a name is a text of 1 to ${NAME_LENGTH} characters, and each name occurs once in an append`,
  })
}

/**
 * Returns the fault `R5056`: the reader stands before entries that a compaction has removed, so the names that were deleted in
 * between are unknown to it.
 */
export function compactedAway(ledger: string, after: number, floor: number): Error {
  return faults.make('R5056', `the ledger ${ledger} no longer has all entries after ${after}: it was compacted through ${floor}`, {
    data: { after, floor },
    fix: 'read the latest entries of all names, and continue after the number that comes with them',
  })
}
