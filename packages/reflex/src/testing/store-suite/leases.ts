import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import type { Lease } from '../../kernel/index.ts'
import { batchOf, leaseOf, mustBeOwned, NOW, mustThrow, type Rule, rowOf, TTL, workerOf } from './world.ts'

const RUN = 'otter-2m9q'
const SECOND = workerOf('second')

/** Cases for the single writer of a run: a worker can take a free lease, and an old lease is void. */
export const leaseCases: Readonly<Record<string, Rule>> = {
  async 'a worker that did not say hello cannot hold a run'(world) {
    const stranger = workerOf('stranger')
    await mustThrow('R5028', () => world.store.create(rowOf(RUN), stranger))
    assert.equal(await world.store.read(RUN), undefined)
    await world.start()
    await mustThrow('R5028', () => world.store.claim(RUN, stranger, NOW))
    await mustThrow('R5028', () => world.store.beat(stranger, NOW))
  },

  async 'a claim of a held run is refused and names the holder'(world) {
    const lease = await world.start()
    const other = await world.connect()
    assert.deepEqual(await other.claim(RUN, SECOND, NOW + 1), { owner: { worker: world.worker, seen: NOW } })
    await world.mustCommit(batchOf(lease, 1))
  },

  async 'a run that does not exist cannot be claimed'({ store, worker }) {
    assert.deepEqual(await store.claim('nobody', worker, NOW), { missing: true })
  },

  async 'a claim returns the row and a new lease'(world) {
    const lease = await world.startWith(2)
    await world.store.release(lease)
    assert.equal((await world.row(RUN))?.owner, null)
    const claim = await (await world.connect()).claim(RUN, SECOND, NOW)
    assert.deepEqual(claim, {
      lease: { run: RUN, token: leaseOf(claim).token, worker: SECOND },
      row: { ...rowOf(RUN), last: 2, owner: SECOND },
    })
    assert.ok(leaseOf(claim).token > lease.token)
    assert.deepEqual((await world.row(RUN))?.owner, SECOND)
  },

  async 'a released run is free at once, and its lease is void'(world) {
    const lease = await world.start()
    await world.store.release(lease)
    assert.deepEqual(await world.store.commit([batchOf(lease, 1)]), [RUN])
    leaseOf(await (await world.connect()).claim(RUN, SECOND, NOW))
  },

  async 'a void lease releases nothing'(world) {
    const old = await world.start()
    const other = await world.connect()
    const lease = leaseOf(await other.claim(RUN, SECOND, NOW + TTL))
    await world.store.release(old)
    assert.deepEqual((await world.row(RUN))?.owner, SECOND)
    assert.deepEqual(await other.commit([batchOf(lease, 1)]), [])
    await world.store.release({ run: 'nobody', token: 1, worker: world.worker })
  },

  async 'a worker without a heartbeat for its ttl loses its runs; a worker with heartbeats keeps them'(world) {
    await world.start()
    const other = await world.connect()
    mustBeOwned(await other.claim(RUN, SECOND, NOW + TTL - 1))
    await world.store.beat(world.worker, NOW + TTL - 1)
    assert.deepEqual(await other.claim(RUN, SECOND, NOW + TTL), { owner: { worker: world.worker, seen: NOW + TTL - 1 } })
    mustBeOwned(await other.claim(RUN, SECOND, NOW + 2 * TTL - 2))
    leaseOf(await other.claim(RUN, SECOND, NOW + 2 * TTL - 1))
  },

  async 'a heartbeat returns the leases that are still valid'(world) {
    const kept = await world.start()
    const lost = (await world.store.create(rowOf('newt-1'), world.worker)) as Lease
    const other = await world.connect()
    assert.deepEqual(await world.store.beat(world.worker, NOW), [])
    assert.deepEqual(await world.store.beat(world.worker, NOW, [kept, lost]), [RUN, 'newt-1'])
    leaseOf(await other.claim('newt-1', SECOND, NOW + TTL))
    assert.deepEqual(await world.store.beat(world.worker, NOW + TTL, [kept, lost]), [RUN])
    assert.deepEqual(await world.store.beat(world.worker, NOW + TTL, [{ ...kept, run: 'nobody' }]), [])
    mustBeOwned(await other.claim(RUN, SECOND, NOW + 2 * TTL - 1))
  },

  async 'a late heartbeat does not make its worker look older; a clock that is set back by more than the ttl counts'(world) {
    await world.start()
    const other = await world.connect()
    await world.store.beat(world.worker, NOW + TTL)
    await world.store.beat(world.worker, NOW + 1)
    mustBeOwned(await other.claim(RUN, SECOND, NOW + 2 * TTL - 1))
    await world.store.beat(world.worker, NOW - 1)
    leaseOf(await other.claim(RUN, SECOND, NOW + TTL))
  },

  async 'the ttl of the holder counts'(world) {
    const patient = workerOf('patient')
    const other = await world.connect(patient, 10 * TTL)
    await other.create(rowOf(RUN), patient)
    mustBeOwned(await world.store.claim(RUN, world.worker, NOW + 10 * TTL - 1))
    leaseOf(await world.store.claim(RUN, world.worker, NOW + 10 * TTL))
  },

  async 'a commit does not depend on the clock: a silent holder can write until another worker takes over'(world) {
    const lease = await world.startWith(1)
    const other = await world.connect()
    await other.beat(SECOND, NOW + 100 * TTL)
    await world.mustCommit(batchOf(lease, 2))
    leaseOf(await other.claim(RUN, SECOND, NOW + 100 * TTL))
    assert.deepEqual(await world.store.commit([batchOf(lease, 3)]), [RUN])
  },

  async 'a worker can claim its own run again; its older lease is then void'(world) {
    const alive = workerOf('alive', { host: hostname(), pid: process.pid })
    const store = await world.connect(alive)
    const old = (await store.create(rowOf(RUN), alive)) as Lease
    const lease = leaseOf(await store.claim(RUN, alive, NOW))
    assert.deepEqual(await store.commit([batchOf(old, 1)]), [RUN])
    assert.deepEqual(await store.commit([batchOf(lease, 1)]), [])
  },

  async 'if several workers claim a free run at the same time, one gets it and the others learn its name'(world) {
    await world.store.release(await world.start())
    const workers = Array.from({ length: 8 }, (_, i) => workerOf(`w${i}`))
    const stores = await Promise.all(workers.map((worker) => world.connect(worker)))
    const claims = await Promise.all(workers.map(async (worker, i) => stores[i]?.claim(RUN, worker, NOW)))
    const winners = claims.flatMap((claim) => (claim !== undefined && 'lease' in claim ? [claim.lease.worker.id] : []))
    const named = claims.flatMap((claim) => (claim !== undefined && 'owner' in claim ? [claim.owner.worker.id] : []))
    assert.equal(winners.length, 1)
    assert.deepEqual(
      named,
      Array.from({ length: 7 }, () => winners[0]),
    )
  },

  async 'a process that died on this machine loses its runs at once; a live process keeps them'(world) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    const here = { host: hostname(), pid: process.pid }
    try {
      const dying = workerOf('mortal', { ...here, pid: child.pid ?? 0 })
      const successor = workerOf('heir', here)
      const stranger = workerOf('stranger', { host: 'elsewhere' })
      const other = await world.connect(dying)
      await other.hello(successor, NOW, TTL)
      await other.hello(stranger, NOW, TTL)
      await other.commit([batchOf((await other.create(rowOf(RUN), dying)) as Lease, 1)])
      assert.deepEqual(await other.claim(RUN, successor, NOW), { owner: { worker: dying, seen: NOW } })
      child.kill('SIGKILL')
      await once(child, 'exit')
      mustBeOwned(await other.claim(RUN, stranger, NOW), 'only the heartbeat counts for another machine')
      assert.deepEqual(await other.due(NOW), [RUN])
      leaseOf(await other.claim(RUN, successor, NOW))
    } finally {
      child.kill('SIGKILL')
    }
  },

  async 'two workers of one process do not take runs from each other'(world) {
    const here = { host: hostname(), pid: process.pid }
    const [one, two] = [workerOf('one', here), workerOf('two', here)]
    const other = await world.connect(one)
    await other.hello(two, NOW, TTL)
    await other.create(rowOf(RUN), one)
    assert.deepEqual(await other.claim(RUN, two, NOW), { owner: { worker: one, seen: NOW } })
  },

  async 'a worker without a known process keeps its runs by its heartbeat'(world) {
    const unknown = workerOf('unknown', { host: '', pid: 0 })
    const other = await world.connect(unknown)
    await other.create(rowOf(RUN), unknown)
    const successor = workerOf('heir', { host: '', pid: 0 })
    await other.hello(successor, NOW, TTL)
    mustBeOwned(await other.claim(RUN, successor, NOW + TTL - 1))
    leaseOf(await other.claim(RUN, successor, NOW + TTL))
  },
}
