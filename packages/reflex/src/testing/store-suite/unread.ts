import assert from 'node:assert/strict'
import type { Store, Worker } from '../../kernel/index.ts'
import { batchOf, leaseOf, messageOf, NOW, type Rule, TTL, workerOf } from './world.ts'

const RUN = 'otter-2m9q'

async function unreadRuns(store: Store, worker: Worker): Promise<string[]> {
  return (await store.unread(worker)).map(({ run }) => run).sort()
}

/** Cases for the notice of new messages to the holder of a run, so that it need not read every inbox. */
export const unreadCases: Readonly<Record<string, Rule>> = {
  async 'a run is unread for its holder from a post of any process until its messages are taken'(world) {
    const lease = await world.start()
    const other = await world.connect()
    assert.deepEqual(await unreadRuns(world.store, world.worker), [])
    await other.post(RUN, messageOf('m1', { type: 'message', to: 'nobody waits' }))
    await world.store.post(RUN, messageOf('m2', { type: 'cancel', to: '' }))
    assert.deepEqual(await unreadRuns(world.store, world.worker), [RUN])
    assert.deepEqual(await unreadRuns(other, workerOf('second')), [], 'another worker does not hold the run')
    const taken = (await world.store.inbox(RUN)).map(({ row }) => row)
    await world.mustCommit(batchOf(lease, 1, { taken: taken.slice(0, 1) }))
    assert.deepEqual(await unreadRuns(world.store, world.worker), [RUN])
    await world.mustCommit(batchOf(lease, 2, { taken: taken.slice(1) }))
    assert.deepEqual(await unreadRuns(world.store, world.worker), [])
  },

  async 'the mark of an unread run changes with each message that is posted to it, and not with those of other runs'(world) {
    const lease = await world.start()
    await world.start('newt-1aaa')
    const other = await world.connect()
    const mark = async (): Promise<string | undefined> => (await world.store.unread(world.worker)).find(({ run }) => run === RUN)?.mark
    const marks: (string | undefined)[] = []
    for (const id of ['m1', 'm2', 'm3']) {
      await other.post(RUN, messageOf(id))
      marks.push(await mark())
    }
    const [first] = (await world.store.inbox(RUN)).map(({ row }) => row)
    await world.mustCommit(batchOf(lease, 1, { taken: [first ?? 0] }))
    await world.store.post(RUN, messageOf('m4'))
    marks.push(await mark())
    assert.equal(new Set(marks).size, marks.length, `each mark is different: ${marks.join(', ')}`)
    await other.post('newt-1aaa', messageOf('m1'))
    await world.mustCommit(batchOf(lease, 2))
    assert.equal(await mark(), marks.at(-1), 'this run has not changed')
  },

  async 'an unread run is unread for its next holder'(world) {
    const lease = await world.start()
    await world.store.post(RUN, messageOf('m1'))
    assert.deepEqual(await unreadRuns(world.store, world.worker), [RUN])
    const second = workerOf('second')
    const other = await world.connect(second)
    assert.deepEqual(await unreadRuns(other, second), [])
    leaseOf(await other.claim(RUN, second, NOW + TTL))
    assert.deepEqual([await unreadRuns(world.store, world.worker), await unreadRuns(other, second)], [[], [RUN]])
    await world.store.release(lease)
    assert.deepEqual(await unreadRuns(other, second), [RUN], 'a void lease releases nothing')
    leaseOf(await world.store.claim(RUN, world.worker, NOW + 2 * TTL))
    assert.deepEqual([await unreadRuns(world.store, world.worker), await unreadRuns(other, second)], [[RUN], []])
  },

  async 'a watch is called after each post of its own store, until it is stopped'(world) {
    await world.start()
    const called: string[] = []
    const one = world.store.watch(() => called.push('one'))
    const two = world.store.watch(() => called.push('two'))
    await world.store.post(RUN, messageOf('m1'))
    assert.deepEqual([...new Set(called)].sort(), ['one', 'two'])
    one.stop()
    one.stop()
    called.length = 0
    await world.store.post(RUN, messageOf('m2'))
    assert.deepEqual([...new Set(called)], ['two'])
    two.stop()
    called.length = 0
    await world.store.post(RUN, messageOf('m3'))
    assert.deepEqual(called, [])
  },

  async 'a complete watch is also called after each post of another process'(world) {
    await world.start()
    const other = await world.connect()
    let calls = 0
    const watch = world.store.watch(() => calls++)
    await other.post(RUN, messageOf('m1'))
    if (watch.complete) assert.equal(calls, 1)
    watch.stop()
  },
}
