import type { Pool, PoolClient } from 'pg'
import type { Host } from 'reflex-runtime/kernel'

/** Milliseconds between two attempts to reach a database that is away. */
const REACH_MS = 250

/**
 * Returns a pool whose users wait for a connection while the database is away, until the pool ends. DBOS itself waits twice as long after each
 * failure, up to a minute, and begins no turns meanwhile: also after the database is back.
 */
export function patientPool(pool: Pool, host: Host): Pool {
  const connect = async (): Promise<PoolClient> => {
    for (;;)
      try {
        return await pool.connect()
      } catch (thrown) {
        if (pool.ending) throw thrown
        await new Promise<void>((resolve) => void host.at(host.now() + REACH_MS, resolve, true))
      }
  }
  const query = async (text: string, values?: unknown[]): Promise<unknown> => {
    const client = await connect()
    let isBroken = true
    try {
      const result = await client.query(text, values)
      isBroken = false
      return result
    } finally {
      client.release(isBroken)
    }
  }
  return withMethods(pool, { connect, query })
}

/** Returns a pool whose users fail at once while the database is away. DBOS tries again, for ever, what fails for a reason that it knows. */
export function promptPool(pool: Pool): Pool {
  return withMethods(pool, {
    connect: () => hidden(pool.connect()),
    query: (text: string, values?: unknown[]) => hidden(pool.query(text, values)),
  })
}

/** Returns what an operation of DBOS on a prompt pool returns, and throws what the pool threw. */
export async function revealed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw thrown instanceof HiddenError ? thrown.reason : thrown
  }
}

/** Hides why something failed from DBOS, which looks for it in messages and causes. */
class HiddenError extends Error {
  readonly reason: unknown

  constructor(reason: unknown) {
    super('the database did not do it')
    this.reason = reason
  }
}

async function hidden<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw new HiddenError(thrown)
  }
}

/** Returns a pool with other methods in place of its own. */
export function withMethods(pool: Pool, methods: Readonly<Record<string, unknown>>): Pool {
  return new Proxy(pool, { get: (target, key) => methods[String(key)] ?? (Reflect.get(target, key) as unknown) })
}
