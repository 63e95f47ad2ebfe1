import { type Fault, isFault } from '../../kernel/journal/fault.ts'
import { faults, noRoom } from '../faults.ts'
import { postgresFaults, RESTORE_SCHEMA } from './faults.ts'
import { newerLayout } from './schema.ts'
import { foundLayout } from './statements.ts'

/** What was being done; the same answer of the server means different things. */
export type Operation = 'open' | 'read' | 'write'

/** The codes of Node for a connection that is gone or was not made. */
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
/** What `pg` says of one; it gives these no code. */
const GONE_MESSAGE = /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout e)/

/** The five characters by which the server names an error, if the server threw it. */
function sqlStateOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'severity' in thrown && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** The connection was lost, or not made: what was asked last may have been done or not. Another try may fare better. */
export function isLost(thrown: unknown): boolean {
  const state = sqlStateOf(thrown)
  if (state !== undefined) return /^(08|57P0[1-5]|25P03)/.test(state)
  if (!(thrown instanceof Error)) return false
  return ('code' in thrown && GONE_CODES.includes(String(thrown.code))) || GONE_MESSAGE.test(thrown.message)
}

/** The server chose this statement among several that were in each other's way, and undid it. */
export function isClash(thrown: unknown): boolean {
  return sqlStateOf(thrown)?.startsWith('40') === true
}

/** The server has no free connection. */
export function isExhausted(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '53300'
}

/** Another statement kept a row or a table for longer than this one waits; it was undone. */
export function isBusy(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '55P03'
}

/** Anything that `pg` throws, as a fault that names the store. Faults stay what they are. */
export function postgresFault(thrown: unknown, store: string, operation: Operation): Fault {
  if (isFault(thrown)) return thrown
  // Node tries each address of a host, and has no words for all of them together.
  const details = { cause: thrown instanceof AggregateError ? (thrown.errors[0] as unknown) : thrown }
  const sqlState = sqlStateOf(thrown)
  const layout = sqlState === '22P02' && thrown instanceof Error ? foundLayout(thrown) : undefined
  if (layout !== undefined) return newerLayout(layout, store)
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

/** A call whose last statement was sent and not answered, and nobody can say what became of it. */
export function unknownOutcomeFault(thrown: unknown, store: string): Fault {
  return postgresFaults.make('R5070', `it is not known whether ${store} has written`, {
    cause: postgresFault(thrown, store, 'write'),
    fix: 'wait until the server is back, then resume',
  })
}

/** An address is no path, so it stands in the message and not as the place. */
interface Details {
  readonly cause: unknown
}

function serverFault(state: string, store: string, operation: Operation, details: Details): Fault {
  if (state.startsWith('28')) return refusedUser(store, details)
  if (state === '3D000') {
    return postgresFaults.make('R5064', `the database of ${store} does not exist`, { ...details, fix: 'create it, or name another one' })
  }
  if (state === '42501' || state === '25006') {
    return postgresFaults.make('R5065', `the user of ${store} may not ${operation === 'read' ? 'read' : 'write to'} it`, {
      ...details,
      fix: 'grant the right, or name another user',
    })
  }
  if (/^(42P01|42703|3F000|XX00[12]|23505)/.test(state)) {
    return postgresFaults.make('R5068', `the store ${store} is damaged`, { ...details, fix: RESTORE_SCHEMA })
  }
  if (state === '55P03') {
    return faults.make('R5025', `another process keeps the store ${store} busy`, {
      ...details,
      fix: 'let it go on, or end it; then try again',
    })
  }
  if (state === '53100') return noRoom(store, "the server's disk", details)
  if (/^(53|57014|40)/.test(state)) {
    return postgresFaults.make('R5072', `the server of ${store} has no room for this`, { ...details, fix: 'try again later' })
  }
  return postgresFaults.make('R5073', `the server of ${store} refused a statement`, { ...details, fix: 'read the cause' })
}

function refusedUser(store: string, details: Details): Fault {
  return postgresFaults.make('R5063', `the server of ${store} refuses the user`, {
    ...details,
    fix: 'correct the user and the password, or set PGPASSWORD',
  })
}
