import { describe, expect, test } from 'vitest'
import { compileExpression } from '../../src/text/index.ts'
import { linearPattern, PATTERN_CACHE_SIZE, patternCost } from '../../src/text/linear-pattern.ts'
import { outcome } from './variables.ts'

const codes = (text: string): string[] => compileExpression(text).findings.map(({ code }) => code)
/** A range that ignores case. The library builds it in fifteen milliseconds. */
const WIDE = '[B-\u{1e942}]'

describe('the pattern of an expression', () => {
  test.each([`(?i)${WIDE.repeat(50)}`, `(?i)[-B-\u{1e942}]`, String.raw`(?i)[B-\\x{1e942}]`, `(?:${'ab?'.repeat(60)}){1000}`])(
    'is refused where it is dear to compile: %s',
    (pattern) => expect(codes(`a.matches("${pattern}")`)).toEqual(['R1019']),
  )

  test('is refused when the patterns together are too large', () => {
    const classes = '\\\\pL'.repeat(20)
    const texts = Array.from({ length: 5 }, (_, i) => `a.matches("${classes}${i}")`)
    expect(codes(texts.slice(0, 2).join(' || '))).toEqual([])
    expect(new Set(codes(texts.join(' || ')))).toEqual(new Set(['R1019']))
  })

  test.each([
    String.raw`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`,
    String.raw`(?i)^\\pL+-\\d{1,500}$`,
    '(?i)[а-я]+ [一-龥]',
    '(?i)[äöü-]',
    '.{1,500}-.{1,500}',
  ])('is allowed as people write it: %s', (pattern) => expect(codes(`a.matches("${pattern}")`)).toEqual([]))

  test('is compiled once, and forgotten after many others', () => {
    const made = linearPattern('^forgotten$')
    expect(linearPattern('^forgotten$')).toBe(made)
    for (let i = 0; i < PATTERN_CACHE_SIZE; i++) linearPattern(`^other ${i}$`)
    expect(linearPattern('^forgotten$')).not.toBe(made)
  })

  test('is compiled again when its automaton has grown, with the same answers', () => {
    const made = linearPattern('^a+$')
    expect(made).toMatchObject({ size: expect.any(Number) as number })
    expect('test' in made && made.test('a'.repeat(10_000))).toBe(true)
    expect(linearPattern('^a+$')).not.toBe(made)
    expect(outcome('a.matches("^a+$")', { a: 'aaa' })).toBe(true)
  })

  test('costs at least as much as its repetitions produce', () => {
    for (const pattern of ['a{1000}', '((a?b?){31}){31}', '(?:[[:alpha:]](b|c)){100}', '\\Q[\\E(abc){1000}]', '(?:\\pL|\\}){500}', 'a{2,}'])
      expect(patternCost(pattern), pattern).toBeGreaterThan((linearPattern(pattern) as { size: number }).size / 8)
    expect(patternCost('a'.repeat(2001))).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a computed pattern', () => {
  const list = Array.from({ length: 1000 }, (_, i) => i)

  test('is refused if it is expensive to compile, and each different pattern costs steps', () => {
    expect(outcome('text.matches(pattern)', { text: 'C', pattern: `(?i)${WIDE}` })).toContain('steps: too much to compute')
    expect(outcome('text.matches(pattern)', { text: 'C', pattern: 'x'.repeat(100_000) })).toContain('steps: too much to compute')
    const classes = '\\\\pL'.repeat(40)
    expect(outcome(`list.all(x, !"".matches("${classes}" + string(x)))`, { list })).toContain('steps: too much to compute')
    expect(outcome(`list.all(x, !"".matches("${classes}"))`, { list })).toBe(true)
  })

  test('takes the same number of steps after earlier compilations', () => {
    const spent = (steps: number): unknown =>
      outcome('text.matches("^(ab?c){40}$" + part)', { text: 'abc', part: '' }, { limits: { steps } })
    const fewest = [...Array(2000).keys()].find((steps) => spent(steps) === false)
    linearPattern('^(ab?c){40}$')
    expect(spent(fewest ?? 0)).toBe(false)
    expect(spent((fewest ?? 0) - 1)).toContain('steps')
  })

  test('that is invalid is refused with the reason', () => {
    expect(outcome('text.matches(text)', { text: '(' })).toContain('type: the pattern is not a regular expression of RE2')
  })
})

test.each(['list.all(x, !(key in map))', 'list.all(x, {key: x}[key] == x)'])('a long key is paid for: %s', (text) => {
  const list = Array.from({ length: 100 }, (_, i) => i)
  expect(outcome(text, { list, map: { a: 1 }, key: 'k' })).toBe(true)
  expect(outcome(text, { list, map: { a: 1 }, key: 'k'.repeat(5_000_000) })).toContain('steps: too much to compute')
})
