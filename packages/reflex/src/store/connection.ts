import type { DatabaseSync } from 'node:sqlite'
import { judgeLayout } from './header.ts'
import { type Opening, openDatabase, openToRead, rollBack } from './open.ts'
import type { ReadOnlyFile } from './read-only.ts'
import { identityOf } from './schema.ts'
import { storeFault } from './sqlite-faults.ts'
import { Standing } from './standing.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One connection to a store file. Everything is done inside `read` or `write`, which give errors their codes. */
export class Connection {
  readonly name: string
  /** The id that the store got when it was made. */
  readonly identity: string | undefined
  /** Absent: the store can be written. */
  readonly readOnly: ReadOnlyFile | undefined
  readonly #opening: Opening
  readonly #standing: Standing
  #db: DatabaseSync
  #sql: Statements
  /** What SQLite does at the end of a transaction: `full` brings the log to the disk, `normal` leaves that to the system. */
  #level: 'full' | 'normal' = 'full'
  #open = true

  constructor(file: string, opening: Opening) {
    this.name = file
    this.#opening = opening
    const { db, readOnly } = openDatabase(file, opening)
    this.#db = db
    this.readOnly = readOnly
    try {
      this.identity = identityOf(db)
      this.#sql = prepareStatements(db)
      this.#standing = new Standing(file)
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
  note<T>(work: (sql: Statements) => T): T {
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
    const once = (): T => this.#transaction('read', work)
    return this.readOnly === undefined || !this.#open ? once() : this.readOnly.steadily(() => this.#reopen(this.readOnly), once)
  }

  #reopen(file: ReadOnlyFile | undefined): void {
    if (file === undefined) return
    this.#db.close()
    this.#db = openToRead(file, this.name, this.#opening).db
    this.#sql = prepareStatements(this.#db)
  }

  #transaction<T>(doing: 'read' | 'write', work: (sql: Statements) => T, level = this.#level): T {
    if (doing === 'write' && this.readOnly !== undefined && this.#open) throw this.readOnly.refusal
    try {
      this.#keep(level)
      ;(doing === 'write' ? this.#sql.beginWrite : this.#sql.beginRead).run()
    } catch (thrown) {
      throw storeFault(thrown, this.name, doing)
    }
    try {
      // No process can raise the layout until this transaction is over.
      if (doing === 'write') judgeLayout(this.#sql.layout.get()?.user_version ?? 0, this.name)
      const result = work(this.#sql)
      if (doing === 'write') this.#standing.check()
      this.#sql.commit.run()
      return result
    } catch (thrown) {
      rollBack(this.#db)
      throw storeFault(thrown, this.name, doing)
    }
  }

  /** SQLite takes the level outside of transactions alone, and a statement that sets it cannot be prepared. */
  #keep(level: 'full' | 'normal'): void {
    if (level === this.#level) return
    this.#db.exec(`pragma synchronous = ${level}`)
    this.#level = level
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#release()
  }

  #release(): void {
    this.#db.close()
    this.readOnly?.close()
  }
}
