import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, copyJson, equalJson } from '../../src/kernel/journal/json.ts'
import { messageOf } from './world.ts'

class Money {
  readonly amount = 1
}

describe('copyJson', () => {
  const refused: readonly [string, unknown, string][] = [
    ['undefined', { a: [1, undefined] }, 'node.key.a[1] is undefined'],
    ['a function', () => 1, 'node.key is a function'],
    ['a symbol', Symbol('x'), 'is a symbol'],
    ['a big integer', 1n, 'is a bigint'],
    ['NaN', Number.NaN, 'is NaN'],
    ['infinity', [Number.NEGATIVE_INFINITY], '[0] is -Infinity'],
    ['a date', { at: new Date(0) }, '.at is a Date'],
    ['a map', new Map(), 'is a Map'],
    ['a class instance', new Money(), 'is a Money'],
    ['a boxed string', Object('x'), 'is a String'],
    ['a hole', Object.assign([1], { 2: 2 }), '[1] is a hole'],
  ]
  it.each(refused)('refuses %s with the key and the node', (_, value, message) => {
    expect(messageOf(() => copyJson(value, 'node.key'))).toContain(message)
  })

  it('refuses cycles and what is deeper than 512 levels', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = [cycle]
    expect(messageOf(() => copyJson(cycle, 'k'))).toContain('k.self[0] is a cycle')
    let deep: unknown = 1
    for (let i = 0; i < 513; i++) deep = [deep]
    expect(messageOf(() => copyJson(deep, 'k'))).toContain('more than 512 levels')
    let fits: unknown = 1
    for (let i = 0; i < 512; i++) fits = [fits]
    expect(equalJson(copyJson(fits, 'k'), fits)).toBe(true)
  })

  it('keeps a value that stands in two places', () => {
    const shared = { a: 1 }
    expect(copyJson([shared, shared], 'k')).toEqual([{ a: 1 }, { a: 1 }])
  })

  it('makes zero of minus zero and keeps __proto__ as a key', () => {
    expect(Object.is(copyJson(-0, 'k'), 0)).toBe(true)
    expect(Object.is((copyJson([-0], 'k') as number[])[0], 0)).toBe(true)
    const copy = copyJson(JSON.parse('{"__proto__":{"polluted":1}}'), 'k')
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":1}}')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('gives a frozen copy that is equal, through text too', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const copy = copyJson(value, 'k')
        expect(JSON.parse(JSON.stringify(copy))).toEqual(JSON.parse(JSON.stringify(value)))
        expect(Object.isFrozen(copy)).toBe(true)
        expect(equalJson(copy, JSON.parse(JSON.stringify(value)))).toBe(true)
        expect(JSON.parse(canonicalJson(copy))).toEqual(copy)
      }),
    )
  })

  it('writes equal values as the same canonical text, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const backwards = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(copyJson(backwards, 'k'))).toBe(canonicalJson(copyJson(value, 'k')))
      }),
    )
  })
})

describe('a value that becomes part of a record', () => {
  class Order {
    readonly total = 84
  }

  it.each<[string, unknown, string, string]>([
    ['a Date', new Date(0), 'k.at is a Date', 'write date.toISOString()'],
    ['a Map', new Map(), 'k.at is a Map', 'write Object.fromEntries(map)'],
    ['a Set', new Set(), 'k.at is a Set', 'write [...set]'],
    ['a class instance', new Order(), 'k.at is a Order', 'write its fields as a plain object'],
    ['a bigint', 5n, 'k.at is a bigint', 'write it as text: String(value)'],
    ['a function', () => 1, 'k.at is a function', 'write its result, or the name of the function'],
  ])('is refused as %s, with the way to write it', (_, at, message, fix) => {
    expect(() => copyJson({ at }, 'k')).toThrow(
      expect.objectContaining({ code: 'R2004', message: `${message}; JSON has no such value`, fix }),
    )
  })

  it('loses properties that are undefined, as JSON does', () => {
    expect(copyJson({ a: undefined, b: { c: undefined, d: 1 } }, 'k')).toStrictEqual({ b: { d: 1 } })
    expect(() => copyJson(undefined, 'k')).toThrow('k is undefined')
  })
})
