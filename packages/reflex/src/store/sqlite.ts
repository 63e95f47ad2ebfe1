import type { Json } from '../kernel/json.ts'
import type {
  Batch,
  Claim,
  InboxMessage,
  Lease,
  LedgerEntry,
  Message,
  RunFilter,
  RunRow,
  Store,
  StoredBatch,
  StoredProgram,
  StoredRun,
  SweepOptions,
  Swept,
  Worker,
} from '../kernel/store.ts'
import { writeBatches } from './commit.ts'
import { Connection } from './connection.ts'
import { inboxOf, postMessage } from './inbox.ts'
import { Leases } from './leases.ts'
import { appendEntry, entriesOf } from './ledgers.ts'
import { readBlob, readJournal, readProgram, readRun, readRuns } from './reading.ts'
import { sweepStore } from './sweep.ts'

/** How a SQLite store behaves. */
export interface SqliteOptions {
  /** For how many milliseconds a call waits for another process that is writing, before it throws `R5025`. Default 5000. */
  readonly busyTimeout?: number
}

/**
 * A store in one SQLite file, which it makes if there is none, with the folders above it. Several processes may
 * have it open. What a method wrote is on the disk when it returns; killed in the middle, it wrote nothing.
 *
 * Throws `R5020` to `R5024` for a file that is not a store, is damaged, newer, or cannot be opened or written; the
 * file is left as it is. Methods throw `R5003` for a journal that is not what was written, `R5005` when the disk
 * takes no more, `R5025` while another process writes, `R5026` when the disk does not answer.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): Store {
  return new SqliteStore(new Connection(file, options.busyTimeout ?? 5000))
}

class SqliteStore implements Store {
  readonly durable = true
  readonly name: string
  readonly #connection: Connection
  readonly #leases: Leases

  constructor(connection: Connection) {
    this.name = connection.name
    this.#connection = connection
    this.#leases = new Leases(connection)
  }

  hello(worker: Worker, now: number, ttl: number): void {
    this.#leases.hello(worker, now, ttl)
  }

  beat(worker: Worker, now: number): void {
    this.#leases.beat(worker, now)
  }

  create(row: Omit<RunRow, 'owner' | 'last'>, worker: Worker): Lease | 'taken' {
    return this.#leases.create(row, worker)
  }

  claim(run: string, worker: Worker, now: number): Claim {
    return this.#leases.claim(run, worker, now)
  }

  release(lease: Lease): void {
    this.#leases.release(lease)
  }

  commit(batches: readonly Batch[]): readonly string[] {
    return this.#connection.write((sql) => writeBatches(sql, batches))
  }

  read(run: string, until?: number): StoredRun | undefined {
    return this.#connection.read((sql) => readRun(sql, run, until))
  }

  journal(run: string, from?: number): readonly StoredBatch[] {
    return this.#connection.read((sql) => readJournal(sql, run, from))
  }

  runs(filter: RunFilter = {}): readonly RunRow[] {
    return this.#connection.read((sql) => readRuns(sql, filter))
  }

  program(hash: string): StoredProgram | undefined {
    return this.#connection.read((sql) => readProgram(sql, hash))
  }

  blob(hash: string): string | undefined {
    return this.#connection.read((sql) => readBlob(sql, hash))
  }

  post(run: string, message: Message): boolean {
    return this.#connection.write((sql) => postMessage(sql, run, message))
  }

  inbox(run: string): readonly InboxMessage[] {
    return this.#connection.read((sql) => inboxOf(sql, run))
  }

  due(now: number): readonly string[] {
    return this.#leases.due(now)
  }

  append(ledger: string, key: string, value: Json, at: number): number {
    return this.#connection.write((sql) => appendEntry(sql, ledger, key, value, at))
  }

  ledger(name: string, after?: number, limit?: number): readonly LedgerEntry[] {
    return this.#connection.read((sql) => entriesOf(sql, name, after, limit))
  }

  sweep(options: SweepOptions): Swept {
    return sweepStore(this.#connection, options)
  }

  close(): void {
    this.#connection.close()
  }
}
