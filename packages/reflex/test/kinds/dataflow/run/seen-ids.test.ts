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
  test('are known with their places until they are too old, also to a session that begins with the board, which writes the same from then on', () => {
    // The lines between two events: most have none. Some events have no line.
    const gaps = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(2, 7, 0) }), {
      minLength: 5,
    })
    fc.assert(
      fc.property(records, gaps, fc.integer({ min: 1, max: 60 }), (lists, steps, most) => {
        const board = new Map<string, Json>()
        const ids = new SeenIds(board, most)
        const places = new Map<string, number>()
        let [line, count] = [0, 0]
        for (const list of lists) {
          const resumed = new SeenIds(board, most)
          for (const one of list) {
            const known = ids.placeOf(one)
            expect(resumed.placeOf(one)).toBe(known)
            // One that is among the newest is always known; one that never came never is.
            if ([...places.keys()].slice(-most).includes(one)) expect(known).toBe(places.get(one))
            if (!places.has(one)) expect(known).toBe(undefined)
            if (known !== undefined) continue
            const step = steps[count++ % steps.length] ?? 1
            line += Math.max(1, step)
            ids.add(one, step === 0 ? 0 : line)
            resumed.add(one, step === 0 ? 0 : line)
            places.delete(one)
            places.set(one, step === 0 ? -count : line)
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
    expect([ids.placeOf('e25599'), ids.placeOf('e25600'), ids.placeOf('e05')]).toEqual([-25_600, undefined, undefined])
  })

  test('that count on from line to line cost one number more, and one with each gap between lines', () => {
    const board = new Map<string, Json>()
    const ids = new SeenIds(board)
    for (let i = 0; i < 1_000; i++) ids.add(`e${i}`, i < 400 ? i + 1 : i + 2)
    keep(board, ids)
    expect([...board]).toEqual([['~ids/0', [1, ['e', '0', 400], 402, ['e', '400', 600]]]])
    expect([ids.placeOf('e0'), ids.placeOf('e399'), ids.placeOf('e400')]).toEqual([1, 400, 402])
  })

  test('that are old make room, many at once', () => {
    const board = new Map<string, Json>()
    const ids = new SeenIds(board, 100)
    for (let i = 0; i < 1_000; i++) {
      ids.add(`${i}x`)
      if (i % 10 === 9) keep(board, ids)
    }
    expect(board.size).toBeLessThan(15)
    expect([ids.placeOf('999x'), ids.placeOf('900x'), ids.placeOf('100x')]).toEqual([-1_000, -901, undefined])
  })
})
