import type { Store } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { memoryStore } from './memory.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

/** Matches schemes of two letters or more: `c:\reflex.db` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is

/**
 * Opens the store at an address: a path or `sqlite:PATH` for a file, `postgres://…` or `postgresql://…` for a database,
 * `memory:` for a store that ends with the process (each call creates a new one). Throws `R5027` for any other scheme,
 * and the faults of `openSqlite` and `openPostgres`.
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
      // The rest of an address can contain a password.
      throw faults.make('R5027', `${scheme}: is not a kind of store; use a path, sqlite:PATH, postgres://… or memory:`, {
        fix: 'write a path',
      })
  }
}
