import { systemHost, type SweepOptions, type SweepResult } from '../kernel/index.ts'
import type { Connection } from './connection.ts'
import { compactKept } from './ledgers.ts'
import { checkedRow, type Rows, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { readNeeds } from './stored-segments.ts'
import { addHashes } from './hashes.ts'
import { Candidates, chunksOf, FORK_MARK, NeededHashes, parentsOf } from './sweep-candidates.ts'

const ANY_RUN = [null, null, null, null, null, ''] as const
/** The most that one transaction reads or removes, so that a commit waits for a few milliseconds at most. */
const RUNS_READ = 200
const RUNS_DROPPED = 50
const HASHES_DROPPED = 500

/**
 * Removes everything that is no longer needed, in transactions of a few milliseconds each. The sweep reads everything
 * before it removes anything; the transactions that remove read only what was committed since.
 */
export async function sweepStore(connection: Connection, options: SweepOptions): Promise<SweepResult> {
  const sweep = new Sweep(connection, options)
  await sweep.read()
  const runs = options.dry === true ? sweep.runs : await sweep.dropRuns()
  return {
    runs: runs.map(({ id }) => id),
    programs: await sweep.dropUnneeded('programs'),
    blobs: await sweep.dropUnneeded('blobs'),
    entries: await compactKept(connection, options.now, options.dry === true),
  }
}

/** Lets the runs of this process continue between two transactions. */
function yieldToRuns(): Promise<void> {
  return new Promise((resolve) => systemHost.turn(resolve))
}

class Sweep {
  readonly #connection: Connection
  readonly #options: SweepOptions
  readonly #needed = new NeededHashes()
  #candidates = new Candidates<StoredRunRow>([], new Map(), 0)
  /** The number of the last ledger entry that was read. */
  #ledgers = 0
  /** The newest batch at the last read. Later commits have higher rows as long as this batch exists. */
  #tip: Rows['tip'] | undefined

  constructor(connection: Connection, options: SweepOptions) {
    this.#connection = connection
    this.#options = options
  }

  get runs(): readonly StoredRunRow[] {
    return this.#candidates.goneRows
  }

  /**
   * Reads the hashes in the remaining runs and in the ledgers. Throws `R5003` for a journal that is not what was
   * written.
   */
  async read(): Promise<void> {
    const { now, before } = this.#options
    const { rows, parents } = this.#connection.read((sql) => {
      this.#tip = sql.tip.get()
      return { rows: sql.runs.all(...ANY_RUN), parents: parentsSince(sql, 0) }
    })
    this.#candidates = new Candidates(rows, parents, now, before)
    for (const chunk of chunksOf(rows, RUNS_READ)) {
      await yieldToRuns()
      this.#connection.read((sql) => this.#readRuns(sql, chunk))
    }
    this.#connection.read((sql) => this.#readLedgers(sql))
  }

  #readRuns(sql: Statements, rows: readonly StoredRunRow[]): void {
    for (const row of rows) {
      checkedRow(row)
      const from = this.#candidates.isGone(row.id) ? undefined : this.#needed.firstUnread(row)
      // The run can have more records than its row had when it was read.
      const current = from === undefined ? undefined : sql.run.get(row.id)
      if (from !== undefined && current !== undefined) this.#needed.addRecords(row, readNeeds(sql, current, from))
    }
  }

  #readLedgers(sql: Statements): void {
    for (const { row, value } of sql.ledgers.all(this.#ledgers)) {
      addHashes(value, this.#needed.hashes)
      this.#ledgers = row
    }
  }

  async dropRuns(): Promise<readonly StoredRunRow[]> {
    const dropped: StoredRunRow[] = []
    for (const chunk of chunksOf(this.runs, RUNS_DROPPED)) {
      await yieldToRuns()
      const droppedRuns = await this.#writeCurrent((sql) => chunk.filter((row) => this.#candidates.isGone(row.id) && dropRun(sql, row)))
      dropped.push(...droppedRuns)
      this.#keepRuns(chunk.filter((row) => !droppedRuns.includes(row)))
    }
    return dropped
  }

  /** Keeps runs that the sweep could not remove, and reads their current records. */
  #keepRuns(rows: readonly StoredRunRow[]): void {
    if (rows.length === 0) return
    for (const { id } of rows) this.#candidates.keep(id)
    this.#connection.read((sql) => {
      const current = rows.map(({ id }) => sql.run.get(id))
      this.#readRuns(
        sql,
        current.filter((row) => row !== undefined),
      )
    })
  }

  async dropUnneeded(what: 'programs' | 'blobs'): Promise<string[]> {
    const names = this.#connection.read((sql) => sql[what].all()).map(({ hash }) => hash)
    if (this.#options.dry === true) return this.#needed.unneeded(names)
    const dropped: string[] = []
    for (const chunk of chunksOf(this.#needed.unneeded(names), HASHES_DROPPED)) {
      await yieldToRuns()
      const statement = what === 'programs' ? 'dropProgram' : 'dropBlob'
      dropped.push(
        ...(await this.#writeCurrent((sql) => {
          this.#readLedgers(sql)
          const unneeded = this.#needed.unneeded(chunk)
          for (const hash of unneeded) sql[statement].run(hash)
          return unneeded
        })),
      )
    }
    return dropped
  }

  /** Runs one transaction that removes data, after reading what was committed since the last read. */
  async #writeCurrent<T>(work: (sql: Statements) => T): Promise<T> {
    for (;;) {
      const outcome = this.#connection.write((sql) => {
        if (!this.#catchUp(sql)) return undefined
        const result = work(sql)
        this.#tip = sql.tip.get()
        return { result }
      })
      if (outcome !== undefined) return outcome.result
      await this.read()
    }
  }

  /**
   * Reads what was committed since. Returns false if another sweep removed the newest batch: its row number may now
   * belong to a batch that this sweep has not read.
   */
  #catchUp(sql: Statements): boolean {
    const tip = this.#tip
    const found = tip === undefined ? undefined : sql.batchAt.get(tip.row)
    if (tip !== undefined && (found?.run !== tip.run || found.first !== tip.first || found.sum !== tip.sum)) return false
    for (const { body } of sql.since.all(tip?.row ?? 0)) addHashes(body, this.#needed.hashes)
    this.#candidates.keepParents(parentsSince(sql, tip?.row ?? 0))
    // The first batch of a run that began with a snapshot does not name everything that the snapshot names.
    const newRuns = sql.based.all().filter((row) => this.#needed.firstUnread(row) === 1)
    this.#readRuns(sql, newRuns)
    return true
  }
}

/** Returns the parents of all forks whose first batch is packed or has a row after this one. */
function parentsSince(sql: Statements, row: number): Map<string, string> {
  const parents = parentsOf(sql.forks.all(FORK_MARK, row))
  for (const { id, parent } of sql.parents.all()) parents.set(id, parent)
  return parents
}

/**
 * Removes a run. Returns false if the run has changed since it was read: another process wrote its first record
 * meanwhile.
 */
function dropRun(sql: Statements, { seq, trace, token, last }: StoredRunRow): boolean {
  if (Number(sql.dropRun.run(seq, trace, token, last).changes) === 0) return false
  for (const table of [sql.dropJournal, sql.dropSnapshots, sql.dropMessages, sql.dropSegments]) table.run(seq)
  return true
}
