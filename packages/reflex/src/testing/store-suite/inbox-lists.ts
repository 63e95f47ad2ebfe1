import assert from 'node:assert/strict'
import { isFault, type Message } from '../../kernel/index.ts'
import { batchOf, messageOf, mustThrow, NOW, rowChange, type Rule } from './world.ts'

function results(answers: readonly unknown[]): unknown[] {
  return answers.map((answer) => (isFault(answer) ? answer.code : answer))
}

function event(id: string, more: Partial<Message> = {}): Message {
  return messageOf(id, { type: 'message', to: 'event', body: id, ...more })
}

/** Cases for messages that are posted together. */
export const inboxListCases: Readonly<Record<string, Rule>> = {
  async 'messages that are posted together have the results of single posts, and their order'(world) {
    const { run } = await world.startWith(1)
    await world.store.post(run, event('m0'))
    await world.store.post(run, messageOf('a0', { to: '2w' }))
    const messages = [event('m2'), event('m0'), event('m1'), event('m2'), messageOf('a1', { to: '2w' }), messageOf('a2', { to: '3w' })]
    const wrong = event('m3', { to: 5 as never })
    const list = [...messages, messageOf('a3', { to: '3w' }), wrong, event('m4')]
    assert.equal(results(await world.store.postAll(run, list)).join(' '), 'true false true false R2002 true R2002 R2004 true')
    const inbox = await world.store.inbox(run)
    assert.deepEqual(
      inbox.map(({ id }) => id),
      ['m0', 'a0', 'm2', 'm1', 'a2', 'm4'],
    )
    assert.deepEqual(results(await world.store.postAll(run, messages.slice(0, 3))), [false, false, false])
    assert.deepEqual(await world.store.postAll(run, []), [])
  },

  async 'a limit bounds the messages of a list as it bounds single ones'(world) {
    const { run } = await world.startWith(1)
    const storm = Array.from({ length: 5 }, (_, i) => event(`m${i}`))
    const refused = await world.store.postAll(run, storm, { most: 2 })
    assert.deepEqual(results(refused), [true, true, 'R2130', 'R2130', 'R2130'])
    const dropped = await world.store.postAll(run, [...storm, event('other', { to: 'other' })], { most: 3, drop: true })
    assert.deepEqual(results(dropped), [false, false, true, false, false, true])
    assert.equal((await world.store.inbox(run)).length, 4)
  },

  async 'a list for a run that has ended is refused message by message, one for an unknown run as a whole'(world) {
    const lease = await world.startWith(1)
    await world.store.post(lease.run, event('m0'))
    await world.mustCommit(batchOf(lease, 2, { row: rowChange({ status: 'completed' }) }))
    assert.deepEqual(results(await world.store.postAll(lease.run, [event('m0'), event('m1')])), [false, 'R2001'])
    await mustThrow('R2016', () => world.store.postAll('nobody-1', [event('m1', { at: NOW })]))
  },

  async 'a post of a list is noticed by the holder of the run'(world) {
    const { run } = await world.startWith(1)
    const other = await world.connect()
    assert.deepEqual(await world.store.unread(world.worker), [])
    await other.postAll(run, [event('m1'), event('m2')])
    const unread = await world.store.unread(world.worker)
    assert.deepEqual(
      unread.map(({ run: id }) => id),
      [run],
    )
    await world.store.postAll(run, [event('m3')])
    assert.notDeepEqual(await world.store.unread(world.worker), unread)
  },
}
