import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoardReader, Scope } from '../../src/kernel/state/scope.ts'

const write = fc.tuple(
  fc.integer({ min: 0, max: 9 }).map((i) => `k${i}`),
  fc.option(fc.integer(), { nil: undefined }),
)

function filled(writes: readonly (readonly [string, number | undefined])[]): Scope {
  const scope = new Scope()
  writes.forEach(([key, value], i) => scope.append(key, value, i + 1, 0, null))
  return scope
}

describe('Scope', () => {
  it('finds the latest entry up to a bound, with an index as without', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 80 }), fc.integer({ min: 0, max: 90 }), (writes, bound) => {
        const scope = filled(writes)
        for (let k = 0; k < 10; k++) {
          const at = writes.findLastIndex(([key], i) => key === `k${k}` && i + 1 <= bound)
          const place = scope.find(`k${k}`, bound)
          expect(place < 0 ? undefined : [scope.entryAt(place).record, scope.valueAt(place)]).toEqual(
            at < 0 ? undefined : [at + 1, writes[at]?.[1]],
          )
        }
      }),
    )
  })

  it('lists live keys in the order of their latest entries, so that a compacted scope lists them alike', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
        const live = filled(writes).liveEntries()
        const compacted = new Scope()
        for (const entry of live.values()) compacted.append(entry.key, entry.value, entry.record, entry.at, entry.label)
        expect([...compacted.liveEntries()]).toEqual([...live])
        expect([...live.values()].every(({ value }) => value !== undefined)).toBe(true)
      }),
    )
  })

  it('gives entries that nobody can change', () => {
    const scope = filled([['a', 1]])
    expect(Object.isFrozen(scope.entryAt(0))).toBe(true)
  })
})

describe('BoardReader', () => {
  it('reads the nearest scope first; a tombstone hides its own scope only', () => {
    const outer = filled([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
    const inner = filled([
      ['a', 10],
      ['a', undefined],
      ['b', 20],
    ])
    const reader = new BoardReader([
      { scope: inner, bound: Number.POSITIVE_INFINITY },
      { scope: outer, bound: 2 },
    ])
    expect([reader.get('a'), reader.get('b'), reader.get('c'), reader.has('c')]).toEqual([1, 20, undefined, false])
    expect(reader.keys()).toEqual(['b', 'a'])
    expect(reader.snapshot()).toEqual({ b: 20, a: 1 })
    expect([...reader.entries()].map(({ key, value }) => [key, value])).toEqual([
      ['a', 10],
      ['b', 20],
      ['a', 1],
      ['b', 2],
    ])
    expect(reader.entry('a')?.record).toBe(1)
  })
})
