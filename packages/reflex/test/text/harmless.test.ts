import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortJson } from '../../src/text/brief.ts'
import { countCells } from '../../src/text/cells.ts'
import { printable, quote, quoteAll } from '../../src/text/printable.ts'
import { pathText, valueAt } from '../../src/text/path.ts'

describe('text from outside', () => {
  test('loses the characters that can move a cursor', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
        expect(quote(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
      }),
    )
    expect(printable('plain, äöü, 日本, 😀')).toBe('plain, äöü, 日本, 😀')
  })

  test('is quoted, and cut only if it is too long to read', () => {
    expect(quote('my "node"')).toBe('"my \\"node\\""')
    expect(quote('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`)
    expect(quote('x'.repeat(5000)).length).toBeLessThan(210)
    expect(quoteAll(['a', 'b', 'c'], 2)).toBe('"a", "b" and 1 more')
  })

  test('is measured in cells', () => {
    expect([countCells('abc'), countCells('日本'), countCells('e\u0301'), countCells('😀'), countCells('')]).toEqual([3, 4, 1, 2, 0])
  })
})

describe('a value in brief', () => {
  test('is JSON', () => {
    expect(shortJson({ total: 84 })).toBe('{"total":84}')
    expect(shortJson(undefined)).toBe('undefined')
    expect(shortJson(10n)).toBe('a value that cannot be shown')
  })

  test('is cut in its middle, with its size', () => {
    expect(shortJson('x'.repeat(500), 20)).toMatch(/^"x+…x+" 502 B$/)
    expect(shortJson('ü'.repeat(5000), 20)).toMatch(/10\.0 kB$/)
  })
})

describe('a path', () => {
  test('reads like code', () => {
    expect(pathText(['edges', 3, 'to'])).toBe('edges[3].to')
    expect(pathText(['nodes', 'my node', 'id'])).toBe('nodes["my node"].id')
    expect(pathText(['nodes', '\u001b', 'id'])).toBe('nodes["\\u001b"].id')
    expect(pathText([])).toBe('')
  })

  test('leads only to own properties', () => {
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
    expect(valueAt({}, ['toString'])).toBeUndefined()
    expect(valueAt(JSON.parse('{"__proto__":{"x":1}}'), ['__proto__', 'x'])).toBe(1)
  })
})
