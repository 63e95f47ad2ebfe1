import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { SeenIds } from '../../../../src/kinds/dataflow/run/seen-ids.ts'

/** Ids as sources give them: numbers that count on, with and without zeros before them, and others, short and long. */
const id = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((n) => `e${n}`),
  fc.integer({ min: 95, max: 104 }).map((n) => `e${String(n).padStart(3, '0')}`),
  fc.integer({ min: 999_990, max: 1_000_009 }).map((n) => `order-2026-${String(n).padStart(7, '0')}`),
  fc.integer({ min: 0, max: 9 }).map((n) => `a-long-name-of-an-event-${n}`),
  fc.constantFrom('', '7', '07', '#', '9007199254740993', '99999999999999999999', 'x'.repeat(200)),
)
const run = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 40 })).map(([from, count]) => {
  return Array.from({ length: count }, (_, i) => `e${from + i}`)
})
/** What single records add. */
const records = fc.array(fc.oneof(fc.array(id, { maxLength: 20 }), run), { maxLength: 20 })

function keep(board: Map<string, Json>, ids: SeenIds): readonly (readonly [string, Json | undefined])[] {
  const changes = ids.changes()
  for (const [key, value] of changes) {
    if (value === undefined) board.delete(key)
    else board.set(key, structuredClone(value))
  }
  return changes
}

describe('the ids of accepted events', () => {
  // proves: dataflow HST-9
  test('are known until they are too old, also to a session that begins with the board, which writes the same from then on', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 60 }), (lists, most) => {
        const board = new Map<string, Json>()
        const ids = new SeenIds(board, most)
        const order: string[] = []
        for (const list of lists) {
          const resumed = new SeenIds(board, most)
          for (const one of list) {
            expect(resumed.has(one)).toBe(ids.has(one))
            // One that is among the newest is always known; one that never came never is.
            if (order.slice(-most).includes(one)) expect(ids.has(one)).toBe(true)
            if (!order.includes(one)) expect(ids.has(one)).toBe(false)
            if (ids.has(one)) continue
            ids.add(one)
            resumed.add(one)
            order.push(one)
          }
          expect(resumed.changes()).toEqual(keep(board, ids))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('that count on take one item of the board, however many come', () => {
    const board = new Map<string, Json>()
    const ids = new SeenIds(board)
    for (let record = 0; record < 100; record++) {
      for (let i = 0; i < 256; i++) ids.add(`e${record * 256 + i}`)
      keep(board, ids)
    }
    expect([...board]).toEqual([['~ids/0', [['e', '0', 25_600]]]])
    expect([ids.has('e25599'), ids.has('e25600'), ids.has('e05')]).toEqual([true, false, false])
  })

  test('that are old make room, many at once', () => {
    const board = new Map<string, Json>()
    const ids = new SeenIds(board, 100)
    for (let i = 0; i < 1_000; i++) {
      ids.add(`${i}x`)
      if (i % 10 === 9) keep(board, ids)
    }
    expect(board.size).toBeLessThan(15)
    expect([ids.has('999x'), ids.has('900x'), ids.has('100x')]).toEqual([true, true, false])
  })
})
