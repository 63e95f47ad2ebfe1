import assert from 'node:assert/strict'
import type { Batch, Lease, RunStatus, StoredProgram, SweepResult } from '../../kernel/index.ts'
import { batchOf, messageOf, rowChange, NOW, type Rule, rowOf, spans, type StoreWorld, TTL, workerOf } from './world.ts'

const NOTHING: SweepResult = { runs: [], programs: [], blobs: [], entries: 0 }
/** A time after the end of every run of these cases. */
const ALL = NOW + 1000

/** Returns the hash of a program or a blob, with the length of real hashes. */
export function hashOf(what: string): string {
  return Array.from(what, (char) => char.charCodeAt(0).toString(16))
    .join('')
    .padEnd(64, '0')
}

export function program(what: string): StoredProgram {
  return { hash: hashOf(what), kind: 'note', source: JSON.stringify({ id: what }) }
}

/** Returns the first batch of a run, in the form of real journals. */
export function firstBatch(lease: Lease, more: { readonly pins?: readonly string[]; readonly fork?: string } = {}): Batch {
  const pins = (more.pins ?? []).map((what) => [`note:${what}`, 'note', 1, hashOf(what)])
  const start = { v: 1, run: lease.run, trace: '', seed: '', at: NOW, pins, ...(more.fork === undefined ? {} : { fork: [more.fork, 1] }) }
  return batchOf(lease, 1, { body: JSON.stringify([[68, ['kernel', 'start'], { start }]]), programs: (more.pins ?? []).map(program) })
}

async function endRun(world: StoreWorld, lease: Lease, first: number, updated = NOW, status: RunStatus = 'completed'): Promise<void> {
  await world.mustCommit(batchOf(lease, first, { row: rowChange({ status, updated }) }))
}

async function sortedSweep(swept: SweepResult | Promise<SweepResult>): Promise<SweepResult> {
  const { runs, programs, blobs, entries } = await swept
  return { runs: [...runs].sort(), programs: [...programs].sort(), blobs: [...blobs].sort(), entries }
}

/** Cases for the sweep: the runs, programs and blobs that it removes, and those that it keeps. */
export const gcCases: Readonly<Record<string, Rule>> = {
  async 'an empty store has nothing to sweep'({ store }) {
    assert.deepEqual(await store.sweep({ now: NOW, before: ALL }), NOTHING)
  },

  async 'without a time, nothing that a run names is swept, ended or not'(world) {
    for (const [i, status] of (['running', 'suspended', 'completed', 'failed', 'cancelled'] as const).entries()) {
      const lease = await world.start(`run-${i}`)
      await world.mustCommit(firstBatch(lease, { pins: [`p${i}`] }))
      await world.mustCommit(
        batchOf(lease, 2, {
          body: JSON.stringify([[256, 0, [[hashOf(`b${i}`), 1]]]]),
          blobs: new Map([[hashOf(`b${i}`), '"long"']]),
          row: rowChange({ status }),
        }),
      )
    }
    const before = await world.store.runs()
    assert.deepEqual(await world.store.sweep({ now: NOW }), NOTHING)
    assert.deepEqual(await world.store.runs(), before)
    for (let i = 0; i < 5; i++) {
      assert.deepEqual(await world.store.program(hashOf(`p${i}`)), program(`p${i}`))
      assert.equal(await world.store.blob(hashOf(`b${i}`)), '"long"')
    }
  },

  async 'programs and values that no record names are swept'(world) {
    const lease = await world.start()
    const [used, spare] = [program('used'), program('spare')]
    await world.mustCommit({ ...firstBatch(lease, { pins: ['used'] }), programs: [used, spare], blobs: new Map([[hashOf('value'), '1']]) })
    assert.deepEqual(await world.store.sweep({ now: NOW }), { runs: [], programs: [spare.hash], blobs: [hashOf('value')], entries: 0 })
    assert.deepEqual(await world.store.program(used.hash), used)
    assert.deepEqual([await world.store.program(spare.hash), await world.store.blob(hashOf('value'))], [undefined, undefined])
  },

  async 'a program that a later record or the row of a run names stays'(world) {
    const late = await world.start('late-1')
    await world.mustCommit(firstBatch(late))
    const pin = { pin: [['note:late', 'note', 1, hashOf('late')]] }
    await world.mustCommit(batchOf(late, 2, { body: JSON.stringify([[64, pin]]), programs: [program('late'), program('row')] }))
    await world.start('new-1', { program: ['note:row', 'note', 1, hashOf('row')] })
    assert.deepEqual(await world.store.sweep({ now: NOW }), NOTHING)
  },

  async 'a program that a ledger names stays'(world) {
    const lease = await world.start()
    await world.mustCommit({ ...firstBatch(lease), programs: [program('kept'), program('spare')] })
    await world.store.append('memory', 'k', { learnt: [hashOf('kept')], text: 'x'.repeat(100) }, NOW)
    assert.deepEqual((await world.store.sweep({ now: NOW })).programs, [hashOf('spare')])
    assert.deepEqual(await world.store.program(hashOf('kept')), program('kept'))
  },

  async 'runs that ended at or before a time are swept with all their data; other runs stay'(world) {
    const ends: readonly (readonly [string, RunStatus, number])[] = [
      ['old-1', 'completed', NOW],
      ['old-2', 'failed', NOW + 1],
      ['old-3', 'cancelled', NOW + 2],
      ['new-1', 'completed', NOW + 3],
      ['open-1', 'suspended', NOW],
      ['open-2', 'running', NOW],
    ]
    for (const [id, status, updated] of ends) {
      const lease = await world.start(id)
      await world.mustCommit({ ...firstBatch(lease, { pins: [id, 'shared'] }), snapshot: 'one' })
      await world.store.post(id, messageOf('m1'))
      await endRun(world, lease, 2, updated, status)
    }
    const stay = await world.store.runs({ prefix: 'open' })
    assert.deepEqual(await sortedSweep(world.store.sweep({ now: NOW, before: NOW + 2 })), {
      runs: ['old-1', 'old-2', 'old-3'],
      programs: ['old-1', 'old-2', 'old-3'].map(hashOf).sort(),
      blobs: [],
      entries: 0,
    })
    for (const id of ['old-1', 'old-2', 'old-3'])
      assert.deepEqual([await world.store.read(id), await world.store.journal(id), await world.store.inbox(id)], [undefined, [], []])
    assert.deepEqual((await world.store.runs()).map(({ id }) => id).sort(), ['new-1', 'open-1', 'open-2'])
    assert.deepEqual(await world.store.runs({ prefix: 'open' }), stay)
    assert.equal(spans(await world.store.journal('open-1')), '1 2')
    assert.equal((await world.store.inbox('open-1')).length, 1)
    assert.deepEqual(await world.store.program(hashOf('shared')), program('shared'))
  },

  async 'the name of a swept run can be used again, and nothing of the old run is left'(world) {
    const lease = await world.startWith(2)
    await world.store.post(lease.run, messageOf('m1'))
    await endRun(world, lease, 3)
    await world.store.sweep({ now: NOW, before: ALL })
    const again = await world.startWith(1)
    assert.equal(spans(await world.store.journal(again.run)), '1')
    assert.deepEqual(await world.store.inbox(again.run), [])
    assert.equal(await world.store.post(again.run, messageOf('m1')), true)
  },

  async 'a lease on a swept run commits nothing and releases nothing'(world) {
    const lease = await world.startWith(1)
    await endRun(world, lease, 2)
    await world.store.sweep({ now: NOW, before: ALL })
    assert.deepEqual(await world.store.commit([batchOf(lease, 3)]), [lease.run])
    await world.store.release(lease)
    assert.equal(await world.store.read(lease.run), undefined)
    assert.deepEqual(await world.store.claim(lease.run, world.worker, NOW), { missing: true })
  },

  async 'the history of a fork stays as long as the fork'(world) {
    const [first, second, third] = [await world.start('first-1'), await world.start('second-1'), await world.start('third-1')]
    await world.mustCommit(firstBatch(first), firstBatch(second, { fork: 'first-1' }), firstBatch(third, { fork: 'second-1' }))
    for (const lease of [first, second]) await endRun(world, lease, 2)
    assert.deepEqual((await world.store.sweep({ now: NOW, before: ALL })).runs, [])
    await endRun(world, third, 2)
    assert.deepEqual((await sortedSweep(world.store.sweep({ now: NOW, before: ALL }))).runs, ['first-1', 'second-1', 'third-1'])
  },

  async 'a run that only mentions a fork in its values is not a fork'(world) {
    const lease = await world.startWith(1, 'first-1')
    await endRun(world, lease, 2)
    const other = await world.start('second-1')
    await world.mustCommit(batchOf(other, 1, { body: JSON.stringify([[76, ['kernel', 'start'], ['k', { fork: ['first-1', 1] }], {}]]) }))
    assert.deepEqual((await world.store.sweep({ now: NOW, before: ALL })).runs, ['first-1'])
  },

  async 'a run that was abandoned before its first record is swept when its process is gone'(world) {
    const other = await world.connect(workerOf('second'))
    assert.notEqual(await other.create(rowOf('never-1'), workerOf('second')), 'taken')
    assert.deepEqual((await world.store.sweep({ now: NOW + TTL - 1, before: ALL })).runs, [])
    assert.deepEqual((await world.store.sweep({ now: NOW + TTL })).runs, ['never-1'])
    assert.equal(await world.store.read('never-1'), undefined)
  },

  async 'a dry sweep returns the same result and changes nothing'(world) {
    const lease = await world.start()
    await world.mustCommit({ ...firstBatch(lease, { pins: ['used'] }), programs: [program('used'), program('spare')] })
    await endRun(world, lease, 2)
    const dryResult = await sortedSweep(world.store.sweep({ now: NOW, before: ALL, dry: true }))
    assert.equal(spans(await world.store.journal(lease.run)), '1 2')
    assert.deepEqual(await world.store.program(hashOf('spare')), program('spare'))
    assert.deepEqual(dryResult, { runs: [lease.run], programs: [hashOf('spare'), hashOf('used')].sort(), blobs: [], entries: 0 })
    assert.deepEqual(await sortedSweep(world.store.sweep({ now: NOW, before: ALL })), dryResult)
    assert.deepEqual(await world.store.sweep({ now: NOW, before: ALL }), NOTHING)
  },

  async 'runs that begin during a sweep keep their programs and records'(world) {
    const other = await world.connect()
    const beginRun = async (id: string): Promise<void> => {
      await world.mustCommit(firstBatch(await world.start(id), { pins: ['shared'] }))
    }
    for (let i = 0; i < 5; i++) {
      const lease = await world.start(`gone-${i}`)
      await world.mustCommit(firstBatch(lease, { pins: ['shared'] }))
      await endRun(world, lease, 2)
      await Promise.all([beginRun(`stay-${i}`), other.sweep({ now: NOW, before: ALL }), world.store.sweep({ now: NOW, before: ALL })])
      assert.deepEqual(await other.program(hashOf('shared')), program('shared'))
      assert.equal(spans(await other.journal(`stay-${i}`)), '1')
    }
    await world.store.sweep({ now: NOW, before: ALL })
    assert.deepEqual((await other.runs()).map(({ id }) => id).sort(), ['stay-0', 'stay-1', 'stay-2', 'stay-3', 'stay-4'])
  },
}
