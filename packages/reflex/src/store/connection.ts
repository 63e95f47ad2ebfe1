import { type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { faults } from '../kernel/faults.ts'
import { openDatabase, rollBack } from './open.ts'
import { storeFault } from './sqlite-faults.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One connection to a store file. Everything is done inside `read` or `write`, which give errors their codes. */
export class Connection {
  readonly name: string
  readonly sql: Statements
  readonly #db: DatabaseSync
  readonly #path: string
  /** The file that was opened, as it was when it was looked at last. */
  #file: Stats | undefined
  #open = true

  constructor(file: string, busyTimeout: number) {
    this.name = file
    this.#path = resolve(file)
    this.#db = openDatabase(file, busyTimeout)
    try {
      this.sql = prepareStatements(this.#db)
      this.#file = statSync(this.#path)
    } catch (thrown) {
      this.#db.close()
      throw storeFault(thrown, file, 'open')
    }
  }

  /** One transaction: all of it is durable when this returns, or nothing of it happened. */
  write<T>(work: (sql: Statements) => T): T {
    return this.#transaction('write', work)
  }

  /** Reads that see one state of the store. */
  read<T>(work: (sql: Statements) => T): T {
    return this.#transaction('read', work)
  }

  #transaction<T>(doing: 'read' | 'write', work: (sql: Statements) => T): T {
    try {
      ;(doing === 'write' ? this.sql.beginWrite : this.sql.beginRead).run()
    } catch (thrown) {
      throw storeFault(thrown, this.name, doing)
    }
    try {
      const result = work(this.sql)
      if (doing === 'write') this.#mustStand()
      this.sql.commit.run()
      return result
    } catch (thrown) {
      rollBack(this.#db)
      throw storeFault(thrown, this.name, doing)
    }
  }

  /**
   * SQLite goes on writing into a file that was deleted, and knows nothing of one that took its place. A store never
   * shrinks by itself.
   */
  #mustStand(): void {
    const opened = this.#file
    const found = statSync(this.#path, { throwIfNoEntry: false })
    const what =
      found === undefined
        ? 'is gone'
        : found.ino !== opened?.ino || found.dev !== opened.dev
          ? 'is another file now'
          : found.size < opened.size
            ? 'was cut short'
            : undefined
    if (what !== undefined)
      throw faults.make('R5005', `the store ${this.name} ${what}`, { file: this.name, fix: 'put the file back, or restore it from a copy' })
    this.#file = found
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#db.close()
  }
}
