import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { type Kind, type Port, Runtime } from '../../src/kernel/index.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'
import { folder } from './processes.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const RUN = 'otter-2m9q'
const STEPS = 30
const worker = workerOf('first')
/** Text that cannot be compressed to less than half. */
const LONG = Array.from({ length: 4000 }, (_, n) => (n * 2_654_435_761).toString(36)).join('')

/** A disk of its own for a few pages; only root can mount it. */
function smallDisk({ skip }: TestContext): string {
  const path = join(folder(), 'disk')
  mkdirSync(path)
  try {
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=2m tmpfs "$0"', path], { stdio: 'ignore' })
  } catch {
    skip('only root can mount a disk of two megabytes; the code of the server for it is tested in postgres.test.ts')
  }
  onTestFinished(() => void execFileSync('sh', ['-c', 'umount --lazy "$0"', path]))
  for (let above = path; above !== '/tmp' && above !== '/'; above = join(above, '..')) chmodSync(above, 0o755)
  return path
}

describe.skipIf('missing' in programs)(`a Postgres server that accepts no writes${skipped}`, { timeout: 120_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server?.stop())

  const opened = (address = server.address()): Store => {
    const store = openPostgres(address)
    onTestFinished(async () => store.close())
    return store
  }
  const begun = async (store: Store): Promise<Lease> => {
    await store.hello(worker, NOW, TTL)
    const lease = (await store.create(rowOf(RUN), worker)) as Lease
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    return lease
  }
  const setReadOnly = async (value: 'on' | 'off') => {
    await server.sql(`alter system set default_transaction_read_only = ${value}`)
    await server.sql('select pg_reload_conf()')
  }

  it('because it became a standby: R5075 at once, everything can be read, and the same lease writes when it is promoted', async () => {
    const address = server.address()
    const store = opened(address)
    const lease = await begun(store)
    await server.sql('checkpoint')
    await server.down()
    await server.up(true)
    onTestFinished(() => server.sql('select pg_promote() where pg_is_in_recovery()').then(() => undefined))
    const calls: (() => unknown)[] = [
      () => store.commit([batchOf(lease, 2)]),
      () => store.post(RUN, messageOf('m1')),
      () => store.append('memory', 'k', 1, NOW),
      () => store.create(rowOf('newt-1aaa'), worker),
      () => store.beat(worker, NOW + 1),
      () => store.release(lease),
      () => opened(address).hello(worker, NOW, TTL),
      () => opened(server.address()).runs(),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'R5075', fix: expect.stringContaining('primary') as string })
    const reader = opened(address)
    expect((await reader.read(RUN))?.row).toMatchObject({ last: 1, owner: { id: 'first' } })
    expect([await reader.journal(RUN), await reader.runs(), await reader.unread(worker)]).toMatchObject([[{ first: 1 }], [{ id: RUN }], []])
    expect((await reader.committed())?.end).toMatch(/^\w/)
    await server.sql('select pg_promote()')
    expect(await store.commit([batchOf(lease, 2)])).toEqual([])
    expect(await store.journal(RUN)).toHaveLength(2)
  })

  it('in the middle of a run: the run stops with R5075, and continues later from its last record', async () => {
    const count: Kind<null> = {
      name: 'count',
      rev: 1,
      compile: () => null,
      step(context) {
        const at = Number(context.position ?? 0)
        if (at === STEPS) return context.done(at)
        context.go(at + 1)
        context.request('tick')
      },
    }
    const address = server.address()
    let ticks = 0
    const perform = async () => {
      if (++ticks === STEPS / 2) await setReadOnly('on')
      return ticks
    }
    const tick: Port = { leaves: true, repeat: 'free', perform }
    onTestFinished(() => setReadOnly('off'))
    const store = opened(address)
    const runtime = new Runtime({ kinds: [count], ports: { tick }, store, worker })
    const run = await runtime.start(runtime.programs.add('count', 'count', {}), { id: RUN })
    await expect(run.idle()).rejects.toMatchObject({ code: 'R5075' })
    expect(ticks).toBeLessThan(STEPS)
    expect((await opened(address).read(RUN))?.row).toMatchObject({ status: 'running', owner: { id: 'first' } })
    await setReadOnly('off')
    const resumed = await runtime.resume(RUN)
    await resumed.idle()
    expect(resumed.state.ended?.value).toBe(STEPS)
    // At most the effect whose result could not be written was performed twice.
    expect(ticks - STEPS).toBeLessThanOrEqual(1)
    await runtime.close()
  })

  it('because its disk is full: R5005, earlier records are kept, and the run continues when there is room', async (context) => {
    const disk = smallDisk(context)
    const place = join(disk, 'space')
    mkdirSync(place)
    await server.tablespace('small', place)
    const address = server.address()
    const store = opened(address)
    const lease = await begun(store)
    const schema = new URL(address).searchParams.get('schema') ?? ''
    await server.sql(`alter table ${schema}.blob set tablespace small`)
    const ballast = join(disk, 'ballast')
    execFileSync('sh', ['-c', 'head -c 1000000 /dev/zero > "$0"', ballast])
    const large = (n: number) => ({ blobs: new Map([[`blob-${n}`, `${n} ${LONG}`]]) })
    const fill = async (): Promise<never> => {
      for (let record = 2; ; record++) await store.commit([batchOf(lease, record, large(record))])
    }
    await expect(fill()).rejects.toMatchObject({
      code: 'R5005',
      message: expect.stringContaining('is kept') as string,
      fix: expect.stringContaining('make room') as string,
    })
    const journal = await store.journal(RUN)
    expect(journal.length).toBeGreaterThan(3)
    const next = journal.length + 1
    expect([await store.blob(`blob-${next - 1}`), await store.blob(`blob-${next}`)]).toEqual([`${next - 1} ${LONG}`, undefined])
    execFileSync('rm', [ballast])
    expect(await store.commit([batchOf(lease, next, large(next))])).toEqual([])
    expect(await store.journal(RUN)).toHaveLength(next)
    await server.sql(`alter table ${schema}.blob set tablespace pg_default`)
  })
})
