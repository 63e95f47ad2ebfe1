import type { DatabaseSync } from 'node:sqlite'
import { openDatabase, rollBack } from './open.ts'
import { storeFault } from './sqlite-faults.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One connection to a store file. Everything is done inside `read` or `write`, which give errors their codes. */
export class Connection {
  readonly name: string
  readonly sql: Statements
  readonly #db: DatabaseSync
  #open = true

  constructor(file: string, busyTimeout: number) {
    this.name = file
    this.#db = openDatabase(file, busyTimeout)
    try {
      this.sql = prepareStatements(this.#db)
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
      this.sql.commit.run()
      return result
    } catch (thrown) {
      rollBack(this.#db)
      throw storeFault(thrown, this.name, doing)
    }
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#db.close()
  }
}
