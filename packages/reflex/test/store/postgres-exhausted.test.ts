import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Host, systemHost } from '../../src/kernel/ports/host.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, NOW, rowOf, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const worker = workerOf('first')
const CONNECTIONS = 8
const RUNS = Array.from({ length: 20 }, (_, i) => `run-${i}`)
/** The milliseconds of a lease: short, so that a pool gives up soon. */
const TTL = 2000

/** A host that counts the pauses before retries. */
function counting(): Host & { readonly pauses: () => number } {
  let pauses = 0
  return {
    ...systemHost,
    at: (...args) => {
      pauses++
      return systemHost.at(...args)
    },
    pauses: () => pauses,
  }
}

describe.skipIf('missing' in programs)(`a Postgres server without a free connection${skipped}`, { timeout: 120_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start(false, { max_connections: CONNECTIONS, superuser_reserved_connections: 0 })
  }, 120_000)
  afterAll(() => server?.stop())

  const connect = async (address: string): Promise<Client> => {
    const client = new Client({ connectionString: address })
    await client.connect()
    return client
  }
  const storeAt = async (address: string, host: Host): Promise<Store> => {
    const store = openPostgres(address, { patience: 600_000, host })
    onTestFinished(async () => store.close())
    await store.hello(worker, NOW, TTL)
    return store
  }
  /** Expects each run once, with its first record. */
  const begins = async (store: Store, leases: readonly (Lease | 'taken')[]): Promise<void> => {
    expect(await store.commit(leases.map((lease) => batchOf(lease as Lease, 1)))).toEqual([])
    expect((await store.runs()).map(({ id, last }) => `${id} ${last}`).sort()).toEqual(RUNS.map((id) => `${id} 1`).sort())
  }

  it('is waited for: other processes use all connections while twenty runs start', async () => {
    const host = counting()
    const address = server.address()
    const store = await storeAt(address, host)
    const others: Client[] = []
    for (;;) {
      try {
        others.push(await connect(address))
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: '53300' })
        break
      }
    }
    expect(others.length).toBeGreaterThan(0)
    const before = host.pauses()
    const leases = Promise.all(RUNS.map(async (id) => store.create(rowOf(id), worker)))
    await expect.poll(() => host.pauses() - before, { interval: 1, timeout: 60_000 }).toBeGreaterThan(2 * RUNS.length)
    await Promise.all(others.map((client) => client.end()))
    await begins(store, await leases)
  })

  it('is waited for: the store itself uses all its connections for longer than its pool waits', async () => {
    const host = counting()
    const address = server.address()
    const schema = new URL(address).searchParams.get('schema')
    const store = await storeAt(address, host)
    const holder = await connect(address)
    await holder.query(`begin; lock table ${schema}.run in access exclusive mode`)
    const before = host.pauses()
    const leases = Promise.all(RUNS.map(async (id) => store.create(rowOf(id), worker)))
    // More than one try of each: calls that wait for the lock, and calls that wait for a connection.
    await expect.poll(() => host.pauses() - before, { interval: 1, timeout: 60_000 }).toBeGreaterThan(2 * RUNS.length)
    await holder.query('rollback')
    await holder.end()
    await begins(store, await leases)
  })
})
