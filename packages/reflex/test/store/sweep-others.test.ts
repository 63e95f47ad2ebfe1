import { join } from 'node:path'
import { crc32, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Lease } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { Connection } from '../../src/store/connection.ts'
import { summedSegment } from '../../src/store/segments.ts'
import type { Statements } from '../../src/store/statements.ts'
import { sweepStore } from '../../src/store/sweep.ts'
import { batchOf, rowChange, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'

const worker = workerOf('first')
const RUNS = 450
const hash = 'ab'.repeat(32)
const SEAL = { snapshot: 'a snapshot', seal: true } as const

/** A connection that counts the rows that each transaction reads or changes. */
class Counted extends Connection {
  readonly rows: { readonly read: number[]; readonly write: number[] } = { read: [], write: [] }

  #count<T>(into: number[], work: (sql: Statements) => T): (sql: Statements) => T {
    return (sql) => {
      let rows = 0
      const counted = <Row>(row: Row): Row => {
        if (row !== undefined) rows++
        return row
      }
      const queries = Object.entries(sql).map(([name, statement]) => {
        const { get, all, iterate, run } = statement as Record<string, (...values: unknown[]) => unknown>
        const call = (method: typeof get, values: unknown[]): unknown => method?.apply(statement, values)
        return [
          name,
          {
            run: (...values: unknown[]) => {
              const result = call(run, values) as { readonly changes: number }
              rows += result.changes
              return result
            },
            get: (...values: unknown[]) => counted(call(get, values)),
            all: (...values: unknown[]) => (call(all, values) as unknown[]).map(counted),
            *iterate(...values: unknown[]) {
              for (const row of call(iterate, values) as Iterable<unknown>) yield counted(row)
            },
          },
        ]
      })
      const result = work(Object.fromEntries(queries) as Statements)
      into.push(rows)
      return result
    }
  }

  override read<T>(work: (sql: Statements) => T): T {
    return super.read(this.#count(this.rows.read, work))
  }

  override write<T>(work: (sql: Statements) => T): T {
    return super.write(this.#count(this.rows.write, work))
  }
}

/** Packs a segment in one turn: `Store.pack` compresses in another thread. */
function packAtOnce(file: string, run: string, number: number, hashes: readonly string[]): void {
  const connection = new Connection(file, { busyTimeout: 1000, newIdentity: '0f' })
  connection.write((sql) => {
    const seq = sql.run.get(run)?.seq ?? 0
    const before = sql.segment.get(seq, number)
    if (before === undefined) throw new Error('no segment')
    const body = zstdCompressSync('[]')
    const { parent, archive, needs, crc, sum } = summedSegment(run, { ...before, needs: JSON.stringify(hashes), crc: crc32(body) })
    sql.changeSegment.run(parent, archive, needs, crc, sum, body, seq, number, before.chain, before.last, before.sum)
    sql.dropRecords.run(seq, before.first, before.last)
  })
  connection.close()
}

describe('a sweep of a SQLite store while others write', () => {
  it('reads and removes in transactions of limited size', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => store.close())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf('going-1'), worker)) as Lease
    const unused = Array.from({ length: 1200 }, (_, i) => ({ kind: 'workflow', source: '{}', hash: i.toString(16).padStart(64, '0') }))
    await store.commit(Array.from({ length: 5000 }, (_, i) => batchOf(lease, i + 1, { ...(i % 2 === 1 ? SEAL : {}) })))
    await store.commit([batchOf(lease, 5001, { programs: unused })])
    const values = Array.from({ length: 600 }, (_, value) => ({ value }))
    for (const key of ['first', 'second']) await store.appendAll('memory', key, values, NOW)
    const ended = [(await store.create(rowOf('long-1'), worker)) as Lease]
    await store.commit(ended.flatMap((long) => Array.from({ length: 3000 }, (_, i) => batchOf(long, i + 1, i % 2 === 1 ? SEAL : {}))))
    await store.commit(ended.map((one) => batchOf(one, 3001, { row: rowChange({ status: 'completed' }) })))
    for (let i = 1; i < RUNS; i++) ended.push((await store.create(rowOf(`ended-${i}`), worker)) as Lease)
    await store.commit(ended.slice(1).map((one) => batchOf(one, 1, { row: rowChange({ status: 'completed' }) })))
    const connection = new Counted(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    const swept = await sweepStore(connection, { now: NOW, before: NOW })
    expect([swept.runs.length, swept.programs.length]).toEqual([RUNS, unused.length])
    // A record counts as a row of the journal, and its segment as one more each time that it is looked up.
    expect(Math.max(...connection.rows.read)).toBeLessThan(1500)
    expect(Math.max(...connection.rows.write)).toBeLessThan(1500)
  })

  it.each([['packed'], ['forgotten']])('keeps what a segment names that was sealed and %s since its last read', async (state) => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => store.close())
    await store.hello(worker, NOW, TTL)
    const going = (await store.create(rowOf('going-1'), worker)) as Lease
    await store.commit([batchOf(going, 1, { blobs: new Map([[hash, '"long"']]) })])
    const other = (await store.create(rowOf('other-1'), worker)) as Lease
    // The newest batch of all stays where it is.
    await store.commit([batchOf(other, 1)])
    let isFirst = true
    class Overtaken extends Connection {
      override write<T>(work: (sql: Statements) => T): T {
        if (isFirst) {
          isFirst = false
          void store.commit([
            batchOf(going, 2, { body: JSON.stringify([[256, 0, [[hash, 1]]]]), ...SEAL, snapshot: JSON.stringify([hash]) }),
          ])
          packAtOnce(file, 'going-1', 1, [hash])
          if (state === 'forgotten') void store.forget('going-1', 1, 'f00d')
        }
        return super.write(work)
      }
    }
    const connection = new Overtaken(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    expect((await sweepStore(connection, { now: NOW })).blobs).toEqual([])
    expect(await store.blob(hash)).toBe('"long"')
  })

  it('keeps what a new run begins with that has the name of a removed run', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => store.close())
    await store.hello(worker, NOW, TTL)
    const ended = (await store.create(rowOf('ended-1'), worker)) as Lease
    const other = (await store.create(rowOf('other-1'), worker)) as Lease
    const row = rowChange({ status: 'completed' })
    await store.commit([batchOf(ended, 1, { blobs: new Map([[hash, '"long"']]), row }), batchOf(other, 1)])
    class Overtaken extends Connection {
      override write<T>(work: (sql: Statements) => T): T {
        const base = { at: 7, chain: 1, snapshot: JSON.stringify([hash]) }
        if (store.read('ended-1') === undefined) void store.create({ ...rowOf('ended-1'), base }, worker)
        return super.write(work)
      }
    }
    const connection = new Overtaken(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    expect(await sweepStore(connection, { now: NOW, before: NOW })).toMatchObject({ runs: ['ended-1'], blobs: [] })
    expect(await store.blob(hash)).toBe('"long"')
  })
})
