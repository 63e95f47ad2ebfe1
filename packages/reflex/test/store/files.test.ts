import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { openDatabase } from '../../src/store/open-database.ts'
import { LAYOUT } from '../../src/store/schema.ts'
import { batchOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'

const newFile = () => join(folder(), 'reflex.db')

/** Returns every file beside a path with its content. */
function filesAt(file: string): Record<string, string> {
  const files = readdirSync(dirname(file)).filter((name) => statSync(join(dirname(file), name)).isFile())
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(dirname(file), name)))
        .digest('hex'),
    ]),
  )
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown.code
    throw thrown
  }
  return 'nothing is thrown'
}

/** Creates a SQLite database with these statements. */
function database(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

/** Returns the files that a killed process leaves of an open database. */
function killedProcess(file: string, sql: string): void {
  const code = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]); db.exec(process.argv[2]); process.kill(process.pid, 'SIGKILL')`
  expect(() => execFileSync(process.execPath, ['-e', code, file, sql], { stdio: 'ignore' })).toThrow()
}

/** Returns a database with a log that was not merged. */
function databaseOfDeadProcess(file: string, sql: string): void {
  killedProcess(file, sql)
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
}

async function hasRun(store: Store): Promise<boolean> {
  await store.hello(workerOf('w'), NOW, TTL)
  await store.create(rowOf('otter'), workerOf('w'))
  const runs = await store.runs()
  await store.close()
  return runs.length === 1
}

describe('a new store', () => {
  it('is created with the folders above it, and leaves one file when it is closed', async () => {
    const file = join(folder(), 'a/b/reflex.db')
    const store = openSqlite(file)
    expect([store.durable, store.name]).toEqual([true, file])
    expect(await hasRun(store)).toBe(true)
    expect(readdirSync(dirname(file))).toEqual(['reflex.db'])
  })

  it('keeps a log, and waits for the disk at each commit', () => {
    const { db } = openDatabase(newFile(), { busyTimeout: 5000, newIdentity: '0f' })
    const settings = ['journal_mode', 'synchronous', 'fullfsync', 'busy_timeout'].map(
      (name) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0],
    )
    db.close()
    expect(settings).toEqual(['wal', 2, 1, 5000])
  })

  it.each([
    ['an empty file', (file: string) => writeFileSync(file, '')],
    ['a database without tables', (file: string) => database(file, 'create table a (b); drop table a')],
    ['a database without tables that keeps a log', (file: string) => database(file, 'pragma journal_mode = wal')],
    ['a link to a place where nothing is', (file: string) => symlinkSync(`${file}.elsewhere`, file)],
  ])('may replace %s', async (_what, prepare) => {
    const file = newFile()
    prepare(file)
    const store = openSqlite(file)
    // A process that opens it second, while the first has it open, must recognize a store.
    await openSqlite(file).close()
    expect(await hasRun(store)).toBe(true)
    await openSqlite(file).close()
  })

  it('is created again if a process was killed while it created one', async () => {
    const file = newFile()
    // With so little memory, SQLite writes pages before it commits, and a journal to undo that.
    killedProcess(
      file,
      `pragma cache_size = 1; begin immediate; create table a (b); insert into a select hex(zeroblob(3000)) from json_each('[${'1,'.repeat(50)}1]')`,
    )
    expect(statSync(file).size).toBeGreaterThan(0)
    expect(readdirSync(dirname(file))).toEqual(['reflex.db', 'reflex.db-journal'])
    expect(await hasRun(openSqlite(file))).toBe(true)
    expect(readdirSync(dirname(file))).toEqual(['reflex.db'])
  })

  it('reads what a killed process left', async () => {
    const file = newFile()
    const victim = await StoreProcess.open(file)
    const worker = workerOf('w')
    await victim.call('hello', worker, NOW, TTL)
    await victim.call('create', rowOf('otter'), worker)
    await victim.kill()
    expect(readdirSync(dirname(file))).toContain('reflex.db-wal')
    const store = openSqlite(file)
    expect(await store.runs()).toHaveLength(1)
    await store.close()
    expect(readdirSync(dirname(file))).toEqual(['reflex.db'])
  })
})

describe('a file that is not a store is refused and not changed', () => {
  it.each([
    ['a text', 'R5020', (file: string) => writeFileSync(file, 'hello '.repeat(1000))],
    ['zeros', 'R5021', (file: string) => writeFileSync(file, Buffer.alloc(8192))],
    ['a short text', 'R5020', (file: string) => writeFileSync(file, '{}')],
    ['a database of another program', 'R5020', (file: string) => database(file, 'pragma application_id = 7; create table a (b)')],
    ['a database without marks', 'R5020', (file: string) => database(file, 'create table run (id text); insert into run values (1)')],
    ['such a one with a log', 'R5020', (file: string) => database(file, 'pragma journal_mode = wal; create table a (b)')],
    ['such a one in use', 'R5020', (file: string) => databaseOfDeadProcess(file, 'pragma journal_mode = wal; create table a (b)')],
    [
      'a database that bears our mark only',
      'R5021',
      (file: string) => database(file, 'pragma application_id = 1382444152; create table a (b)'),
    ],
    ['a store of a newer release', 'R5022', (file: string) => newer(file, (sql) => database(file, sql))],
    ['a store that a newer release was just changing', 'R5022', (file: string) => newer(file, (sql) => databaseOfDeadProcess(file, sql))],
    [
      'a log that lost its database',
      'R5021',
      (file: string) =>
        newer(
          file,
          (sql) => databaseOfDeadProcess(file, sql),
          () => rmSync(file),
        ),
    ],
    [
      'a log whose database was emptied',
      'R5021',
      (file: string) =>
        newer(
          file,
          (sql) => databaseOfDeadProcess(file, sql),
          () => writeFileSync(file, ''),
        ),
    ],
    [
      'an empty file beside an empty log',
      'R5021',
      (file: string) => {
        for (const end of ['', '-wal']) writeFileSync(`${file}${end}`, '')
      },
    ],
    [
      'an empty file beside folders of runs',
      'R5021',
      (file: string) => {
        mkdirSync(join(dirname(file), 'runs'))
        writeFileSync(file, '')
      },
    ],
  ] as const)('%s: %s', (_what, code, prepare) => {
    const file = newFile()
    prepare(file)
    const before = filesAt(file)
    expect(codeOf(() => openSqlite(file))).toBe(code)
    // A reader of a log needs an index of it, which contains no data of its own.
    const { 'reflex.db-shm': _before, ...was } = before
    const { 'reflex.db-shm': _after, ...is } = filesAt(file)
    expect(is).toEqual(was)
  })

  it.runIf(process.platform === 'linux')('a folder in which no folder can be created: R5023', () => {
    expect(codeOf(() => openSqlite('/proc/self/deep/er/reflex.db'))).toBe('R5023')
  })

  it('a folder, a pipe, a file as a folder, no name: R5023, R5027', () => {
    const path = folder()
    mkdirSync(join(path, 'folder'))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(path, 'pipe')])
    writeFileSync(join(path, 'file'), '')
    for (const name of ['folder', 'pipe', 'file/reflex.db', 'nul\0.db'])
      expect(
        codeOf(() => openSqlite(join(path, name))),
        name,
      ).toBe('R5023')
    for (const name of ['', ':memory:'])
      expect(
        codeOf(() => openSqlite(name)),
        name,
      ).toBe('R5027')
    expect(readdirSync(path).sort()).toEqual(['file', 'folder', 'pipe'])
  })
})

function newer(file: string, change: (sql: string) => void, last?: () => void): void {
  void openSqlite(file).close()
  change(`pragma user_version = ${LAYOUT + 1}`)
  last?.()
}

describe('a closed store', () => {
  it('can be closed again, and does nothing else', async () => {
    const store = openSqlite(newFile())
    const worker = workerOf('w')
    await store.hello(worker, NOW, TTL)
    await store.close()
    await store.close()
    const lease = { run: 'otter', token: 1, worker }
    const calls: (() => unknown)[] = [
      () => store.hello(worker, NOW, TTL),
      () => store.beat(worker, NOW),
      () => store.create(rowOf('otter'), worker),
      () => store.claim('otter', worker, NOW),
      () => store.release(lease),
      () => store.commit([batchOf(lease, 1)]),
      () => store.read('otter'),
      () => store.journal('otter'),
      () => store.runs(),
      () => store.program('p'),
      () => store.blob('b'),
      () => store.post('otter', messageOf('m')),
      () => store.inbox('otter'),
      () => store.due(NOW),
      () => store.append('a', 'k', 1, NOW),
      () => store.ledger('a'),
      () => store.appendAll('a', 'k', [{ name: 'x', value: 1 }], NOW),
      () => store.latest('a'),
      () => store.postAll('otter', [messageOf('m')]),
    ]
    expect(calls.map(codeOf)).toEqual(calls.map(() => 'R5029'))
  })
})
