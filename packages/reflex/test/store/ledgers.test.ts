import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Appended, LedgerEntry, NewEntry } from '../../src/kernel/ports/store.ts'
import { type FileStore, memoryStore, openSqlite } from '../../src/store/index.ts'
import { entriesOf, latestOf } from '../../src/store/ledgers.ts'
import { PAGE_BYTES } from '../../src/store/schema.ts'
import { prepareStatements } from '../../src/store/statements.ts'
import { messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { makeFirstLayout } from './first-layout.ts'
import { ledgerAsModel } from './ledger-model.ts'
import { folder, StoreProcess } from './processes.ts'

/** Of the log of SQLite: its header, and a page of the store with its own. */
const [HEADER, FRAME] = [32, 24 + PAGE_BYTES]

async function opened(file = join(folder(), 'reflex.db')): Promise<{ readonly file: string; readonly store: FileStore }> {
  const store = openSqlite(file)
  onTestFinished(async () => store.close())
  await store.hello(workerOf('first'), NOW, TTL)
  return { file, store }
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

/** A step that writes two names, with its number as their value. */
function step(value: number, after?: number): readonly NewEntry[] {
  return [
    { name: 'x', value, ...(after === undefined ? {} : { after }) },
    { name: 'y', value },
  ]
}

/** Writes the entries 1 to 2 × `steps`, and removes the first four. */
async function writeSteps(store: FileStore, steps: number): Promise<void> {
  for (let n = 1; n <= steps; n++) await store.appendAll('a', `k${n}`, step(n), NOW + n, { keep: 5 })
  expect(await store.compact('a', { before: NOW + 2 })).toBe(4)
}

describe('a ledger follows the model of its rules, in any sequence of calls,', () => {
  it('in memory', async () => ledgerAsModel(() => memoryStore(), 200))
  it('in SQLite', async () => {
    const { store } = await opened()
    await ledgerAsModel(() => store, 60)
  })
})

describe('a ledger that is not what was written', () => {
  it.each<readonly [string, string, (store: FileStore) => unknown]>([
    ['a value', "update ledger set value = '9' where seq = 9", async (store) => store.latest('a')],
    ['a name', "update ledger set entry_name = 'z' where seq = 7", async (store) => store.latest('a', ['z'])],
    ['a name that is gone', 'update ledger set entry_name = null where seq = 7', async (store) => store.ledger('a')],
    ['a deletion', "update ledger set value = '' where seq = 7", async (store) => store.ledger('a')],
    ['a missing entry', 'delete from ledger where seq = 7', async (store) => store.ledger('a', 6)],
    ['a missing entry among removed ones', 'delete from ledger where seq = 4', async (store) => store.ledger('a')],
    ['what compactions have removed', 'update ledger_facts set through = 7', async (store) => store.ledger('a')],
    ['no facts', 'delete from ledger_facts', async (store) => store.ledger('a')],
    ['the retention', 'update ledger_facts set keep = 0', async (store) => store.appendAll('a', 'k', [], NOW, { keep: 1 })],
    [
      'a name, when it is compacted',
      "update ledger set entry_name = 'y' where seq = 8",
      async (store) => store.compact('a', { before: NOW + 99 }),
    ],
    [
      'a name with a condition',
      "update ledger set entry_name = 'z' where seq = 7",
      async (store) => store.appendAll('a', 'k', [{ name: 'z', after: 0 }], NOW),
    ],
  ])('%s: R5003, and nothing changes', async (_what, sql, call) => {
    const { file, store } = await opened()
    await store.appendAll('a', 'first', [{ name: 'x', value: 0 }], NOW + 9)
    for (let n = 1; n <= 4; n++) await store.appendAll('a', `k${n}`, step(n), NOW + n, { keep: 5 })
    await store.compact('a', { before: NOW + 1 })
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    db.exec(sql)
    const rows = () => [db.prepare('select * from ledger').all(), db.prepare('select * from ledger_facts').all()]
    const before = rows()
    expect(await codeOf(() => call(store))).toBe('R5003')
    expect(rows()).toEqual(before)
  })
})

describe('a ledger of an older release that can only be read', () => {
  it('has its entries and no names', async () => {
    const { file, store } = await opened()
    await store.append('a', 'k1', 'old', NOW)
    await store.close()
    makeFirstLayout(file)
    const db = new DatabaseSync(file, { readOnly: true })
    onTestFinished(() => db.close())
    const sql = prepareStatements(db)
    expect(latestOf(sql, 'a')).toEqual({ last: 1, entries: [] })
    expect(latestOf(sql, 'a', ['x'])).toEqual({ last: 1, entries: [] })
    expect(entriesOf(sql, 'a')).toEqual([{ seq: 1, key: 'k1', at: NOW, value: 'old' }])
  })
})

describe('a power failure while a ledger is appended to and compacted', () => {
  it('leaves each append and each removal whole, and no current value is lost', async () => {
    const { file, store } = await opened()
    await writeSteps(store, 4)
    await store.compact('a', { through: 5 })
    await store.appendAll('a', 'end', [{ name: 'x' }, { value: 'end' }], NOW)
    const log = readFileSync(`${file}-wal`)
    const seen = new Set<string>()
    for (let cut = HEADER; cut <= log.length; cut += FRAME) {
      const left = join(folder(), 'reflex.db')
      copyFileSync(file, left)
      writeFileSync(`${left}-wal`, log.subarray(0, cut))
      const after = openSqlite(left)
      const entries = await after.ledger('a')
      seen.add(entries.map(({ seq }) => seq).join(' '))
      const { last, entries: current } = await after.latest('a')
      expect(last % 2, `${cut} bytes of the log`).toBe(0)
      const value = last / 2
      const expected = last === 0 ? [] : last === 10 ? ['y4'] : [`x${value}`, `y${value}`]
      expect(current.map((entry) => `${entry.name}${Number(entry.value)}`)).toEqual(expected)
      await after.close()
    }
    expect([...seen]).toEqual(['', '1 2', '1 2 3 4', '1 2 3 4 5 6', '1 2 3 4 5 6 7 8', '5 6 7 8', '5 6 7 8 9 10'])
  })
})

describe('a transaction that fails in the middle', () => {
  const compact = async (store: FileStore) => store.compact('a', { before: NOW + 99 })
  const append = async (store: FileStore) => store.appendAll('a', 'new', step(9), NOW + 9, { keep: 1 })
  const post = async (store: FileStore) => store.postAll('otter-1', [messageOf('m1'), messageOf('m2')])

  it.each([
    ['insert on ledger', "new.entry_name = 'x'", append],
    ['insert on ledger', "new.entry_name = 'y'", append],
    ['update on ledger_facts', 'new.keep = 1', append],
    ['delete on ledger', 'old.seq = 5', compact],
    ['delete on ledger', 'old.seq = 6', compact],
    ['update on ledger_facts', 'new.removed = 6', compact],
    ['insert on inbox', "new.id = 'm1'", post],
    ['insert on inbox', "new.id = 'm2'", post],
  ] as const)('at an %s with %s changes nothing, and the same call succeeds afterwards', async (statement, when, call) => {
    const { file, store } = await opened()
    await writeSteps(store, 4)
    await store.create(rowOf('otter-1'), workerOf('first'))
    const contents = async () => [await store.ledger('a'), await store.latest('a'), await store.inbox('otter-1')]
    const before = await contents()
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    db.exec(`create trigger broken before ${statement} when ${when} begin select raise(abort, 'the disk'); end`)
    expect(await codeOf(() => call(store))).toBe('R5005')
    expect(await contents()).toEqual(before)
    db.exec('drop trigger broken')
    expect(await codeOf(() => call(store))).toBeUndefined()
    expect(await contents()).not.toEqual(before)
  })
})

describe('two processes', () => {
  it('that append under one condition: one wins, and the other sees its entry', async () => {
    const { file, store } = await opened()
    const others = await Promise.all([StoreProcess.open(file), StoreProcess.open(file)])
    let after = 0
    for (let round = 1; round <= 10; round++) {
      const results = await Promise.all(
        others.map((other, i) => other.call<Appended>('appendAll', 'a', `${round}:${i}`, step(round * 10 + i, after), NOW)),
      )
      const won = results.findIndex((result) => 'numbers' in result)
      const first = 2 * round - 1
      expect(results[won]).toEqual({ numbers: [first, first + 1] })
      const newest: LedgerEntry = { seq: first, key: `${round}:${won}`, at: NOW, name: 'x', value: round * 10 + won }
      expect(results[1 - won]).toEqual({ conflict: { name: 'x', newest } })
      after = first
    }
    expect((await store.ledger('a')).length).toBe(20)
  })

  it('of which one is killed while it appends and compacts leave every append and the ledger whole', async () => {
    const { file, store } = await opened()
    const other = await StoreProcess.open(file)
    for (let n = 1; n <= 300; n++) {
      other.tell('appendAll', 'a', `k${n}`, step(n), NOW + n)
      if (n % 10 === 0) other.tell('compact', 'a', { before: NOW + n })
      if (n === 60) await other.answer()
    }
    while ((await store.latest('a')).last < 100) await new Promise((resolve) => void setImmediate(resolve))
    await other.kill()
    const { last, entries } = await store.latest('a')
    expect(last % 2).toBe(0)
    expect(entries.map(({ value }) => value)).toEqual([last / 2, last / 2])
    expect(await codeOf(() => store.ledger('a'))).toBeUndefined()
    await store.compact('a', { before: NOW + 999 })
    expect((await store.ledger('a')).map(({ seq }) => seq)).toEqual([last - 1, last])
  })
})
