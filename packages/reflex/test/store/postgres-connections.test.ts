import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { pgbouncer, Pooler } from './pgbouncer.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const withoutPooler = pgbouncer === undefined ? ' (skipped: pgbouncer is not installed)' : ''
const RUN = 'otter-2m9q'
const worker = workerOf('first')

describe.skipIf('missing' in programs)(`the connections of a store in Postgres${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  const opened = (address: string, patience?: number): Store => {
    const store = openPostgres(address, patience === undefined ? {} : { patience })
    onTestFinished(async () => store.close())
    return store
  }

  it.each([
    ['seven, without a number in the address', '', 7],
    ['those of the address', '&connections=3', 3],
    ['those of the address', '&connections=5', 5],
  ])('are at most %s (%s), whatever is asked at once', async (_, setting, most) => {
    const store = opened(`${server.address()}${setting}`)
    await store.hello(worker, NOW, TTL)
    store.watch(() => undefined)
    const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`)
    const leases = (await Promise.all(ids.map(async (id) => store.create(rowOf(id), worker)))) as Lease[]
    const count = async (): Promise<number> => (await server.sql(`select from pg_stat_activity where application_name = 'reflex'`)).length
    const counts: number[] = []
    for (let record = 1; record <= 20; record++) {
      const work = [
        ...leases.map(async (lease) => store.commit([batchOf(lease, record)])),
        ...leases.map(async ({ run }) => store.post(run, messageOf(`m${record}`))),
        ...ids.map(async (id) => store.read(id)),
        ...Array.from({ length: 5 }, async () => store.beat(worker, NOW + record, leases)),
        Promise.resolve(store.due(NOW)),
        Promise.resolve(store.unread(worker)),
      ]
      counts.push(await count())
      await Promise.all(work)
    }
    await expect.poll(count, { timeout: 20_000 }).toBe(most)
    expect(Math.max(...counts)).toBeLessThanOrEqual(most)
    for (const id of ids) expect(await store.journal(id)).toHaveLength(20)
  })

  describe.skipIf(pgbouncer === undefined)(`through PgBouncer${withoutPooler}`, () => {
    const poolerIn = async (mode: string, size?: number): Promise<Pooler> => {
      const pooler = await Pooler.start(pgbouncer ?? '', server.port, mode, size)
      onTestFinished(() => pooler.stop())
      return pooler
    }

    it('work in session mode: commits, answers and announcements', async () => {
      const pooler = await poolerIn('session')
      const direct = server.address()
      const store = opened(server.address({ schema: new URL(direct).searchParams.get('schema') ?? '', port: pooler.port }))
      await store.hello(worker, NOW, TTL)
      const lease = (await store.create(rowOf(RUN), worker)) as Lease
      let calls = 0
      store.watch(() => calls++)
      await expect.poll(() => calls, { timeout: 20_000 }).toBe(1)
      expect(await Promise.all([1, 2, 3].map(async (first) => store.commit([batchOf(lease, first)])))).toEqual([[], [], []])
      await opened(direct).post(RUN, messageOf('m1'))
      await expect.poll(() => calls, { timeout: 20_000 }).toBe(2)
      expect(await store.unread(worker)).toMatchObject([{ run: RUN }])
      const settings = await server.sql(`select from pg_stat_activity where application_name = 'reflex'`)
      expect(settings.length).toBeGreaterThan(0)
    })

    it('work in session mode with no more sessions than the store has connections', async () => {
      const pooler = await poolerIn('session', 3)
      const store = opened(`${server.address({ port: pooler.port })}&connections=3`)
      await store.hello(worker, NOW, TTL)
      store.watch(() => undefined)
      const lease = (await store.create(rowOf(RUN), worker)) as Lease
      expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    })

    it.each(['transaction', 'statement'])('are refused in %s mode: R5074 says what to do, and nothing is written', async (mode) => {
      const pooler = await poolerIn(mode)
      const address = server.address({ port: pooler.port })
      const store = opened(address, 300)
      for (const call of [() => store.hello(worker, NOW, TTL), () => store.runs()])
        await expect(call()).rejects.toMatchObject({ code: 'R5074', fix: expect.stringContaining('pool_mode = session') as string })
      expect(await server.sql('select from pg_namespace where nspname = $1', [new URL(address).searchParams.get('schema')])).toEqual([])
    })

    it('of which the pooler refuses a setting: R5061 names it', async () => {
      const pooler = await poolerIn('session')
      const store = opened(`${server.address({ port: pooler.port })}&options=-c%20geqo%3Doff`, 300)
      await expect(store.runs()).rejects.toMatchObject({ code: 'R5061', cause: expect.stringContaining('options') as string })
    })
  })
})
