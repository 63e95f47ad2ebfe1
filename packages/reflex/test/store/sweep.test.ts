import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/kernel/ports/store.ts'
import { Connection } from '../../src/store/connection.ts'
import { openSqlite } from '../../src/store/index.ts'
import type { Statements } from '../../src/store/statements.ts'
import { sweepStore } from '../../src/store/sweep.ts'
import { batchOf, messageOf, rowChange, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'

const worker = workerOf('first')

async function storeWith(count: number): Promise<{ store: Store; file: string }> {
  const file = join(folder(), 'reflex.db')
  const store = openSqlite(file)
  await store.hello(worker, NOW, TTL)
  for (let i = 0; i < count; i++) {
    const lease = await store.create(rowOf(`run-${i}`), worker)
    if (lease === 'taken') throw new Error('taken')
    await store.commit([
      batchOf(lease, 1, { snapshot: 'one' }),
      batchOf(lease, 2, { row: rowChange({ status: i % 2 === 0 ? 'completed' : 'suspended' }) }),
    ])
  }
  return { store, file }
}

describe('a sweep of a SQLite store', () => {
  it('removes nothing if a journal is not what was written: its needs are unknown', async () => {
    const { store, file } = await storeWith(4)
    const db = new DatabaseSync(file)
    db.prepare("update journal set body = '[[1,2,3]]' where run = 2 and first = 1").run()
    const rows = () => db.prepare('select (select count(*) from run) as runs, (select count(*) from journal) as batches').get()
    const before = rows()
    await expect(store.sweep({ now: NOW, before: NOW })).rejects.toThrow(/record 1 is not what was written/)
    expect(rows()).toEqual(before)
    db.close()
    await store.close()
  })

  it('leaves no row of removed runs, and a valid file', async () => {
    const { store, file } = await storeWith(6)
    const { runs } = await store.sweep({ now: NOW, before: NOW })
    expect([...runs].sort()).toEqual(['run-0', 'run-2', 'run-4'])
    await store.close()
    const db = new DatabaseSync(file)
    for (const table of ['journal', 'snapshot', 'inbox'])
      expect(db.prepare(`select count(*) as n from ${table} where run not in (select seq from run)`).get()).toEqual({ n: 0 })
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    db.close()
    const again = openSqlite(file)
    expect((await again.runs()).map(({ id }) => id).sort()).toEqual(['run-1', 'run-3', 'run-5'])
    for (const { id } of await again.runs()) expect(await again.journal(id)).toHaveLength(2)
    await again.close()
  })

  it('is killed at any moment: nothing that a run names is lost, and the next sweep removes the rest', async () => {
    const { store, file } = await storeWith(120)
    onTestFinished(() => store.close())
    const unused = Array.from({ length: 900 }, (_, i) => i.toString(16).padStart(64, '0'))
    const valuesOf = (hashes: readonly string[]) => new Map(hashes.map((hash) => [hash, '"long"']))
    const long = await store.create(rowOf('long-1'), worker)
    if (long === 'taken') throw new Error('taken')
    await store.commit(Array.from({ length: 3000 }, (_, i) => batchOf(long, i + 1, i === 0 ? { blobs: valuesOf(unused) } : {})))
    const named = new Set<string>()
    let last = 3000
    const nameNext = async (): Promise<void> => {
      const hash = unused[(last * 4) % unused.length] ?? ''
      last++
      const body = JSON.stringify([[256, 0, [[hash, 1]]]])
      expect(await store.commit([batchOf(long, last, { body, blobs: valuesOf([hash]) })])).toEqual([])
      named.add(hash)
    }
    const lost = () => unused.filter((hash) => store.blob(hash) === undefined)
    // At once, when it has removed the first runs, and when it has removed the first values.
    for (const isMoment of [() => true, async () => (await store.runs()).length < 121, () => lost().length > 0]) {
      const other = await StoreProcess.open(file)
      const answers: unknown[] = []
      // A fault is an unhandled rejection, which fails the test.
      void other.call('sweep', { now: NOW, before: NOW }).then((answer) => answers.push(answer))
      do {
        await nameNext()
        await new Promise((resolve) => setImmediate(resolve))
      } while (answers.length === 0 && !(await isMoment()))
      await other.kill()
      expect(lost().filter((hash) => named.has(hash))).toEqual([])
      expect(await store.journal('long-1')).toHaveLength(last)
    }
    await store.sweep({ now: NOW, before: NOW })
    expect(lost()).toEqual(unused.filter((hash) => !named.has(hash)))
    expect(await store.runs()).toHaveLength(61)
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    const left = db.prepare('select count(*) as n from journal where run not in (select seq from run)').get()
    expect(left).toEqual({ n: 0 })
  })

  it('removes a long run in parts: after a crash nobody sees anything of it, and the next sweep removes the rest', async () => {
    const { store, file } = await storeWith(0)
    onTestFinished(() => store.close())
    const base = { at: 7, chain: 1, snapshot: 'a snapshot' }
    const long = await store.create({ ...rowOf('long-1'), base }, worker)
    if (long === 'taken') throw new Error('taken')
    await store.post('long-1', messageOf('m1'))
    const batches = Array.from({ length: 4000 }, (_, i) => batchOf(long, i + 8, i % 4 === 3 ? { snapshot: 'a snapshot', seal: true } : {}))
    await store.commit([...batches, batchOf(long, 4008, { row: rowChange({ status: 'completed' }) })])
    const trace = (await store.read('long-1'))?.row.trace ?? ''
    let writes = 0
    class Crashing extends Connection {
      override write<T>(work: (sql: Statements) => T): T {
        if (++writes > 3) throw new Error('the process ends')
        return super.write(work)
      }
    }
    const connection = new Crashing(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    await expect(sweepStore(connection, { now: NOW, before: NOW })).rejects.toThrow('the process ends')
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    // The row of run 0 keeps numbers from being given again.
    const tables = ['run', 'journal where run > 0', 'snapshot', 'segment', 'inbox']
    const rows = () => tables.map((table) => db.prepare(`select count(*) as n from ${table}`).get()?.['n'])
    expect(rows()).toEqual([1, 1001, 1001, 1000, 1])
    expect([await store.runs(), await store.runs({ prefix: trace }), await store.due(NOW + TTL)]).toEqual([[], [], []])
    expect([await store.read('long-1'), await store.journal('long-1'), await store.segments('long-1')]).toEqual([undefined, [], []])
    const again = await store.create(rowOf('long-1'), worker)
    if (again === 'taken') throw new Error('taken')
    await store.commit([batchOf(again, 1)])
    expect(await store.sweep({ now: NOW, dry: true })).toMatchObject({ runs: [] })
    expect(await store.sweep({ now: NOW })).toMatchObject({ runs: [] })
    expect(rows()).toEqual([1, 1, 0, 0, 0])
    expect(await store.journal('long-1')).toHaveLength(1)
  })

  it('reads what was committed during its read', async () => {
    const { store, file } = await storeWith(1)
    const [hash, spare] = ['ab'.repeat(32), 'cd'.repeat(32)]
    const [old] = await store.runs()
    const claim = await store.claim(old?.id ?? '', worker, NOW)
    if (!('lease' in claim)) throw new Error('held')
    const { lease } = claim
    const programs = [hash, spare].map((name) => ({ hash: name, kind: 'workflow', source: '{}' }))
    await store.commit([batchOf(lease, 3, { programs })])
    class Overtaken extends Connection {
      override read<T>(work: (sql: Statements) => T): T {
        const seen = super.read(work)
        const pin = { pin: [['workflow:late', 'workflow', 1, hash]] }
        void store.commit([batchOf(lease, 4, { body: JSON.stringify([[64, pin]]) })])
        return seen
      }
    }
    const connection = new Overtaken(file, { busyTimeout: 1000, newIdentity: '0f' })
    expect(await sweepStore(connection, { now: NOW })).toEqual({ runs: [], programs: [spare], blobs: [], entries: 0 })
    connection.close()
    await store.close()
  })
})
