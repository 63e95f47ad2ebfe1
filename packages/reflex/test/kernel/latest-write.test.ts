import { expect, test } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { latestWrite } from '../../src/kernel/step/latest-write.ts'

/** A list that counts the entries that are read. */
function counted(): { readonly writes: Json[]; readonly reads: () => number } {
  let reads = 0
  const writes = new Proxy<Json[]>([], {
    get(list, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++
      return Reflect.get(list, name, receiver) as unknown
    },
  })
  return { writes, reads: () => reads }
}

test('the latest write of a key is found in work that does not grow with the writes behind it', () => {
  const { writes, reads } = counted()
  writes.push('items', [1, 2])
  for (let i = 0; i < 2000; i++) {
    writes.push('item', i)
    expect([latestWrite(writes, 'items'), latestWrite(writes, 'item'), latestWrite(writes, 'other')]).toEqual([0, writes.length - 2, -1])
  }
  expect(reads()).toBeLessThan(20_000)
})

test('a list that a deletion has made from another one has its own places', () => {
  const writes: Json[] = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? `k${i}` : i))
  expect(latestWrite(writes, 'k98')).toBe(98)
  expect(latestWrite(writes.slice(2), 'k98')).toBe(96)
  expect(latestWrite(writes.slice(2), 'k0')).toBe(-1)
})
