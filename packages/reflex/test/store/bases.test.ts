import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Base, Lease, Store, StoredBatch } from '../../src/kernel/index.ts'
import { openPostgres, openSqlite } from '../../src/store/index.ts'
import { batchOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const worker = workerOf('first')
const BASE: Base = { at: 7, chain: 123, snapshot: 'the state after 7' }
const SHAPES = ['never began', 'open', 'sealed', 'packed', 'gone'] as const

const ROW_DAMAGE: Readonly<Record<string, string>> = {
  'no row': 'delete from segment where number = 0',
  'an earlier end': 'update segment set last = 5 where number = 0',
  'a later end': 'update segment set last = 8 where number = 0',
  'another checksum of the records': 'update segment set chain = chain + 1 where number = 0',
  'another number': 'update segment set number = 17 where number = 0',
  'a number below 0': 'update segment set number = -1 where number = 0',
  'another parent': "update segment set parent = 'other-1' where number = 0",
  'an archive': "update segment set archive = 'f00d' where number = 0",
  'another checksum': 'update segment set sum = sum + 1 where number = 0',
}
const SNAPSHOT_DAMAGE: Readonly<Record<string, string>> = {
  'another snapshot': "update snapshot set body = 'another' where at = 7",
  'no snapshot': 'delete from snapshot where at = 7',
  'a snapshot of an earlier record': 'update snapshot set at = 6 where at = 7',
  'a snapshot of a later record': 'update snapshot set at = 8 where at = 7',
}

/** Writes a run that begins with a snapshot, and as many records as its shape has. */
async function writeRun(store: Store, id: string, shape: (typeof SHAPES)[number]): Promise<void> {
  const lease = (await store.create({ ...rowOf(id), base: BASE }, worker)) as Lease
  if (shape === 'never began') return
  await store.commit([batchOf(lease, 8)])
  if (shape === 'open') return
  await store.commit([batchOf(lease, 9, { snapshot: 'at 9', seal: true })])
  await store.commit([batchOf(lease, 10)])
  if (shape !== 'sealed') await store.pack(id, 1)
  if (shape === 'gone') await store.forget(id, 1, 'f00d')
}

/** Every read of a run: its answer without the name of the run, or the code of its fault. */
async function answers(store: Store, id: string): Promise<Record<string, string>> {
  const parts = async (): Promise<StoredBatch[]> => {
    const found: StoredBatch[] = []
    for await (const batch of store.batches(id)) found.push(batch)
    return found
  }
  const reads: Record<string, () => unknown> = { segments: () => store.segments(id), batches: parts, read: () => store.read(id) }
  for (const number of [1, 2, 3]) reads[`segment ${number}`] = () => store.segment(id, number)
  for (const record of [1, 5, 6, 7, 8, 9, 10]) {
    reads[`read ${record}`] = () => store.read(id, record)
    reads[`journal ${record}`] = () => store.journal(id, record)
  }
  const found: Record<string, string> = {}
  for (const [name, read] of Object.entries(reads)) {
    try {
      // The checksums of a run depend on its name.
      found[name] = (JSON.stringify(await read()) ?? 'nothing').replaceAll(id, 'ID').replace(/"chain":(?!123)\d+/g, '"chain":0')
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      found[name] = thrown.code
    }
  }
  return found
}

/** Damages one run after the other in each way, and compares what is read with what was written. */
async function compareAll(store: Store, perform: (sql: string) => Promise<void>): Promise<void> {
  await store.hello(worker, NOW, TTL)
  for (const [i, shape] of SHAPES.entries()) {
    await writeRun(store, `whole-${i}`, shape)
    const truth = await answers(store, `whole-${i}`)
    for (const [k, [what, sql]] of Object.entries({ ...ROW_DAMAGE, ...SNAPSHOT_DAMAGE }).entries()) {
      const id = `damaged-${i}-${k}`
      await writeRun(store, id, shape)
      await perform(`${sql} and run = (select seq from run where id = '${id}')`)
      const found = await answers(store, id)
      const wrong = Object.entries(found).filter(([name, answer]) => answer !== truth[name] && answer !== 'R5003')
      expect(wrong, `${shape}: ${what}`).toEqual([])
      if (what in ROW_DAMAGE) expect(found['segments'], `${shape}: ${what}`).toBe('R5003')
      else if (shape !== 'never began' && shape !== 'gone') expect(found['segment 1'], `${shape}: ${what}`).toBe('R5003')
    }
  }
}

describe('the snapshot with which a run begins, and its row', () => {
  it('are damaged: a read of a SQLite store returns what was written, or R5003', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => store.close())
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    await compareAll(store, async (sql) => db.exec(sql))
  })

  it('are damaged so that the run looks as if it never began: it is listed, and not removed', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => store.close())
    await store.hello(worker, NOW, TTL)
    await writeRun(store, 'otter-2m9q', 'open')
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    db.exec("update segment set last = 8 where number = 0; update run set owner = null where id = 'otter-2m9q'")
    await writeRun(store, 'newt-3ccc', 'open')
    for (const dry of [true, false]) await expect(store.sweep({ now: NOW, dry })).rejects.toMatchObject({ code: 'R5003' })
    expect((await store.runs()).map(({ id }) => id).sort()).toEqual(['newt-3ccc', 'otter-2m9q'])
    expect(db.prepare('select count(*) as n from journal').get()).toEqual({ n: 2 })
  })
})

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`the snapshot with which a run of a Postgres store begins${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('is damaged, or its row is: a read returns what was written, or R5003', async () => {
    const store = openPostgres(server.address({ schema: 'store_bases' }))
    onTestFinished(() => store.close())
    await compareAll(store, async (sql) => {
      await server.sql(`set search_path = store_bases; ${sql}`)
    })
  })
})
