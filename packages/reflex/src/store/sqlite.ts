import {
  type AppendOptions,
  type Appended,
  checkCompaction,
  checkEntries,
  type Compaction,
  entryText,
  type Fault,
  systemHost,
  type Json,
  type Base,
  type Batch,
  type Claim,
  type Committed,
  type InboxLimit,
  type InboxMessage,
  type LatestEntries,
  type Lease,
  type LedgerEntry,
  type Message,
  type NewEntry,
  type PostWatch,
  type RunFilter,
  type RunRow,
  type PackResult,
  type Segment,
  type Store,
  type StoredBatch,
  type StoredProgram,
  type StoredRun,
  type StoredSegment,
  type SweepOptions,
  type SweepResult,
  type UnreadRun,
  type Worker,
} from '../kernel/index.ts'
import { batchPages } from './batch-pages.ts'
import { Commits } from './commit.ts'
import { committedIn } from './committed.ts'
import { Connection } from './connection.ts'
import { inboxOf, postMessage, postMessages } from './inbox.ts'
import { Leases } from './leases.ts'
import { appendEntries, appendEntry, compactLedger, entriesOf, latestOf } from './ledgers.ts'
import { PostListeners } from './post-listeners.ts'
import { readBlob, readJournal, readProgram, readRun, readRuns } from './reading.ts'
import { forgetStored, listSegments, packStored, readSegment } from './stored-segments.ts'
import { baseOf } from './rows.ts'
import { sweepStore } from './sweep.ts'
import { UnreadCache } from './unread-cache.ts'

/** The settings of a SQLite store. */
export interface SqliteOptions {
  /** The time in milliseconds that a call waits for another writing process before it throws `R5025`. Default 5000. */
  readonly busyTimeout?: number
  /**
   * The expected identity of the store: any other store is refused with `R5030`, and a new store gets this identity.
   * Default: any identity; a new store gets a random one.
   */
  readonly identity?: string | undefined
}

/** A store in one file. */
export interface FileStore extends Store {
  /** The id that the store got when it was created. A copy has the same id. */
  readonly identity: string | undefined
  /**
   * True if the file or its folder cannot be written, or its disk is full: every method that writes throws `R5024` or
   * `R5005`.
   */
  readonly readOnly: boolean
}

/**
 * Opens a store in one SQLite file. Creates the file, and the folders above it, if they do not exist. Several processes
 * may have the file open. A process that is killed inside a method wrote nothing; when a method has returned, its
 * writes outlive the process. The writes of `commit`, `post`, `append` and `sweep` are then on the disk, together with
 * everything before them. The ownership of runs (`hello`, `beat`, `create`, `claim`, `release`) reaches the disk with
 * the next of those calls. An earlier power failure undoes it: the processes end with it, and a run that was only
 * created never began.
 *
 * A store whose file or folder is read-only, or whose disk is full, can be read: nothing is created beside it, and
 * methods that write throw `R5024` or `R5005`.
 *
 * Throws `R5020` to `R5024` for a file that is not a store, is damaged, is newer, or cannot be opened or created, and
 * `R5030` for a store with another identity than the given one; the file is not changed. Methods throw `R5003` for a
 * journal that is not what was written, `R5005` if the disk is full or refuses a write, `R5025` while another process
 * writes, `R5026` if the disk cannot be read.
 */
export function openSqlite(file: string, { busyTimeout = 5000, identity }: SqliteOptions = {}): FileStore {
  return new SqliteStore(new Connection(file, { busyTimeout, expectedIdentity: identity, newIdentity: identity ?? systemHost.entropy() }))
}

class SqliteStore implements FileStore {
  readonly durable = true
  readonly name: string
  readonly identity: string | undefined
  readonly readOnly: boolean
  readonly #connection: Connection
  readonly #leases: Leases
  readonly #commits: Commits
  readonly #unread: UnreadCache
  readonly #listeners = new PostListeners()

  constructor(connection: Connection) {
    this.name = connection.name
    this.identity = connection.identity
    this.readOnly = connection.readOnly !== undefined
    this.#connection = connection
    this.#leases = new Leases(connection)
    this.#commits = new Commits(connection)
    this.#unread = new UnreadCache(connection)
  }

  hello(worker: Worker, now: number, ttl: number): void {
    this.#leases.hello(worker, now, ttl)
  }

  beat(worker: Worker, now: number, leases?: readonly Lease[]): readonly string[] {
    return this.#leases.beat(worker, now, leases)
  }

  create(row: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Lease | 'taken' {
    return this.#leases.create(row, worker)
  }

  claim(run: string, worker: Worker, now: number): Claim {
    this.#unread.forget()
    return this.#leases.claim(run, worker, now)
  }

  release(lease: Lease): void {
    this.#commits.forget(lease)
    this.#unread.forget()
    this.#leases.release(lease)
  }

  commit(batches: readonly Batch[]): readonly string[] {
    if (batches.some(({ taken, delivered }) => taken !== undefined || delivered !== undefined)) this.#unread.forget()
    return this.#commits.commit(batches)
  }

  read(run: string, until?: number): StoredRun | undefined {
    return this.#connection.read((sql) => readRun(sql, run, until))
  }

  journal(run: string, from?: number): readonly StoredBatch[] {
    return this.#connection.read((sql) => readJournal(sql, run, from))
  }

  async *batches(run: string, from = 1, until = Number.MAX_SAFE_INTEGER): AsyncGenerator<StoredBatch> {
    const row = this.#connection.read((sql) => sql.run.get(run))
    if (row === undefined) return
    const range = [Math.max(from, baseOf(row) + 1), Math.min(until, row.last)] as const
    yield* batchPages(run, range, (from, until) => this.#connection.read((sql) => readJournal(sql, run, from, until)))
  }

  segments(run: string): readonly Segment[] {
    return this.#connection.read((sql) => listSegments(sql, run))
  }

  segment(run: string, number: number): StoredSegment | undefined {
    return this.#connection.read((sql) => readSegment(sql, run, number))
  }

  pack(run: string, number: number): Promise<PackResult> {
    return packStored(this.#connection, run, number)
  }

  forget(run: string, through: number, archive: string): void {
    this.#connection.write((sql) => forgetStored(sql, run, through, archive))
  }

  runs(filter: RunFilter = {}): readonly RunRow[] {
    return this.#connection.read((sql) => readRuns(sql, filter))
  }

  committed(after?: string, limit?: number): Committed | undefined {
    return this.#connection.read((sql) => committedIn(sql, after, limit))
  }

  program(hash: string): StoredProgram | undefined {
    return this.#connection.read((sql) => readProgram(sql, hash))
  }

  blob(hash: string): string | undefined {
    return this.#connection.read((sql) => readBlob(sql, hash))
  }

  post(run: string, message: Message, limit?: InboxLimit): boolean {
    const isNew = this.#connection.write((sql) => postMessage(sql, run, message, limit))
    this.#unread.forget()
    this.#listeners.notify()
    return isNew
  }

  postAll(run: string, messages: readonly Message[], limit?: InboxLimit): readonly (boolean | Fault)[] {
    if (messages.length === 0) return []
    const results = this.#connection.write((sql) => postMessages(sql, run, messages, limit))
    this.#unread.forget()
    this.#listeners.notify()
    return results
  }

  posted(run: string, id: string): boolean {
    return this.#connection.read((sql) => sql.postedTo.get(run, id) !== undefined)
  }

  inbox(run: string, after?: number, limit?: number): readonly InboxMessage[] {
    return this.#connection.read((sql) => inboxOf(sql, run, after, limit))
  }

  unread(worker: Worker): readonly UnreadRun[] {
    return this.#unread.runsOf(worker)
  }

  /** Watches the posts of this process. A post of another process is visible only in the version of the data. */
  watch(posted: () => void): PostWatch {
    return { complete: false, stop: this.#listeners.listen(posted) }
  }

  due(now: number): readonly string[] {
    return this.#leases.due(now)
  }

  append(ledger: string, key: string, value: Json, at: number): number {
    const text = entryText(ledger, key, value)
    return this.#connection.write((sql) => appendEntry(sql, ledger, key, text, at))
  }

  appendAll(ledger: string, key: string, entries: readonly NewEntry[], at: number, options?: AppendOptions): Appended {
    const checked = checkEntries(ledger, key, entries, options)
    return this.#connection.write((sql) => appendEntries(sql, ledger, key, checked, at, options))
  }

  ledger(name: string, after?: number, limit?: number): readonly LedgerEntry[] {
    return this.#connection.read((sql) => entriesOf(sql, name, after, limit))
  }

  latest(ledger: string, names?: readonly string[]): LatestEntries {
    return this.#connection.read((sql) => latestOf(sql, ledger, names))
  }

  async compact(ledger: string, compaction: Compaction): Promise<number> {
    return compactLedger(this.#connection, ledger, checkCompaction(ledger, compaction))
  }

  sweep(options: SweepOptions): Promise<SweepResult> {
    this.#unread.forget()
    return sweepStore(this.#connection, options)
  }

  close(): void {
    this.#listeners.clear()
    this.#connection.close()
  }
}
