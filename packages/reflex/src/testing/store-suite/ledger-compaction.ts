import assert from 'node:assert/strict'
import type { Compaction, Store } from '../../kernel/index.ts'
import { numbersOf, values } from './ledger-names.ts'
import { hashOf, program } from './sweep.ts'
import { batchOf, mustThrow, NOW, rowChange, type Rule, workerOf } from './world.ts'

/** Appends one entry for each name, at `NOW`, `NOW + 1` and so on; the value is the number. A name in capitals is deleted. */
async function append(store: Store, names: string, ledger = 'a'): Promise<void> {
  let { last } = await store.latest(ledger)
  for (const name of names.split(' ')) {
    last++
    const entry = name === '-' ? { value: last } : { name: name.toLowerCase(), ...(name === name.toUpperCase() ? {} : { value: last }) }
    assert.deepEqual(numbersOf(await store.appendAll(ledger, `k${last}`, [entry], NOW + last - 1)), [last])
  }
}

async function numbers(store: Store, after?: number, limit?: number): Promise<string> {
  return (await store.ledger('a', after, limit)).map(({ seq }) => seq).join(' ')
}

/** Cases for the compaction of ledgers. */
export const ledgerCompactionCases: Readonly<Record<string, Rule>> = {
  async 'a compaction up to a time removes what is older and replaced, and nothing else'({ store }) {
    await append(store, 'x - x y X y x - y z')
    assert.equal(await store.compact('a', { before: NOW - 1 }), 0)
    assert.equal(await store.compact('a', { before: NOW + 5 }), 5)
    assert.equal(await numbers(store), '2 7 8 9 10')
    assert.equal(await values(store, 'a'), 'x=7 y=9 z=10')
    assert.equal(await store.compact('a', { before: NOW + 5 }), 0)
    assert.equal(await store.compact('nothing', { before: NOW }), 0)
    // A reader with any cursor sees the newest entry of each name that has changed since.
    assert.deepEqual([await numbers(store, 1), await numbers(store, 4), await numbers(store, 2, 2)], ['2 7 8 9 10', '7 8 9 10', '7 8'])
    await append(store, 'x')
    assert.equal((await store.latest('a')).last, 11)
  },

  async 'a compaction without one valid bound is refused, and removes nothing'({ store }) {
    await append(store, 'x x - x')
    const refused: readonly unknown[] = [
      undefined,
      null,
      {},
      { befor: NOW },
      { before: undefined },
      { before: NOW, through: 9 },
      ...[Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 1e300, '9', null, new Date(NOW)].flatMap((bound) => [
        { before: bound },
        { through: bound },
      ]),
    ]
    for (const compaction of refused) await mustThrow('R5085', () => store.compact('a', compaction as Compaction))
    assert.equal(await numbers(store), '1 2 3 4')
    assert.equal(await store.compact('a', { through: 0 }), 0)
  },

  async 'a deletion stays until a compaction up to its number, so that readers see it'({ store }) {
    await append(store, 'x X y')
    assert.equal(await store.compact('a', { before: NOW + 9 }), 1)
    assert.deepEqual(await store.ledger('a', 0, 1), [{ seq: 2, key: 'k2', at: NOW + 1, name: 'x' }])
    assert.equal(await store.compact('a', { through: 2 }), 1)
    assert.equal(await values(store, 'a'), 'y=3')
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k', [{ name: 'x', value: 4, after: 0 }], NOW)), [4])
  },

  async 'a compaction up to a number removes all but current values, and a reader from before is refused'({ store }) {
    await append(store, 'x - y X - y - z')
    assert.equal(await store.compact('a', { through: 5 }), 5)
    assert.equal(await numbers(store, 5), '6 7 8')
    for (const after of [0, 1, 4]) await mustThrow('R5056', () => store.ledger('a', after, 1))
    const { last, entries } = await store.latest('a')
    assert.deepEqual([last, entries.map(({ seq }) => seq)], [8, [6, 8]])
    assert.deepEqual(await store.ledger('a', last), [])
    await append(store, 'w')
    assert.equal(await numbers(store, last), '9')
  },

  async 'the last entry of a ledger stays, so that no number is used twice'({ store }) {
    await append(store, '- - X')
    assert.equal(await store.compact('a', { through: 99 }), 2)
    assert.deepEqual(await store.latest('a'), { last: 3, entries: [] })
    await append(store, '-')
    assert.equal(await store.compact('a', { through: 99 }), 1)
    assert.equal(await numbers(store, 3), '4')
  },

  async 'what was appended together goes together'({ store }) {
    await store.appendAll(
      'a',
      'both',
      [
        { name: 'x', value: 1 },
        { name: 'y', value: 1 },
      ],
      NOW,
    )
    await store.appendAll('a', 'x', [{ name: 'x', value: 2 }], NOW)
    assert.equal(await store.compact('a', { before: NOW }), 0)
    assert.deepEqual(
      numbersOf(
        await store.appendAll(
          'a',
          'both',
          [
            { name: 'x', value: 1 },
            { name: 'y', value: 1 },
          ],
          NOW,
        ),
      ),
      [1, 2],
    )
    await store.appendAll('a', 'y', [{ name: 'y', value: 2 }], NOW)
    assert.equal(await store.compact('a', { before: NOW }), 2)
    assert.equal(await numbers(store), '3 4')
  },

  async 'an entry stays while an open run may append it again'(world) {
    const { store } = world
    const lease = await world.startWith(2)
    for (const record of [1, 2, 3, 4]) await store.appendAll('a', `${lease.run}:${record}.1`, [{ name: 'x', value: record }], NOW)
    assert.equal(await store.compact('a', { before: NOW }), 0)
    await world.mustCommit(batchOf(lease, 3, { snapshot: 'three', seal: true }))
    assert.equal(await store.compact('a', { before: NOW }), 0)
    await world.mustCommit(batchOf(lease, 4, { snapshot: 'four', seal: true }))
    await world.mustCommit(batchOf(lease, 5, { snapshot: 'five', seal: true }))
    // An effect of record 1 can still be in flight: after a crash it appends under the same key.
    assert.equal(await store.compact('a', { through: 99 }), 0)
    assert.deepEqual(numbersOf(await store.appendAll('a', `${lease.run}:1.1`, [{ name: 'x', value: 1 }], NOW)), [1])
    assert.equal(await values(store, 'a'), 'x=4')
    await store.append('a', 'end', 'end', NOW)
    await world.mustCommit(batchOf(lease, 6, { row: rowChange({ status: 'completed' }) }))
    assert.equal(await store.compact('a', { before: NOW }), 3)
    assert.equal(await values(store, 'a'), 'x=4')
  },

  async 'a sweep compacts the ledgers with a retention, and a dry one returns the same'(world) {
    const { store } = world
    await append(store, 'x x - x')
    await append(store, 'x x', 'kept')
    await store.appendAll('a', 'declared', [{ name: 'y', value: 0 }], NOW, { keep: 10 })
    assert.equal((await store.sweep({ now: NOW + 10, dry: true })).entries, 1)
    assert.equal(await numbers(store), '1 2 3 4 5')
    assert.equal((await store.sweep({ now: NOW + 10 })).entries, 1)
    assert.equal(await numbers(store), '2 3 4 5')
    await store.appendAll('a', 'declared again', [], NOW, { keep: 0 })
    assert.equal((await store.sweep({ now: NOW + 1 })).entries, 1)
    assert.equal(await numbers(store), '3 4 5')
    assert.equal((await store.ledger('kept')).length, 2)
  },

  async 'a program that only a removed entry names goes with the next sweep'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { programs: [program('old')] }))
    await world.store.appendAll('a', 'k1', [{ name: 'x', value: hashOf('old') }], NOW, { keep: 0 })
    await world.store.appendAll('a', 'k2', [{ name: 'x', value: 'new' }], NOW)
    assert.deepEqual(await world.store.sweep({ now: NOW }), { runs: [], programs: [], blobs: [], entries: 1 })
    assert.deepEqual((await world.store.sweep({ now: NOW })).programs, [hashOf('old')])
  },

  async 'two workers that compact a ledger of many pages while a third appends lose no current value'(world) {
    const { store } = world
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
    for (let round = 0; round < 50; round++)
      await store.appendAll(
        'a',
        `${round}`,
        names.map((name) => ({ name, value: round })),
        NOW + round,
      )
    const others = await Promise.all(['w1', 'w2', 'w3'].map(async (id) => world.connect(workerOf(id))))
    const appending = (async () => {
      for (let round = 50; round < 60; round++)
        numbersOf(
          (await others[2]?.appendAll(
            'a',
            `${round}`,
            names.map((name) => ({ name, value: round })),
            NOW + round,
          )) ?? { numbers: [] },
        )
    })()
    const removed = await Promise.all(others.slice(0, 2).map(async (other) => other.compact('a', { before: NOW + 48 })))
    await appending
    assert.equal(removed[0] === undefined || removed[1] === undefined ? 0 : removed[0] + removed[1], 49 * 40)
    assert.equal(await numbers(store, 0, 3), '1961 1962 1963')
    const { last, entries } = await store.latest('a')
    assert.deepEqual([last, entries.map(({ value }) => value)], [2400, names.map(() => 59)])
  },
}
