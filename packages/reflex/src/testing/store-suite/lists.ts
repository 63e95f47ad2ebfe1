import assert from 'node:assert/strict'
import type { RunFilter } from '../../kernel/index.ts'
import { batchOf, mustThrow, rowChange, NOW, type Rule, rowOf } from './world.ts'

const TRACE = 'ab'.repeat(16)

/** Cases for lists of runs. */
export const listCases: Readonly<Record<string, Rule>> = {
  async 'a store without runs lists none'({ store }) {
    assert.deepEqual(await store.runs(), [])
    assert.deepEqual(await store.due(NOW), [])
  },

  async 'runs are listed newest first; for runs with the same start, the later created run comes first'(world) {
    for (const [id, started] of [
      ['a-1', 2],
      ['b-1', 3],
      ['c-1', 1],
      ['d-1', 3],
    ] as const)
      await world.start(id, { started: NOW + started })
    assert.deepEqual(
      (await world.store.runs()).map(({ id }) => id),
      ['d-1', 'b-1', 'a-1', 'c-1'],
    )
  },

  async 'a run that was abandoned before its first record is in no list and is not due'(world) {
    const began = await world.startWith(1, 'a-1')
    const never = await world.start('b-1', { started: NOW + 1 })
    const ids = async (filter: RunFilter = {}) => (await world.store.runs(filter)).map(({ id }) => id)
    assert.deepEqual(await ids(), ['b-1', 'a-1'], 'its process can still write the first record')
    for (const lease of [began, never]) await world.store.release(lease)
    assert.deepEqual([await ids(), await ids({ limit: 1 }), await ids({ prefix: 'b' })], [['a-1'], ['a-1'], []])
    assert.deepEqual(await world.store.due(NOW), ['a-1'])
  },

  async 'a list shows the current row of each run'(world) {
    const lease = await world.start('a-1')
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: 'failed', updated: NOW + 4, value: { code: 'R2012' } }) }))
    await world.store.release(lease)
    assert.deepEqual(await world.store.runs(), [
      { ...rowOf('a-1'), status: 'failed', updated: NOW + 4, value: { code: 'R2012' }, last: 1, owner: null },
    ])
  },

  async 'a row has the usage of its last commit, and none before the first'(world) {
    const [lease, other] = [await world.start('a-1'), await world.start('b-1')]
    await world.mustCommit(batchOf(lease, 1, { row: rowChange({ used: { tokens: 120, cost: 0.004, calls: 1 } }) }), batchOf(other, 1))
    await world.mustCommit(batchOf(lease, 2, { row: rowChange({ used: { tokens: 240, cost: 0.008, calls: 2, unpriced: 7 } }) }))
    const used = Object.fromEntries((await world.store.runs()).map((row) => [row.id, row.used]))
    assert.deepEqual(used, { 'a-1': { tokens: 240, cost: 0.008, calls: 2, unpriced: 7 }, 'b-1': undefined })
  },

  async 'a list is narrowed by kind, program and time, and continued after any of its runs'(world) {
    const programs = [
      ['note:a', 'note'],
      ['note:b', 'note'],
      ['plan:a', 'plan'],
      ['note:"quoted\\"', 'note'],
    ] as const
    for (const [i, [name, kind]] of [...programs, ...programs].entries()) {
      const lease = await world.start(`r-${i}`, { started: NOW + Math.floor(i / 2), program: [name, kind, 1, 'ab'.repeat(32)] })
      await world.mustCommit(batchOf(lease, 1, { row: rowChange({ updated: NOW + i }) }))
    }
    const ids = async (filter: RunFilter) => (await world.store.runs(filter)).map(({ id }) => id.slice(2)).join('')
    assert.equal(await ids({}), '76543210')
    assert.deepEqual([await ids({ kind: 'plan' }), await ids({ kind: 'note' }), await ids({ kind: 'not' })], ['62', '754310', ''])
    assert.deepEqual([await ids({ program: 'note:a' }), await ids({ program: 'note:"quoted\\"' })], ['40', '73'])
    assert.deepEqual(
      [await ids({ program: 'note:a', kind: 'plan' }), await ids({ since: NOW + 5 }), await ids({ until: NOW + 2 })],
      ['', '765', '10'],
    )
    assert.deepEqual([await ids({ since: NOW + 2, until: NOW + 5, kind: 'note' }), await ids({ limit: 0 })], ['43', ''])
    for (const limit of [1, 2, 3, 8]) {
      let [found, after] = ['', undefined as string | undefined]
      for (;;) {
        const page = await world.store.runs({ kind: 'note', limit, ...(after === undefined ? {} : { after }) })
        found += page.map(({ id }) => id.slice(2)).join('')
        after = page.at(-1)?.id
        if (after === undefined) break
      }
      assert.equal(found, '754310')
    }
    await mustThrow('R2016', () => world.store.runs({ after: 'nobody' }))
  },

  async 'a list is narrowed by status, by the beginning of the id or the whole trace, and by number'(world) {
    const ids = ['otter-1', 'otter-2', 'newt-1', 'Otter-1', 'otte%-1', 'ott']
    for (const [i, id] of ids.entries()) {
      const lease = await world.start(id, { started: NOW + i, ...(id === 'newt-1' ? { trace: TRACE } : {}) })
      if (i < 3) await world.mustCommit(batchOf(lease, 1, { row: rowChange({ status: i === 0 ? 'completed' : 'suspended' }) }))
    }
    const expected: readonly [RunFilter, string][] = [
      [{}, 'ott otte%-1 Otter-1 newt-1 otter-2 otter-1'],
      [{ status: ['completed'] }, 'otter-1'],
      [{ status: ['completed', 'suspended'] }, 'newt-1 otter-2 otter-1'],
      [{ status: [] }, ''],
      [{ prefix: 'otter' }, 'otter-2 otter-1'],
      [{ prefix: 'otter-1' }, 'otter-1'],
      [{ prefix: 'otte%' }, 'otte%-1'],
      [{ prefix: 'ott_' }, ''],
      [{ prefix: '' }, 'ott otte%-1 Otter-1 newt-1 otter-2 otter-1'],
      [{ prefix: TRACE }, 'newt-1'],
      [{ prefix: TRACE.slice(1) }, ''],
      [{ limit: 2 }, 'ott otte%-1'],
      [{ limit: 0 }, ''],
      [{ prefix: 'otter', status: ['suspended'], limit: 5 }, 'otter-2'],
      [{ prefix: 'otter', limit: 1 }, 'otter-2'],
    ]
    for (const [filter, found] of expected) {
      assert.equal((await world.store.runs(filter)).map(({ id }) => id).join(' '), found, JSON.stringify(filter))
    }
  },
}
