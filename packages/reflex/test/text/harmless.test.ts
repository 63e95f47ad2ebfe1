import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brief } from '../../src/text/brief.ts'
import { cells } from '../../src/text/cells.ts'
import { harmless, quote, quoteAll } from '../../src/text/harmless.ts'
import { pathText, valueAt } from '../../src/text/path.ts'

describe('text from outside', () => {
  test('loses whatever could move a cursor', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(harmless(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
        expect(quote(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
      }),
    )
    expect(harmless('plain, äöü, 日本, 😀')).toBe('plain, äöü, 日本, 😀')
  })

  test('is quoted, and cut only where nobody could read it', () => {
    expect(quote('my "node"')).toBe('"my \\"node\\""')
    expect(quote('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`)
    expect(quote('x'.repeat(5000)).length).toBeLessThan(210)
    expect(quoteAll(['a', 'b', 'c'], 2)).toBe('"a", "b" and 1 more')
  })

  test('is measured in cells', () => {
    expect([cells('abc'), cells('日本'), cells('e\u0301'), cells('😀'), cells('')]).toEqual([3, 4, 1, 2, 0])
  })
})

describe('a value in brief', () => {
  test('stands as JSON', () => {
    expect(brief({ total: 84 })).toBe('{"total":84}')
    expect(brief(undefined)).toBe('undefined')
    expect(brief(10n)).toBe('a value that cannot be shown')
  })

  test('is cut in its middle, with its size', () => {
    expect(brief('x'.repeat(500), 20)).toMatch(/^"x+…x+" 502 B$/)
    expect(brief('ü'.repeat(5000), 20)).toMatch(/10\.0 kB$/)
  })
})

describe('a path', () => {
  test('reads like code', () => {
    expect(pathText(['edges', 3, 'to'])).toBe('edges[3].to')
    expect(pathText(['nodes', 'my node', 'id'])).toBe('nodes["my node"].id')
    expect(pathText(['nodes', '\u001b', 'id'])).toBe('nodes["\\u001b"].id')
    expect(pathText([])).toBe('')
  })

  test('leads to own properties alone', () => {
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
    expect(valueAt({}, ['toString'])).toBeUndefined()
    expect(valueAt(JSON.parse('{"__proto__":{"x":1}}'), ['__proto__', 'x'])).toBe(1)
  })
})
