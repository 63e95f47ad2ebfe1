import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { PAGE_BYTES } from '../../src/store/schema.ts'
import { batchOf, leaseOf, messageOf, rowChange, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder } from './processes.ts'

const RUN = 'otter-2m9q'
const worker = workerOf('first')
const heir = workerOf('heir')
/** Of the log of SQLite: its header, and a page of the store with its own. */
const [HEADER, FRAME] = [32, 24 + PAGE_BYTES]

async function opened(file = join(folder(), 'reflex.db')): Promise<{ readonly file: string; readonly store: Store }> {
  const store = openSqlite(file)
  onTestFinished(async () => store.close())
  return { file, store }
}

describe('on the disk before a method returns', () => {
  it('is everything except the ownership of runs, which follows with the next write', async () => {
    const set = vi.spyOn(DatabaseSync.prototype, 'exec')
    onTestFinished(() => set.mockRestore())
    const { store } = await opened()
    const level = () => set.mock.calls.findLast(([sql]) => sql.includes('pragma synchronous'))?.[0].match(/synchronous = (\w+)/)?.[1]
    const levels: [string, string | undefined][] = []
    const call = async <T>(name: string, work: () => T): Promise<Awaited<T>> => {
      const answer = await work()
      levels.push([name, level()])
      return answer
    }
    await call('hello', () => store.hello(worker, NOW, TTL))
    const lease = (await call('create', () => store.create(rowOf(RUN), worker))) as Lease
    await call('commit', () => store.commit([batchOf(lease, 1, { blobs: new Map([['f'.repeat(64), 'nobody names it']]) })]))
    await call('beat', () => store.beat(worker, NOW + 1))
    await call('post', () => store.post(RUN, messageOf('m1')))
    const again = leaseOf(await call('claim', () => store.claim(RUN, worker, NOW)))
    await call('append', () => store.append('a', 'k', 'one', NOW))
    for (const key of ['k1', 'k2']) await call('appendAll', () => store.appendAll('a', key, [{ name: 'x', value: key }], NOW))
    await call('postAll', () => store.postAll(RUN, [messageOf('m2')]))
    await call('beat', () => store.beat(worker, NOW + 2))
    await call('compact', () => store.compact('a', { before: NOW }))
    await call('release', () => store.release(again))
    await call('sweep', () => store.sweep({ now: NOW }))
    const noted = ['hello', 'create', 'beat', 'claim', 'release']
    expect(levels).toEqual(levels.map(([name]) => [name, noted.includes(name) ? 'normal' : 'full']))
  })
})

describe('what a power failure leaves', () => {
  it('is everything up to the last commit, and no later write without the earlier ones', async () => {
    const { file, store } = await opened()
    // Earlier data is in the file itself, so that the log starts here.
    const log = `${file}-wal`
    const marks: { readonly bytes: number; readonly last: number; readonly owner: string | null }[] = []
    const mark = (last: number, owner: string | null) => marks.push({ bytes: statSync(log).size, last, owner })
    await store.hello(worker, NOW, TTL)
    await store.hello(heir, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    await store.commit([batchOf(lease, 1)])
    mark(1, worker.id)
    await store.release(lease)
    const taken = leaseOf(await store.claim(RUN, heir, NOW))
    await store.commit([batchOf(taken, 2)])
    mark(2, heir.id)
    await store.commit([batchOf(taken, 3, { row: rowChange({ status: 'suspended' }) })])
    mark(3, heir.id)
    await store.release(taken)
    const [bytes, content] = [statSync(log).size, readFileSync(log)]
    expect((bytes - HEADER) % FRAME).toBe(0)

    for (let cut = HEADER; cut <= bytes; cut += FRAME) {
      const left = join(folder(), 'reflex.db')
      copyFileSync(file, left)
      writeFileSync(`${left}-wal`, content.subarray(0, cut))
      const after = openSqlite(left)
      const found = await after.read(RUN)
      const durable = marks.findLast((mark) => mark.bytes <= cut)
      expect(found?.row.last ?? 0, `${cut} bytes of the log`).toBeGreaterThanOrEqual(durable?.last ?? 0)
      expect(spans(found?.batches ?? [])).toBe(['', '1', '1 2', '1 2 3'][found?.row.last ?? 0])
      if (marks.some((mark) => mark.bytes === cut)) expect(found?.row.owner?.id).toBe(durable?.owner)
      // A later process starts a run that never began, and continues one that did.
      await after.hello(workerOf('later'), NOW + 2 * TTL, TTL)
      const next =
        found === undefined ? await after.create(rowOf(RUN), workerOf('later')) : await after.claim(RUN, workerOf('later'), NOW + 2 * TTL)
      const right = next === 'taken' ? undefined : 'run' in next ? next : leaseOf(next)
      if (right === undefined) throw new Error(`${RUN} is taken after ${cut} bytes`)
      expect(await after.commit([batchOf(right, (found?.row.last ?? 0) + 1)])).toEqual([])
      await after.close()
    }
  })
})

describe('the log of a process that commits often', () => {
  async function committed(file: string, commits: number): Promise<Store> {
    const store = openSqlite(file)
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    for (let first = 1; first <= commits; first++) expect(await store.commit([batchOf(lease, first)])).toEqual([])
    return store
  }

  it('has its space after 50 commits, and does not grow from then on', async () => {
    const file = join(folder(), 'reflex.db')
    const store = await committed(file, 50)
    onTestFinished(async () => store.close())
    const { size } = statSync(`${file}-wal`)
    expect(size).toBe(HEADER + 1050 * FRAME)
    const lease = leaseOf(await store.claim(RUN, worker, NOW))
    for (let first = 51; first <= 400; first++) expect(await store.commit([batchOf(lease, first)])).toEqual([])
    expect(statSync(`${file}-wal`).size).toBe(size)
  })

  it('is read up to the last commit, wherever a power failure cuts off its space', async () => {
    const file = join(folder(), 'reflex.db')
    const store = await committed(file, 60)
    onTestFinished(async () => store.close())
    const log = readFileSync(`${file}-wal`)
    for (const size of [log.length, log.length - 1, HEADER + 900 * FRAME, HEADER + 500 * FRAME + 7]) {
      const left = join(folder(), 'reflex.db')
      copyFileSync(file, left)
      writeFileSync(`${left}-wal`, log.subarray(0, size))
      const after = openSqlite(left)
      expect((await after.read(RUN))?.row.last).toBe(60)
      expect(await after.journal(RUN)).toHaveLength(60)
      await after.close()
    }
  })
})

describe('a commit of a process that was considered dead', () => {
  it('is refused even if its run was swept and another run has its number', async () => {
    const { file, store } = await opened()
    const { store: other } = await opened(file)
    await store.hello(worker, NOW, TTL)
    await other.hello(heir, NOW + TTL, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])

    const taken = leaseOf(await other.claim(RUN, heir, NOW + TTL))
    expect(await other.commit([batchOf(taken, 2, { row: rowChange({ status: 'completed' }) })])).toEqual([])
    expect((await other.sweep({ now: NOW + TTL, before: NOW + TTL })).runs).toEqual([RUN])
    const newt = (await other.create(rowOf('newt-1', { trace: '7'.repeat(32) }), heir)) as Lease
    expect(newt.token).toBe(lease.token)
    expect(await other.commit([batchOf(newt, 1)])).toEqual([])

    expect(await store.commit([batchOf(lease, 2)])).toEqual([RUN])
    expect(spans((await other.read('newt-1'))?.batches)).toBe('1')
    expect(await other.commit([batchOf(newt, 2)])).toEqual([])
  })
})
