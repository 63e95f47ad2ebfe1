import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
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

describe.skipIf('missing' in programs)(`commits that are followed${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  /** A process that holds runs, and one that follows some of them. */
  async function two(all = false) {
    const address = server.address()
    const [holder, follower] = [openPostgres(address), openPostgres(address)]
    onTestFinished(async () => {
      await holder.close()
      await follower.close()
    })
    await holder.hello(worker, NOW, TTL)
    const leases = new Map<string, { readonly lease: Lease; last: number }>()
    for (const run of ['one', 'two']) leases.set(run, { lease: (await holder.create(rowOf(run), worker)) as Lease, last: 0 })
    const news: string[] = []
    const watch = follower.follow?.((runs) => news.push(...(runs ?? ['any'])), all)
    if (watch === undefined) throw new Error('the store announces nothing')
    holder.watch(() => undefined)
    const commit = async (run: string): Promise<void> => {
      const held = leases.get(run)
      if (held === undefined) throw new Error(`no run ${run}`)
      expect(await holder.commit([batchOf(held.lease, ++held.last)])).toEqual([])
    }
    return { address, holder, follower, watch, news, commit }
  }

  it('are announced to another process, and those of other runs are not', async () => {
    const { watch, news, commit } = await two()
    watch.add('one')
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(true)
    news.length = 0
    await commit('two')
    await commit('one')
    await expect.poll(() => news, { timeout: 20_000 }).toEqual(['one'])
    watch.delete('one')
    watch.add('two')
    await commit('two')
    await expect.poll(() => news, { timeout: 20_000 }).toContain('two')
  })

  it('are announced if they were made before the processes knew of each other', async () => {
    const { watch, news, commit } = await two()
    await commit('one')
    watch.add('one')
    await expect.poll(() => news, { timeout: 20_000 }).toContain('one')
  })

  it('are announced for all runs to who follows all, and to none who has stopped', async () => {
    const { follower, watch, news, commit } = await two(true)
    const other: string[] = []
    follower.follow?.((runs) => other.push(...(runs ?? [])), true)
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(true)
    await commit('one')
    await commit('two')
    await expect.poll(() => news, { timeout: 20_000 }).toEqual(expect.arrayContaining(['one', 'two']))
    const before = news.length
    watch.stop()
    other.length = 0
    await commit('two')
    await expect.poll(() => other, { timeout: 20_000 }).toContain('two')
    expect(news.length).toBe(before)
  })

  it('are announced as unknown ones if their names are too long for the server', async () => {
    const { watch, news, commit } = await two()
    for (let i = 0; i < 300; i++) watch.add(`${'a'.repeat(60)}${i}`)
    watch.add('one')
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(true)
    await expect
      .poll(
        async () => {
          await commit('one')
          return news
        },
        { timeout: 20_000 },
      )
      .toContain('one')
  })

  it('are announced again after the connection was lost, at the next look at the order of commits', async () => {
    const { follower, holder, watch, news, commit } = await two()
    watch.add('one')
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(true)
    await server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and (query like 'listen %' or query like '%pg_notify%')`,
    )
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(false)
    await expect
      .poll(
        async () => {
          await follower.committed()
          await holder.unread(worker)
          await commit('one')
          return news.includes('one')
        },
        { timeout: 20_000 },
      )
      .toBe(true)
  })

  it('survive announcements that are none', async () => {
    const { watch, news, commit } = await two()
    watch.add('one')
    await expect.poll(() => watch.announces, { timeout: 20_000 }).toBe(true)
    const [{ channel } = { channel: '' }] = await server.sql<{ channel: string }>(
      `select substring(query from 'listen (reflex_[0-9a-f]+_commits)') as channel from pg_stat_activity where query like 'listen %' limit 1`,
    )
    for (const text of ['', '{', '7', '{"from":7}', '{"from":"x","follows":{"a":1},"moved":[1,null]}', '{"from":"x","moved":"some"}'])
      await server.sql('select pg_notify($1, $2)', [channel, text])
    news.length = 0
    await commit('one')
    await expect.poll(() => news, { timeout: 20_000 }).toEqual(['one'])
  })
})
