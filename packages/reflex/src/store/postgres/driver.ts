import { postgresFaults } from './faults.ts'

/** The part of the optional package `pg` that the store uses: a pool of connections. */
export interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A connection that the pool has lent. */
export interface Client {
  query(query: Query): Promise<{ readonly rows: unknown[] }>
  /** Returns the connection to the pool; `true` closes it instead. */
  release(close?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly channel: string; readonly payload?: string }) => void): unknown
  /** Stops the open connection from keeping the process alive. */
  unref(): void
  /** The process of the server, as it was announced when the connection was opened. A pooler announces another number. */
  readonly processID?: number | null
}

interface Query {
  readonly text: string
  readonly name?: string
  readonly values?: readonly Value[]
  /** The milliseconds without an answer after which the connection counts as lost. */
  readonly query_timeout?: number
}

/** The settings of a pool. */
export interface PoolSettings {
  readonly connections: number
  /** The milliseconds without an answer after which a connection counts as lost, unless a query sets its own limit. */
  readonly silentMs: number
  readonly connectMs: number
}

/** A parameter of a statement. */
export type Value = string | number | null | readonly (string | number | null)[]

interface Driver {
  readonly Pool: new (settings: object) => Pool
}

const PACKAGE: string = 'pg'
/**
 * The milliseconds of silence after which TCP asks the other side for a sign of life: a machine that lost its power
 * sends nothing.
 */
const SILENT_MS = 10_000
/** The type ids (OIDs) of int8 and int4. */
const NUMBER_OIDS: readonly number[] = [20, 23]

/** Creates a pool for an address. Throws `R5060` if `pg` is missing. */
export async function makePool(connection: string, { connections, silentMs, connectMs }: PoolSettings): Promise<Pool> {
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
    types: { getTypeParser: (oid: number) => (NUMBER_OIDS.includes(oid) ? Number : fromColumn) },
  })
  // A connection that is lost while it is unused is replaced when the next one is needed.
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

/** Escapes U+0000, the only character that Postgres text cannot contain, as U+0001 "0", and U+0001 itself as U+0001 "1". */
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
