import { isCelError, isCelList, run } from '@bufbuild/cel'
import type { CelInput } from '@bufbuild/cel'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiled, outcome, variablesOf } from './variables.ts'

/** Returns JSON for the library, with whole numbers as whole numbers. */
function input(value: unknown): CelInput {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (Array.isArray(value)) return value.map(input)
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, inner]) => [key, input(inner)]))
  return value as CelInput
}

function output(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (isCelList(value)) return [...value].map(output)
  return value
}

const whole = fc.oneof(fc.constantFrom('m', 'n', 'o.n', 'l[1]', 'size(l)'), fc.integer({ min: -9, max: 99 }).map(String))
const { number, truth, text } = fc.letrec<{ number: string; truth: string; text: string }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small' },
    whole,
    fc.tuple(tie('number'), fc.constantFrom('+', '-', '*', '/', '%'), tie('number')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    fc.tuple(tie('truth'), tie('number'), tie('number')).map(([test, a, b]) => `(${test} ? ${a} : ${b})`),
    tie('text').map((of) => `size(${of})`),
  ),
  text: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('t', 'o.t', '"b"', '"😀"', '""'),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} + ${b})`),
  ),
  truth: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('y', 'true', 'false', 'has(o.n)', 'has(o.q)', '("n" in o)'),
    fc.tuple(tie('number'), fc.constantFrom('<', '<=', '>', '>=', '==', '!='), tie('number')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    fc.tuple(tie('text'), fc.constantFrom('<', '==', '!='), tie('text')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    fc.tuple(tie('truth'), fc.constantFrom('&&', '||', '=='), tie('truth')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    tie('truth').map((a) => `!${a}`),
    fc
      .tuple(tie('text'), fc.constantFrom('contains', 'startsWith', 'endsWith', 'matches'), tie('text'))
      .map(([a, name, b]) => `${a}.${name}(${b})`),
    fc.tuple(fc.constantFrom('all', 'exists', 'exists_one'), tie('truth')).map(([loop, test]) => `l.${loop}(i, i > 2 && ${test})`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `(${a} in [${b}, 1, 2.0])`),
    fc.tuple(tie('number'), tie('truth')).map(([a, test]) => `(l.filter(i, i > ${a}).map(i, ${test}, i * 2) == [4, 6])`),
  ),
}))

describe('the evaluator agrees with the evaluator of the library', () => {
  const values = { m: 3, n: -7, y: true, t: 'ab', o: { n: 5, t: 'a😀' }, l: [1, 2, 3] }

  test.each([
    ['numbers', number],
    ['conditions', truth],
    ['texts', text],
  ])('%s', (_, expressions) => {
    fc.assert(
      fc.property(expressions, (expression) => {
        const mine = compiled(expression, { limits: { characters: 1e5, terms: 1e5, depth: 1e3 } }).evaluate(variablesOf(values))
        const theirs = run(expression, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, input(value)])))
        if (isCelError(theirs)) expect(mine.ok, `${expression}: ${theirs.message}`).toBe(false)
        else if (mine.ok) expect(mine.value, expression).toEqual(output(theirs))
        else expect(mine.failure.reason, `${expression}: ${mine.failure.message}`).toBe('range')
      }),
      { numRuns: 300 },
    )
  })

  test('integers survive', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: -1000, max: 1000 }), (large, small) => {
        const exact = BigInt(large) + BigInt(small)
        const safe = exact <= 9007199254740991n && exact >= -9007199254740991n
        expect(outcome('a', { a: large })).toBe(large)
        expect(outcome(`(a + b) - b == a && a + b == ${exact}`, { a: large, b: small })).toBe(true)
        if (safe) expect(outcome('a + b', { a: large, b: small })).toBe(Number(exact))
      }),
    )
  })

  test('JSON survives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        // JSON has no negative zero.
        const value: unknown = JSON.parse(JSON.stringify(given))
        expect(outcome('[a, {"b": a}]', { a: value })).toEqual([value, { b: value }])
        expect(outcome('a == b', { a: value, b: JSON.parse(JSON.stringify(value)) })).toBe(true)
      }),
    )
  })

  test('except for the mistakes of the library', () => {
    expect(isCelError(run('1 + 0.5'))).toBe(true)
    expect(outcome('1 + 0.5')).toBe(1.5)
    expect(run('has(o.n)', { o: new Map([['n', null]]) })).toBe(false)
    expect(outcome('has(o.n)', { o: { n: null } })).toBe(true)
  })
})
