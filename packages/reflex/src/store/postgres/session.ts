import type { PostgresAddress } from './address.ts'
import { type Client, makePool } from './driver.ts'
import { isLost } from './errors.ts'
import { sharedSessions } from './faults.ts'

/**
 * The longest time of a statement in milliseconds. No statement of a store takes so long; the server cancels one that
 * does.
 */
const STATEMENT_MS = 60_000
/**
 * The longest idle time inside a transaction, in milliseconds. A process stopped in a transaction of several
 * statements, which are rare here, blocks others for no longer.
 */
const IDLE_MS = 3000
/** A pooler that is busy may give both clients a session of their own once, but not so many times. */
const PROBES = 5

/**
 * Returns the session settings that the statements rely on, whatever the defaults of the server are. Names without a schema are
 * those of Postgres, not those that another user has put into a schema on the search path. The isolation is `read
 * committed`, and a commit waits for the disk. A statement waits for a lock for `lockMs` milliseconds. They are set by a statement
 * because a pooler refuses them in the first message of a connection.
 */
export function sessionSettings(lockMs: number): string {
  return `set search_path = pg_catalog, pg_temp; set default_transaction_isolation = 'read committed'; set lock_timeout = ${lockMs};
    set statement_timeout = ${STATEMENT_MS}; set idle_in_transaction_session_timeout = ${IDLE_MS};
    select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`
}

/**
 * Throws `R5074` if a pooler lends the sessions of the server for a transaction at a time: settings, prepared statements and
 * announcements belong to a session, and those of one client would be used by another. Nothing was set before.
 */
export async function requireOwnSession(client: Client, address: PostgresAddress, silentMs: number): Promise<void> {
  const process = await processOf(client, silentMs)
  // Without a pooler, the process is the one that was announced.
  if (client.processID === process) return
  const pool = await makePool(address.connection, { connections: 1, silentMs, connectMs: silentMs })
  try {
    const other = await pool.connect()
    other.on('error', () => {})
    const isShared = await areShared(client, other, silentMs).finally(() => other.release(true))
    if (isShared) throw sharedSessions(address.name)
  } catch (thrown) {
    // A pooler without a session for a second client has lent this one for the whole connection.
    if (!isLost(thrown)) throw thrown
  } finally {
    await pool.end()
  }
}

/**
 * Connects once, and throws `R5074` as a store does for a pooler that lends sessions; otherwise what the server refuses. For other users of the
 * database of a store, before they connect themselves.
 */
export async function checkSessions(address: PostgresAddress, limitMs: number): Promise<void> {
  const pool = await makePool(address.connection, { connections: 1, silentMs: limitMs, connectMs: limitMs })
  try {
    const client = await pool.connect()
    client.on('error', () => {})
    await requireOwnSession(client, address, limitMs).finally(() => client.release(true))
  } finally {
    await pool.end()
  }
}

/** True if two clients that are connected at the same time are served by the same process of the server. */
async function areShared(one: Client, other: Client, silentMs: number): Promise<boolean> {
  const own = await processOf(one, silentMs)
  for (let probe = 0; probe < PROBES; probe++)
    if ((await processOf(other, silentMs)) === own || (await processOf(one, silentMs)) !== own) return true
  return false
}

async function processOf(client: Client, silentMs: number): Promise<number> {
  const { rows } = await client.query({ text: 'select pg_catalog.pg_backend_pid() as process', query_timeout: silentMs })
  const [row] = rows as { readonly process: number }[]
  return row?.process ?? 0
}
