import { createHash } from 'node:crypto'
import { FORMAT } from '../../src/kernel/journal/record.ts'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import { openSqlite } from '../../src/store/index.ts'
import { sumOfRun, type StoredRunRow } from '../../src/store/rows.ts'
import { firstSum, nextSum } from '../../src/store/checksums.ts'
import { codeOf, Doors, kindOf, type Step, worldOf } from './world.ts'

const RUN = 'otter-2m9q'
const LARGE = 'x'.repeat(120_000)

/** Asks, notes a large value, asks again. */
const asks: Step = (x, input) => {
  if (input?.[0] === 'answer' && x.position !== undefined) return x.done(input[2])
  if (input?.[0] === 'answer') {
    x.go('second')
    x.set('noted', LARGE)
  }
  return void x.wait('answer', 'q')
}
const kinds = [kindOf('asks', asks)]

/** A store with a run that waits for its second answer: records 1 and 2 in one batch, 3 in another; closed. */
async function storeFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bad-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'reflex.db')
  const store = openSqlite(file)
  const world = worldOf(kinds, { store })
  const run = await world.start('asks', { id: RUN, source: { a: 'program' } })
  await run.idle()
  await run.answer('2w', LARGE)
  await world.runtime.close()
  await store.close()
  return file
}

/** Changes the store as somebody would who can compute checksums: what is wrong then is wrong for the kernel, not for the disk. */
function forge(
  file: string,
  change: (batch: { first: number; body: string; version: number }) => { body?: string; version?: number },
): void {
  const db = new DatabaseSync(file)
  const run = db.prepare('select * from run').get() as unknown as StoredRunRow
  let chain = firstSum(RUN)
  for (const row of db.prepare('select first, count, version, body from journal order by first').all()) {
    const batch = row as unknown as { first: number; count: number; version: number; body: string }
    const forged = { ...batch, ...change(batch) }
    chain = nextSum(chain, forged)
    db.prepare('update journal set body = ?, version = ?, sum = ? where first = ?').run(forged.body, forged.version, chain, batch.first)
  }
  db.prepare('update run set chain = ?, sum = ?').run(chain, sumOfRun({ ...run }, chain))
  db.close()
}

function tamper(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

/** All that a store holds of its runs. Who asked for one last is no part of it. */
function contentsOf(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true })
  const tables = ['select id, status, last, chain, waits, due, value from run', 'select * from journal', 'select * from program']
  const rows = [...tables, 'select * from blob', 'select * from inbox', 'select * from snapshot'].map((sql) => db.prepare(sql).all())
  db.close()
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

const last = (first: number, body: string) => (first === 3 ? { body } : {})

const WRONG: readonly (readonly [what: string, spoil: (file: string) => void, code: string, message: RegExp])[] = [
  ['a record is missing', (file) => tamper(file, 'delete from journal where first = 1'), 'R5003', /record 1 is missing/],
  ['a hash is wrong', (file) => tamper(file, 'update journal set sum = sum + 1 where first = 3'), 'R5003', /record 3 is not what/],
  ['the format is newer', (file) => forge(file, () => ({ version: FORMAT + 1 })), 'R5004', new RegExp(`format ${FORMAT + 1}`)],
  ['a part of a record is not known', (file) => forge(file, ({ first }) => last(first, '[[1024,1]]')), 'R5003', /known parts/],
  [
    'an input is of no known type',
    (file) => forge(file, ({ first }) => last(first, '[[4,["vision",1,"?"]]]')),
    'R5003',
    /record 3.*vision/,
  ],
  [
    'an output is of no known type',
    (file) => forge(file, ({ first }) => last(first, '[[68,["answer","2w",1],{"teleport":1}]]')),
    'R5003',
    /record 3.*teleport/,
  ],
  [
    'a word of the kernel is not known',
    (file) => forge(file, ({ first }) => last(first, '[[4,["kernel","nap"]]]')),
    'R5003',
    /record 3.*nap/,
  ],
  ['an input is no list', (file) => forge(file, ({ first }) => last(first, '[[4,7]]')), 'R5003', /record 3/],
  ['writes are no list', (file) => forge(file, ({ first }) => last(first, '[[12,["answer","2w",1],7]]')), 'R5003', /record 3/],
  ['a write has no value', (file) => forge(file, ({ first }) => last(first, '[[12,["answer","2w",1],["k"]]]')), 'R5003', /record 3/],
  ['requests are no list', (file) => forge(file, ({ first }) => last(first, '[[36,["answer","2w",1],7]]')), 'R5003', /record 3/],
  ['it answers what is not open', (file) => forge(file, ({ first }) => last(first, '[[4,["answer","9w",1]]]')), 'R5003', /no wait 9w/],
  ['it settles what is not in flight', (file) => forge(file, ({ first }) => last(first, '[[4,["ok",9,1]]]')), 'R5003', /no effect 9/],
  ['it is for no frame', (file) => forge(file, ({ first }) => last(first, '[[5,"9f",["answer","2w",1]]]')), 'R5003', /no frame 9f/],
  ['the program is gone', (file) => tamper(file, 'delete from program'), 'R5006', /asks:main/],
  ['a large value is gone', (file) => tamper(file, 'delete from blob'), 'R5003', /not in the store/],
]

describe('a journal that cannot be folded', () => {
  it.each(WRONG)('%s: says so when the run is opened, looked at or told, and leaves it is', async (_what, spoil, code, message) => {
    const file = await storeFile()
    spoil(file)
    const before = contentsOf(file)
    const store = openSqlite(file)
    onTestFinished(() => void store.close())
    for (const open of ['resume', 'peek', 'history'] as const) {
      const { runtime } = worldOf(kinds, { store })
      const thrown: unknown = await runtime[open](RUN).catch((fault: unknown) => fault)
      expect(isFault(thrown) && thrown.code, open).toBe(code)
      expect(thrown, open).toMatchObject({ message: expect.stringMatching(message) as string, run: RUN })
      expect(runtime.openRuns.size).toBe(0)
    }
    expect((await store.runs())[0]?.owner).toBe(null)
    expect(contentsOf(file)).toBe(before)
  })
})

describe('a database that vanishes in the middle of a run', () => {
  it('is named, nothing more leaves, and the run goes on once it is back', async () => {
    const file = await storeFile()
    const doors = new Doors()
    const sends: Step = (x, input) => (input?.[0] === 'ok' ? x.done(input[2]) : void x.request('mail', 'letter'))
    const all = [...kinds, kindOf('sends', sends)]
    const store = openSqlite(file)
    const world = worldOf(all, { store, ports: { mail: doors.port(true, 'ask') } })
    const run = await world.runtime.resume(RUN)
    renameSync(file, `${file}.away`)
    const before = readFileSync(`${file}.away`)
    const told = await run.answer('3w', 'yes').catch((fault: unknown) => fault)
    expect(told).toMatchObject({ code: 'R5005', message: expect.stringContaining('is gone') as string })
    expect(await codeOf(world.start('sends'))).toBe('R5005')
    expect(doors.open).toEqual([])
    await world.runtime.close()
    expect(readFileSync(`${file}.away`).equals(before)).toBe(true)
    renameSync(`${file}.away`, file)
    await store.close()
    const again = openSqlite(file)
    const back = worldOf(all, { store: again, ports: { mail: doors.port(true, 'ask') } })
    const resumed = await back.runtime.resume(RUN)
    await resumed.answer('3w', 'yes')
    expect(resumed.state.ended?.value).toBe('yes')
    await again.close()
  })
})
