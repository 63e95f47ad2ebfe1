import { type Fault, isFault } from '../../kernel/index.ts'
import { faults, noRoom } from '../faults.ts'
import { postgresFaults, RESTORE_SCHEMA, sharedSessions } from './faults.ts'
import { newerLayout } from './schema.ts'
import { foundLayout } from './statements.ts'

/** The kind of call: the same error of the server means different things in different calls. */
export type Operation = 'open' | 'read' | 'write'

/** Node's codes for a connection that was lost or could not be opened. */
const GONE_CODES = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ENOTCONN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]
/** The messages of `pg` for a lost connection; these errors have no code. */
const GONE_MESSAGE = /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout e)/

/** Returns the server's five-character code of an error (SQLSTATE), if the server threw it. */
function sqlStateOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'severity' in thrown && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/**
 * True if the connection was lost or could not be opened. The last request may or may not have been performed; a retry
 * may succeed.
 */
export function isLost(thrown: unknown): boolean {
  const state = sqlStateOf(thrown)
  if (state !== undefined) return /^(08|57P0[1-5]|25P03)/.test(state) && !isRefusedSetting(thrown)
  if (!(thrown instanceof Error)) return false
  return ('code' in thrown && GONE_CODES.includes(String(thrown.code))) || GONE_MESSAGE.test(thrown.message)
}

/** True if a pooler does not forward a setting of the address. */
function isRefusedSetting(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('unsupported startup parameter')
}

/** True if the server cancelled and undid this statement because it conflicted with others. */
export function isClash(thrown: unknown): boolean {
  return sqlStateOf(thrown)?.startsWith('40') === true
}

/** True if the server has no free connection. */
export function isExhausted(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '53300'
}

/** True if the server accepts no writes: after a failover, a new connection may lead to one that does. */
export function isReadOnly(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '25006'
}

/** True if another statement locked a row or a table for longer than this one waits; this one was undone. */
export function isBusy(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '55P03'
}

/** Returns anything that `pg` throws as a fault that names the store. A fault is returned unchanged. */
export function postgresFault(thrown: unknown, store: string, operation: Operation): Fault {
  if (isFault(thrown)) return thrown
  // Node tries each address of a host, and the error for all of them together has no message.
  const details = { cause: thrown instanceof AggregateError ? (thrown.errors[0] as unknown) : thrown }
  const sqlState = sqlStateOf(thrown)
  const layout = sqlState === '22P02' && thrown instanceof Error ? foundLayout(thrown) : undefined
  if (layout !== undefined) return newerLayout(layout, store)
  if (isRefusedSetting(thrown)) return refusedSetting(store, details)
  if (sqlState !== undefined && !isLost(thrown)) return serverFault(sqlState, store, operation, details)
  if (thrown instanceof Error && thrown.message.startsWith('SASL')) return refusedUser(store, details)
  if (operation === 'open')
    return postgresFaults.make('R5062', `the Postgres server of ${store} does not answer`, {
      ...details,
      fix: 'start the server, or correct the address',
    })
  if (isLost(thrown))
    return postgresFaults.make('R5069', `the connection to ${store} was lost`, {
      ...details,
      fix: 'wait until the server is back, then resume',
    })
  return postgresFaults.make('R5073', `the store ${store} cannot be ${operation === 'read' ? 'read' : 'written'}`, {
    ...details,
    fix: 'read the cause',
  })
}

/**
 * Returns the fault `R5070` for a call whose last statement was sent but not answered, and whose outcome cannot be
 * found out.
 */
export function unknownOutcomeFault(thrown: unknown, store: string): Fault {
  return postgresFaults.make('R5070', `the outcome of the last write to ${store} is unknown`, {
    cause: postgresFault(thrown, store, 'write'),
    fix: 'wait until the server is back, then resume',
  })
}

/** The details of a fault. An address is not a file path, so it is in the message and not in `file`. */
interface Details {
  readonly cause: unknown
}

function serverFault(state: string, store: string, operation: Operation, details: Details): Fault {
  if (state.startsWith('28')) return refusedUser(store, details)
  if (state === '3D000') {
    return postgresFaults.make('R5064', `the database of ${store} does not exist`, {
      ...details,
      fix: 'create it, or name another database',
    })
  }
  if (isReadOnly(details.cause)) {
    return postgresFaults.make('R5075', `the server of ${store} is read-only`, {
      ...details,
      fix: 'name the primary server, or wait until this one accepts writes; then resume',
    })
  }
  // A statement that this connection prepared, and that its session does not have, or has from another client.
  if (state === '26000' || state === '42P05') return sharedSessions(store, details.cause)
  if (state === '42501') {
    return postgresFaults.make('R5065', `the user of ${store} has no permission to ${operation === 'read' ? 'read' : 'write to'} it`, {
      ...details,
      fix: 'grant the permission, or name another user',
    })
  }
  if (/^(42P01|42703|3F000|XX00[12]|23505)/.test(state)) {
    return postgresFaults.make('R5068', `the store ${store} is damaged`, { ...details, fix: RESTORE_SCHEMA })
  }
  if (state === '55P03') {
    return faults.make('R5025', `another process keeps the store ${store} busy`, {
      ...details,
      fix: 'wait for it, or end it; then try again',
    })
  }
  if (state === '53100') return noRoom(store, "the server's disk", details)
  if (/^(53|57014|40)/.test(state)) {
    return postgresFaults.make('R5072', `the server of ${store} has no free resources`, { ...details, fix: 'try again later' })
  }
  return postgresFaults.make('R5073', `the server of ${store} refused a statement`, { ...details, fix: 'read the cause' })
}

function refusedSetting(store: string, details: Details): Fault {
  return postgresFaults.make('R5061', `the pooler of ${store} refuses a setting of the address`, {
    ...details,
    fix: 'leave out the setting that the cause names, or add it to ignore_startup_parameters of the pooler',
  })
}

function refusedUser(store: string, details: Details): Fault {
  return postgresFaults.make('R5063', `the server of ${store} refuses the user`, {
    ...details,
    fix: 'correct the user and the password, or set PGPASSWORD',
  })
}
