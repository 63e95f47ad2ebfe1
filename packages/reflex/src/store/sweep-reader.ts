import { systemHost, type SweepOptions } from '../kernel/index.ts'
import type { Connection } from './connection.ts'
import { addHashes } from './hashes.ts'
import { checkedRow, type Place, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { readNeeds } from './stored-segments.ts'
import { Candidates, FORK_MARK, NeededHashes, parentIn, parentsOf, type UnreadPart, unreadPages } from './sweep-candidates.ts'

/** The most that one transaction reads. */
const RUNS_READ = 200
const RECORDS_READ = 500
const BATCHES_READ = 500
const ENTRIES_READ = 500
const ALL = Number.MAX_SAFE_INTEGER

/** Lets the runs of this process continue between two transactions. */
export function yieldToRuns(): Promise<void> {
  return new Promise((resolve) => systemHost.turn(resolve))
}

/**
 * The newest batch and the newest seal at the last read. Later ones have higher rows as long as these exist: SQLite gives the row after
 * the highest one.
 */
interface Marks {
  readonly batch: Place | undefined
  readonly seal: Place | undefined
}

/**
 * Reads what a sweep must know, in transactions that only read: the runs to remove, and the hashes that all other runs and the ledgers
 * name. Other processes write meanwhile: what they commit after the marks is read by `catchUp`.
 */
export class SweepReader {
  readonly #connection: Connection
  readonly #options: SweepOptions
  readonly #needed = new NeededHashes()
  #candidates = new Candidates<StoredRunRow>([], new Map(), 0)
  /** The number of the last ledger entry that was read. */
  #ledgers = 0
  /** True after the removal of runs: the runs that are left stay. */
  #keepsAll = false
  #marks: Marks = { batch: undefined, seal: undefined }

  constructor(connection: Connection, options: SweepOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** The runs to remove. */
  get runs(): readonly StoredRunRow[] {
    return this.#candidates.goneRows
  }

  /** Returns those of the rows that are still to be removed. */
  stillGone(rows: readonly StoredRunRow[]): readonly StoredRunRow[] {
    return this.#candidates.stillGone(rows)
  }

  /** Returns the given hashes that nothing names. */
  unneeded(hashes: readonly string[]): string[] {
    return this.#needed.unneeded(hashes)
  }

  /** Reads everything. Throws `R5003` for a journal that is not what was written. */
  async read(): Promise<void> {
    const { now, before } = this.#options
    // Everything after the marks is read by `catchUp`, so the transactions after this one may see different states of the store.
    this.#connection.read((sql) => this.mark(sql))
    const { rows, parents } = await this.#readRows()
    this.#candidates = this.#keepsAll ? new Candidates<StoredRunRow>([], parents, now) : new Candidates(rows, parents, now, before)
    await this.#readRuns(rows.filter((row) => !this.#candidates.isGone(row)))
    while (this.#connection.read((sql) => this.#readLedgers(sql, ENTRIES_READ))) await yieldToRuns()
  }

  async #readRows(): Promise<{ readonly rows: readonly StoredRunRow[]; readonly parents: ReadonlyMap<string, string> }> {
    const rows: StoredRunRow[] = []
    const parents = new Map<string, string>()
    for (let after = -1, found = RUNS_READ; found === RUNS_READ; after = rows.at(-1)?.seq ?? 0) {
      await yieldToRuns()
      found = this.#connection.read((sql) => {
        const page = sql.runsAfter.all(after, RUNS_READ)
        for (const row of page) checkedRow(row)
        rows.push(...page)
        for (const [id, parent] of parentsOf(sql.forks.all(after, page.at(-1)?.seq ?? after, FORK_MARK))) parents.set(id, parent)
        return page.length
      })
    }
    // A first batch that was packed before it could be read above is in a segment now.
    for (const { id, parent } of this.#connection.read((sql) => sql.parents.all())) parents.set(id, parent)
    // A fork is removed before the run that it was made from.
    return { rows: rows.reverse(), parents }
  }

  /** Reads the unread records of runs, a limited number in each transaction. */
  async #readRuns(rows: readonly StoredRunRow[]): Promise<void> {
    for (const page of unreadPages(rows, this.#needed, RECORDS_READ)) {
      await yieldToRuns()
      this.#connection.read((sql) => this.#readParts(sql, page))
    }
  }

  #readParts(sql: Statements, parts: readonly UnreadPart[]): void {
    for (const { run, from, until } of parts) {
      // Another sweep may have removed the run, and another run may have its name.
      const current = sql.run.get(run.id)
      const texts = current?.seq === run.seq && current.trace === run.trace ? readNeeds(sql, current, from, until) : []
      this.#needed.addRecords(run, texts, until)
    }
  }

  /** Reads the next entries of ledgers, at most `most`. Returns false if there are no more. */
  #readLedgers(sql: Statements, most: number): boolean {
    const entries = sql.ledgersAfter.all(this.#ledgers, most)
    for (const { row, value } of entries) {
      addHashes(value, this.#needed.hashes)
      this.#ledgers = row
    }
    return entries.length === most
  }

  /** Removes these runs from those to remove: they are removed. */
  forget(rows: readonly StoredRunRow[]): void {
    for (const { id } of rows) this.#candidates.forget(id)
  }

  /** Keeps runs that the sweep could not remove, and the runs that they descend from. */
  keep(rows: readonly StoredRunRow[]): void {
    for (const { id } of rows) this.#candidates.keep(id)
  }

  /** Ends the removal of runs: reads the records of those that were to be removed and are kept. */
  async keepRemaining(): Promise<void> {
    this.#keepsAll = true
    if (this.#candidates.hasKept) await this.read()
  }

  /** Sets the marks: everything before them has been read, or will be read whatever its row is. */
  mark(sql: Statements): void {
    this.#marks = { batch: sql.lastBatch.get(), seal: sql.lastSealed.get() }
  }

  /** Reads what was committed since the last read, in several transactions if it is much. Throws `R5003`. */
  async catchUp(): Promise<void> {
    for (let isWhole = false; !isWhole; ) {
      await yieldToRuns()
      const since = this.#connection.read((sql) => this.#readSince(sql, BATCHES_READ))
      if (since === undefined) await this.read()
      else await this.#readRuns(since.runs)
      isWhole = since?.isWhole ?? false
    }
    while (this.#connection.read((sql) => this.#readLedgers(sql, ENTRIES_READ))) await yieldToRuns()
  }

  /**
   * Reads what was committed since the last read, inside a transaction that removes data: no process commits until it ends. Returns
   * false if that cannot be known; then `read` must be called. Throws `R5003`.
   */
  catchUpNow(sql: Statements): boolean {
    const since = this.#readSince(sql, ALL)
    if (since === undefined) return false
    for (const page of unreadPages(since.runs, this.#needed, ALL)) this.#readParts(sql, page)
    this.#readLedgers(sql, ALL)
    return true
  }

  /**
   * Reads the batches after the marks, at most `most`, and moves the marks. `runs` must be read, too: they have segments whose records
   * may have been packed before they were read as batches, or the snapshot that opens them may name more. Undefined if another
   * process removed the batch or seal of a mark: its row may now belong to one that this sweep has not read.
   */
  #readSince(sql: Statements, most: number): { readonly isWhole: boolean; readonly runs: readonly StoredRunRow[] } | undefined {
    const { batch, seal } = this.#marks
    if (batch !== undefined && !isSame(batch, sql.batchAt.get(batch.row))) return undefined
    if (seal !== undefined && !isSame(seal, sql.sealedAt.get(seal.row))) return undefined
    const batches = sql.batchesAfter.all(batch?.row ?? 0, most)
    const parents = new Map<string, string>()
    for (const { id, ...found } of batches) {
      addHashes(found.body, this.#needed.hashes)
      const parent = id === null ? null : parentIn(id, found)
      if (id !== null && parent !== null) parents.set(id, parent)
    }
    const isWhole = batches.length < most
    // A segment is read after all batches before it, so none of these can be packed unseen.
    const sealed = isWhole ? sql.sealedAfter.all(seal?.row ?? 0) : []
    for (const { id, parent } of sealed) if (id !== null && parent !== null) parents.set(id, parent)
    this.#candidates.keepParents(parents)
    this.#marks = { batch: batches.at(-1) ?? batch, seal: sealed.at(-1) ?? seal }
    const ids = new Set(sealed.flatMap(({ id, without_rows: withoutRows }) => (id === null || withoutRows === 0 ? [] : [id])))
    const runs = Array.from(ids, (id) => sql.run.get(id)).filter((row) => row !== undefined)
    return { isWhole, runs: runs.filter((row) => !this.#candidates.isGone(row)) }
  }
}

function isSame(mark: Place, found: Place | undefined): boolean {
  return found?.run === mark.run && found.first === mark.first && found.sum === mark.sum
}
