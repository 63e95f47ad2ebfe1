import assert from 'node:assert/strict'
import { type Lease, systemHost } from '../../kernel/index.ts'
import { firstBatch, hashOf, program } from './sweep.ts'
import { batchOf, NOW, type Rule, rowChange, rowOf, spans, type StoreWorld } from './world.ts'

const RUN = 'otter-2m9q'
const SEAL = { snapshot: 'a snapshot', seal: true } as const

/** Writes a segment whose records name the program `p` and the value `b`, and then an open one. */
async function writeNeeds(world: StoreWorld, snapshot = 'a snapshot'): Promise<Lease> {
  const lease = await world.start()
  await world.mustCommit(firstBatch(lease, { pins: ['p'] }))
  const body = JSON.stringify([[256, 0, [[hashOf('b'), 1]]]])
  await world.mustCommit(batchOf(lease, 2, { body, blobs: new Map([[hashOf('b'), '"long"']]), snapshot, seal: true }))
  await world.mustCommit(batchOf(lease, 3))
  return lease
}

/** Cases for the sweep of runs with segments: packed records are not read for what they need. */
export const segmentSweepCases: Readonly<Record<string, Rule>> = {
  async 'what a packed segment names stays'(world) {
    await writeNeeds(world)
    const { saved: _saved, ...segment } = await world.store.pack(RUN, 1)
    assert.deepEqual([...segment.needs].sort(), [hashOf('b'), hashOf('p')].sort())
    assert.deepEqual((await world.store.segments(RUN))[0], segment)
    assert.deepEqual(await world.store.sweep({ now: NOW }), { runs: [], programs: [], blobs: [], entries: 0 })
    assert.equal(spans(await world.store.journal(RUN)), '1 2 3')
  },

  async 'what only a segment that is gone names is swept, except what the next snapshot names'(world) {
    await writeNeeds(world, JSON.stringify({ pins: [hashOf('p')] }))
    await world.store.pack(RUN, 1)
    await world.store.forget(RUN, 1, 'f00d')
    assert.deepEqual(await world.store.sweep({ now: NOW }), { runs: [], programs: [], blobs: [hashOf('b')], entries: 0 })
    assert.deepEqual(await world.store.program(hashOf('p')), program('p'))
  },

  async 'what the snapshot names that a run begins with stays'(world) {
    const base = { at: 5, chain: 1, snapshot: JSON.stringify({ pins: [hashOf('p')] }) }
    const lease = await world.store.create({ ...rowOf(RUN), base }, world.worker)
    assert.ok(lease !== 'taken')
    await world.mustCommit(batchOf(lease, 6, { programs: [program('p'), program('spare')] }))
    assert.deepEqual((await world.store.sweep({ now: NOW })).programs, [hashOf('spare')])
    await world.mustCommit(batchOf(lease, 7, SEAL))
    await world.store.pack(RUN, 1)
    assert.deepEqual((await world.store.sweep({ now: NOW })).programs, [])
  },

  async 'the run that a fork was made from stays, packed or named by the snapshot'(world) {
    const end = async (lease: Lease, first: number) => world.mustCommit(batchOf(lease, first, { row: rowChange({ status: 'completed' }) }))
    const [first, second] = [await world.start('first-1'), await world.start('second-1')]
    await world.mustCommit(firstBatch(first))
    await world.mustCommit({ ...firstBatch(second, { fork: 'first-1' }), ...SEAL })
    await world.store.pack('second-1', 1)
    await end(first, 2)
    await end(second, 2)
    const base = { at: 1, chain: 1, snapshot: 'a snapshot', parent: 'second-1' }
    const third = await world.store.create({ ...rowOf('third-1'), base }, world.worker)
    assert.ok(third !== 'taken')
    await world.mustCommit(batchOf(third, 2, SEAL))
    await world.store.pack('third-1', 1)
    assert.deepEqual((await world.store.sweep({ now: NOW, before: NOW })).runs, [])
    await end(third, 3)
    assert.deepEqual([...(await world.store.sweep({ now: NOW, before: NOW })).runs].sort(), ['first-1', 'second-1', 'third-1'])
  },

  async 'what a run begins to name during a sweep stays, at whichever moment, packed or not'(world) {
    const other = await world.connect()
    const [lease, long] = [await world.start(), await world.start('long-1')]
    await world.mustCommit(...Array.from({ length: 1200 }, (_, i) => batchOf(long, i + 1)))
    for (let moment = 0; moment < 8; moment++) {
      const [open, packed] = [`open-${moment}`, `packed-${moment}`].map(hashOf)
      assert.ok(open !== undefined && packed !== undefined)
      const first = 1 + ((await world.row(RUN))?.last ?? 0)
      const blobs = new Map([open, packed].map((hash) => [hash, '"long"']))
      const naming = (at: number, hash: string) => batchOf(lease, at, { body: JSON.stringify([[256, 0, [[hash, 1]]]]), blobs })
      // No record names the two values yet, and the newest batch of all is one of another run.
      await world.mustCommit(batchOf(lease, first, { blobs }), batchOf(long, 1201 + moment))
      const swept = other.sweep({ now: NOW })
      for (let turn = 0; turn < moment; turn++) await new Promise((resolve) => systemHost.turn(() => resolve(undefined)))
      await world.mustCommit({ ...naming(first + 1, packed), ...SEAL })
      await world.store.pack(RUN, moment + 1)
      await world.mustCommit(naming(first + 2, open))
      await swept
      for (const hash of [open, packed]) assert.equal(await world.store.blob(hash), '"long"', `${hash} at moment ${moment}`)
    }
    assert.deepEqual((await world.store.sweep({ now: NOW })).blobs, [])
  },

  async 'a segment that is packed during a sweep keeps what it names'(world) {
    await writeNeeds(world)
    const other = await world.connect()
    await Promise.all([other.pack(RUN, 1), world.store.sweep({ now: NOW }), other.sweep({ now: NOW })])
    assert.deepEqual(await world.store.program(hashOf('p')), program('p'))
    assert.equal(await world.store.blob(hashOf('b')), '"long"')
  },
}
