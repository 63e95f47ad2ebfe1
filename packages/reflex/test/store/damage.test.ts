import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { assert as check, asyncProperty, constantFrom, nat, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { type StoredRunRow, sumOfRun } from '../../src/store/rows.ts'
import { PAGE_BYTES } from '../../src/store/schema.ts'
import { nextSum } from '../../src/store/checksums.ts'
import { batchOf, messageOf, rowChange, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'

const worker = workerOf('w')

/** A closed store: `otter` has records 1, 2-3, 4, 5, 6 and a snapshot of 4; `newt` has three; a message, a ledger, a program, a blob. */
async function storeFile(): Promise<string> {
  const file = join(folder(), 'reflex.db')
  const store = openSqlite(file)
  await store.hello(worker, NOW, TTL)
  const otter = (await store.create(rowOf('otter'), worker)) as Lease
  const newt = (await store.create(rowOf('newt', { value: 'kept' }), worker)) as Lease
  const program = { hash: 'p1', kind: 'workflow', source: '{"nodes":[]}' }
  await store.commit([batchOf(otter, 1, { programs: [program] }), batchOf(newt, 1), batchOf(newt, 2)])
  await store.commit([
    batchOf(otter, 2, { count: 2, blobs: new Map([['b1', '"a large value"']]) }),
    batchOf(otter, 4, { snapshot: '{"at":4}' }),
  ])
  await store.commit([batchOf(otter, 5), batchOf(newt, 3, { row: rowChange({ status: 'suspended' }) }), batchOf(otter, 6)])
  await store.post('otter', messageOf('m1'))
  await store.append('memory', 'k1', { note: 1 }, NOW)
  await store.append('memory', 'k2', { note: 2 }, NOW)
  await store.close()
  return file
}

/** Returns the inbox of a run. Throws for a damaged message. */
async function soundInbox(store: Store, run: string): Promise<unknown> {
  const inbox = await store.inbox(run)
  for (const { fault } of inbox) if (fault !== undefined) throw fault
  return inbox
}

/** Everything that a store can return about its contents, except the start of the reading: a damaged snapshot is skipped. */
async function contents(store: Store): Promise<unknown> {
  const runs = (await store.runs()).map(({ owner: _owner, ...row }) => row)
  const journals: unknown[] = []
  for (const { id } of runs) {
    const { batches, row } = (await store.read(id)) ?? {}
    journals.push([row?.last, batches?.at(-1), await store.journal(id), await soundInbox(store, id)])
  }
  return [runs, journals, await store.ledger('memory'), await store.program('p1'), await store.blob('b1')]
}

function tamper(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Returns the thrown fault as a user sees it. */
async function faultOf(work: () => unknown): Promise<{ code: string; run?: string | undefined; record?: unknown }> {
  try {
    await work()
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { code: thrown.code, run: thrown.run, record: thrown.data?.['record'] }
  }
  throw new Error('nothing is thrown')
}

const OTTER = "(select seq from run where id = 'otter')"
const NEWT = "(select seq from run where id = 'newt')"

describe('a journal that is not what was written', () => {
  it.each([
    ['the first record is missing', `delete from journal where run = ${OTTER} and first = 1`, 1],
    ['a record in the middle is missing', `delete from journal where run = ${OTTER} and first = 2`, 2],
    ['the last record is missing', `delete from journal where run = ${OTTER} and first = 6`, 6],
    ['a letter is another', `update journal set body = replace(body, '5,"a', '5,"b') where run = ${OTTER}`, 5],
    ['the format is another', `update journal set version = 2 where run = ${OTTER} and first = 4`, 4],
    ['the checksum is another', `update journal set sum = sum + 1 where run = ${OTTER} and first = 2`, 2],
    [
      'a record is one of another run',
      `update journal set (body, sum) = (select body, sum from journal where run = ${NEWT} and first = 1) where run = ${OTTER} and first = 1`,
      1,
    ],
    [
      'two records changed places',
      `update journal set body = iif(first = 5, '[[1,6,"a record"]]', '[[1,5,"a record"]]') where run = ${OTTER} and first > 4`,
      5,
    ],
    [
      'a record is there twice',
      `insert into journal (run, first, count, version, sum, body) select run, 7, count, version, sum, body from journal where run = ${OTTER} and first = 6`,
      7,
    ],
  ])('%s: R5003 names the run and the record, nothing changes, other runs continue', async (_what, sql, record) => {
    const file = await storeFile()
    tamper(file, sql)
    const before = digestOf(file)
    const store = openSqlite(file)
    expect(await faultOf(async () => store.journal('otter'))).toEqual({ code: 'R5003', run: 'otter', record })
    expect(await store.journal('newt')).toHaveLength(3)
    await store.close()
    expect(digestOf(file)).toBe(before)
  })

  it.each([
    ['continues after the last record that the run knows', true],
    ['ends with another record than the run knows', false],
  ])('that %s: R5003', async (_what, shorter) => {
    const file = await storeFile()
    const db = new DatabaseSync(file)
    const run = db.prepare("select * from run where id = 'otter'").get() as unknown as StoredRunRow
    const before = db.prepare(`select sum from journal where run = ${OTTER} and first = 5`).get() as { sum: number }
    const batch = { first: 6, count: 1, version: 1, body: '[["as good as any"]]' }
    db.prepare(`update journal set body = ?, sum = ? where run = ${OTTER} and first = 6`).run(batch.body, nextSum(before.sum, batch))
    if (shorter)
      db.prepare("update run set last = 5, chain = ?, sum = ? where id = 'otter'").run(
        before.sum,
        sumOfRun({ ...run, last: 5 }, before.sum),
      )
    db.close()
    const store = openSqlite(file)
    expect(await faultOf(async () => store.read('otter'))).toEqual({ code: 'R5003', run: 'otter', record: 6 })
    await store.close()
  })

  it('is noticed in the part that is read, from a snapshot or from a record', async () => {
    const file = await storeFile()
    tamper(file, `update journal set body = replace(body, '"a', '"b') where run = ${OTTER} and first = 1`)
    const store = openSqlite(file)
    expect((await store.read('otter'))?.batches.map(({ first }) => first)).toEqual([5, 6])
    expect((await store.journal('otter', 3)).map(({ first }) => first)).toEqual([2, 4, 5, 6])
    expect(await faultOf(async () => store.read('otter', 3))).toMatchObject({ code: 'R5003', record: 1 })
    await store.close()
  })

  it.each([
    ['the row of a run', "update run set value = '\"lost\"' where id = 'newt'", async (store: Store) => store.runs(), 'newt'],
    ['the status of a run', "update run set status = 'completed' where id = 'newt'", async (store: Store) => store.read('newt'), 'newt'],
    [
      'the row of a run that is claimed',
      "update run set last = 2 where id = 'newt'",
      async (store: Store) => store.claim('newt', worker, NOW),
      'newt',
    ],
    ['the entry of a ledger', "update ledger set value = '3' where seq = 1", async (store: Store) => store.ledger('memory'), undefined],
    ['a ledger without an entry', 'delete from ledger where seq = 1', async (store: Store) => store.ledger('memory'), undefined],
    ['a program', "update program set source = '{}'", async (store: Store) => store.program('p1'), undefined],
    ['a large value', "update blob set body = ''", async (store: Store) => store.blob('b1'), undefined],
  ] as const)('%s: R5003', async (_what, sql, ask, run) => {
    const file = await storeFile()
    tamper(file, sql)
    const store = openSqlite(file)
    await store.hello(worker, NOW, TTL)
    expect(await faultOf(async () => ask(store))).toEqual({ code: 'R5003', run, record: undefined })
    await store.close()
  })

  it('a damaged message is R5013 without its content, and the others can be read', async () => {
    const file = await storeFile()
    const sound = openSqlite(file)
    await sound.post('otter', messageOf('last'))
    await sound.close()
    tamper(file, "update inbox set body = replace(body, 'yes', 'no') where id <> 'last'")
    const store = openSqlite(file)
    const [damaged, last] = await store.inbox('otter')
    expect(damaged).toMatchObject({ to: '', body: null, fault: { code: 'R5013', run: 'otter' } })
    expect(last).toMatchObject({ id: 'last' })
    expect(last?.fault).toBeUndefined()
    await store.close()
  })

  it('a damaged snapshot costs time but not the run: the journal is read from its start', async () => {
    const file = await storeFile()
    tamper(file, "update snapshot set body = '{}'")
    const store = openSqlite(file)
    const read = await store.read('otter')
    expect([read?.snapshot, read?.batches.map(({ first }) => first)]).toEqual([undefined, [1, 2, 4, 5, 6]])
    await store.close()
  })
})

describe('a damaged file', () => {
  it('with any bit flipped, answers as before or not at all', { timeout: 60_000 }, async () => {
    const file = await storeFile()
    const sound = await (async () => {
      const store = openSqlite(file)
      const all = await contents(store)
      await store.close()
      return all
    })()
    const bytes = readFileSync(file)
    const copy = `${file}.copy`
    const page = constantFrom(
      ...Array.from({ length: bytes.length / PAGE_BYTES }, (_, i) => i).filter((i) =>
        isUsed(bytes.subarray(i * PAGE_BYTES, (i + 1) * PAGE_BYTES)),
      ),
    )
    await check(
      asyncProperty(tuple(page, nat(4095), nat(7)), async ([number, place, bit]) => {
        const turned = Buffer.from(bytes)
        turned[number * PAGE_BYTES + place] = (turned[number * PAGE_BYTES + place] ?? 0) ^ (1 << bit)
        writeFileSync(copy, turned)
        return answersAsBefore(copy, sound)
      }),
      { numRuns: 200 },
    )
  })

  it('that is cut at any length is refused and not changed', async () => {
    const file = await storeFile()
    const size = statSync(file).size
    const copy = `${file}.copy`
    for (const length of [1, 15, 16, 99, 100, 107, 108, 4095, 4096, 5000, size / 2, size - 4096, size - 1]) {
      copyFileSync(file, copy)
      truncateSync(copy, length)
      const before = digestOf(copy)
      expect(await faultOf(() => openSqlite(copy)), `${length} bytes`).toMatchObject({ code: 'R5021' })
      expect(digestOf(copy)).toBe(before)
    }
  })

  it('with a page of random bytes is refused when it is opened, and not changed', async () => {
    const file = await storeFile()
    const bytes = readFileSync(file)
    for (let page = 1; page < bytes.length / PAGE_BYTES; page++) {
      const spoilt = Buffer.from(bytes)
      spoilt.fill('rubbish', page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
      writeFileSync(file, spoilt)
      expect(await faultOf(() => openSqlite(file)), `page ${page}`).toMatchObject({ code: 'R5021' })
      expect(readFileSync(file).equals(spoilt)).toBe(true)
    }
  })

  it('that is large is checked when it is read: valid runs continue', async () => {
    const file = await storeFile()
    const store = openSqlite(file)
    await store.hello(worker, NOW, TTL)
    const big = (await store.create(rowOf('big'), worker)) as Lease
    await store.commit([batchOf(big, 1, { body: JSON.stringify([['x'.repeat(5_000_000)]]) })])
    await store.close()
    const bytes = readFileSync(file)
    const copy = `${file}.copy`
    writeFileSync(copy, bytes.subarray(0, bytes.length - 1))
    expect(await faultOf(() => openSqlite(copy))).toMatchObject({ code: 'R5021' })
    bytes.fill('rubbish', bytes.length - 40_000, bytes.length - 30_000)
    writeFileSync(file, bytes)
    const again = openSqlite(file)
    expect(['R5003', 'R5021']).toContain((await faultOf(async () => again.journal('big'))).code)
    expect(await again.journal('otter')).toHaveLength(5)
    await again.close()
  })

  it('that lacks a table is refused', async () => {
    const file = await storeFile()
    tamper(file, 'drop table ledger')
    expect(await faultOf(() => openSqlite(file))).toMatchObject({ code: 'R5021' })
  })
})

const isUsed = (page: Buffer) => page.some((byte) => byte !== 0)

/** Expects the same answer as before the damage, or a fault. */
async function answersAsBefore(file: string, sound: unknown): Promise<boolean> {
  let store: Store | undefined
  try {
    store = openSqlite(file)
    expect(await contents(store)).toEqual(sound)
    return true
  } catch (thrown) {
    if (isFault(thrown)) return true
    throw thrown
  } finally {
    await store?.close()
  }
}
