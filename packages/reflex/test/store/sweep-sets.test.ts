import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Awaitable, Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres, openSqlite } from '../../src/store/index.ts'
import { Connection } from '../../src/store/connection.ts'
import { parsePostgresAddress } from '../../src/store/postgres/address.ts'
import { type Ask, PostgresConnection } from '../../src/store/postgres/connection.ts'
import { readBatches } from '../../src/store/postgres/reading.ts'
import { packStored, readSegment } from '../../src/store/postgres/stored-segments.ts'
import { sweepPostgres } from '../../src/store/postgres/sweep.ts'
import type { Statements } from '../../src/store/statements.ts'
import { sweepStore } from '../../src/store/sweep.ts'
import { batchOf, rowChange, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const worker = workerOf('first')
const RUNS = 450
const hash = 'ab'.repeat(32)
const PROGRAM = { hash, kind: 'workflow', source: '{}' }
const pin = (first: number): string => JSON.stringify([[64, { pin: [['workflow:late', 'workflow', 1, hash]] }, first]])

/** Ended runs with a program that nothing names, and one run that continues. */
async function crowded(store: Store): Promise<Lease> {
  onTestFinished(async () => store.close())
  await store.hello(worker, NOW, TTL)
  const leases: Lease[] = []
  for (let i = 0; i < RUNS; i++) leases.push((await store.create(rowOf(`ended-${i}`), worker)) as Lease)
  await store.commit(leases.map((lease) => batchOf(lease, 1, { programs: [PROGRAM] })))
  await store.commit(leases.map((lease) => batchOf(lease, 2, { row: rowChange({ status: 'completed' }) })))
  const lease = (await store.create(rowOf('going-1'), worker)) as Lease
  await store.commit([batchOf(lease, 1)])
  return lease
}

describe('a sweep of a SQLite store', () => {
  it('lets commits through between short transactions', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file, { busyTimeout: 0 })
    const lease = await crowded(store)
    let next = 2
    const refused: string[] = []
    class Watched extends Connection {
      override write<T>(work: (sql: Statements) => T): T {
        const result = super.write(work)
        refused.push(...(store.commit([batchOf(lease, next++)]) as readonly string[]))
        return result
      }
    }
    const connection = new Watched(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    expect((await sweepStore(connection, { now: NOW, before: NOW })).runs).toHaveLength(RUNS)
    expect({ refused, often: next > RUNS / 100 }).toEqual({ refused: [], often: true })
  })

  it('is correct if another sweep removed the newest batch and its number was used again', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => void store.close())
    await store.hello(worker, NOW, TTL)
    const going = (await store.create(rowOf('going-1'), worker)) as Lease
    await store.commit([batchOf(going, 1, { programs: [PROGRAM] })])
    const ended = (await store.create(rowOf('ended-1'), worker)) as Lease
    await store.commit([batchOf(ended, 1, { row: rowChange({ status: 'completed' }) })])
    let first = true
    class Overtaken extends Connection {
      override write<T>(work: (sql: Statements) => T): T {
        if (first) {
          first = false
          // The last batch of all is removed, and the next one, which names the program, has its number.
          new Connection(file, { busyTimeout: 1000, newIdentity: '0f' }).write((sql) => {
            sql.dropRun.run(2, '5'.repeat(32), 1, 1)
            sql.dropJournal.run(2)
          })
          void store.commit([batchOf(going, 2, { body: pin(2) })])
        }
        return super.write(work)
      }
    }
    const connection = new Overtaken(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    expect((await sweepStore(connection, { now: NOW, before: NOW })).programs).toEqual([])
    expect(await store.program(hash)).toEqual(PROGRAM)
  })
})

const SEAL = { snapshot: 'a snapshot', seal: true } as const

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

/** A connection that reports each statement before it is performed. */
class Watched extends PostgresConnection {
  readonly asked: string[] = []
  /** The most rows that one statement has returned. */
  most = 0
  before: (statement: string) => Promise<void> = async () => undefined

  #over(ask: Ask): Ask {
    return async (name, values) => {
      this.asked.push(name)
      await this.before(name)
      const rows = await ask(name, values)
      this.most = Math.max(this.most, rows.length)
      return rows
    }
  }

  override read<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return super.read((ask) => work(this.#over(ask)))
  }

  override write<T>(work: (ask: Ask, doubt: boolean) => Promise<T>): Promise<T> {
    return super.write((ask, doubt) => work(this.#over(ask), doubt))
  }
}

describe.skipIf('missing' in programs)(`a sweep of a Postgres store${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  const watched = (address: string): Watched => {
    const connection = new Watched(parsePostgresAddress(address), {}, 4)
    onTestFinished(() => connection.close())
    return connection
  }

  it('reads many runs with one statement', async () => {
    const address = server.address()
    await crowded(openPostgres(address))
    const connection = watched(address)
    expect(await sweepPostgres(connection, { now: NOW })).toEqual({ runs: [], programs: [hash], blobs: [], entries: 0 })
    const swept = await sweepPostgres(connection, { now: NOW, before: NOW })
    expect(swept.runs).toHaveLength(RUNS)
    expect(connection.asked.length).toBeLessThan(60)
  })

  it('reads of many segments only those that a read, a pack or the sweep needs', async () => {
    const address = server.address()
    const store = openPostgres(address)
    onTestFinished(() => store.close())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf('going-1'), worker)) as Lease
    await store.commit(Array.from({ length: 300 }, (_, i) => batchOf(lease, i + 1, SEAL)))
    const connection = watched(address)
    const [run] = await connection.ask('run', ['going-1'])
    if (run === undefined) throw new Error('no run')
    for (const number of [1, 2, 150, 299, 300]) {
      expect((await connection.read((ask) => readSegment(ask, run, number)))?.batches).toHaveLength(1)
      expect(await connection.read((ask) => readBatches(ask, run, number, number))).toHaveLength(1)
    }
    for (const number of [1, 150, 300]) expect((await packStored(connection, 'going-1', number)).place).toBe('packed')
    expect(connection.most).toBeLessThan(4)
    connection.asked.length = 0
    await sweepPostgres(connection, { now: NOW })
    expect(connection.asked.length).toBeLessThan(30)
  })

  it('reads a new run that takes the name of a removed one', async () => {
    const address = server.address()
    const store = openPostgres(address)
    await crowded(store)
    const connection = watched(address)
    let isFirst = true
    connection.before = async (statement) => {
      if (statement !== 'hold' || !isFirst) return
      isFirst = false
      const again = (await store.create(rowOf('ended-0'), worker)) as Lease
      expect(await store.commit([batchOf(again, 1, { body: pin(1), programs: [PROGRAM] })])).toEqual([])
    }
    expect(await sweepPostgres(connection, { now: NOW, before: NOW })).toMatchObject({ programs: [] })
    expect(await store.program(hash)).toEqual(PROGRAM)
  })

  it('delays no commit, except one with programs until these are removed: it inserts them again', async () => {
    const address = server.address()
    const store = openPostgres(address)
    const lease = await crowded(store)
    const other = openPostgres(address)
    onTestFinished(async () => other.close())
    const connection = watched(address)
    let began: Awaitable<readonly string[]> | undefined
    connection.before = async (statement) => {
      if (statement !== 'keep') return
      expect(await store.commit([batchOf(lease, 2)])).toEqual([])
      const newt = (await store.create(rowOf('newt-1'), worker)) as Lease
      began = other.commit([batchOf(newt, 1, { body: pin(1), programs: [PROGRAM] })])
      await expect.poll(() => server.sql(`select from pg_locks where locktype = 'advisory' and not granted`)).toHaveLength(1)
    }
    expect((await sweepPostgres(connection, { now: NOW, before: NOW })).programs).toEqual([hash])
    expect(await began).toEqual([])
    expect(await store.program(hash)).toEqual(PROGRAM)
  })
})
