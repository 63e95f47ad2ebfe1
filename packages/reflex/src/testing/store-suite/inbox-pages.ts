import assert from 'node:assert/strict'
import type { Store } from '../../kernel/index.ts'
import { batchOf, messageOf, mustThrow, NOW, rowChange, type Rule, workerOf } from './world.ts'

const RUN = 'otter-2m9q'

const topic = (to: string) => ({ type: 'message', to }) as const

async function idsAfter(store: Store, after?: number, limit?: number): Promise<string[]> {
  return (await store.inbox(RUN, after, limit)).map(({ id }) => id)
}

/** Cases for readers that follow the inbox of a run by a cursor, and for the limit of a sender. */
export const inboxPageCases: Readonly<Record<string, Rule>> = {
  async 'a list after a row holds the messages that came later, as many as are asked for'(world) {
    const lease = await world.start()
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) await world.store.post(RUN, messageOf(id))
    const rows = (await world.store.inbox(RUN)).map(({ row }) => row)
    const [first = 0, second = 0, third = 0, fourth = 0, last = 0] = rows
    assert.deepEqual(await idsAfter(world.store, 0, 2), ['m1', 'm2'])
    assert.deepEqual(await idsAfter(world.store, second, 2), ['m3', 'm4'])
    assert.deepEqual(await idsAfter(world.store, fourth, 2), ['m5'])
    assert.deepEqual(await idsAfter(world.store, last), [])
    assert.deepEqual(await idsAfter(world.store, 0, 0), [])
    await world.mustCommit(batchOf(lease, 1, { taken: [first, third] }))
    assert.deepEqual(await idsAfter(world.store, 0, 2), ['m2', 'm4'], 'a cursor older than the inbox')
    assert.deepEqual(await idsAfter(world.store, first), ['m2', 'm4', 'm5'], 'a cursor at a message that is gone')
    await world.mustCommit(batchOf(lease, 2, { taken: [second, fourth, last] }))
    await world.store.post(RUN, messageOf('m6'))
    assert.deepEqual(await idsAfter(world.store, last), ['m6'], 'rows grow, also once the inbox is empty')
  },

  async 'a reader that follows a cursor misses none of the messages that several processes post at the same time'(world) {
    await world.start()
    const posters = await Promise.all(Array.from({ length: 4 }, (_, i) => world.connect(workerOf(`w${i}`))))
    const total = posters.length * 25
    const posting = posters.map(async (store, i) => {
      for (let n = 0; n < 25; n++) await store.post(RUN, messageOf(`m${i}-${n}`, topic('event')))
    })
    const seen = new Set<string>()
    let cursor = 0
    const read = async (): Promise<void> => {
      for (const { row, id } of await world.store.inbox(RUN, cursor, 7)) {
        cursor = row
        seen.add(id)
      }
    }
    const progress = { isOver: false }
    const posted = Promise.all(posting).finally(() => (progress.isOver = true))
    while (!progress.isOver) {
      await read()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await posted
    for (let before = -1; before < seen.size; ) {
      before = seen.size
      await read()
    }
    assert.equal(seen.size, total)
  },

  async 'a message that a record took without the inbox is known by its id, and one of the same id that lies there is taken'(world) {
    const lease = await world.start()
    await world.start('newt-1aaa')
    const other = await world.connect()
    assert.equal(await world.store.posted(RUN, 'm1'), false)
    assert.equal(await world.store.posted('nobody', 'm1'), false)
    await other.post(RUN, messageOf('m2', topic('a')))
    await other.post('newt-1aaa', messageOf('m3', topic('a')))
    const delivered = ['m1', 'm2', 'm3'].map((id) => messageOf(id, topic('a')))
    assert.deepEqual(await world.store.commit([batchOf(lease, 2, { delivered })]), [RUN], 'the batch does not follow')
    assert.deepEqual([await world.store.posted(RUN, 'm1'), await idsAfter(world.store)], [false, ['m2']], 'a refused batch')
    await world.mustCommit(batchOf(lease, 1, { delivered }))
    for (const { id } of delivered) {
      assert.equal(await other.posted(RUN, id), true)
      assert.equal(await other.post(RUN, messageOf(id, topic('a'))), false)
    }
    assert.deepEqual(await idsAfter(other), [])
    assert.equal((await world.store.inbox('newt-1aaa')).length, 1, 'another run has its own ids')
    assert.deepEqual(
      (await world.store.unread(world.worker)).map(({ run }) => run),
      ['newt-1aaa'],
    )
    await world.store.post(RUN, messageOf('m4', topic('a')))
    assert.deepEqual(await idsAfter(world.store), ['m4'])
  },

  async 'a message to a topic in one frame makes a run due when a wait of that frame is open'(world) {
    const lease = await world.start()
    const waits = [{ id: '2w', type: 'message', name: 'event', number: 0, since: NOW, path: '', frame: '1s1' }] as const
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'suspended', waits }) }))
    await world.store.release(lease)
    await world.store.post(RUN, messageOf('m1', topic('event@1s')))
    assert.deepEqual(await world.store.due(NOW), [])
    await world.store.post(RUN, messageOf('m2', topic('event@1s1')))
    assert.deepEqual(await world.store.due(NOW), [RUN])
  },

  async 'a limit refuses or drops the messages of a topic that exceed it, and no others'(world) {
    const lease = await world.start()
    for (const id of ['m1', 'm2']) assert.equal(await world.store.post(RUN, messageOf(id, topic('a')), { most: 2 }), true)
    await mustThrow('R2130', () => world.store.post(RUN, messageOf('m3', topic('a')), { most: 2 }))
    assert.equal(await world.store.post(RUN, messageOf('m3', topic('a')), { most: 2, drop: true }), false)
    assert.equal(await world.store.post(RUN, messageOf('m1', topic('a')), { most: 2 }), false, 'a message that is there already')
    assert.equal(await world.store.post(RUN, messageOf('m4', topic('b')), { most: 2 }), true)
    assert.equal(await world.store.post(RUN, messageOf('m5', { type: 'cancel', to: 'a' }), { most: 2 }), true)
    assert.deepEqual(await idsAfter(world.store), ['m1', 'm2', 'm4', 'm5'])
    const [first] = await world.store.inbox(RUN)
    await world.mustCommit(batchOf(lease, 1, { taken: [first?.row ?? 0] }))
    assert.equal(
      await world.store.post(RUN, messageOf('m3', topic('a')), { most: 2 }),
      true,
      'a message that was dropped can be sent again',
    )
    await mustThrow('R2130', () => world.store.post(RUN, messageOf('m6', topic('a')), { most: 0 }))
  },
}
