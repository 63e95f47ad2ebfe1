import type { Store } from '../kernel/ports/store.ts'
import { faults } from './faults.ts'
import { memoryStore } from './memory.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

/** Two letters or more: `c:\reflex.db` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is

/**
 * Opens the store of an address: a path or `sqlite:PATH` for a file, `postgres://…` or `postgresql://…` for a database,
 * `memory:` for one that ends with the process (each call makes another). Throws `R5027` for any other scheme, and what
 * `openSqlite` and `openPostgres` throw.
 */
export function openStore(address: string, options?: SqliteOptions): Store {
  const [, scheme, rest = ''] = SCHEME.exec(address) ?? []
  switch (scheme?.toLowerCase()) {
    case undefined:
      return openSqlite(address, options)
    case 'sqlite':
      return openSqlite(rest, options)
    case 'postgres':
    case 'postgresql':
      return openPostgres(address)
    case 'memory':
      return memoryStore(address)
    default:
      // The rest of an address may hold a password.
      throw faults.make('R5027', `${scheme}: is no kind of store; known are a path, sqlite:PATH, postgres://… and memory:`, {
        fix: 'write a path',
      })
  }
}
