import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres, openSqlite } from '../../src/store/index.ts'
import { LAYOUT as POSTGRES_LAYOUT } from '../../src/store/postgres/layouts.ts'
import { LAYOUT } from '../../src/store/schema.ts'
import { makeFirstLayout } from './first-layout.ts'
import { batchOf, leaseOf, messageOf, NOW, rowChange, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'
import { folder } from './processes.ts'

const RUN = 'otter-2m9q'
const worker = workerOf('first')

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown.code
    throw thrown
  }
  return 'nothing is thrown'
}

/** Expects that an open store writes nothing after its layout was raised, and continues when it is the known one again. */
async function refuses(store: Store, layout: number, raise: (layout: number) => unknown, code: string): Promise<void> {
  onTestFinished(async () => store.close())
  await store.hello(worker, NOW, TTL)
  const lease = (await store.create(rowOf(RUN), worker)) as Lease
  await store.commit([batchOf(lease, 1, { blobs: new Map([['f'.repeat(64), 'nobody names it']]) })])
  await raise(layout + 1)
  const calls: (() => unknown)[] = [
    () => store.commit([batchOf(lease, 2)]),
    () => store.post(RUN, messageOf('m1')),
    () => store.append('memory', 'k', 1, NOW),
    () => store.appendAll('memory', 'k', [{ name: 'x', value: 1 }], NOW, { keep: 1 }),
    () => store.postAll(RUN, [messageOf('m1')]),
    () => store.create(rowOf('newt-1aaa'), worker),
    () => store.claim(RUN, worker, NOW),
    () => store.beat(worker, NOW + 1),
    () => store.hello(worker, NOW + 1, TTL),
    () => store.release(lease),
    () => store.sweep({ now: NOW, before: NOW }),
  ]
  for (const call of calls) expect(await codeOf(call)).toBe(code)
  expect((await store.read(RUN))?.row).toMatchObject({ last: 1, owner: { id: 'first' } })
  await raise(layout)
  expect((await store.runs()).map(({ id }) => id)).toEqual([RUN])
  expect([await store.inbox(RUN), await store.ledger('memory')]).toEqual([[], []])
  expect(await store.commit([batchOf(lease, 2)])).toEqual([])
}

describe('a store whose layout a newer release raises while it is open', () => {
  it('in SQLite writes nothing more: R5022', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    await refuses(store, LAYOUT, (layout) => db.exec(`pragma user_version = ${layout}`), 'R5022')
  })
})

/** Expects that the entries of an older release are there, and that names can be appended after them. */
async function usesNames(store: Store): Promise<void> {
  expect(await store.append('memory', 'k1', 'again', NOW)).toBe(1)
  await store.appendAll('memory', 'k2', [{ name: 'x', value: 1 }], NOW, { keep: 0 })
  await store.appendAll('memory', 'k3', [{ name: 'x', value: 2 }], NOW)
  expect(await store.compact('memory', { before: NOW })).toBe(1)
  expect((await store.ledger('memory')).map(({ value }) => value)).toEqual(['old', 2])
  expect((await store.latest('memory')).entries.map(({ value }) => value)).toEqual([2])
}

describe('a store of an older layout', () => {
  it('gets an identity when it is opened, keeps its runs, and can be written', async () => {
    const file = join(folder(), 'reflex.db')
    const before = openSqlite(file)
    await before.hello(worker, NOW, TTL)
    const lease = (await before.create(rowOf(RUN), worker)) as Lease
    await before.commit([batchOf(lease, 1)])
    await before.append('memory', 'k1', 'old', NOW)
    await before.release(lease)
    await before.close()
    makeFirstLayout(file)
    const store = openSqlite(file)
    const { identity } = store
    expect(identity).toMatch(/^[0-9a-f]{32}$/)
    await store.hello(worker, NOW, TTL)
    expect(
      await store.commit([batchOf(leaseOf(await store.claim(RUN, worker, NOW)), 2, { row: rowChange({ used: { tokens: 5 } }) })]),
    ).toEqual([])
    expect((await store.read(RUN))?.row.used).toEqual({ tokens: 5 })
    await usesNames(store)
    await store.close()
    const again = openSqlite(file, { identity })
    onTestFinished(() => again.close())
    expect((await again.read(RUN))?.row.last).toBe(2)
    expect(() => openSqlite(file, { identity: 'another' })).toThrow(expect.objectContaining({ code: 'R5030' }))
  })

  it('gets one identity from all processes that open it at the same time', async () => {
    const file = join(folder(), 'reflex.db')
    await openSqlite(file).close()
    makeFirstLayout(file)
    const first = openSqlite(file)
    const second = openSqlite(file)
    expect(second.identity).toBe(first.identity)
    await first.close()
    await second.close()
  })
})

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(
  `a store whose layout a newer release raises while it is open${skipped}`,
  { timeout: 60_000 },
  () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await PostgresServer.start()
    }, 60_000)
    afterAll(() => server?.stop())

    it('in Postgres writes nothing more: R5067', async () => {
      const store = openPostgres(server.address({ schema: 'raised' }))
      await refuses(store, POSTGRES_LAYOUT, (layout) => server.sql(`update raised.header set layout = ${layout}`), 'R5067')
    })

    it('in Postgres gets a usage for its runs and names for its entries where an older release made it', async () => {
      const first = openPostgres(server.address({ schema: 'older' }))
      await first.hello(worker, NOW, TTL)
      const lease = (await first.create(rowOf(RUN), worker)) as Lease
      await first.append('memory', 'k1', 'old', NOW)
      await first.close()
      await server.sql(`alter table older.run drop column used; drop table older.segment; drop table older.ledger_facts;
        alter table older.journal drop column moved;
        drop index older.run_due, older.run_running, older.run_open_by_start, older.run_stopped_by_start;
        create index run_open on older.run (seq) where status in ('running', 'suspended');
        alter table older.ledger drop column entry_name; update older.header set layout = 1`)
      const store = openPostgres(server.address({ schema: 'older' }))
      onTestFinished(() => store.close())
      await store.hello(worker, NOW, TTL)
      expect(await store.commit([batchOf(lease, 1, { row: rowChange({ used: { tokens: 5 } }) })])).toEqual([])
      expect((await store.read(RUN))?.row.used).toEqual({ tokens: 5 })
      await usesNames(store)
    })
  },
)
