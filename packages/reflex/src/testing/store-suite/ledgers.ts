import assert from 'node:assert/strict'
import { NOW, type Rule, workerOf } from './world.ts'

/** Cases for ledgers, the logs that outlive runs. */
export const ledgerCases: Readonly<Record<string, Rule>> = {
  async 'a ledger numbers its entries from one, and ledgers are separate'({ store }) {
    assert.equal(await store.append('a', 'otter:1', { text: 'ü\0', n: [1, null] }, NOW), 1)
    assert.equal(await store.append('a', 'otter:2', null, NOW + 1), 2)
    assert.equal(await store.append('b', 'otter:1', 'other', NOW), 1)
    assert.deepEqual(await store.ledger('a'), [
      { seq: 1, key: 'otter:1', at: NOW, value: { text: 'ü\0', n: [1, null] } },
      { seq: 2, key: 'otter:2', at: NOW + 1, value: null },
    ])
    assert.deepEqual(await store.ledger('b'), [{ seq: 1, key: 'otter:1', at: NOW, value: 'other' }])
    assert.deepEqual(await store.ledger('nothing'), [])
  },

  async 'a repeated key appends nothing and returns the first number'({ store }) {
    for (const key of ['k1', 'k2', 'k3']) await store.append('a', key, key, NOW)
    assert.equal(await store.append('a', 'k2', 'changed', NOW + 1), 2)
    assert.deepEqual(
      (await store.ledger('a')).map(({ value }) => value),
      ['k1', 'k2', 'k3'],
    )
    assert.equal(await store.append('a', 'k4', 4, NOW), 4)
  },

  async 'a ledger is read after an entry, up to a limit'({ store }) {
    for (let i = 1; i <= 5; i++) await store.append('a', `k${i}`, i, NOW)
    const read = async (after?: number, limit?: number) => (await store.ledger('a', after, limit)).map(({ seq }) => seq)
    assert.deepEqual(await read(), [1, 2, 3, 4, 5])
    assert.deepEqual(await read(2), [3, 4, 5])
    assert.deepEqual(await read(2, 2), [3, 4])
    assert.deepEqual(await read(0, 0), [])
    assert.deepEqual(await read(5), [])
    assert.deepEqual(await read(99, 3), [])
  },

  async 'entries that many workers append at the same time have numbers without gaps'(world) {
    const stores = await Promise.all(Array.from({ length: 4 }, (_, i) => world.connect(workerOf(`w${i}`))))
    const numbers = await Promise.all(stores.flatMap((store, i) => [0, 1, 2, 3].map(async (n) => store.append('a', `w${i}:${n}`, n, NOW))))
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: 16 }, (_, i) => i + 1),
    )
    const retried = await Promise.all(stores.map(async (store) => store.append('a', 'same', 'same', NOW)))
    assert.deepEqual([...new Set(retried)], [17])
  },
}
