import { postgresFaults } from './faults.ts'

/** What the store uses of the package `pg`, which need not be installed: a pool of connections. */
export interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A connection that was lent by the pool. */
export interface Client {
  query(query: Query): Promise<{ readonly rows: unknown[] }>
  /** Gives it back; `true` closes it instead. */
  release(close?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: () => void): unknown
  /** From now on, being open alone does not keep the process alive. */
  unref(): void
}

interface Query {
  readonly text: string
  readonly name?: string
  readonly values?: readonly Value[]
  /** Milliseconds after which a connection that has not answered counts as lost. */
  readonly query_timeout?: number
}

/** The parameters of a pool. */
export interface PoolSettings {
  readonly connections: number
  /** Milliseconds that a statement waits for another one. */
  readonly lockMs: number
  /** Milliseconds after which a connection that has not answered counts as lost, where a query names no other time. */
  readonly silentMs: number
  readonly connectMs: number
}

/** What a statement is given. */
export type Value = string | number | null | readonly (string | number | null)[]

interface Driver {
  readonly Pool: new (settings: object) => Pool
}

const PACKAGE: string = 'pg'
/** After so long without a word the other side is asked whether it is there: a machine that lost its power says nothing any more. */
const SILENT_MS = 10_000
/** No statement of a store takes so long. One that does is given up by both sides. */
const STATEMENT_MS = 60_000
/** Who is stopped in the middle of a transaction of several statements, which are rare here, holds others up for no longer. */
const IDLE_MS = 3000
/** Oids of int8 and int4. */
const NUMBER_OIDS: readonly number[] = [20, 23]

/** A pool for this address. Throws `R5060` where `pg` is missing. */
export async function makePool(connection: string, { connections, lockMs, silentMs, connectMs }: PoolSettings): Promise<Pool> {
  const { Pool } = await loadDriver()
  const pool = new Pool({
    connectionString: connection,
    fallback_application_name: 'reflex',
    max: connections,
    allowExitOnIdle: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENT_MS,
    connectionTimeoutMillis: connectMs,
    query_timeout: silentMs,
    statement_timeout: STATEMENT_MS,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: IDLE_MS,
    types: { getTypeParser: (oid: number) => (NUMBER_OIDS.includes(oid) ? Number : fromColumn) },
  })
  // A connection that is lost while nobody uses it is replaced when it is needed.
  pool.on('error', () => {})
  return pool
}

async function loadDriver(): Promise<Driver> {
  try {
    return (await import(/* @vite-ignore */ PACKAGE)) as Driver
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw postgresFaults.make('R5060', isMissing ? 'a store in Postgres needs the package pg' : 'the package pg cannot be loaded', {
      fix: 'npm install pg',
      ...(isMissing ? {} : { cause: thrown }),
    })
  }
}

/** Text of Postgres holds every character but U+0000. So that one is written U+0001 "0", and U+0001 itself U+0001 "1". */
export function toColumn(value: Value): Value {
  if (typeof value === 'string') return escapeNull(value)
  return Array.isArray(value) ? value.map((item: string | number | null) => (typeof item === 'string' ? escapeNull(item) : item)) : value
}

function escapeNull(text: string): string {
  return /[\0\u0001]/.test(text) ? text.replace(/[\0\u0001]/g, (character) => (character === '\0' ? '\u00010' : '\u00011')) : text
}

function fromColumn(text: string): string {
  return text.includes('\u0001') ? text.replace(/\u0001([01])/g, (_, digit) => (digit === '0' ? '\0' : '\u0001')) : text
}
