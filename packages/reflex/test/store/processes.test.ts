import { readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Claim, Lease } from '../../src/kernel/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { batchOf, leaseOf, messageOf, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'

const RUN = 'otter-2m9q'
const workerIn = (id: string, { child }: StoreProcess) => workerOf(id, { host: hostname(), pid: child.pid ?? 0 })

describe('several processes', { timeout: 60_000 }, () => {
  it('make the same new store at once, and all have it', async () => {
    const path = folder()
    const processes = Array.from({ length: 4 }, () => new StoreProcess())
    for (let round = 1; round <= 10; round++) {
      const file = join(path, `deep/${round}/reflex.db`)
      await Promise.all(processes.map(async (process) => process.call('open', file)))
      const rows = await Promise.all(
        processes.map(async (process, i) => {
          const worker = workerIn(`w${i}`, process)
          await process.call('hello', worker, NOW, TTL)
          return process.call<Lease | 'taken'>('create', rowOf(RUN), worker)
        }),
      )
      expect(rows.filter((row) => row !== 'taken')).toHaveLength(1)
      // Of several that close at once, each may leave the log to the others.
      for (const process of processes) await process.call('close')
      expect(readdirSync(join(path, `deep/${round}`))).toEqual(['reflex.db'])
    }
  })

  it('fight over a run: one gets it, the other learns who, until the first is dead', async () => {
    const file = join(folder(), 'reflex.db')
    const processes = [await StoreProcess.open(file), await StoreProcess.open(file)] as const
    const workers = processes.map((process, i) => workerIn(`w${i}`, process))
    const [first, second] = processes
    await Promise.all(processes.map(async (process, i) => process.call('hello', workers[i], NOW, TTL)))
    await first.call('release', await first.call('create', rowOf(RUN), workers[0]))

    const claims = await Promise.all(processes.map(async (process, i) => process.call<Claim>('claim', RUN, workers[i], NOW)))
    const won = claims.findIndex((claim) => 'lease' in claim)
    expect(claims[1 - won]).toEqual({ holder: { worker: workers[won], seen: NOW } })
    const [winner, loser] = won === 0 ? [first, second] : [second, first]
    expect(await winner.call('commit', [batchOf(leaseOf(claims[won] as Claim), 1)])).toEqual([])

    await winner.kill()
    const taken = leaseOf(await loser.call<Claim>('claim', RUN, workers[1 - won], NOW))
    expect(await loser.call('commit', [batchOf(taken, 2)])).toEqual([])
    expect(spans(await loser.call('journal', RUN))).toBe('1 2')
  })

  it('one that was stopped and lost its run is fenced when it goes on', async () => {
    const file = join(folder(), 'reflex.db')
    const paused = await StoreProcess.open(file)
    const worker = workerIn('paused', paused)
    await paused.call('hello', worker, NOW, TTL)
    const old = await paused.call<Lease>('create', rowOf(RUN), worker)
    await paused.call('commit', [batchOf(old, 1)])
    paused.child.kill('SIGSTOP')

    const store = openSqlite(file)
    const heir = workerOf('heir', { host: hostname(), pid: process.pid })
    await store.hello(heir, NOW, TTL)
    expect(await store.claim(RUN, heir, NOW + TTL - 1)).toEqual({ holder: { worker, seen: NOW } })
    const lease = leaseOf(await store.claim(RUN, heir, NOW + TTL))
    await store.post(RUN, messageOf('m1'))
    const taken = (await store.inbox(RUN)).map(({ row }) => row)
    paused.tell('commit', [batchOf(old, 2, { taken, snapshot: 'of a ghost' })])
    expect(await store.commit([batchOf(lease, 2, { body: '[["of the heir"]]' })])).toEqual([])

    const answer = paused.answer()
    paused.child.kill('SIGCONT')
    expect(await answer).toEqual([RUN])
    const read = await store.read(RUN)
    expect([read?.snapshot, read?.batches.map(({ body }) => body)]).toEqual([undefined, ['[[1,1,"a record"]]', '[["of the heir"]]']])
    expect(await store.inbox(RUN)).toHaveLength(1)
    await store.close()
  })

  it.each([1, 40, 200])('one that is killed after %i commits keeps every commit that it saw, and no half of one', async (commits) => {
    const file = join(folder(), 'reflex.db')
    const victim = await StoreProcess.open(file)
    const worker = workerIn('victim', victim)
    await victim.call('hello', worker, NOW, TTL)
    victim.tell('flood', await victim.call('create', rowOf(RUN), worker), 3000)
    await victim.untilLines(commits)
    await victim.kill()

    const acknowledged = Number(victim.lines.at(-1))
    const store = openSqlite(file)
    const last = (await store.read(RUN))?.row.last ?? 0
    expect([acknowledged, acknowledged + 2]).toContain(last)
    const batches = await store.journal(RUN)
    expect(batches.map(({ first, count }) => first + count - 1)).toEqual(Array.from({ length: last / 2 }, (_, i) => 2 * i + 2))
    expect((await store.read(RUN))?.snapshot).toEqual({ at: last, body: `at ${last}` })
    expect(await store.blob(`b${last - 1}`)).toBe('text')
    expect(await store.blob(`b${last + 1}`)).toBeUndefined()

    const heir = workerOf('heir', { host: hostname(), pid: process.pid })
    await store.hello(heir, NOW, TTL)
    expect(await store.due(NOW)).toEqual([RUN])
    expect(await store.commit([batchOf(leaseOf(await store.claim(RUN, heir, NOW)), last + 1)])).toEqual([])
    await store.close()
  })

  it('one that is killed while it makes stores leaves nothing that cannot be opened', async () => {
    const path = folder()
    const files = Array.from({ length: 60 }, (_, i) => join(path, `${i}.db`))
    const victim = new StoreProcess()
    await victim.call('open', files[0])
    for (const file of files.slice(1)) victim.tell('open', file)
    await victim.answer()
    await victim.kill()
    for (const file of files) {
      const store = openSqlite(file)
      expect(await store.runs()).toEqual([])
      await store.close()
    }
  })
})
