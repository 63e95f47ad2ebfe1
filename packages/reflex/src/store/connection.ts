import type { DatabaseSync } from 'node:sqlite'
import { judgeLayout } from './file-header.ts'
import { type OpenSettings, openDatabase, openToRead, rollBack } from './open-database.ts'
import type { ReadOnlyFile } from './read-only.ts'
import { identityOf } from './schema.ts'
import { storeFault } from './sqlite-faults.ts'
import { FileCheck } from './file-check.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One connection to a store file. Everything is done inside `read` or `write`, which give errors their codes. */
export class Connection {
  readonly name: string
  /** The id that the store got when it was made. */
  readonly identity: string | undefined
  /** Absent: the store can be written. */
  readonly readOnly: ReadOnlyFile | undefined
  readonly #settings: OpenSettings
  readonly #fileCheck: FileCheck
  #db: DatabaseSync
  #sql: Statements
  /** What SQLite does at the end of a transaction: `full` brings the log to the disk, `normal` leaves that to the system. */
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
    } catch (thrown) {
      this.#release()
      throw storeFault(thrown, file, 'open')
    }
  }

  /** One transaction: all of it is durable when this returns, or nothing of it happened. */
  write<T>(work: (sql: Statements) => T): T {
    return this.#transaction('write', work, 'full')
  }

  /**
   * As `write`, and what it wrote outlives this process, but not yet a loss of power: for what is true of living
   * processes alone. All transactions stand in one log, so the next `write` of any process makes it durable too, and
   * none after it can be there without it.
   */
  writeUnsynced<T>(work: (sql: Statements) => T): T {
    return this.#transaction('write', work, 'normal')
  }

  /** Changes once another connection, of this process or another one, has committed. */
  version(): number {
    try {
      return this.#sql.version.get()?.data_version ?? 0
    } catch (thrown) {
      throw storeFault(thrown, this.name, 'read')
    }
  }

  /** Reads that see one state of the store. */
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
      // No process can raise the layout until this transaction is over.
      if (operation === 'write') judgeLayout(this.#sql.layout.get()?.user_version ?? 0, this.name)
      const result = work(this.#sql)
      if (operation === 'write') this.#fileCheck.check()
      this.#sql.commit.run()
      return result
    } catch (thrown) {
      rollBack(this.#db)
      throw storeFault(thrown, this.name, operation)
    }
  }

  /** SQLite takes the level outside of transactions alone, and a statement that sets it cannot be prepared. */
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
