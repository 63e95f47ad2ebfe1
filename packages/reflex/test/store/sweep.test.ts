import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/kernel/ports/store.ts'
import { Connection } from '../../src/store/connection.ts'
import { openSqlite } from '../../src/store/index.ts'
import type { Statements } from '../../src/store/statements.ts'
import { sweepStore } from '../../src/store/sweep.ts'
import { batchOf, rowChange, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'

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
