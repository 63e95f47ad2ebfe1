import { Pool, type PoolClient } from 'pg'
import { isFault } from 'reflex-runtime/kernel'
import { checkSessions, clusterFaults, type PostgresAddress } from 'reflex-runtime/store'

/** The connections of a cluster, for its statements and for DBOS. */
export const CONNECTIONS = 4
/** The longest time of a statement in milliseconds. DBOS creates indexes, and waits for open transactions before it can. */
const STATEMENT_MS = 30_000
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
  close(): Promise<void>
}

/**
 * Opens connections when they are needed. One on which nothing passes for `silentMs` is given up, also in a statement of DBOS. What the server
 * refuses is `R5101`, with its cause. Throws `R5074` for a pooler that gives each transaction another session: nothing was set or written then.
 */
export async function connect(address: PostgresAddress, silentMs = STATEMENT_MS): Promise<Connection> {
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
  pool.on('connect', (client) => {
    // One that is lost while it is used fails its statement. DBOS adds no listener, without which Node would end the process.
    client.on('error', () => undefined)
    limitSilence(client, silentMs)
  })
  const query: Query = async (text, values = []) => {
    try {
      return (await pool.query(timed(text, values))).rows as never
    } catch (thrown) {
      throw refusal(thrown, name)
    }
  }
  return { shown: name, url: connection, pool, query, transaction: (work) => inTransaction(pool, name, work), close: () => pool.end() }
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
    const result = await work(async (text, values = []) => (await client.query(timed(text, values))).rows as never)
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

/** The part of a client of `pg` that its types leave out. */
interface Wired {
  readonly connection: { readonly stream: { setTimeout(ms: number, onTimeout: () => void): unknown; destroy(): unknown } }
}

/** A network may drop a connection without a word. */
function limitSilence(client: PoolClient, ms: number): void {
  const { stream } = (client as unknown as Wired).connection
  stream.setTimeout(ms, () => stream.destroy())
}

/** A statement whose connection counts as lost if it takes too long. */
function timed(text: string, values: readonly unknown[]) {
  return { text, values: [...values], query_timeout: STATEMENT_MS }
}

function refusal(thrown: unknown, shown: string): Error {
  if (isFault(thrown)) return thrown
  return clusterFaults.make('R5101', `the cluster of ${shown} cannot use its database`, {
    cause: thrown,
    fix: 'read the cause; then try again',
  })
}
