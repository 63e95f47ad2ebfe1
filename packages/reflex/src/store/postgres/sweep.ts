import type { SweepOptions, SweepResult } from '../../kernel/index.ts'
import { checkedRow, chainEnd, type StoredRunRow } from '../rows.ts'
import { checkChain, type SummedBatch } from '../checksums.ts'
import { addHashes } from '../hashes.ts'
import { Candidates, chunksOf, FORK_MARK, NeededHashes, parentsOf, unreadPages } from '../sweep-candidates.ts'
import { isOpen } from '../columns.ts'
import { type Ask, inTransaction, type PostgresConnection } from './connection.ts'
import { compactKept } from './ledgers.ts'
import { readNeeds } from './stored-segments.ts'
import { OVERLAP } from './sweep-statements.ts'

/** The most runs whose journals one statement reads, and the most records of these runs. */
const RUNS_READ = 500
const RECORDS_READ = 20_000
/** The most that one transaction removes, so that a commit waits for a few milliseconds at most. */
const RUNS_DROPPED = 200
const HASHES_DROPPED = 500

/**
 * Removes everything that is no longer needed, as `sweepStore` does for SQLite, but with whole pages of runs per
 * statement. A commit waits only if it brings programs or values, for the few milliseconds in which the sweep removes
 * some. Such a commit leaves no trace when it inserts a program that exists already, so none may be pending meanwhile.
 */
export async function sweepPostgres(connection: PostgresConnection, options: SweepOptions): Promise<SweepResult> {
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

class Sweep {
  readonly #connection: PostgresConnection
  readonly #options: SweepOptions
  readonly #needed = new NeededHashes()
  /** The last entry that was read of each ledger. */
  readonly #ledgers = new Map<string, number>()
  #candidates = new Candidates<StoredRunRow>([], new Map(), 0)
  /** The last record that was read of each run that may grow: runs that were open, and the newest runs. */
  readonly #read = new Map<number, number>()
  #newest = 0

  constructor(connection: PostgresConnection, options: SweepOptions) {
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
    await this.#connection.read(async (ask) => {
      // A fork is removed before the run that it was made from.
      const rows = (await ask('all', [])).toReversed()
      for (const row of rows) checkedRow(row)
      this.#newest = rows.reduce((most, { seq }) => Math.max(most, seq), 0)
      for (const { seq, status, last } of rows) if (isOpen(status) || seq > this.#newest - OVERLAP) this.#read.set(seq, last)
      this.#candidates = new Candidates(rows, await parentsSince(ask, 0), now, before)
      const remaining = rows.filter((row) => !this.#candidates.isGone(row))
      for (const page of pagesOf(remaining.filter(({ last }) => last <= RECORDS_READ))) await this.#readJournals(ask, page)
      for (const row of remaining) if (row.last > RECORDS_READ) await this.#readUnread(ask, row)
      await this.#readLedgers(ask)
    })
  }

  async #readJournals(ask: Ask, rows: readonly StoredRunRow[]): Promise<void> {
    const sealed = new Set((await ask('sealedRuns', [rows.map(({ seq }) => seq)])).map(({ run }) => run))
    const batches = Map.groupBy(await ask('journals', [rows.map(({ seq }) => seq)]), ({ run }) => run)
    for (const row of rows) {
      this.#needed.firstUnread(row)
      // Records that were committed after the row was read are skipped here; the next read includes them.
      const runBatches: SummedBatch[] = (batches.get(row.seq) ?? []).filter(({ first }) => first <= row.last)
      // Another process may have sealed and packed a segment between the two statements.
      const isWhole = !sealed.has(row.seq) && runBatches[0]?.first === 1
      if (isWhole) this.#needed.addRecords(row, checkChain(chainEnd(row), undefined, runBatches, row.last))
      else await this.#readUnread(ask, row)
    }
  }

  /** Reads the unread records of a run in parts, so that a long journal is never in memory as a whole. */
  async #readUnread(ask: Ask, row: StoredRunRow): Promise<void> {
    for (const page of unreadPages([row], this.#needed, RECORDS_READ))
      for (const { run, from, until } of page) this.#needed.addRecords(run, await readNeeds(ask, run.id, from, until), until)
  }

  /** Reads what was committed since, of runs that may have grown. */
  async #catchUp(ask: Ask): Promise<void> {
    for (const row of await ask('grown', [[...this.#read.keys()], [...this.#read.values()], this.#newest])) {
      if (this.#candidates.isGone(row)) continue
      await this.#readUnread(ask, row)
      this.#read.set(row.seq, row.last)
    }
    await this.#readLedgers(ask)
  }

  async #readLedgers(ask: Ask): Promise<void> {
    for (const { name, seq, value } of await ask('ledgers', [JSON.stringify(Object.fromEntries(this.#ledgers))])) {
      addHashes(value, this.#needed.hashes)
      this.#ledgers.set(name, seq)
    }
  }

  async dropRuns(): Promise<readonly StoredRunRow[]> {
    const dropped: StoredRunRow[] = []
    for (const chunk of chunksOf(this.runs, RUNS_DROPPED)) {
      const droppedRuns = await this.#connection.write(async (ask, unknownOutcome) => {
        this.#candidates.keepParents(await parentsSince(ask, this.#newest))
        const rows = chunk.filter((row) => this.#candidates.isGone(row))
        const columns = [rows.map(({ seq }) => seq), rows.map(({ token }) => token), rows.map(({ last }) => last)]
        const seqs = new Set((await ask('dropRuns', columns)).map(({ seq }) => seq))
        // The first attempt may have been performed although its answer was lost.
        if (unknownOutcome) for (const { seq } of rows) seqs.add(seq)
        if (unknownOutcome) for (const { seq } of await ask('still', [[...seqs]])) seqs.delete(seq)
        return chunk.filter(({ seq }) => seqs.has(seq))
      })
      dropped.push(...droppedRuns)
      for (const { id } of droppedRuns) this.#candidates.forget(id)
      await this.#keepRuns(chunk.filter((row) => !droppedRuns.includes(row)))
    }
    return dropped
  }

  /** Keeps runs that the sweep did not remove: a fork descends from them, or another process wrote their first record. */
  async #keepRuns(rows: readonly StoredRunRow[]): Promise<void> {
    for (const row of rows) {
      this.#candidates.keep(row.id)
      await this.#connection.read((ask) => this.#readUnread(ask, row))
    }
  }

  async dropUnneeded(what: 'programs' | 'blobs'): Promise<string[]> {
    const names = (await this.#connection.read((ask) => ask(what, []))).map(({ hash }) => hash)
    if (this.#options.dry === true) return this.#needed.unneeded(names)
    const dropped: string[] = []
    for (const chunk of chunksOf(this.#needed.unneeded(names), HASHES_DROPPED)) {
      // Reads before any commit has to wait; the transaction then reads only the little that follows.
      await this.#connection.read((ask) => this.#catchUp(ask))
      // Kept for a retry: if the connection is lost now, the retry may find that the work is done.
      let unneeded: string[] | undefined
      await this.#connection.write((ask) =>
        exclusively(ask, async () => {
          await this.#catchUp(ask)
          unneeded ??= this.#needed.unneeded(chunk)
          await ask(what === 'programs' ? 'dropPrograms' : 'dropBlobs', [this.#needed.unneeded(unneeded)])
        }),
      )
      dropped.push(...this.#needed.unneeded(unneeded ?? []))
    }
    return dropped
  }
}

/** Returns the parents of all forks whose first batch is packed, or that are newer than this run. */
async function parentsSince(ask: Ask, newest: number): Promise<Map<string, string>> {
  const parents = parentsOf(await ask('forks', [FORK_MARK, newest]))
  for (const { id, parent } of await ask('parents', [])) parents.set(id, parent)
  return parents
}

/** Runs a transaction during which no commit with programs or values, and no new entry of a ledger, is pending. */
async function exclusively(ask: Ask, work: () => Promise<void>): Promise<void> {
  await inTransaction(ask, async () => {
    await ask('hold', [])
    await ask('holdLedger', [])
    await work()
  })
}

/** Yields runs in pages with a limited number of records, so that a page fits into memory. */
function* pagesOf(rows: readonly StoredRunRow[]): Generator<readonly StoredRunRow[]> {
  let page: StoredRunRow[] = []
  let records = 0
  for (const row of rows) {
    if (page.length > 0 && (page.length >= RUNS_READ || records + row.last > RECORDS_READ)) {
      yield page
      page = []
      records = 0
    }
    page.push(row)
    records += row.last
  }
  if (page.length > 0) yield page
}
