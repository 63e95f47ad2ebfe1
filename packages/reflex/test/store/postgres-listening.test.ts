import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const RUN = 'otter-2m9q'
const worker = workerOf('first')

describe.skipIf('missing' in programs)(`a watch of a Postgres store${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  const opened = (address: string): Store => {
    const store = openPostgres(address)
    onTestFinished(async () => store.close())
    return store
  }
  const listeners = (): Promise<readonly unknown[]> =>
    server.sql(`select pid from pg_stat_activity where application_name = 'reflex' and query like 'listen %'`)
  const begun = async (address: string): Promise<{ store: Store; other: Store; calls: () => number }> => {
    const [store, other] = [opened(address), opened(address)]
    await store.hello(worker, NOW, TTL)
    ;(await store.create(rowOf(RUN), worker)) as Lease
    let calls = 0
    store.watch(() => calls++)
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(1)
    return { store, other, calls: () => calls }
  }

  it('is called after a post of another process, without polling', async () => {
    const { other, calls } = await begun(server.address())
    await expect.poll(calls, { timeout: 20_000 }).toBe(1)
    await other.post(RUN, messageOf('m1'))
    await expect.poll(calls, { timeout: 20_000 }).toBe(2)
  })

  it('listens again after its connection was lost, at the next call of unread', async () => {
    const { store, other, calls } = await begun(server.address())
    await server.sql(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'`)
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(0)
    await other.post(RUN, messageOf('m1'))
    expect(await store.unread(worker)).toMatchObject([{ run: RUN }])
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(1)
    const before = calls()
    await other.post(RUN, messageOf('m2'))
    await expect.poll(calls, { timeout: 20_000 }).toBeGreaterThan(before)
  })

  it('keeps no connection after it is stopped, and none after the store is closed', async () => {
    const store = opened(server.address())
    await store.runs()
    store.watch(() => undefined).stop()
    const watch = store.watch(() => undefined)
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(1)
    watch.stop()
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(0)
    store.watch(() => undefined)
    await store.close()
    await expect.poll(listeners, { timeout: 20_000 }).toHaveLength(0)
  })
})
