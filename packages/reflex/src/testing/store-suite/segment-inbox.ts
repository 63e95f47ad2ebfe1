import assert from 'node:assert/strict'
import { batchOf, messageOf, NOW, type Rule, rowChange } from './world.ts'

const RUN = 'otter-2m9q'
const SEAL = { snapshot: 'a snapshot', seal: true } as const

/** Cases for the inbox of a run with segments: a seal removes messages that were taken, and no reader misses one because of it. */
export const segmentInboxCases: Readonly<Record<string, Rule>> = {
  async 'messages that were taken are forgotten one seal later, except the newest one'(world) {
    const lease = await world.start()
    const take = async (first: number, id: string, more = {}): Promise<void> => {
      await world.store.post(RUN, messageOf(id))
      const row = (await world.store.inbox(RUN)).find((message) => message.id === id)?.row ?? 0
      await world.mustCommit(batchOf(lease, first, { taken: [row], ...more }))
    }
    const isNew = (id: string) => world.store.post(RUN, messageOf(id, { type: 'message' }))
    await take(1, 'm1')
    await take(2, 'm2', SEAL)
    assert.deepEqual([await isNew('m1'), await isNew('m2')], [false, false])
    await take(3, 'm3')
    await world.store.post(RUN, messageOf('waits'))
    await world.mustCommit(batchOf(lease, 4, SEAL))
    assert.deepEqual([await isNew('m3'), await isNew('waits')], [false, false])
    assert.deepEqual([await isNew('m1'), await isNew('m2')], [true, true])
    assert.deepEqual((await world.store.inbox(RUN)).map(({ id }) => id).sort(), ['m1', 'm2', 'waits'])
  },

  async 'a reader that follows the inbox by a cursor misses no message after a seal, a pack, a removal and a sweep'(world) {
    const lease = await world.start()
    const other = await world.start('newt-5h3k')
    await world.store.post(RUN, messageOf('m1'))
    await world.store.post(RUN, messageOf('m2'))
    const rows = (await world.store.inbox(RUN)).map(({ row }) => row)
    const cursor = rows.at(-1) ?? 0
    await world.store.post(other.run, messageOf('m1'))
    await world.mustCommit(batchOf(lease, 1, { taken: rows, ...SEAL }))
    await world.mustCommit(batchOf(lease, 2, SEAL))
    await world.store.pack(RUN, 1)
    await world.store.forget(RUN, 1, 'f00d')
    await world.mustCommit(batchOf(other, 1, { row: rowChange({ status: 'completed' }) }))
    assert.deepEqual((await world.store.sweep({ now: NOW, before: NOW })).runs, [other.run])
    for (const id of ['m1', 'm3']) await world.store.post(RUN, messageOf(id))
    assert.deepEqual(
      (await world.store.inbox(RUN, cursor)).map(({ id }) => id),
      ['m1', 'm3'],
    )
  },

  async 'the newest message of a run is not forgotten before a newer one comes'(world) {
    const lease = await world.start()
    await world.store.post(RUN, messageOf('m1'))
    await world.mustCommit(batchOf(lease, 1, { taken: (await world.store.inbox(RUN)).map(({ row }) => row), ...SEAL }))
    for (const first of [2, 3]) {
      await world.mustCommit(batchOf(lease, first, SEAL))
      assert.equal(await world.store.post(RUN, messageOf('m1')), false)
    }
    await world.mustCommit(batchOf(lease, 4, { delivered: [messageOf('m2')] }))
    await world.mustCommit(batchOf(lease, 5, SEAL))
    assert.deepEqual([await world.store.posted(RUN, 'm1'), await world.store.posted(RUN, 'm2')], [false, true])
    for (const first of [6, 7]) await world.mustCommit(batchOf(lease, first, SEAL))
    assert.deepEqual([await world.store.post(RUN, messageOf('m2')), await world.store.post(RUN, messageOf('m1'))], [false, true])
    await world.mustCommit(batchOf(lease, 8, SEAL))
    assert.equal(await world.store.posted(RUN, 'm2'), false)
  },
}
