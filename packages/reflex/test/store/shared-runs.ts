import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import type { Claim, Lease, Worker } from '../../src/kernel/ports/store.ts'
import { openStore } from '../../src/store/index.ts'
import { batchOf, leaseOf, messageOf, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { StoreProcess } from './processes.ts'

const RUN = 'otter-2m9q'

/** The place where processes share a store. */
export interface SharedPlace {
  /** Returns the address of a new store. */
  address(): string
  /** Resolves when all requests of killed processes are done. */
  settled(): Promise<void>
}

/** The process itself, as a worker whose death can be detected. */
export function workerIn(id: string, { child }: StoreProcess): Worker {
  return workerOf(id, { host: hostname(), pid: child.pid ?? 0 })
}

/** The tests that hold for every store that several processes share. */
export function testSharedRuns(place: SharedPlace): void {
  it('compete for a run: one gets it, the other learns its owner, until the first is dead', async () => {
    const address = place.address()
    const processes = [await StoreProcess.open(address), await StoreProcess.open(address)] as const
    const workers = processes.map((process, i) => workerIn(`w${i}`, process))
    const [first, second] = processes
    await Promise.all(processes.map(async (process, i) => process.call('hello', workers[i], NOW, TTL)))
    await first.call('release', await first.call('create', rowOf(RUN), workers[0]))

    const claims = await Promise.all(processes.map(async (process, i) => process.call<Claim>('claim', RUN, workers[i], NOW)))
    const won = claims.findIndex((claim) => 'lease' in claim)
    expect(claims[1 - won]).toEqual({ owner: { worker: workers[won], seen: NOW } })
    const [winner, loser] = won === 0 ? [first, second] : [second, first]
    expect(await winner.call('commit', [batchOf(leaseOf(claims[won] as Claim), 1)])).toEqual([])

    await winner.kill()
    const taken = leaseOf(await loser.call<Claim>('claim', RUN, workers[1 - won], NOW))
    expect(await loser.call('commit', [batchOf(taken, 2)])).toEqual([])
    expect(spans(await loser.call('journal', RUN))).toBe('1 2')
  })

  it('one that was stopped and lost its run is fenced when it continues', async () => {
    const address = place.address()
    const paused = await StoreProcess.open(address)
    const worker = workerIn('paused', paused)
    await paused.call('hello', worker, NOW, TTL)
    const old = await paused.call<Lease>('create', rowOf(RUN), worker)
    await paused.call('commit', [batchOf(old, 1)])
    paused.child.kill('SIGSTOP')

    const store = openStore(address)
    const heir = workerOf('heir', { host: hostname(), pid: process.pid })
    await store.hello(heir, NOW, TTL)
    expect(await store.claim(RUN, heir, NOW + TTL - 1)).toEqual({ owner: { worker, seen: NOW } })
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

  it.each([1, 40, 200])('one that is killed after %i commits keeps every commit that it saw, and no partial one', async (commits) => {
    const address = place.address()
    const victim = await StoreProcess.open(address)
    const worker = workerIn('victim', victim)
    await victim.call('hello', worker, NOW, TTL)
    victim.tell('flood', await victim.call('create', rowOf(RUN), worker), 3000)
    await victim.untilLines(commits)
    await victim.kill()
    await place.settled()

    const acknowledged = Number(victim.lines.at(-1))
    const store = openStore(address)
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
}
