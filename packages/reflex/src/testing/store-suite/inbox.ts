import assert from 'node:assert/strict'
import { batchOf, leaseOf, messageOf, rowChange, NOW, mustThrow, type Rule, TTL, workerOf } from './world.ts'

const RUN = 'otter-2m9q'
/** The time at which the first worker counts as gone if it sends no heartbeat. */
const GONE_AT = NOW + TTL

/** Cases for messages from other processes, each accepted once, and for due runs. */
export const inboxCases: Readonly<Record<string, Rule>> = {
  async 'messages wait in order of arrival, each as it was sent'(world) {
    await world.start()
    const sent = [
      messageOf('m2', { by: 'ana@example.org', body: { text: 'ü "quoted" \0 😀', n: [1.5, null] } }),
      messageOf('m1', { type: 'message', to: 'topic/ä', body: null, at: NOW - 5 }),
      messageOf('m4', { to: 'question', body: 'yes', by: 'ana', reason: 'two\nlines, and "quotes"' }),
      messageOf('m3', { type: 'cancel', to: '', body: 'why' }),
    ]
    for (const message of sent) assert.equal(await world.store.post(RUN, message), true)
    const inbox = await world.store.inbox(RUN)
    assert.deepEqual(
      inbox.map(({ row: _row, ...message }) => message),
      sent,
    )
    assert.deepEqual(
      inbox.map(({ row }) => row),
      inbox.map(({ row }) => row).sort((a, b) => a - b),
    )
    assert.equal(new Set(inbox.map(({ row }) => row)).size, sent.length)
  },

  async 'a repeated id is the same message, taken or not; each run has its own ids'(world) {
    const lease = await world.start()
    await world.start('newt-1aaa')
    assert.equal(await world.store.post(RUN, messageOf('m1')), true)
    assert.equal(await world.store.post(RUN, messageOf('m1', { body: 'another' })), false)
    assert.equal(await world.store.post('newt-1aaa', messageOf('m1')), true)
    const [message] = await world.store.inbox(RUN)
    assert.deepEqual(message?.body, { choice: 'yes' })
    await world.mustCommit(batchOf(lease, 1, { taken: [message?.row ?? 0] }))
    assert.equal(await world.store.post(RUN, messageOf('m1')), false)
    assert.deepEqual(await world.store.inbox(RUN), [])
    assert.equal((await world.store.inbox('newt-1aaa')).length, 1)
  },

  async 'a message is taken with the records that took it; a run cannot take the message of another run'(world) {
    await world.start('newt-1aaa')
    const lease = await world.start()
    for (const id of ['m1', 'm2', 'm3']) await world.store.post(RUN, messageOf(id))
    await world.store.post('newt-1aaa', messageOf('m1'))
    const [one, , three] = await world.store.inbox(RUN)
    const [foreign] = await world.store.inbox('newt-1aaa')
    await world.mustCommit(batchOf(lease, 1, { taken: [one?.row ?? 0, three?.row ?? 0, foreign?.row ?? 0] }))
    assert.deepEqual(
      (await world.store.inbox(RUN)).map(({ id }) => id),
      ['m2'],
    )
    assert.equal((await world.store.inbox('newt-1aaa')).length, 1)
    assert.deepEqual(await world.store.commit([batchOf(lease, 9, { taken: (await world.store.inbox(RUN)).map(({ row }) => row) })]), [RUN])
    assert.deepEqual(
      (await world.store.inbox(RUN)).map(({ id }) => id),
      ['m2'],
    )
  },

  async 'a message that a fenced writer took waits for the next writer'(world) {
    const paused = await world.start()
    await world.store.post(RUN, messageOf('m1'))
    const taken = (await world.store.inbox(RUN)).map(({ row }) => row)
    const other = await world.connect()
    const lease = leaseOf(await other.claim(RUN, workerOf('second'), NOW + TTL))
    assert.deepEqual(await world.store.commit([batchOf(paused, 1, { taken })]), [RUN])
    assert.equal((await other.inbox(RUN)).length, 1)
    assert.deepEqual(await other.commit([batchOf(lease, 1, { taken })]), [])
    assert.deepEqual(await other.inbox(RUN), [])
  },

  async 'any process can post to a run that another process holds'(world) {
    const lease = await world.start()
    const other = await world.connect()
    assert.equal(await other.post(RUN, messageOf('m1')), true)
    const [message] = await world.store.inbox(RUN)
    await world.mustCommit(batchOf(lease, 1, { taken: [message?.row ?? 0] }))
    assert.deepEqual(await other.inbox(RUN), [])
  },

  async 'if several processes post one id at the same time, one succeeds'(world) {
    await world.start()
    const stores = await Promise.all(Array.from({ length: 8 }, (_, i) => world.connect(workerOf(`w${i}`))))
    const answers = await Promise.all(stores.map(async (store) => store.post(RUN, messageOf('m1'))))
    assert.equal(answers.filter(Boolean).length, 1)
    assert.equal((await world.store.inbox(RUN)).length, 1)
  },

  async 'a message with fields that are not texts is refused, and later messages are read'(world) {
    await world.start()
    for (const [name, value] of [
      ['id', 5],
      ['to', 5],
      ['by', {}],
    ] as const)
      await mustThrow('R2004', () => world.store.post(RUN, { ...messageOf('m1'), [name]: value }))
    await world.store.post(RUN, messageOf('m2'))
    assert.deepEqual(
      (await world.store.inbox(RUN)).map(({ id }) => id),
      ['m2'],
    )
  },

  async 'a message to a run that does not exist or has ended is refused'(world) {
    await mustThrow('R2016', () => world.store.post('nobody', messageOf('m1')))
    assert.deepEqual(await world.store.inbox('nobody'), [])
    const lease = await world.start()
    await world.store.post(RUN, messageOf('early'))
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'completed' }) }))
    await mustThrow('R2001', () => world.store.post(RUN, messageOf('late')))
    assert.equal(await world.store.post(RUN, messageOf('early')), false, 'an earlier message is still known')
    assert.deepEqual(
      (await world.store.inbox(RUN)).map(({ id }) => id),
      ['early'],
    )
  },

  async 'a run is due when one of its waits is due; runs that are due the longest come first'(world) {
    for (const [id, due] of [
      ['a-1', GONE_AT + 5],
      ['b-1', GONE_AT + 3],
      ['c-1', null],
    ] as const) {
      await world.mustCommit(batchOf(await world.start(id), 1, { row: rowChange({ status: 'suspended', due }) }))
    }
    assert.deepEqual(await world.store.due(GONE_AT + 2), [])
    assert.deepEqual(await world.store.due(GONE_AT + 3), ['b-1'])
    assert.deepEqual(await world.store.due(GONE_AT + 5), ['b-1', 'a-1'])
    await world.store.post('c-1', messageOf('m1', { at: GONE_AT + 4 }))
    assert.deepEqual(await world.store.due(GONE_AT + 5), ['b-1', 'c-1', 'a-1'])
    const running = await world.start('d-1')
    await world.mustCommit(batchOf(running, 1))
    assert.deepEqual(await world.store.due(GONE_AT + 5), ['d-1', 'b-1', 'c-1', 'a-1'], 'the last heartbeat of its process is older')
  },

  async 'a run that a living process holds is not due'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'suspended', due: NOW }) }))
    await world.store.post(RUN, messageOf('m1'))
    assert.deepEqual(await world.store.due(GONE_AT - 1), [])
    assert.deepEqual(await world.store.due(GONE_AT), [RUN])
    await world.store.beat(world.worker, NOW + 1)
    assert.deepEqual(await world.store.due(GONE_AT), [])
    await world.store.release(lease)
    assert.deepEqual(await world.store.due(NOW), [RUN])
  },

  async 'a run is due while a message for it is not taken'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'suspended' }) }))
    await world.store.post(RUN, messageOf('m1'))
    assert.deepEqual(await world.store.due(GONE_AT), [RUN])
    await world.mustCommit(
      batchOf(lease, 2, { taken: (await world.store.inbox(RUN)).map(({ row }) => row), row: rowChange({ status: 'suspended' }) }),
    )
    assert.deepEqual(await world.store.due(GONE_AT), [])
  },

  async 'a message makes a run due when a wait with its name is open; a cancellation does so at once'(world) {
    const lease = await world.start()
    const waits = [
      { id: '2w', type: 'answer', name: 'other', number: 1, since: NOW, path: '' },
      { id: '2w1', type: 'message', name: 'topic "ä"', number: 0, since: NOW, path: '' },
    ] as const
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'suspended' }) }))
    await world.store.post(RUN, messageOf('m1', { type: 'message', to: 'topic "ä"' }))
    await world.store.post(RUN, messageOf('m2', { type: 'message', to: 'other' }))
    await world.store.release(lease)
    assert.deepEqual(await world.store.due(NOW + 100 * TTL), [], 'no wait is open')
    const again = leaseOf(await world.store.claim(RUN, world.worker, NOW))
    await world.mustCommit(batchOf(again, 2, { row: rowChange({ status: 'suspended', waits: waits.slice(0, 1) }) }))
    assert.deepEqual(await world.store.due(GONE_AT), [], 'a question is not a topic')
    await world.mustCommit(batchOf(again, 3, { row: rowChange({ status: 'suspended', waits }) }))
    assert.deepEqual(await world.store.due(GONE_AT), [RUN])
    const [first] = await world.store.inbox(RUN)
    await world.mustCommit(batchOf(again, 4, { row: rowChange({ status: 'suspended', waits }), taken: [first?.row ?? 0] }))
    assert.deepEqual(await world.store.due(GONE_AT), [], 'no wait is open for the other message')
    await world.store.post(RUN, messageOf('m3', { type: 'cancel', to: '' }))
    assert.deepEqual(await world.store.due(GONE_AT), [RUN])
  },

  async 'a wait takes one answer; another answer is refused until the first is taken; messages are not refused'(world) {
    const lease = await world.start()
    await world.start('newt-1aaa')
    await world.store.post(RUN, messageOf('m1', { to: '2w' }))
    await mustThrow('R2002', () => world.store.post(RUN, messageOf('m2', { to: '2w' })))
    assert.equal(await world.store.post(RUN, messageOf('m1', { to: '2w' })), false, 'the same answer is not another answer')
    assert.equal(await world.store.post(RUN, messageOf('m2', { to: '3w' })), true)
    assert.equal(await world.store.post('newt-1aaa', messageOf('m2', { to: '2w' })), true)
    for (const id of ['m3', 'm4']) assert.equal(await world.store.post(RUN, messageOf(id, { type: 'message', to: '2w' })), true)
    await world.mustCommit(batchOf(lease, 1, { taken: (await world.store.inbox(RUN)).map(({ row }) => row) }))
    assert.equal(await world.store.post(RUN, messageOf('m5', { to: '2w' })), true)
  },

  async 'a running run is due when no process holds it; a suspended run is not'(world) {
    const [running, suspended] = [await world.startWith(1, 'run-1'), await world.start('rest-1')]
    await world.mustCommit(batchOf(suspended, 1, { row: rowChange({ status: 'suspended' }) }))
    assert.deepEqual(await world.store.due(NOW + TTL - 1), [])
    assert.deepEqual(await world.store.due(NOW + TTL), ['run-1'])
    await world.store.release(running)
    await world.store.release(suspended)
    assert.deepEqual(await world.store.due(NOW), ['run-1'])
  },

  async 'a run that has ended is never due'(world) {
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const lease = await world.start(`${status}-1`)
      await world.store.post(lease.run, messageOf('m1'))
      await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status, due: NOW }) }))
      await world.store.release(lease)
    }
    assert.deepEqual(await world.store.due(NOW + 100 * TTL), [])
  },
}
