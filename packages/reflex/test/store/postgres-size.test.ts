import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, messageOf, NOW, rowChange, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const worker = workerOf('first')
const ASLEEP = 20_000
const RUNNING = 'running-1'
const COMMITS = 30
/** The most rows of the table that a look at few runs may read. */
const FEW = 200

describe.skipIf('missing' in programs)(`a store in Postgres with many runs${skipped}`, { timeout: 120_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server?.stop())

  const opened = (schema: string): Store => {
    const store = openPostgres(server.address({ schema }))
    onTestFinished(async () => store.close())
    return store
  }
  /** Adds runs that sleep for ever, each with a message that nobody reads if `unread` says so. */
  const addSleepers = async (schema: string, unread = false) => {
    await server.sql(`insert into ${schema}.run (id, trace, program, status, token, last, chain, sum, started, updated, due, waits)
      select 'asleep-' || n, 'asleep-' || n, '["p","k",1,"h"]', 'suspended', 2, 1, 0, 0, ${NOW}, ${NOW}, ${NOW + 1_000_000} + n, '[]'
      from generate_series(1, ${ASLEEP}) as n`)
    if (unread)
      await server.sql(`insert into ${schema}.inbox (run, id, type, target, at, sum, body)
        select seq, 'm', 'message', 'nobody waits', ${NOW}, 0, '{}' from ${schema}.run where id like 'asleep-%'`)
    await server.sql(`analyze ${schema}.run, ${schema}.inbox`)
  }
  const rowsRead = async (schema: string): Promise<number> => {
    const [row] = await server.sql<{ readonly rows: string }>(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where schemaname = $1 and relname = 'run'`,
      [schema],
    )
    return Number(row?.rows)
  }
  /** Returns the number of rows of runs that `work` reads. A session reports its figures when it ends. */
  const readBy = async (schema: string, work: (store: Store) => Promise<void>): Promise<number> => {
    const before = await rowsRead(schema)
    const store = openPostgres(server.address({ schema }))
    await work(store)
    await store.close()
    await expect.poll(() => rowsRead(schema), { timeout: 20_000 }).toBeGreaterThan(before)
    return (await rowsRead(schema)) - before
  }
  const started = async (store: Store, id: string, row: Parameters<typeof rowChange>[0]): Promise<Lease> => {
    const lease = (await store.create(rowOf(id), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1, { row: rowChange(row) })])).toEqual([])
    return lease
  }

  it('finds what is due without reading the runs that sleep', async () => {
    const store = opened('asleep')
    await store.hello(worker, NOW, TTL)
    const leases = [
      await started(store, 'due-1', { status: 'suspended', due: NOW - 5 }),
      await started(store, 'told-1', { status: 'suspended' }),
      await started(store, 'running-1', { status: 'running', updated: NOW - 3 }),
    ]
    await store.post('told-1', messageOf('m1', { type: 'answer', at: NOW - 4 }))
    for (const lease of leases) await store.release(lease)
    await started(store, 'held-1', { status: 'running' })
    await addSleepers('asleep')
    const read = await readBy('asleep', async (other) => {
      expect(await other.due(NOW)).toEqual(['due-1', 'told-1', 'running-1'])
    })
    expect(read).toBeLessThan(FEW)
    expect(await store.due(NOW + 1_000_002)).toEqual(expect.arrayContaining(['asleep-1', 'asleep-2', 'held-1']))
  })

  it('lists the open runs and those that failed without reading all others', async () => {
    const store = opened('listed')
    await store.hello(worker, NOW, TTL)
    await started(store, 'failed-1', { status: 'failed' })
    await started(store, 'open-1', { status: 'suspended' })
    await addSleepers('listed')
    await server.sql(`update listed.run set status = 'completed', due = null where id like 'asleep-%'; analyze listed.run`)
    const read = await readBy('listed', async (other) => {
      expect((await other.runs({ status: ['failed'] })).map(({ id }) => id)).toEqual(['failed-1'])
      expect((await other.runs({ status: ['running', 'suspended'] })).map(({ id }) => id)).toEqual(['open-1'])
      expect(await other.runs({ kind: 'other', limit: 1 })).toEqual([])
    })
    // The list by kind reads all of them once.
    expect(read).toBeLessThan(ASLEEP + 3 * FEW)
  })

  it('finds the unread messages of a holder without reading those of all other runs', async () => {
    const store = opened('posted')
    await store.hello(worker, NOW, TTL)
    await addSleepers('posted', true)
    await started(store, 'quiet-1', {})
    await started(store, 'spoken-1', {})
    await store.post('spoken-1', messageOf('m1'))
    const unread = async (of: Store) => (await of.unread(worker)).map(({ run }) => run)
    expect(await unread(store)).toEqual(['spoken-1'])
    const before = await rowsRead('posted')
    await store.close()
    await expect.poll(() => rowsRead('posted'), { timeout: 20_000 }).toBeGreaterThan(before)
    expect(await rowsRead('posted')).toBeLessThan(ASLEEP + 2 * FEW)
    // A store that did not hear of the worker reads them all, and finds the same.
    expect(await unread(opened('posted'))).toEqual(['spoken-1'])
  })

  it('changes the row of a run in its place while neither its status nor its due time changes', async () => {
    const store = opened('moving')
    await store.hello(worker, NOW, TTL)
    const lease = await started(store, RUNNING, { status: 'running' })
    for (let record = 2; record <= COMMITS; record++)
      expect(await store.commit([batchOf(lease, record, { row: rowChange({ updated: NOW + record }) })])).toEqual([])
    await store.close()
    const updates = async (): Promise<readonly number[]> => {
      const [row] = await server.sql<{ readonly all: string; readonly hot: string }>(
        `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where schemaname = 'moving' and relname = 'run'`,
      )
      return [Number(row?.all), Number(row?.hot)]
    }
    await expect.poll(async () => (await updates())[0], { timeout: 20_000 }).toBe(COMMITS)
    expect(COMMITS - ((await updates())[1] ?? 0)).toBeLessThan(3)
  })

  it('forgets a process that has been silent for a day, and its runs are free', async () => {
    const store = opened('silent')
    await store.hello(worker, NOW, TTL)
    await started(store, 'left-1', { status: 'running' })
    const later = NOW + 25 * 60 * 60 * 1000
    const second = workerOf('second')
    await store.hello(second, later, TTL)
    expect(await server.sql('select id from silent.worker')).toEqual([{ id: 'second' }])
    expect(await store.due(later)).toEqual(['left-1'])
    expect(await store.claim('left-1', second, later)).toMatchObject({ lease: { run: 'left-1' } })
  })
})
