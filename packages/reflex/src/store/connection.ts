import type { DatabaseSync } from 'node:sqlite'
import { judgeLayout } from './file-header.ts'
import { type OpenSettings, openDatabase, openToRead, rollBack } from './open-database.ts'
import type { ReadOnlyFile } from './read-only.ts'
import { identityOf } from './schema.ts'
import { storeFault } from './sqlite-faults.ts'
import { FileCheck } from './file-check.ts'
import { LogSpace } from './log-space.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One connection to a store file. All work runs inside `read` or `write`, which turn errors into faults. */
export class Connection {
  readonly name: string
  /** The id that the store got when it was created. */
  readonly identity: string | undefined
  /** Absent if the store can be written. */
  readonly readOnly: ReadOnlyFile | undefined
  readonly #settings: OpenSettings
  readonly #fileCheck: FileCheck
  readonly #logSpace: LogSpace
  #db: DatabaseSync
  #sql: Statements
  /**
   * SQLite's `synchronous` level. At the end of a transaction, `full` flushes the log to the disk; `normal` leaves that
   * to the system.
   */
  #level: 'full' | 'normal' = 'full'
  #isOpen = true

  constructor(file: string, settings: OpenSettings) {
    this.name = file
    this.#settings = settings
    const { db, readOnly } = openDatabase(file, settings)
    this.#db = db
    this.readOnly = readOnly
    try {
      this.identity = identityOf(db)
      this.#sql = prepareStatements(db)
      this.#fileCheck = new FileCheck(file)
      this.#logSpace = new LogSpace(file, pageSizeOf(db))
    } catch (thrown) {
      this.#release()
      throw storeFault(thrown, file, 'open')
    }
  }

  /** Runs one transaction. All of it is durable when this returns; if this throws, none of it happened. */
  write<T>(work: (sql: Statements) => T): T {
    return this.#transaction('write', work, 'full')
  }

  /**
   * Runs one transaction like `write`, but its writes survive only the end of this process, not yet a power failure.
   * Use it for facts about living processes. All transactions share one log: the next `write` of any process makes
   * these writes durable too, and no later transaction survives without them.
   */
  writeUnsynced<T>(work: (sql: Statements) => T): T {
    return this.#transaction('write', work, 'normal')
  }

  /** Returns a number that changes when another connection, of this process or another one, commits. */
  version(): number {
    try {
      return this.#sql.version.get()?.data_version ?? 0
    } catch (thrown) {
      throw storeFault(thrown, this.name, 'read')
    }
  }

  /** Runs reads that see one state of the store. */
  read<T>(work: (sql: Statements) => T): T {
    const attempt = (): T => this.#transaction('read', work)
    return this.readOnly === undefined || !this.#isOpen
      ? attempt()
      : this.readOnly.retryWhileChanging(() => this.#reopen(this.readOnly), attempt)
  }

  #reopen(file: ReadOnlyFile | undefined): void {
    if (file === undefined) return
    this.#db.close()
    this.#db = openToRead(file, this.name, this.#settings).db
    this.#sql = prepareStatements(this.#db)
  }

  #transaction<T>(operation: 'read' | 'write', work: (sql: Statements) => T, level = this.#level): T {
    if (operation === 'write' && this.readOnly !== undefined && this.#isOpen) throw this.readOnly.refusal
    try {
      this.#setLevel(level)
      ;(operation === 'write' ? this.#sql.beginWrite : this.#sql.beginRead).run()
    } catch (thrown) {
      throw storeFault(thrown, this.name, operation)
    }
    try {
      // No process can raise the layout until this transaction ends.
      if (operation === 'write') judgeLayout(this.#sql.layout.get()?.user_version ?? 0, this.name)
      const result = work(this.#sql)
      if (operation === 'write') this.#fileCheck.check()
      if (level === 'full' && operation === 'write') this.#logSpace.countCommit()
      this.#sql.commit.run()
      return result
    } catch (thrown) {
      rollBack(this.#db)
      throw storeFault(thrown, this.name, operation)
    }
  }

  /** Sets the level. SQLite accepts it only outside transactions, and the statement that sets it cannot be prepared. */
  #setLevel(level: 'full' | 'normal'): void {
    if (level === this.#level) return
    this.#db.exec(`pragma synchronous = ${level}`)
    this.#level = level
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#release()
  }

  #release(): void {
    this.#db.close()
    this.readOnly?.close()
  }
}

function pageSizeOf(db: DatabaseSync): number {
  return Number(db.prepare('pragma page_size').get()?.['page_size'])
}
