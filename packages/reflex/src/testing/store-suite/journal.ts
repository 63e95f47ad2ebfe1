import assert from 'node:assert/strict'
import type { OpenWait } from '../../kernel/index.ts'
import { batchOf, leaseOf, messageOf, rowChange, NOW, type Rule, rowOf, spans, TTL, workerOf } from './world.ts'

const RUN = 'otter-2m9q'
const WAIT: OpenWait = {
  id: '3w',
  type: 'answer',
  name: 'review',
  number: 1,
  due: NOW + 5,
  about: { sum: 12.5, 'naïve "key"': [null, true, ''] },
  since: NOW,
  path: 'verify/score',
}

/** Cases for records: durable, in order, without gaps, and only under a valid lease. */
export const journalCases: Readonly<Record<string, Rule>> = {
  async 'a new run has its row, its owner and no record'({ store, worker }) {
    const row = rowOf(RUN, { due: NOW + 1, waits: [WAIT], value: { a: [1, 'ü', null] } })
    assert.deepEqual(await store.create(row, worker), { run: RUN, token: 1, worker })
    assert.deepEqual(await store.read(RUN), { row: { ...row, last: 0, owner: worker }, batches: [] })
  },

  async 'an id that is in use is taken, and its run does not change'(world) {
    await world.startWith(2)
    const before = await world.store.read(RUN)
    assert.equal(await world.store.create(rowOf(RUN, { trace: '6'.repeat(32), status: 'failed' }), world.worker), 'taken')
    assert.deepEqual(await world.store.read(RUN), before)
  },

  async 'if several processes create one id at the same time, one succeeds'(world) {
    const stores = await Promise.all(Array.from({ length: 8 }, (_, i) => world.connect(workerOf(`w${i}`))))
    const answers = await Promise.all(stores.map(async (store, i) => store.create(rowOf(RUN), workerOf(`w${i}`))))
    assert.equal(answers.filter((answer) => answer !== 'taken').length, 1)
  },

  async 'records are read as they were written, in order'(world) {
    const lease = await world.start()
    const texts = ['[[0]]', '[[1,"ü \\u0000 \\ud800 \u2028 😀"],\n[2]]', `[["${'long '.repeat(50_000)}"]]`]
    const batches = [
      batchOf(lease, 1, { body: texts[0] ?? '' }),
      batchOf(lease, 2, { count: 2, version: 3, body: texts[1] ?? '' }),
      batchOf(lease, 4, { body: texts[2] ?? '' }),
    ]
    for (const batch of batches) await world.mustCommit(batch)
    const stored = batches.map(({ first, count, version, body }) => ({ first, count, version, body }))
    assert.deepEqual(await world.store.journal(RUN), stored)
    assert.deepEqual((await world.store.read(RUN))?.batches, stored)
    assert.equal((await world.row(RUN))?.last, 4)
  },

  async 'a commit without batches does nothing'({ store }) {
    assert.deepEqual(await store.commit([]), [])
  },

  async 'a commit changes the rows in lists'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'suspended', updated: NOW + 7, due: NOW + 9, waits: [WAIT] }) }))
    const suspended = { ...rowOf(RUN), status: 'suspended', updated: NOW + 7, due: NOW + 9, waits: [WAIT], last: 1, owner: world.worker }
    assert.deepEqual(await world.row(RUN), suspended)
    await world.mustCommit(batchOf(lease, 2, { row: rowChange({ status: 'completed', updated: NOW + 8, value: [0.1, null] }) }))
    assert.deepEqual(await world.row(RUN), {
      ...suspended,
      status: 'completed',
      updated: NOW + 8,
      due: null,
      waits: [],
      value: [0.1, null],
      last: 2,
    })
  },

  async 'a batch that leaves a gap or repeats a record is refused'(world) {
    const lease = await world.startWith(2)
    for (const first of [0, 1, 2, 4]) assert.deepEqual(await world.store.commit([batchOf(lease, first)]), [RUN])
    assert.equal(spans(await world.store.journal(RUN)), '1 2')
    assert.equal((await world.row(RUN))?.last, 2)
    await world.mustCommit(batchOf(lease, 3))
  },

  async 'a batch of a run that does not exist is refused'({ store, worker }) {
    assert.deepEqual(await store.commit([batchOf({ run: 'nobody', token: 1, worker }, 1)]), ['nobody'])
    assert.equal(await store.read('nobody'), undefined)
  },

  async 'many runs share a commit; a refused batch writes nothing'(world) {
    const [good, lost, gap] = [await world.start('good-1'), await world.start('lost-1'), await world.start('gap-1')]
    await world.store.post('lost-1', messageOf('m1'))
    const [message] = await world.store.inbox('lost-1')
    const late = { ...lost, token: lost.token + 1 }
    const extra = {
      programs: [{ hash: 'p1', kind: 'k', source: '{}' }],
      blobs: new Map([['b1', 'text']]),
      taken: [message?.row ?? 0],
      snapshot: 's1',
    }
    const refused = await world.store.commit([
      batchOf(late, 1, { ...extra, row: rowChange({ status: 'failed' }) }),
      batchOf(good, 1, { row: rowChange({ status: 'suspended' }) }),
      batchOf(gap, 2),
    ])
    assert.deepEqual([...refused].sort(), ['gap-1', 'lost-1'])
    assert.equal(spans(await world.store.journal('good-1')), '1')
    assert.equal((await world.row('good-1'))?.status, 'suspended')
    for (const id of ['lost-1', 'gap-1'])
      assert.deepEqual(await world.store.read(id), { row: { ...rowOf(id), last: 0, owner: world.worker }, batches: [] })
    assert.deepEqual([await world.store.program('p1'), await world.store.blob('b1')], [undefined, undefined])
    assert.equal((await world.store.inbox('lost-1')).length, 1)
  },

  async 'batches of one run in one commit follow each other, otherwise none is written'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1), batchOf(lease, 2, { count: 2 }))
    assert.deepEqual(await world.store.commit([batchOf(lease, 4), batchOf(lease, 6)]), [RUN])
    assert.equal(spans(await world.store.journal(RUN)), '1 2-3')
    await world.mustCommit(batchOf(lease, 4))
  },

  async 'a writer that was paused while another took over writes nothing'(world) {
    const paused = await world.startWith(1)
    const other = await world.connect()
    const lease = leaseOf(await other.claim(RUN, workerOf('second'), NOW + TTL))
    assert.deepEqual(await world.store.commit([batchOf(paused, 2)]), [RUN])
    assert.deepEqual(await other.commit([batchOf(lease, 2, { body: '[["of the second"]]' })]), [])
    assert.deepEqual(await world.store.commit([batchOf(paused, 2), batchOf(paused, 3)]), [RUN])
    assert.deepEqual(
      (await world.store.journal(RUN)).map(({ body }) => body),
      ['[[1,1,"a record"]]', '[["of the second"]]'],
    )
  },

  async 'programs and large values are found by their hashes'(world) {
    const lease = await world.start()
    const program = { hash: 'f1', kind: 'note', source: '{"a":"ü"}' }
    await world.mustCommit(
      batchOf(lease, 1, {
        programs: [program],
        blobs: new Map([
          ['b1', '"text ü"'],
          ['b2', ''],
        ]),
      }),
    )
    assert.deepEqual(await world.store.program('f1'), program)
    assert.deepEqual([await world.store.blob('b1'), await world.store.blob('b2')], ['"text ü"', ''])
    assert.deepEqual([await world.store.program('f2'), await world.store.blob('f1')], [undefined, undefined])
    const other = await world.start('newt-1aaa')
    await world.mustCommit(batchOf(other, 1, { programs: [program], blobs: new Map([['b1', '"text ü"']]) }))
    assert.deepEqual(await world.store.program('f1'), program)
  },

  async 'changes to values that were written or read do not change the store'(world) {
    const lease = await world.start()
    const waits = [structuredClone(WAIT)]
    const value = { list: ['a'] }
    const message = messageOf('m1', { body: { list: [1] } })
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ waits, value }) }))
    await world.store.post(RUN, message)
    const readAll = async () =>
      structuredClone([await world.store.read(RUN), await world.store.journal(RUN), await world.store.inbox(RUN), await world.store.runs()])
    const before = await readAll()
    mutate([waits, value, message])
    mutate([await world.store.read(RUN), await world.store.journal(RUN), await world.store.inbox(RUN), await world.store.runs()])
    assert.deepEqual(await readAll(), before)
  },

  async 'durable data is there when the store is opened again'(world) {
    if (!world.store.durable) return
    const lease = await world.startWith(3)
    await world.mustCommit(batchOf(lease, 4, { snapshot: 'four' }), batchOf(lease, 5))
    await world.store.post(RUN, messageOf('m1'))
    await world.store.append('memory', 'k', 1, NOW)
    const readAll = async (store = world.store) => [
      await store.read(RUN),
      await store.journal(RUN),
      await store.inbox(RUN),
      await store.ledger('memory'),
    ]
    const before = await readAll()
    assert.deepEqual(await readAll(await world.connect(workerOf('reader'))), before, 'another connection sees it before this one is closed')
    await world.store.close()
    const again = await world.connect()
    assert.notEqual(again, world.store, '`open` returned the closed object; a durable store must be opened again')
    assert.deepEqual(await readAll(again), before)
  },
}

/** Changes every list and object inside a value that is not frozen. */
function mutate(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) mutate(inner)
  if (Object.isFrozen(value)) return
  if (Array.isArray(value)) value.push('spoilt')
  else for (const key of Object.keys(value)) Reflect.set(value, key, 'spoilt')
}
