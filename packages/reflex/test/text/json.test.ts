import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/text/json.ts'
import type { Path } from '../../src/text/path.ts'

function codes(text: string): string[] {
  return readJson(text).findings.map((finding) => finding.code)
}

function said(text: string): string[] {
  return readJson(text).findings.map((finding) => `${finding.line}:${finding.column} ${finding.message}`)
}

/** Returns every path of a value with its value. */
function* paths(value: unknown, path: Path = []): Generator<[Path, unknown]> {
  yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* paths(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

const minusZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('reading JSON', () => {
  test('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const read = readJson(text)
        expect(read.findings.filter((finding) => finding.severity === 'error')).toEqual([])
        expect(read.value).toEqual(JSON.parse(text))
      }),
    )
  })

  test('knows the place of every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const read = readJson(text)
        for (const [path, inner] of paths(JSON.parse(text))) {
          const { offset, length, line, column } = read.place(path)
          expect(JSON.parse(text.slice(offset, offset + length))).toEqual(minusZero(inner))
          expect(read.source.lines.offset({ line, column })).toBe(offset)
          const key = path.at(-1)
          if (typeof key !== 'string') continue
          const at = read.place(path, 'key')
          expect(JSON.parse(text.slice(at.offset, at.offset + at.length))).toBe(key)
        }
      }),
    )
  })

  test('allows comments, trailing commas and a byte order mark', () => {
    expect(readJson('\ufeff// note\n{ "a": [1, 2,], /* more */ }').value).toEqual({ a: [1, 2] })
    expect(readJson('\ufeff{"a": 1}').place(['a'])).toMatchObject({ line: 1, column: 7 })
  })

  test('says what is missing at its place', () => {
    expect(said('{"a" 1}')).toEqual(['1:6 a colon is missing between a key and its value'])
    expect(said('{"a": 1 "b": 2}')).toEqual(['1:9 a comma is missing'])
    expect(said('[1, , 2]')).toEqual(['1:5 a value is missing here'])
    expect(said('{"a": 1}}')).toEqual(['1:9 there is more text after the end of the value'])
    expect(said('')).toEqual(['1:1 the text is empty'])
    expect(said('{"a": None}')).toEqual(['1:7 "None" is not a word of JSON'])
    expect(said('/* open')).toEqual(['1:1 the comment is never closed'])
  })

  test('finds the bracket that was not closed by the indentation', () => {
    expect(said('{\n  "a": {\n    "b": 1,\n  "c": 2\n}')).toEqual(['2:8 this { is never closed'])
    expect(said('{ "a": [1, 2')).toEqual(['1:8 this [ is never closed'])
  })

  test('reports one mistake for each line, and twenty at most', () => {
    expect(codes('{\n"a": x y,\n"b": z\n}')).toEqual(['R1001', 'R1001'])
    expect(codes(`[\n${'oops,\n'.repeat(500)}]`)).toHaveLength(20)
  })

  test('carries the rule, the file, the frame and a fix', () => {
    const [finding] = readJson('{"a": nul}', 'x.json', { rule: 'SCHEMA_VIOLATION' }).findings
    expect(finding).toMatchObject({
      rule: 'SCHEMA_VIOLATION',
      file: 'x.json',
      line: 1,
      column: 7,
      length: 3,
      fix: 'write null',
      verdict: 'fail',
    })
    expect(finding?.frame).toBe('1 │ {"a": nul}\n  │       ^^^ did you mean "null"?')
  })

  test('warns of repeated keys, and keeps the last', () => {
    const read = readJson('{\n"a": 1,\n"b": 2, "a": 3, "a": 4 }')
    expect(read.value).toEqual({ a: 4, b: 2 })
    expect(read.findings.map(({ code, severity, line, column }) => [code, severity, line, column])).toEqual([
      ['R1002', 'warning', 3, 9],
      ['R1002', 'warning', 3, 17],
    ])
    expect(read.place(['a'])).toMatchObject({ line: 3, column: 22 })
  })

  test('keeps keys with the names of built-in properties', () => {
    const read = readJson('{"__proto__": {"x": 1}, "constructor": 2, "toString": 3}')
    expect(Object.keys(read.value as object)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(read.value)).toBe(Object.prototype)
    expect(read.place(['__proto__', 'x'])).toMatchObject({ column: 21 })
    expect(read.place(['hasOwnProperty'])).toMatchObject({ column: 1 })
  })

  test('refuses text that is nested too deeply, and accepts text at the limit', () => {
    expect(codes('['.repeat(10_000))).toEqual(['R1003'])
    expect(codes('{"a":'.repeat(10_000))).toEqual(['R1003'])
    expect(codes('['.repeat(513) + ']'.repeat(513))).toEqual(['R1003'])
    expect(codes('['.repeat(512) + ']'.repeat(512))).toEqual([])
    expect(codes(`"${'['.repeat(10_000)}"`)).toEqual([])
  })

  test('warns of numbers that it cannot store exactly', () => {
    expect(codes('[1e400]')).toEqual(['R1001'])
    expect(codes('[9007199254740993, 9007199254740991, 0.1, 1e300]')).toEqual(['R1004'])
  })

  test('returns the nearest enclosing value for a path that does not exist', () => {
    const read = readJson('{"a": {"b": 1}}')
    expect(read.place(['a', 'c', 'd'])).toMatchObject({ column: 7 })
    expect(read.place(['a', 'b', 'x'])).toMatchObject({ column: 13 })
    expect(readJson('').place(['a'])).toMatchObject({ line: 1, column: 1 })
  })

  test('reads a large file, and finds places in it, in little time', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key${i}`, { value: i }])))
    const read = readJson(text)
    for (let i = 0; i < 50_000; i++) expect(read.place([`key${i}`, 'value']).length).toBe(String(i).length)
  })

  test('never throws', () => {
    const scraps = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', '-', 'e', '/', '*', '\n', ' ', '\u0000', '\ud800', 'null'),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(scraps, (parts) => {
        const read = readJson(parts.join(''))
        expect(read.value === undefined).toBe(read.findings.some((finding) => finding.severity === 'error'))
        for (const finding of read.findings) expect(finding.toString().length).toBeGreaterThan(0)
      }),
      { numRuns: 2000 },
    )
  })
})
