import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Kind, type Port, Runtime } from '../../src/kernel/index.ts'
import type { Lease, Store, Worker } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, leaseOf, messageOf, rowChange, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { answersAsMemory } from './model.ts'
import { PostgresProxy } from './postgres-proxy.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'
import { StoreProcess } from './processes.ts'
import { testSharedRuns, workerIn } from './shared-runs.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const RUN = 'otter-2m9q'
const worker = workerOf('first')
const heir = workerOf('heir')

describe.skipIf('missing' in programs)(`a shared Postgres that can be lost${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  const opened = (address: string, patience = 20_000): Store => {
    const store = openPostgres(address, { patience })
    onTestFinished(async () => store.close())
    return store
  }

  /** A store behind a proxy that can be cut, a second store without it, and a run with one record. */
  const behindProxy = async (patience = 20_000) => {
    const proxy = await PostgresProxy.start(server.port)
    onTestFinished(() => proxy.stop())
    const direct = server.address()
    const store = opened(server.address({ schema: new URL(direct).searchParams.get('schema') ?? '', port: proxy.port }), patience)
    const other = opened(direct)
    await store.hello(worker, NOW, TTL)
    await other.hello(heir, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    return { proxy, store, other, lease }
  }

  describe('several processes', () => {
    testSharedRuns({
      address: () => server.address(),
      async settled() {
        const busy = `select from pg_stat_activity where application_name = 'reflex' and state = 'active'`
        while ((await server.sql(busy)).length > 0) continue
      },
    })

    it('create the same new store at the same time, and all can use it', async () => {
      const processes = Array.from({ length: 3 }, () => new StoreProcess())
      for (let round = 1; round <= 5; round++) {
        const address = server.address()
        await Promise.all(processes.map(async (process) => process.call('open', address)))
        const answers = await Promise.all(
          processes.map(async (process, i) => {
            const worker = workerIn(`w${i}`, process)
            await process.call('hello', worker, NOW, TTL)
            return process.call<Lease | 'taken'>('create', rowOf(RUN), worker)
          }),
        )
        expect(answers.filter((answer) => answer !== 'taken')).toHaveLength(1)
        for (const process of processes) await process.call('close')
      }
    })
  })

  it('workers that take over each other’s runs lose and duplicate nothing, and none waits forever', async () => {
    const address = server.address()
    const workers = ['a', 'b', 'c', 'd'].map((id) => workerOf(id))
    const runs = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    const stores = workers.map(() => opened(address))
    for (const [i, store] of stores.entries()) await store.hello(workers[i] ?? worker, NOW, TTL)
    for (const run of runs) await stores[0]?.create(rowOf(run), workerOf('a'))
    const written = new Map(runs.map((run) => [run, new Map<number, string>()]))
    const live = async (store: Store, who: Worker, seed: number) => {
      const held = new Map<string, { lease: Lease; last: number }>()
      for (let round = 0; round < 40; round++) {
        for (const [i, run] of runs.entries()) {
          if ((i * 7 + round * 5 + seed) % 6 !== 0) continue
          const claim = await store.claim(run, who, NOW + TTL)
          if ('lease' in claim) held.set(run, { lease: claim.lease, last: claim.row.last })
        }
        // Each commits in its own order.
        const mine = [...held].sort(([one], [other]) => (seed % 2 === 0 ? one.localeCompare(other) : other.localeCompare(one)))
        const body = JSON.stringify([[who.id, round]])
        const blobs = new Map(mine.map(([run], i) => [`${(i * 5 + seed) % 9}`, run.slice(0, 3)]))
        const refused = await store.commit(mine.map(([, { lease, last }]) => batchOf(lease, last + 1, { body, blobs })))
        for (const [run, { lease, last }] of mine) {
          if (refused.includes(run)) held.delete(run)
          else {
            expect(written.get(run)?.has(last + 1)).toBe(false)
            written.get(run)?.set(last + 1, body)
            held.set(run, { lease, last: last + 1 })
          }
        }
      }
    }
    await Promise.all(workers.map(async (who, i) => live(stores[i] ?? opened(address), who, i)))
    for (const run of runs) {
      const journal = await opened(address).journal(run)
      expect(new Map(journal.map(({ first, body }) => [first, body]))).toEqual(written.get(run))
      expect(journal.length).toBeGreaterThan(10)
    }
  })

  describe.each(['before', 'after'] as const)('a connection that breaks %s the server has performed the statement', (when) => {
    it('is opened again, and each call is performed once', async () => {
      const { proxy, store, other, lease } = await behindProxy()
      const calls: readonly [string, () => unknown, unknown][] = [
        ['commit', () => store.commit([batchOf(lease, 2), batchOf(lease, 3, { snapshot: 'three' })]), []],
        ['create', () => store.create(rowOf('newt-1'), worker), { run: 'newt-1', token: 1, worker }],
        ['create', () => store.create(rowOf('newt-1', { trace: '6'.repeat(32) }), worker), 'taken'],
        ['post', () => store.post(RUN, messageOf('m1')), true],
        ['obstacle', () => store.post(RUN, messageOf('m1', { at: NOW + 1 })), false],
        ['append', () => store.append('a', 'k1', 'one', NOW), 1],
        ['append', () => store.append('a', 'k2', 'two', NOW), 2],
        ['appendAll', () => store.appendAll('b', 'k1', [{ name: 'x', value: 1, after: 0 }, { value: 1 }], NOW), { numbers: [1, 2] }],
        ['appendAll', () => store.appendAll('b', 'k2', [{ name: 'x', value: 2, after: 1 }], NOW), { numbers: [3] }],
        ['newestEntries', () => store.appendAll('b', 'k3', [{ name: 'x', value: 3, after: 3 }], NOW), { numbers: [4] }],
        ['setLedgerFacts', () => store.appendAll('b', 'k4', [{ name: 'x', value: 4 }], NOW, { keep: 9 }), { numbers: [5] }],
        ['dropEntries', () => store.compact('b', { before: NOW }), 2],
        ['latest', async () => (await store.latest('b')).entries.map(({ value }) => value), [4]],
        ['post', () => store.postAll(RUN, [messageOf('m2'), messageOf('m3'), messageOf('m1', { at: NOW + 1 })]), [true, true, false]],
        ['keep', () => store.postAll(RUN, [messageOf('m4'), messageOf('m5')]), [true, true]],
        ['hello', () => store.beat(worker, NOW + 1, [lease]), [RUN]],
        ['heads', () => store.beat(worker, NOW + 1, [lease]), [RUN]],
        ['run', async () => spans((await store.read(RUN, 1))?.batches), '1'],
        ['batches', async () => spans(await store.journal(RUN)), '1 2 3'],
        ['open', () => store.due(NOW + 1 + TTL), [RUN]],
      ]
      for (const [statement, call, answer] of calls) {
        void proxy.cut(statement, when)
        expect(await call(), statement).toEqual(answer)
      }
      expect(spans(await other.journal(RUN))).toBe('1 2 3')
      expect((await other.read(RUN))?.snapshot).toEqual({ at: 3, body: 'three' })
      expect([await other.inbox(RUN), await other.ledger('a')]).toEqual([
        ['m1', 'm2', 'm3', 'm4', 'm5'].map((id): unknown => expect.objectContaining({ id })),
        [expect.anything(), expect.anything()],
      ])
      expect(await store.commit([batchOf(lease, 4)])).toEqual([])

      void proxy.cut('take', when)
      const again = leaseOf(await store.claim(RUN, worker, NOW))
      expect(await store.commit([batchOf(lease, 5)])).toEqual([RUN])
      expect(await store.commit([batchOf(again, 5)])).toEqual([])
      void proxy.cut('release', when)
      await store.release(again)
      expect((await other.read(RUN))?.row).toMatchObject({ owner: null, last: 5 })
    })

    it('a commit whose outcome cannot be found out is R5070; the next call finds all of it or none', async () => {
      const { proxy, store, lease } = await behindProxy(300)
      void proxy.cut('commit', when, true)
      const extra = { blobs: new Map([['b', 'text']]), snapshot: 'two' }
      await expect(store.commit([batchOf(lease, 2, extra)])).rejects.toMatchObject({
        code: 'R5070',
        verdict: 'wait',
        cause: { code: 'R5069' },
      })
      await expect(store.read(RUN)).rejects.toMatchObject({ code: 'R5069', verdict: 'retry' })
      proxy.open()
      const read = await store.read(RUN)
      expect([read?.row.last, read?.snapshot?.body, await store.blob('b')]).toEqual(
        when === 'after' ? [2, 'two', 'text'] : [1, undefined, undefined],
      )
      const next = (read?.row.last ?? 0) + 1
      expect(await store.commit([batchOf(leaseOf(await store.claim(RUN, worker, NOW)), next)])).toEqual([])
    })

    it('a run that was taken over meanwhile is lost, whatever the outcome of the commit; the others are not', async () => {
      const { proxy, store, other, lease } = await behindProxy()
      const newt = (await store.create(rowOf('newt-1'), worker)) as Lease
      const broken = proxy.cut('commit', when, true)
      const refused = store.commit([batchOf(lease, 2), batchOf(newt, 1)])
      await broken
      const taken = leaseOf(await other.claim(RUN, heir, NOW + TTL))
      proxy.open()
      expect(await refused).toEqual([RUN])
      const last = (await other.read(RUN))?.row.last ?? 0
      expect(last).toBe(when === 'after' ? 2 : 1)
      expect(await other.commit([batchOf(taken, last + 1)])).toEqual([])
      expect(spans(await other.journal('newt-1'))).toBe('1')
      expect(await store.commit([batchOf(newt, 2)])).toEqual([])
    })
  })

  // A transaction with more statements than that could never end, such as that of several messages.
  it.each([11, 13])('answers as the memory store does even if one of %i statements breaks its connection', async (every) => {
    const { proxy, store } = await behindProxy()
    proxy.cutEvery(every)
    // The position of the break depends on all statements before it: a shorter sequence would differ.
    await answersAsMemory(store, 10, true)
  })

  it('a run that grows while it is read is read in its earlier state', async () => {
    const { proxy, store, other, lease } = await behindProxy()
    const last = async (): Promise<number> => (await other.read(RUN))?.row.last ?? 0
    const grow = async (more: { readonly seal?: true } = {}): Promise<void> => {
      const next = (await last()) + 1
      expect(await other.commit([batchOf(lease, next, { snapshot: `at ${next}`, ...more })])).toEqual([])
    }
    // What a run does not have is not asked for: a snapshot follows the first read, and a segment the second one.
    for (const [statement, read, prepare] of [
      ['batches', async (from: Store) => (await from.read(RUN))?.batches, async () => undefined],
      ['snapshot', async (from: Store) => (await from.read(RUN))?.batches, async () => undefined],
      ['segmentsIn', async (from: Store) => from.journal(RUN), () => grow({ seal: true })],
    ] as const) {
      await prepare()
      const before = await read(other)
      const held = proxy.hold(statement)
      const reading = read(store)
      const goOn = await held
      await grow()
      goOn()
      expect(spans(await reading), statement).toBe(spans(before))
    }
  })

  it.each(['segmentsIn', 'batches', 'segmentBodies'])(
    'a segment that is packed or forgotten before "%s" is read whole, or is gone',
    async (statement) => {
      const { proxy, store, other, lease } = await behindProxy()
      const seal = { snapshot: 'a snapshot', seal: true } as const
      for (const first of [2, 3]) expect(await store.commit([batchOf(lease, first, seal)])).toEqual([])
      await other.pack(RUN, 1)
      const held = proxy.hold(statement)
      const reading = store.journal(RUN)
      const goOn = await held
      await other.pack(RUN, 2)
      goOn()
      expect(spans(await reading)).toBe('1 2 3')
      const heldAgain = proxy.hold(statement)
      const readingAgain = Promise.resolve(store.journal(RUN)).catch((thrown: unknown) => thrown)
      const goOnAgain = await heldAgain
      await other.forget(RUN, 2, 'f00d')
      goOnAgain()
      const found = await readingAgain
      if (Array.isArray(found)) expect(spans(found)).toBe('1 2 3')
      else expect(found).toMatchObject({ code: 'R5054' })
    },
  )

  it('a run that is swept while it is read is missing, not damaged', async () => {
    const { proxy, store, other, lease } = await behindProxy()
    expect(await store.commit([batchOf(lease, 2, { row: rowChange({ status: 'completed' }) })])).toEqual([])
    const held = proxy.hold('batches')
    const reading = store.read(RUN)
    const goOn = await held
    expect((await other.sweep({ now: NOW, before: NOW })).runs).toEqual([RUN])
    goOn()
    expect(await reading).toBeUndefined()
  })

  it('connections that an administrator ends are opened again', async () => {
    const store = opened(server.address())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    for (let first = 1; first <= 5; first++) {
      await server.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reflex'`)
      expect(await store.commit([batchOf(lease, first)])).toEqual([])
    }
    expect(spans(await store.journal(RUN))).toBe('1 2 3 4 5')
  })

  it('a server that crashes and restarts during commits loses and repeats nothing', async () => {
    const store = opened(server.address())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    let last = 0
    const commitAll = async () => {
      for (; last < 200; last++) expect(await store.commit([batchOf(lease, last + 1)])).toEqual([])
    }
    const committed = commitAll()
    await expect.poll(() => last, { interval: 1, timeout: 20_000 }).toBeGreaterThan(20)
    await server.down()
    await server.up()
    await committed
    expect((await store.journal(RUN)).map(({ first }) => first)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
  })

  it('a run with an effect in every step continues after a crash of the server, and no effect is repeated', async () => {
    const count: Kind<null> = {
      name: 'count',
      rev: 1,
      compile: () => null,
      step(context) {
        const at = Number(context.position ?? 0)
        if (at === 60) return context.done(at)
        context.go(at + 1)
        context.request('tick')
      },
    }
    let ticks = 0
    const tick: Port = { leaves: true, repeat: 'ask', perform: () => ++ticks }
    const store = opened(server.address())
    const runtime = new Runtime({ kinds: [count], ports: { tick }, store, worker })
    const run = await runtime.start(runtime.programs.add('count', 'count', {}), { id: RUN })
    await expect.poll(() => ticks, { interval: 1, timeout: 20_000 }).toBeGreaterThan(5)
    await server.down()
    await server.up()
    await run.idle()
    expect([run.state.ended?.value, ticks]).toEqual([60, 60])
    await runtime.close()
    expect((await store.read(RUN))?.row).toMatchObject({ status: 'completed', value: 60 })
  })

  it('a database that vanishes during a run is named, and nothing is written', async () => {
    await server.sql('create database gone')
    const store = opened(server.address({ database: 'gone' }), 300)
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    await store.commit([batchOf(lease, 1)])
    await server.sql('drop database gone with (force)')
    await expect(store.read(RUN)).rejects.toMatchObject({ code: 'R5064' })
    await expect(store.commit([batchOf(lease, 2)])).rejects.toMatchObject({ code: 'R5064' })
  })
})
