import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Lines } from '../../src/text/place.ts'

/** Difficult texts: all kinds of line ends, characters of two units, and lone surrogates. */
const texts = fc
  .array(fc.constantFrom('a', ' ', '\n', '\r', '\r\n', '😀', 'é', '\ud83d', '\ude00', '日'), { maxLength: 60 })
  .map((parts) => parts.join(''))

/** Returns the expected position, counted character by character. */
function counted(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let column = 1
  for (let i = 0; i < text.length; ) {
    const end = text.startsWith('\r\n', i) ? 2 : 1
    const size = (text.codePointAt(i) ?? 0) > 0xffff ? 2 : end
    if (offset < i + size) break
    const breaks = text[i] === '\n' || text[i] === '\r'
    i += size
    line += breaks ? 1 : 0
    column = breaks ? 1 : column + 1
  }
  return { line, column }
}

describe('places', () => {
  test.each([
    ['', 0, 1, 1],
    ['abc', 3, 1, 4],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 3, 2, 1],
    ['a\r\nb', 2, 1, 2],
    ['a\rb', 2, 2, 1],
    ['a\n', 2, 2, 1],
    ['😀x', 2, 1, 2],
    ['😀x', 1, 1, 1],
    ['abc', 99, 1, 4],
    ['abc', -5, 1, 1],
    ['abc', Number.NaN, 1, 1],
  ])('%j at %d is %d:%d', (text, offset, line, column) => {
    expect(new Lines(text).positionAt(offset)).toEqual({ line, column })
  })

  test('agree with counting', () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, offset) => {
        const inside = Math.min(offset, text.length)
        expect(new Lines(text).positionAt(inside)).toEqual(counted(text, inside))
      }),
    )
  })

  test('lead back to the offset of the character', () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, offset) => {
        const lines = new Lines(text)
        const position = lines.positionAt(offset)
        expect(lines.positionAt(lines.offset(position))).toEqual(position)
      }),
    )
  })

  test('have lines whose ranges cover the text without its line breaks', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const lines = new Lines(text)
        const parts = Array.from({ length: lines.count }, (_, i) => text.slice(...lines.range(i + 1)))
        expect(parts).toEqual(text.split(/\r\n|\n|\r/))
      }),
    )
  })

  test('are found at once in one line of ten megabytes', () => {
    const text = '"😀",'.repeat(2_000_000)
    const lines = new Lines(text)
    for (let i = 0; i < 20_000; i++) expect(lines.positionAt(i * 500).line).toBe(1)
    expect(lines.positionAt(text.length).column).toBe(2_000_000 * 4 + 1)
  })
})
