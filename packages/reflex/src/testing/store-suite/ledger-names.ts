import assert from 'node:assert/strict'
import type { Appended, NewEntry, Store } from '../../kernel/index.ts'
import { mustThrow, NOW, type Rule, workerOf } from './world.ts'

export function numbersOf(appended: Appended): readonly number[] {
  assert.ok('numbers' in appended, `the append must succeed; it returned ${JSON.stringify(appended)}`)
  return appended.numbers
}

/** Returns the current values of a ledger: `a=1 b=2`. */
export async function values(store: Store, ledger: string, names?: readonly string[]): Promise<string> {
  return (await store.latest(ledger, names)).entries.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(' ')
}

/** Cases for ledgers whose entries have names. */
export const ledgerNameCases: Readonly<Record<string, Rule>> = {
  async 'the newest entry of each name is its current value, and a deletion ends it'({ store }) {
    assert.deepEqual(await store.latest('a'), { last: 0, entries: [] })
    await store.appendAll('a', 'k1', [{ name: 'b', value: 1 }, { name: 'a', value: null }, { value: 'no name' }], NOW)
    await store.appendAll('a', 'k2', [{ name: 'c', value: 'ü' }], NOW + 1)
    await store.appendAll('a', 'k3', [{ name: 'b', value: [2] }], NOW + 2)
    assert.equal(await store.append('a', 'k4', 'no name', NOW), 6)
    const b = { seq: 5, key: 'k3', at: NOW + 2, name: 'b', value: [2] }
    const c = { seq: 4, key: 'k2', at: NOW + 1, name: 'c', value: 'ü' }
    assert.deepEqual(await store.latest('a'), { last: 6, entries: [{ seq: 2, key: 'k1', at: NOW, name: 'a', value: null }, c, b] })
    assert.deepEqual(await store.latest('a', ['b', 'nobody', 'c', 'b']), { last: 6, entries: [c, b] })
    assert.deepEqual(await store.latest('a', []), { last: 6, entries: [] })
    await store.appendAll('a', 'k5', [{ name: 'b' }], NOW)
    assert.equal(await values(store, 'a'), 'a=null c="ü"')
    assert.equal(await values(store, 'a', ['b']), '')
    await store.appendAll('a', 'k6', [{ name: 'b', value: 3 }], NOW)
    assert.equal(await values(store, 'a'), 'a=null c="ü" b=3')
    assert.deepEqual(await store.latest('other'), { last: 0, entries: [] })
  },

  async 'entries with and without names are read in order, with the key of their append'({ store }) {
    await store.append('a', 'k1', 1, NOW)
    await store.appendAll('a', 'k2', [{ name: 'x', value: 2 }, { value: 3 }, { name: 'y' }], NOW + 1)
    assert.deepEqual(await store.ledger('a'), [
      { seq: 1, key: 'k1', at: NOW, value: 1 },
      { seq: 2, key: 'k2', at: NOW + 1, name: 'x', value: 2 },
      { seq: 3, key: 'k2', at: NOW + 1, value: 3 },
      { seq: 4, key: 'k2', at: NOW + 1, name: 'y' },
    ])
    assert.deepEqual(
      (await store.ledger('a', 2, 1)).map(({ seq }) => seq),
      [3],
    )
  },

  async 'a repeated key appends none of its entries and returns the first numbers'({ store }) {
    const entries: readonly NewEntry[] = [
      { name: 'x', value: 1 },
      { name: 'y', value: 1 },
    ]
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k1', entries, NOW)), [1, 2])
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k2', [{ name: 'x', value: 2 }], NOW)), [3])
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k1', entries, NOW + 9)), [1, 2])
    assert.equal(await store.append('a', 'k1', 'one', NOW), 1)
    assert.deepEqual(numbersOf(await store.appendAll('b', 'k1', [], NOW)), [])
    assert.equal(await store.append('a', 'k3', 'one', NOW), 4)
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k3', [{ value: 'two' }], NOW)), [4])
    assert.equal(await values(store, 'a'), 'y=1 x=2')
  },

  async 'keys are compared exactly, and no key is taken for a part of another append'({ store }) {
    await store.appendAll('a', 'k', [{ value: 0 }, { value: 1 }, { value: 2 }], NOW)
    const keys = ['k\u00012', 'k\u000121', 'k\u00011', 'k\u0001', 'k\0', 'k1', 'K', 'k ']
    for (const [i, key] of keys.entries()) {
      assert.deepEqual(numbersOf(await store.appendAll('a', key, [{ value: key }, { value: key }], NOW)), [4 + 2 * i, 5 + 2 * i])
      assert.equal(await store.append('a', key, 'again', NOW), 4 + 2 * i)
    }
    assert.deepEqual(
      (await store.ledger('a', 3)).map(({ key }) => key),
      keys.flatMap((key) => [key, key]),
    )
  },

  async 'a condition that is not met appends nothing, and its name and winner are returned'({ store }) {
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k1', [{ name: 'x', value: 1, after: 0 }], NOW)), [1])
    const winner = { seq: 1, key: 'k1', at: NOW, name: 'x', value: 1 }
    const lost = await store.appendAll(
      'a',
      'k2',
      [
        { name: 'y', value: 2 },
        { name: 'x', value: 2, after: 0 },
      ],
      NOW,
    )
    assert.deepEqual(lost, { conflict: { name: 'x', newest: winner } })
    assert.equal((await store.latest('a')).last, 1)
    // The key is free, because nothing was appended under it.
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k2', [{ name: 'x', value: 2, after: 1 }], NOW)), [2])
    // A repeated key has its first result, although its condition is no longer met.
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k1', [{ name: 'x', value: 1, after: 0 }], NOW)), [1])
    assert.deepEqual(await store.appendAll('a', 'k3', [{ name: 'z', value: 3, after: 1 }], NOW), { conflict: { name: 'z' } })
    assert.equal(await values(store, 'a'), 'x=2')
  },

  async 'a deleted name meets the condition that it has no value'({ store }) {
    await store.appendAll('a', 'k1', [{ name: 'x', value: 1 }], NOW)
    await store.appendAll('a', 'k2', [{ name: 'x', after: 1 }], NOW)
    for (const after of [1, 2])
      assert.deepEqual(await store.appendAll('a', 'k3', [{ name: 'x', value: 3, after }], NOW), { conflict: { name: 'x' } })
    assert.deepEqual(numbersOf(await store.appendAll('a', 'k3', [{ name: 'x', value: 3, after: 0 }], NOW)), [3])
  },

  async 'of many workers with one condition exactly one wins, and the others see it'(world) {
    const stores = await Promise.all(Array.from({ length: 4 }, (_, i) => world.connect(workerOf(`w${i}`))))
    for (let round = 0, after = 0; round < 5; round++) {
      const entry = (i: number): NewEntry[] => [
        { name: 'claim', value: `w${i}`, after },
        { name: `by w${i}`, value: round },
      ]
      const results = await Promise.all(stores.map(async (store, i) => store.appendAll('a', `${round}:w${i}`, entry(i), NOW)))
      const won = results.flatMap((result, i) => ('numbers' in result ? [{ worker: `w${i}`, numbers: result.numbers }] : []))
      assert.equal(won.length, 1)
      after = won[0]?.numbers[0] ?? 0
      for (const result of results)
        if ('conflict' in result) assert.deepEqual([result.conflict.newest?.seq, result.conflict.newest?.value], [after, won[0]?.worker])
    }
    assert.equal((await world.store.latest('a')).last, 10)
  },

  async 'entries that many workers append together have consecutive numbers'(world) {
    const stores = await Promise.all(Array.from({ length: 4 }, (_, i) => world.connect(workerOf(`w${i}`))))
    const entries = [1, 2, 3].map((value): NewEntry => ({ name: `n${value}`, value }))
    const appended = await Promise.all(
      stores.flatMap((store, i) => [0, 1, 2].map(async (n) => store.appendAll('a', `w${i}:${n}`, entries.slice(n % 2), NOW))),
    )
    const numbers = appended.map(numbersOf)
    for (const [first = 0, ...rest] of numbers) rest.forEach((number, i) => assert.equal(number, first + i + 1))
    assert.deepEqual(
      numbers.flat().sort((a, b) => a - b),
      Array.from({ length: 32 }, (_, i) => i + 1),
    )
    assert.equal((await world.store.ledger('a')).length, 32)
  },

  async 'names are compared exactly'({ store }) {
    const names = ['a\0', 'a\u0001', 'a\u00012', 'a', 'A', 'ä', 'a\u0308', ' a', '__proto__', '\u{1f600}', '%', 'x'.repeat(500)]
    await store.appendAll(
      'a',
      'k',
      names.map((name, value): NewEntry => ({ name, value })),
      NOW,
    )
    assert.deepEqual(
      (await store.latest('a')).entries.map(({ name }) => name),
      names,
    )
    for (const [value, name] of names.entries()) assert.equal((await store.latest('a', [name])).entries[0]?.value, value)
  },

  async 'entries that no store takes are refused, and nothing is appended'({ store }) {
    const refused: readonly (readonly [string, readonly NewEntry[], object?])[] = [
      ['R5055', [{ name: '', value: 1 }]],
      ['R5055', [{ name: 'x'.repeat(501), value: 1 }]],
      ['R5055', [{ name: '\ud800', value: 1 }]],
      ['R5055', [{ name: 5 as never, value: 1 }]],
      [
        'R5055',
        [
          { name: 'x', value: 1 },
          { name: 'x', value: 2 },
        ],
      ],
      ['R5055', [{}]],
      ['R5055', [{ value: 1, after: 0 }]],
      ['R5055', [{ name: 'x', value: 1, after: -1 }]],
      ['R5055', [{ name: 'x', value: 1, after: 1.5 }]],
      ['R5055', [{ name: 'x', value: 1 }], { keep: -1 }],
      ['R5055', Array.from({ length: 1001 }, (_, value) => ({ value }))],
      ['R2004', [{ value: 1 }, { value: (() => 1) as never }]],
      ['R2004', [{ name: 'x', value: [Number.NaN] }]],
    ]
    for (const [code, entries, options] of refused) await mustThrow(code, () => store.appendAll('a', 'k', entries, NOW, options))
    await mustThrow('R5055', () => store.append('a', 'k\ud800', 1, NOW))
    await mustThrow('R5055', () => store.append('\udc00', 'k', 1, NOW))
    assert.deepEqual(await store.latest('a'), { last: 0, entries: [] })
  },
}
