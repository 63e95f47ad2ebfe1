import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { batchOf, leaseOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'

const RUN = 'otter-2m9q'
const NOBODY = 65_534
const worker = workerOf('w')

/** Commits until the store refuses. Returns the fault and the last record. */
async function fill(
  call: (name: keyof Store, ...args: unknown[]) => Promise<unknown>,
): Promise<{ code: unknown; verdict: unknown; last: number }> {
  await call('hello', worker, NOW, TTL)
  const lease = (await call('create', rowOf(RUN), worker)) as Lease
  for (let first = 1; ; first++) {
    try {
      await call('commit', [
        batchOf(lease, first, { body: JSON.stringify([['x'.repeat(20_000)]]), blobs: new Map([[`b${first}`, 'y'.repeat(9000)]]) }),
      ])
    } catch (thrown) {
      const { code, verdict } = thrown as { code: unknown; verdict: unknown }
      return { code, verdict, last: first - 1 }
    }
  }
}

/** Expects that earlier writes are intact, that refused ones are absent, and that the run continues. */
async function goesOn(store: Store, last: number): Promise<void> {
  expect((await store.read(RUN))?.row.last).toBe(last)
  expect(await store.journal(RUN)).toHaveLength(last)
  expect([typeof (await store.blob(`b${last}`)), await store.blob(`b${last + 1}`)]).toEqual(['string', undefined])
  await store.hello(worker, NOW, TTL)
  expect(await store.commit([batchOf(leaseOf(await store.claim(RUN, worker, NOW)), last + 1)])).toEqual([])
}

describe('a full disk', () => {
  it('refuses the batch, keeps earlier data, and the run continues when there is space', async (context) => {
    const path = smallDisk(context)
    const ballast = join(path, 'ballast')
    execFileSync('sh', ['-c', 'head -c 400000 /dev/zero > "$0"', ballast])
    const store = openSqlite(join(path, 'reflex.db'))
    onTestFinished(() => void store.close())
    const full = await fill(async (name, ...args) => (store[name] as (...all: unknown[]) => unknown).apply(store, args))
    expect(full).toMatchObject({ code: 'R5005', verdict: 'fail' })
    expect(full.last).toBeGreaterThan(3)
    expect(() => store.post(RUN, messageOf('m', { body: 'z'.repeat(50_000) }))).toThrow(/no room left/)
    expect(await store.journal(RUN)).toHaveLength(full.last)
    execFileSync('rm', [ballast])
    await goesOn(store, full.last)
  })

  it('that has no space for the log of many commits keeps what is left, and every commit is written', async (context) => {
    const path = smallDisk(context)
    const store = openSqlite(join(path, 'reflex.db'))
    onTestFinished(() => void store.close())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    for (let first = 1; first <= 70; first++) expect(await store.commit([batchOf(lease, first)])).toEqual([])
    expect(await store.journal(RUN)).toHaveLength(70)
    const { bavail, bsize } = statfsSync(path)
    expect(bavail * bsize).toBeGreaterThan(100_000)
  })

  it('has no space for a new store either', (context) => {
    const path = smallDisk(context)
    execFileSync('sh', ['-c', 'head -c 2000000 /dev/zero > "$0" || true', join(path, 'ballast')], { stdio: 'ignore' })
    const file = join(path, 'reflex.db')
    expect(() => openSqlite(file)).toThrow(expect.objectContaining({ code: 'R5005' }))
    execFileSync('rm', [join(path, 'ballast')])
    void openSqlite(file).close()
  })

  it.skipIf(process.platform === 'win32')('a file that may not grow gives the same fault', async () => {
    const file = join(folder(), 'reflex.db')
    const limited = new StoreProcess({ shellBefore: 'ulimit -f 2000' })
    await limited.call('open', file)
    const full = await fill(async (name, ...args) => limited.call(name, ...args))
    expect(full).toMatchObject({ code: 'R5005', verdict: 'fail' })
    expect(full.last).toBeGreaterThan(3)
    expect(await limited.call<unknown[]>('journal', RUN)).toHaveLength(full.last)
    await limited.kill()
    const store = openSqlite(file)
    await goesOn(store, full.last)
    await store.close()
  })
})

describe.skipIf(process.platform === 'win32')('a store whose file is removed while it is open', () => {
  it.each([
    ['is gone', (file: string) => rmSync(file)],
    ['is gone', (file: string) => rmSync(join(file, '..'), { recursive: true })],
    ['was cut short', (file: string) => truncateSync(file)],
    ['was cut short', (file: string) => truncateSync(file, 5000)],
    [
      'was replaced by another file',
      (file: string) => {
        copyFileSync(file, `${file}.copy`)
        renameSync(`${file}.copy`, file)
      },
    ],
  ])('%s: R5005, and no write is reported as done', async (what, harm) => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    onTestFinished(() => void store.close())
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    harm(file)
    expect(() => store.commit([batchOf(lease, 2)])).toThrow(
      expect.objectContaining({ code: 'R5005', message: `the store ${file} ${what}` }),
    )
    expect(() => store.beat(worker, NOW)).toThrow(expect.objectContaining({ code: 'R5005' }))
  })

  it.each([
    ['is gone', (log: string) => rmSync(log)],
    [
      'was replaced by another file',
      (log: string) => {
        copyFileSync(log, `${log}.copy`)
        renameSync(`${log}.copy`, log)
      },
    ],
  ])('or its log %s: R5005 before a write is reported as done, and earlier writes remain', async (what, harm) => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file)
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    harm(`${file}-wal`)
    expect(() => store.commit([batchOf(lease, 2)])).toThrow(
      expect.objectContaining({ code: 'R5005', message: `the log ${file}-wal of the store ${what}` }),
    )
    await store.close()
    const again = openSqlite(file)
    onTestFinished(() => void again.close())
    expect((await again.read(RUN))?.row.last).toBe(1)
  })
})

describe('a store that cannot be written', () => {
  it.each([
    ['a file', (path: string) => chmodSync(join(path, 'reflex.db'), 0o444)],
    ['a folder', (path: string) => chmodSync(path, 0o555)],
  ])('%s that is read-only can be read, and nothing is written: R5024', async (_what, protect) => {
    const path = folder()
    chmodSync(path, 0o777)
    void openSqlite(join(path, 'reflex.db')).close()
    chmodSync(join(path, 'reflex.db'), 0o666)
    protect(path)
    onTestFinished(() => chmodSync(path, 0o777))
    const other = await openAsNobody(join(path, 'reflex.db'))
    expect(await other.call('runs')).toEqual([])
    for (const [name, ...args] of [
      ['hello', worker, NOW, TTL],
      ['post', RUN, messageOf('m')],
      ['append', 'memory', 'k', 1, NOW],
    ] as const)
      await expect(other.call(name, ...args)).rejects.toMatchObject({ code: 'R5024', fix: expect.stringMatching(/permission/) as string })
    expect(readdirSync(path)).toEqual(['reflex.db'])
  })

  it('shows the writes of its owner while it is open for reading', async () => {
    const path = folder()
    const file = join(path, 'reflex.db')
    const owner = openSqlite(file)
    await owner.hello(worker, NOW, TTL)
    await owner.create(rowOf(RUN), worker)
    await owner.close()
    chmodSync(path, 0o555)
    onTestFinished(() => chmodSync(path, 0o777))
    const other = await openAsNobody(file)
    expect(await other.call('runs')).toHaveLength(1)
    chmodSync(path, 0o755)
    const again = openSqlite(file)
    await again.hello(worker, NOW, TTL)
    await again.create(rowOf('newt-1aaa'), worker)
    expect(await other.call('runs')).toHaveLength(2)
    await again.create(rowOf('newt-1bbb'), worker)
    expect(await other.call('runs')).toHaveLength(3)
    await again.close()
    expect(await other.call('runs')).toHaveLength(3)
  })

  it('a folder in which nothing can be created: R5023 or R5024', async () => {
    const path = folder()
    chmodSync(path, 0o555)
    onTestFinished(() => chmodSync(path, 0o777))
    await expect(openAsNobody(join(path, 'reflex.db'))).rejects.toMatchObject({ code: 'R5024' })
    await expect(openAsNobody(join(path, 'deeper/reflex.db'))).rejects.toMatchObject({ code: 'R5023' })
    expect(readdirSync(path)).toEqual([])
  })

  it('a file that cannot even be read: R5023', async () => {
    const path = folder()
    chmodSync(path, 0o777)
    void openSqlite(join(path, 'reflex.db')).close()
    chmodSync(join(path, 'reflex.db'), 0)
    await expect(openAsNobody(join(path, 'reflex.db'))).rejects.toMatchObject({ code: 'R5023' })
  })

  it('a store that another process keeps busy: R5025, and the call can be tried again', async () => {
    const file = join(folder(), 'reflex.db')
    const store = openSqlite(file, { busyTimeout: 1 })
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    let thrown: unknown
    try {
      await store.commit([batchOf(lease, 1)])
    } catch (fault) {
      thrown = fault
    }
    expect(isFault(thrown) && [thrown.code, thrown.verdict]).toEqual(['R5025', 'retry'])
    expect(await store.journal(RUN)).toEqual([])
    other.exec('rollback')
    other.close()
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    await store.close()
  })
})

/** Opens a store in a process with few permissions. */
async function openAsNobody(file: string): Promise<StoreProcess> {
  const process = new StoreProcess(asNobody())
  await process.call('open', file)
  return process
}

function asNobody(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

/** A disk of one megabyte. Skips the test if none can be created. */
function smallDisk({ skip }: TestContext): string {
  const path = join(folder(), 'disk')
  mkdirSync(path)
  try {
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=1m tmpfs "$0"', path], { stdio: 'ignore' })
  } catch {
    skip('only root can mount a disk of one megabyte; the limit on a file is tested below')
  }
  onTestFinished(() => void execFileSync('sh', ['-c', 'umount --lazy "$0"', path]))
  return path
}
