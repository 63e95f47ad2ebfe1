import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, leaseOf, NOW, rowOf, spans, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresProxy } from './postgres-proxy.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const [RUN, OTHER] = ['otter-2m9q', 'newt-1']
const TTL = 4_000
const worker = workerOf('first')
const heir = workerOf('heir')

describe.skipIf('missing' in programs)(`a Postgres behind connections that go silent${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  /** A store behind a proxy, a second store without it, and two runs with one record each. */
  const behindProxy = async () => {
    const proxy = await PostgresProxy.start(server.port)
    const opened = (address: string): Store => {
      const store = openPostgres(address, { patience: 20_000 })
      onTestFinished(async () => store.close())
      return store
    }
    onTestFinished(() => proxy.stop())
    const direct = server.address()
    const store = opened(server.address({ schema: new URL(direct).searchParams.get('schema') ?? '', port: proxy.port }))
    const other = opened(direct)
    await store.hello(worker, NOW, TTL)
    await other.hello(heir, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    const beside = (await store.create(rowOf(OTHER), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1), batchOf(beside, 1)])).toEqual([])
    return { proxy, store, other, lease, beside }
  }

  it('a heartbeat uses its own connection: an unanswered one delays neither the next one nor the runs', async () => {
    const { proxy, store, other, lease } = await behindProxy()
    const silent = proxy.silence('hello', 'before')
    const first = store.beat(worker, NOW + 1)
    const unanswered = expect(first).rejects.toMatchObject({ code: 'R5070' })
    await silent
    expect(await store.commit([batchOf(lease, 2)])).toEqual([])
    expect(await store.beat(worker, NOW + TTL - 1, [lease])).toEqual([RUN])
    expect(await other.claim(RUN, heir, NOW + TTL)).toHaveProperty('owner')
    await unanswered
  })

  it('a heartbeat is answered while any number of other calls wait', async () => {
    const { proxy, store } = await behindProxy()
    const calls: Promise<unknown>[] = []
    const goOn: (() => void)[] = []
    for (let i = 0; i < 6; i++) {
      const held = i < 4 ? proxy.hold('inbox') : undefined
      calls.push(Promise.resolve(store.inbox(RUN)))
      if (held !== undefined) goOn.push(await held)
    }
    expect(await store.beat(worker, NOW + 1)).toEqual([])
    for (const go of goOn) go()
    await Promise.all(calls)
  })

  it('a takeover and the heartbeat of the owner agree on the owner, at any distance in time', async () => {
    const { proxy, store, other, lease } = await behindProxy()
    // The owner looks dead to the first worker; before that worker takes the run, the owner beats again.
    await store.hello(heir, NOW, TTL)
    const held = proxy.hold('take')
    const claim = store.claim(RUN, heir, NOW + TTL)
    const goOn = await held
    await other.hello(worker, NOW, TTL)
    expect(await other.beat(worker, NOW + TTL - 1, [lease])).toEqual([RUN])
    goOn()
    expect(await claim).toHaveProperty('owner')
    expect(await store.commit([batchOf(lease, 2)])).toEqual([])
  })

  it.each(['before', 'after'] as const)(
    'a commit that gets no answer, %s it was done, is read back over another connection and done once; other runs commit meanwhile',
    async (when) => {
      const { proxy, store, other, lease, beside } = await behindProxy()
      const silent = proxy.silence('commit', when)
      let answered = false
      const commit = Promise.resolve(store.commit([batchOf(lease, 2)])).finally(() => {
        answered = true
      })
      await silent
      expect(await store.commit([batchOf(beside, 2)])).toEqual([])
      expect(answered).toBe(false)
      expect(await commit).toEqual([])
      expect([spans(await other.journal(RUN)), spans(await other.journal(OTHER))]).toEqual(['1 2', '1 2'])
      expect(await store.commit([batchOf(lease, 3)])).toEqual([])
    },
  )

  it('a run that was taken over while its commit got no answer is lost', async () => {
    const { proxy, store, other, lease } = await behindProxy()
    const silent = proxy.silence('commit', 'before')
    const commit = store.commit([batchOf(lease, 2)])
    await silent
    const taken = leaseOf(await other.claim(RUN, heir, NOW + TTL))
    expect(await commit).toEqual([RUN])
    expect(await other.commit([batchOf(taken, 2)])).toEqual([])
  })

  it('the batches of one run keep the order of the calls', async () => {
    const { proxy, store, lease, beside } = await behindProxy()
    const held = proxy.hold('commit')
    const commits = [2, 3, 4].map(async (first) => store.commit([batchOf(lease, first)]))
    const goOn = await held
    expect(await store.commit([batchOf(beside, 2)])).toEqual([])
    goOn()
    expect(await Promise.all(commits)).toEqual([[], [], []])
    expect(spans(await store.journal(RUN))).toBe('1 2 3 4')
  })

  it('the store waits for a server without a free connection', async () => {
    const proxy = await PostgresProxy.start(server.port)
    onTestFinished(() => proxy.stop())
    await server.sql(`create role crowded superuser login password 'x' connection limit 0`)
    await server.sql('alter role crowded nosuperuser; grant create on database postgres to crowded')
    const store = openPostgres(server.address({ user: 'crowded', password: 'x', port: proxy.port }), { patience: 60_000 })
    onTestFinished(async () => store.close())
    const greeted = store.hello(worker, NOW, TTL)
    await expect.poll(() => proxy.words, { interval: 1, timeout: 20_000 }).toBeGreaterThan(6)
    await server.sql('alter role crowded connection limit 10')
    await greeted
    expect(await store.create(rowOf(RUN), worker)).toMatchObject({ run: RUN })
  })
})
