import { Pool, type PoolClient } from 'pg'
import { isFault } from 'reflex-runtime/kernel'
import { checkSessions, clusterFaults, type PostgresAddress } from 'reflex-runtime/store'

/** The connections of a cluster, for its statements and for DBOS. */
export const CONNECTIONS = 4
/** Milliseconds without an answer after which a connection is given up, until the duration of a lease is known. */
const SILENT_MS = 30_000
/** The shortest such time: a busy server must not look like a silent one. */
const SHORTEST_SILENT_MS = 2000
/**
 * Milliseconds after which the server ends a transaction whose process does nothing. DBOS works in several statements: a process that is
 * stopped between two of them, or cut off, would keep rows locked, and with them the ticks of all workers.
 */
const IDLE_MS = 3000
/** Milliseconds to connect. */
const CONNECT_MS = 5000
/** Sets what a session needs. */
const SESSION = `set default_transaction_isolation = 'read committed'; set synchronous_commit = off;
  set idle_in_transaction_session_timeout = ${IDLE_MS}`

export type Query = <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** The connections of one process to the database of a cluster. */
export interface Connection {
  /** The address without the password. */
  readonly shown: string
  /** The address, which may contain a password. */
  readonly url: string
  /** The pool, for DBOS, which has a part in it. */
  readonly pool: Pool
  /** Performs a statement as a transaction of its own. */
  readonly query: Query
  /** Performs statements in one transaction. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Sets the milliseconds without an answer after which a connection is given up, from its next use on; at least two seconds. */
  setSilentLimit(ms: number): void
  close(): Promise<void>
}

/**
 * Opens connections when they are needed. One that is silent for too long is given up, also in a statement of DBOS. What the server
 * refuses is `R5101`, with its cause. Throws `R5074` for a pooler that gives each transaction another session: nothing was set or written then.
 */
export async function connect(address: PostgresAddress): Promise<Connection> {
  const { connection, name } = address
  await checkSessions(address, CONNECT_MS).catch((thrown: unknown) => {
    throw refusal(thrown, name)
  })
  const pool = new Pool({
    connectionString: connection,
    application_name: 'reflex-cluster',
    max: CONNECTIONS,
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: CONNECT_MS,
    // What is due is made so by transactions of the store, which wait for the disk. After a crash of the server, begins and ends of turns
    // may be forgotten: workers notice it, and a turn that is carried twice finds nothing left to do. Statements of a transaction see what
    // others have committed since it began, whatever the default of the database is. A pooler refuses the settings in the first message of a
    // connection, so they are the first statement.
    verify: (client, done) => client.query(SESSION, (refused) => done(refused)),
  })
  // A connection that is lost while it is unused is replaced when the next one is needed.
  pool.on('error', () => undefined)
  let silentMs = SILENT_MS
  pool.on('connect', (client) => {
    // One that is lost while it is used fails its statement. DBOS adds no listener, without which Node would end the process.
    client.on('error', () => undefined)
    // A network may drop a connection without a word.
    const stream = streamOf(client)
    stream.on('timeout', () => stream.destroy())
  })
  pool.on('acquire', (client) => streamOf(client).setTimeout(silentMs))
  const query: Query = async (text, values = []) => {
    try {
      return (await pool.query(text, [...values])).rows as never
    } catch (thrown) {
      throw refusal(thrown, name)
    }
  }
  return {
    shown: name,
    url: connection,
    pool,
    query,
    transaction: (work) => inTransaction(pool, name, work),
    setSilentLimit: (ms) => {
      silentMs = Math.max(SHORTEST_SILENT_MS, ms)
    },
    close: () => pool.end(),
  }
}

async function inTransaction<T>(pool: Pool, shown: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw refusal(thrown, shown)
  })
  let isBroken = false
  // The next statement fails when the connection is lost; without a listener, the event would end the process.
  const onLost = (): void => {
    isBroken = true
  }
  client.on('error', onLost)
  try {
    await client.query('begin')
    const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows as never)
    await client.query('commit')
    return result
  } catch (thrown) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw refusal(thrown, shown)
  } finally {
    client.off('error', onLost)
    client.release(isBroken)
  }
}

/** The part of a socket that limits its silence. */
interface Stream {
  setTimeout(ms: number): unknown
  on(event: 'timeout', listener: () => void): unknown
  destroy(): unknown
}

/** Returns the socket of a client, which the types of `pg` leave out. */
function streamOf(client: PoolClient): Stream {
  return (client as unknown as { readonly connection: { readonly stream: Stream } }).connection.stream
}

function refusal(thrown: unknown, shown: string): Error {
  if (isFault(thrown)) return thrown
  return clusterFaults.make('R5101', `the cluster of ${shown} cannot use its database`, {
    cause: thrown,
    fix: 'read the cause; then try again',
  })
}
