import assert from 'node:assert/strict'
import type { Store } from '../../kernel/index.ts'
import { batchOf, NOW, type Rule, rowChange } from './world.ts'

/** Reads everything after a place in pages of `limit` batches: `otter-1@1-2`. Returns it with the place at its end. */
async function readOn(store: Store, after: string, limit?: number): Promise<readonly [found: string, end: string]> {
  const found: string[] = []
  for (let place = after; ; ) {
    const page = await store.committed(place, limit)
    assert.ok(page !== undefined, `the store cannot continue from ${place}`)
    found.push(...page.batches.map(({ run, first, last }) => `${run}@${first === last ? first : `${first}-${last}`}`))
    if (limit === undefined || page.batches.length < limit) return [found.join(' '), page.end]
    place = page.end
  }
}

async function endOf(store: Store): Promise<string> {
  const found = await store.committed()
  assert.deepEqual(found?.batches, [])
  return found?.end ?? ''
}

/** Cases for the order in which batches became durable. */
export const committedCases: Readonly<Record<string, Rule>> = {
  async 'batches of all runs are read in one order, from any place in it, in pages of any size'(world) {
    const start = await endOf(world.store)
    const [one, other] = [await world.start('a-1'), await world.start('b-1')]
    await world.mustCommit(batchOf(one, 1, { count: 2 }), batchOf(other, 1))
    await world.mustCommit(batchOf(other, 2))
    await world.mustCommit(batchOf(one, 3), batchOf(one, 4))
    const [all, end] = await readOn(world.store, start)
    const words = all.split(' ')
    assert.deepEqual([...words].sort(), ['a-1@1-2', 'a-1@3', 'a-1@4', 'b-1@1', 'b-1@2'])
    for (const run of ['a-1', 'b-1']) {
      const own = words.filter((word) => word.startsWith(run))
      assert.deepEqual(own, [...own].sort(), 'the batches of a run have the order of their records')
    }
    for (const limit of [1, 2, 3, 100]) assert.equal((await readOn(world.store, start, limit))[0], all)
    const { batches } = (await world.store.committed(start)) ?? { batches: [] }
    for (const [i, { place }] of batches.entries()) assert.equal((await readOn(world.store, place))[0], words.slice(i + 1).join(' '))
    await world.mustCommit(batchOf(one, 5))
    assert.equal((await readOn(world.store, end))[0], 'a-1@5')
    assert.equal((await readOn(world.store, await endOf(world.store)))[0], '')
  },

  async 'another connection reads the same order, and continues from the same places'(world) {
    const start = await endOf(world.store)
    await world.startWith(3, 'a-1')
    const other = await world.connect()
    const [all, end] = await readOn(other, start)
    assert.equal(all, 'a-1@1 a-1@2 a-1@3')
    await world.startWith(1, 'b-1')
    assert.equal((await readOn(other, end))[0], 'b-1@1')
  },

  async 'a place is never given twice, also when the last batches are packed or their run is removed'(world) {
    const { store } = world
    await world.startWith(1, 'a-1')
    const old = await world.start('b-1')
    await world.mustCommit(batchOf(old, 1, { row: rowChange({ status: 'completed' }) }))
    await store.release(old)
    const before = await endOf(store)
    await store.sweep({ now: NOW + 1, before: NOW + 1 })
    const lease = await world.start('c-1')
    await world.mustCommit(batchOf(lease, 1), batchOf(lease, 2, { seal: true, snapshot: '{}' }))
    assert.equal((await readOn(store, before))[0], 'c-1@1 c-1@2')
    const sealed = await endOf(store)
    await store.pack('c-1', 1)
    await world.mustCommit(batchOf(lease, 3))
    await world.startWith(2, 'd-1')
    assert.equal((await readOn(store, sealed))[0], 'c-1@3 d-1@1 d-1@2')
  },

  async 'an order that lacks packed batches is not continued, or has them'(world) {
    const { store } = world
    const start = await endOf(store)
    const lease = await world.start('a-1')
    await world.mustCommit(batchOf(lease, 1), batchOf(lease, 2, { seal: true, snapshot: '{}' }), batchOf(lease, 3))
    const end = await endOf(store)
    await store.pack('a-1', 1)
    const found = await store.committed(start)
    if (found !== undefined) assert.equal((await readOn(store, start))[0], 'a-1@1 a-1@2 a-1@3')
    assert.equal((await readOn(store, end))[0], '')
  },

  async 'a place that the store did not give is refused'(world) {
    await world.startWith(2, 'a-1')
    const end = await endOf(world.store)
    for (const place of [
      '',
      '!',
      '-1',
      'zzzzzzzzzz',
      '1_2',
      '1_2_3',
      `${end}_`,
      `${end}.`,
      `${end}.${end}`,
      '1e3 ',
      '0x1',
      "1'; drop",
      'z'.repeat(5000),
    ])
      assert.equal(await world.store.committed(place), undefined, `the place ${place.slice(0, 20)}`)
  },
}
