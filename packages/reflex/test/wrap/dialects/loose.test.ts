import { describe, expect, it } from 'vitest'
import { addUsage, jsonOf } from '../../../src/wrap/dialects/loose.ts'

describe('the JSON of a value that a host sends', () => {
  it('is what JSON.stringify writes, and bytes by their content', () => {
    const value = { url: new URL('https://a.example/x'), at: new Date(0), skip: undefined, run: () => 1, list: [undefined, Number.NaN] }
    expect(jsonOf(value)).toEqual({ url: 'https://a.example/x', at: '1970-01-01T00:00:00.000Z', list: [null, null] })
    expect(jsonOf(Uint8Array.of(1))).not.toEqual(jsonOf(Uint8Array.of(2)))
  })

  it('ends for cycles, for shared objects that would be copied without end, and for depth', () => {
    const cycle: Record<string, unknown> = { name: 'a' }
    cycle['self'] = cycle
    expect(jsonOf(cycle)).toEqual({ name: 'a', self: null })
    let shared: unknown = {}
    for (let i = 0; i < 40; i++) shared = [shared, shared]
    expect(Array.isArray(jsonOf(shared))).toBe(true)
    let deep: unknown = {}
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(JSON.stringify(jsonOf(deep))).toHaveLength(256 * 2 + 4)
  })

  it('is null where toJSON throws', () => {
    const broken = {
      toJSON: () => {
        throw new Error('no')
      },
    }
    expect(jsonOf({ broken })).toEqual({ broken: null })
  })
})

describe('the sum of usage', () => {
  it('adds numbers wherever they are, and keeps what one side has', () => {
    const first = { total: 3, details: { cached: 1 }, tier: 'a', list: [1] }
    const second = { total: 4, details: { cached: 2, audio: 5 }, tier: 'b', list: [2], more: null }
    expect(addUsage(first, second)).toEqual({ total: 7, details: { cached: 3, audio: 5 }, tier: 'b', list: [1, 2], more: null })
    expect([addUsage(undefined, first), addUsage(first, undefined), addUsage(null, null)]).toEqual([first, first, null])
  })
})
