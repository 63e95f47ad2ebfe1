import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatJson, readJson } from '../../src/text/index.ts'

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`

describe('the one form of JSON', () => {
  test.each([
    ['one space where there are several', '{"a" :1,"b":[ 1,2 ,  { } ,[ ]]}', '{ "a": 1, "b": [1, 2, {}, []] }\n'],
    ['two spaces for each level', '{\n"a": [\n1,\n\t2\n]\n}', lines('{', '  "a": [', '    1,', '    2', '  ]', '}')],
    ['lines break where they were broken', '{\n"a": 1, "b": 2,\n"c":\n 3 }', lines('{', '  "a": 1, "b": 2,', '  "c": 3', '}')],
    ['an end stands under its beginning', '[\n1, 2]', lines('[', '  1, 2', ']')],
    ['one empty line of several, none at the edges', '[\n\n1,\n\n\n2\n\n]', lines('[', '  1,', '', '  2', ']')],
    ['trailing commas stay', '[1,]', '[1,]\n'],
    [
      'comments stay',
      '// a\n{ /* b */ "x" /* c */ : // d\n 1 // e\n , "y": 2\n// f\n}',
      lines('// a', '{ /* b */ "x" /* c */: // d', '  1 // e', '  , "y": 2', '  // f', '}'),
    ],
    ['the first end of a line is that of all', '[\r\n1,\n2]', '[\r\n  1,\r\n  2\r\n]\r\n'],
  ])('%s', (_, text, expected) => {
    expect(formatJson(text).text).toBe(expected)
    expect(formatJson(expected).text).toBe(expected)
  })

  test('a value that is longer than a line gets a line for each part, and its short parts stay on one line', () => {
    const word = 'word '.repeat(15)
    expect(formatJson(JSON.stringify({ a: word, b: [1, 2], c: { d: word } })).text).toBe(
      lines('{', `  "a": "${word}",`, '  "b": [1, 2],', `  "c": { "d": "${word}" }`, '}'),
    )
  })

  test('a text with errors is not formatted', () => {
    const { text, findings } = formatJson('{"a": }', 'x.json')
    expect(text).toBeUndefined()
    expect(findings[0]).toMatchObject({ code: 'R1001', file: 'x.json' })
  })
})

test('the formatted text of any value and layout is stable and has the same value', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\n\n\n', '/* c */', '// c\n', '\r\n\t', ' // "\n // ]\n')
  const text = fc.tuple(fc.jsonValue(), fc.infiniteStream(blank)).map(([value, blanks]) =>
    JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, (token) => {
      const next = (): string => String(blanks.next().value)
      return next() + token + next()
    }),
  )
  fc.assert(
    fc.property(text, (written) => {
      const once = formatJson(written).text ?? ''
      expect(formatJson(once).text).toBe(once)
      expect(readJson(once).value).toEqual(readJson(written).value)
      expect(once.match(/\/\*|\/\//g)?.length).toBe(written.match(/\/\*|\/\//g)?.length)
    }),
  )
})
