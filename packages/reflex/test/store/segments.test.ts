import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease } from '../../src/kernel/ports/store.ts'
import { type FileStore, openSqlite } from '../../src/store/index.ts'
import { Connection } from '../../src/store/connection.ts'
import { PAGE_BYTES } from '../../src/store/schema.ts'
import type { Statements } from '../../src/store/statements.ts'
import { packStored, readSegment } from '../../src/store/stored-segments.ts'
import { batchOf, leaseOf, messageOf, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'

const RUN = 'otter-2m9q'
const worker = workerOf('first')
const ALL = '1 2 3 4 5 6 7 8 9'
/** Of the log of SQLite: its header, and a page of the store with its own. */
const [HEADER, FRAME] = [32, 24 + PAGE_BYTES]

async function opened(file = join(folder(), 'reflex.db')): Promise<{ readonly file: string; readonly store: FileStore }> {
  const store = openSqlite(file)
  onTestFinished(async () => store.close())
  await store.hello(worker, NOW, TTL)
  return { file, store }
}

/** Writes the records 1 to 9; the records 3 and 6 seal a segment. */
async function writeSegments(store: FileStore): Promise<Lease> {
  const lease = (await store.create(rowOf(RUN), worker)) as Lease
  for (let first = 1; first <= 9; first++) {
    const seal = first === 3 || first === 6 ? ({ snapshot: `at ${first}`, seal: true } as const) : {}
    expect(await store.commit([batchOf(lease, first, seal)])).toEqual([])
  }
  return lease
}

async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown.code
    throw thrown
  }
  return undefined
}

describe('a packed segment that is not what was written', () => {
  it.each([
    ['another body', 'update segment set body = (select body from segment where number = 2) where number = 1'],
    ['a body that is cut short', 'update segment set body = substr(body, 1, 20) where number = 1'],
    ['no body', 'update segment set body = null where number = 1'],
    ['another checksum', 'update segment set crc = crc + 1 where number = 1'],
    ['another end', 'update segment set last = 4 where number = 1'],
    ['another chain', 'update segment set chain = chain + 1 where number = 1'],
    ['no row', 'delete from segment where number = 1'],
    ['fewer needs', 'update segment set needs = \'[""]\' where number = 1'],
    ['an archive that it is not in', "update segment set archive = 'f00d' where number = 1"],
  ])('%s: R5003, and the run continues', async (_what, sql) => {
    const { file, store } = await opened()
    await writeSegments(store)
    for (const number of [1, 2]) await store.pack(RUN, number)
    await store.close()
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
    const { store: after } = await opened(file)
    expect(await codeOf(() => after.journal(RUN))).toBe('R5003')
    expect(await codeOf(() => after.read(RUN, 2))).toBe('R5003')
    if (!sql.includes('body')) expect(await codeOf(() => after.sweep({ now: NOW }))).toBe('R5003')
    expect(spans((await after.read(RUN))?.batches)).toBe('7 8 9')
    expect(await after.commit([batchOf(leaseOf(await after.claim(RUN, worker, NOW)), 10)])).toEqual([])
  })

  it('has another record inside, with a checksum that fits: R5003', async () => {
    const { file, store } = await opened()
    await writeSegments(store)
    await store.pack(RUN, 1)
    const { store: other } = await opened()
    const lease = (await other.create(rowOf(RUN), worker)) as Lease
    for (let first = 1; first <= 3; first++)
      await other.commit([batchOf(lease, first, { body: '[["forged"]]', ...(first === 3 ? { snapshot: 's', seal: true as const } : {}) })])
    await other.pack(RUN, 1)
    await store.close()
    const [from, to] = [new DatabaseSync(other.name), new DatabaseSync(file)]
    const forged = from.prepare('select * from segment where number = 1').get()
    to.prepare('update segment set chain = ?, crc = ?, sum = ?, body = ? where number = 1').run(
      ...['chain', 'crc', 'sum', 'body'].map((name) => forged?.[name] as number),
    )
    for (const db of [from, to]) db.close()
    const { store: after } = await opened(file)
    expect(await codeOf(() => after.journal(RUN))).toBe('R5003')
  })
})

describe('the snapshot that opens a segment', () => {
  it('is read alone, without the snapshots before it', async () => {
    const { file, store } = await opened()
    await writeSegments(store)
    const connection = new Connection(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    const lists: number[] = []
    connection.read((sql) => {
      const snapshots: Statements['snapshots'] = {
        get: (...values) => sql.snapshots.get(...values),
        iterate: (...values) => sql.snapshots.iterate(...values),
        all: (...values) => {
          const rows = sql.snapshots.all(...values)
          lists.push(rows.length)
          return rows
        },
      }
      expect(readSegment({ ...sql, snapshots }, RUN, 3)?.snapshot?.at).toBe(6)
    })
    expect(lists).toEqual([])
  })

  it('is packed without the rows of the segments after it', async () => {
    const { file, store } = await opened()
    const lease = await writeSegments(store)
    for (let first = 10; first <= 30; first++) await store.commit([batchOf(lease, first, { snapshot: `at ${first}`, seal: true })])
    let rows = 0
    class Counted extends Connection {
      override read<T>(work: (sql: Statements) => T): T {
        return super.read((sql) => {
          const counted = <Row>(row: Row): Row => {
            rows++
            return row
          }
          const segments: Statements['segments'] = {
            get: (...values) => sql.segments.get(...values),
            all: (...values) => sql.segments.all(...values).map(counted),
            *iterate(...values) {
              for (const row of sql.segments.iterate(...values)) yield counted(row)
            },
          }
          return work({ ...sql, segments })
        })
      }
    }
    const connection = new Counted(file, { busyTimeout: 1000, newIdentity: '0f' })
    onTestFinished(() => connection.close())
    expect((await packStored(connection, RUN, 2)).place).toBe('packed')
    expect(rows).toBeLessThan(4)
  })

  it('is damaged after the segments before it were forgotten: R5003, and an earlier state is in the archive', async () => {
    const { file, store } = await opened()
    await writeSegments(store)
    for (const number of [1, 2]) await store.pack(RUN, number)
    await store.forget(RUN, 2, 'f00d')
    const db = new DatabaseSync(file)
    db.exec("update snapshot set body = 'another'")
    db.close()
    for (const until of [undefined, 9, 6]) expect(await codeOf(() => store.read(RUN, until))).toBe('R5003')
    expect(await codeOf(() => store.read(RUN, 5))).toBe('R5054')
  })
})

describe('a power failure while a segment is sealed, packed or forgotten', () => {
  it('leaves the whole change or nothing of it, and no record is lost', async () => {
    const { file, store } = await opened()
    const lease = await writeSegments(store)
    await store.post(RUN, messageOf('m1'))
    await store.commit([batchOf(lease, 10, { taken: (await store.inbox(RUN)).map(({ row }) => row), snapshot: 'at 10', seal: true })])
    await store.pack(RUN, 1)
    await store.forget(RUN, 1, 'f00d')
    await store.pack(RUN, 3)
    await store.pack(RUN, 2)
    const log = readFileSync(`${file}-wal`)
    const seen = new Set<string>()
    for (let cut = HEADER; cut <= log.length; cut += FRAME) {
      const left = join(folder(), 'reflex.db')
      copyFileSync(file, left)
      writeFileSync(`${left}-wal`, log.subarray(0, cut))
      const after = openSqlite(left)
      const run = await after.read(RUN)
      const segments = await after.segments(RUN)
      seen.add(segments.map(({ sealed, place }) => (sealed ? place : 'open')).join(' '))
      const last = run?.row.last ?? 0
      const kept = segments.filter(({ place }) => place !== 'gone')
      const from = kept[0]?.first ?? 1
      expect(spans(await after.journal(RUN, from)), `${cut} bytes of the log`).toBe(
        `${ALL} 10`
          .split(' ')
          .slice(from - 1, last)
          .join(' '),
      )
      for (const { number, first, last } of kept) {
        const stored = await after.segment(RUN, number)
        expect(stored?.batches).toHaveLength(last - first + 1)
        expect(stored?.snapshot?.at).toBe(first === 1 ? undefined : first - 1)
      }
      await after.close()
    }
    expect([...seen]).toEqual([
      '',
      'open',
      'rows',
      'rows open',
      'rows rows',
      'rows rows open',
      'rows rows rows',
      'packed rows rows',
      'gone rows rows',
      'gone rows packed',
      'gone packed packed',
    ])
  })
})

describe('two processes', () => {
  it('that pack one segment at the same time both get the packed segment, and nothing is lost', async () => {
    const { file, store } = await opened()
    await writeSegments(store)
    const others = await Promise.all([StoreProcess.open(file), StoreProcess.open(file)])
    const packed = await Promise.all(others.map((other) => other.call('pack', RUN, 1)))
    expect(packed[0]).toMatchObject({ number: 1, place: 'packed' })
    expect(packed[1]).toEqual({ ...(packed[0] as object), saved: expect.any(Number) as number })
    expect(spans(await store.journal(RUN))).toBe(ALL)
  })

  it('of which one is killed while it packs leave every segment whole', async () => {
    const { file, store } = await opened()
    await writeSegments(store)
    const other = await StoreProcess.open(file)
    other.tell('pack', RUN, 1)
    await other.kill()
    expect(spans(await store.journal(RUN))).toBe(ALL)
    expect((await store.pack(RUN, 1)).place).toBe('packed')
    expect(spans(await store.journal(RUN))).toBe(ALL)
  })
})

describe('a transaction that fails in the middle', () => {
  it.each(['insert into segment', 'update segment', 'delete from journal', 'delete from snapshot', 'delete from inbox'])(
    'at "%s" changes nothing, and the same call succeeds afterwards',
    async (statement) => {
      const { file, store } = await opened()
      const lease = await writeSegments(store)
      const [verb, table] = [statement.split(' ')[0] ?? '', statement.split(' ').at(-1) ?? '']
      const db = new DatabaseSync(file)
      onTestFinished(() => db.close())
      // Both calls below work on a run with a taken message and with a snapshot inside a segment.
      await store.post(RUN, messageOf('m1'))
      await store.commit([batchOf(lease, 10, { taken: (await store.inbox(RUN)).map(({ row }) => row), snapshot: 'at 10' })])
      await store.post(RUN, messageOf('waits'))
      await store.commit([batchOf(lease, 11, { snapshot: 'at 11', seal: true })])
      const seal = batchOf(lease, 12, { snapshot: 'at 12', seal: true })
      db.exec(`create trigger broken before ${verb} on ${table} begin select raise(abort, 'the disk'); end`)
      const contents = async () => [await store.journal(RUN), await store.segments(RUN), await store.read(RUN, 10)]
      const codes: unknown[] = []
      for (const call of [() => store.commit([seal]), () => store.pack(RUN, 3)]) {
        const before = await contents()
        codes.push(await codeOf(call))
        if (codes.at(-1) !== undefined) expect(await contents()).toEqual(before)
      }
      expect(codes).toContain('R5005')
      db.exec('drop trigger broken')
      if (codes[0] !== undefined) expect(await store.commit([seal])).toEqual([])
      expect((await store.pack(RUN, 3)).place).toBe('packed')
      expect(spans(await store.journal(RUN))).toBe(`${ALL} 10 11 12`)
    },
  )
})
