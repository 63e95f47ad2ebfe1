import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countCells } from '../../src/text/cells.ts'
import { codeFrame } from '../../src/text/code-frame.ts'
import { Lines } from '../../src/text/place.ts'

function frame(text: string, mark: string, note?: string, width?: number): string {
  return codeFrame(new Lines(text), text.indexOf(mark), mark.length, { note, width })
}

describe('a code frame', () => {
  test('shows the line, the carets and the note', () => {
    const text = `${'\n'.repeat(36)}  { "id": "no", "from": "approve", "to": "delcine", "event": "NO" }\n`
    expect(frame(text, '"delcine"', 'did you mean "decline"?')).toBe(
      [
        '37 │   { "id": "no", "from": "approve", "to": "delcine", "event": "NO" }',
        '   │                                          ^^^^^^^^^ did you mean "decline"?',
      ].join('\n'),
    )
  })

  test('shows a place without a length, and one behind the last character', () => {
    expect(codeFrame(new Lines('abc'), 1, 0)).toBe('1 │ abc\n  │  ^')
    expect(codeFrame(new Lines('abc'), 3, 0)).toBe('1 │ abc\n  │    ^')
    expect(codeFrame(new Lines(''), 0, 0)).toBe('1 │\n  │ ^')
  })

  test('underlines only the first line of a span of several lines', () => {
    expect(frame('a {\n b\n}', '{\n b\n}')).toBe('1 │ a {\n  │   ^')
  })

  test('writes tabs as two spaces and keeps the carets under the word', () => {
    expect(frame('\t\tx\ty', 'x\ty')).toBe('1 │     x  y\n  │     ^^^^')
  })

  test('counts wide characters as two cells and combining marks as none', () => {
    expect(frame('日本 e\u0301 x', 'x')).toBe('1 │ 日本 e\u0301 x\n  │        ^')
  })

  test('makes control characters harmless', () => {
    const shown = frame('"\u001b[31m\u202e\u0007" x', 'x', 'a\u001b[0m')
    expect(shown).toBe('1 │ "␛[31m�␇" x\n  │           ^ a␛[0m')
  })

  test('puts a note that does not fit under the carets', () => {
    const rows = frame(`${' '.repeat(60)}word`, 'word', 'a note that has no room behind').split('\n')
    expect(rows).toHaveLength(3)
    expect(rows[2]?.endsWith('a note that has no room behind')).toBe(true)
    expect(countCells(rows[2] ?? '')).toBeLessThanOrEqual(80)
  })

  test('cuts a long line around the place', () => {
    const text = `${'left '.repeat(1000)}HERE${' right'.repeat(1000)}`
    const [line = '', marks = ''] = frame(text, 'HERE', 'this', 60).split('\n')
    expect(line).toMatch(/^1 │ ….*HERE.*…$/)
    expect(marks.indexOf('^^^^')).toBe(line.indexOf('HERE'))
    expect(countCells(line)).toBeLessThanOrEqual(60)
  })

  test('keeps the start of a long underline', () => {
    const [line = '', marks = ''] = frame(`key: ${'x'.repeat(500)}`, 'x'.repeat(500)).split('\n')
    expect(line.startsWith('1 │ key: xxx')).toBe(true)
    expect(countCells(marks)).toBeLessThanOrEqual(80)
  })

  test('never exceeds its width, and points at the span', () => {
    const parts = fc.array(fc.constantFrom('a', ' ', '\t', '日', '😀', '\u001b', '"', 'e\u0301'), { maxLength: 200 })
    fc.assert(
      fc.property(
        parts,
        parts,
        parts,
        fc.integer({ min: 30, max: 120 }),
        fc.string({ maxLength: 20 }),
        (before, marked, after, width, note) => {
          const text = [...before, '\n', ...marked, '§§', ...after].join('')
          const rows = codeFrame(new Lines(text), text.indexOf('§§'), 2, { width, note }).split('\n')
          for (const row of rows) expect(countCells(row)).toBeLessThanOrEqual(width)
          const marks = rows[1] ?? ''
          const line = rows[0] ?? ''
          expect(countCells(marks.slice(0, marks.indexOf('^^')))).toBe(countCells(line.slice(0, line.indexOf('§§'))))
        },
      ),
    )
  })

  test('takes no longer for a line of ten megabytes', () => {
    const text = 'x'.repeat(10_000_000)
    const lines = new Lines(text)
    for (let i = 0; i < 1000; i++) codeFrame(lines, i * 9999, 5, { note: 'here' })
  })
})
