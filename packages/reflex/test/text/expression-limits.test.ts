import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileExpression } from '../../src/text/index.ts'
import { compiled, outcome, variablesOf } from './variables.ts'

const code = (text: string, limits = {}): string | undefined => compileExpression(text, { limits }).findings[0]?.code
const nested = (open: string, close: string, times: number): string => `${open.repeat(times)}1${close.repeat(times)}`

describe('an expression is too large', () => {
  test('beyond the limits on characters, parts and levels', () => {
    expect(code(`a == "${'x'.repeat(2000)}"`)).toBe('R1019')
    expect(code(`1${' + 1'.repeat(300)} == 1`)).toBe('R1019')
    expect(code(nested('(', ')', 33))).toBe('R1019')
    expect(code(nested('1 + (', ')', 32))).toBe('R1019')
    expect(code(nested('[1].all(x, 1 == 1 + (', '))', 12))).toBe('R1019')
  })

  test('not for a chain of one operator, which is one level', () => {
    for (const text of [`1${' + 1'.repeat(200)}`, `true${' && true'.repeat(200)}`, `a${'.b'.repeat(200)}`, `${'true ? 1 : '.repeat(150)}2`])
      expect(code(text), text.slice(0, 20)).toBeUndefined()
  })

  test('when it exceeds the stack, with any limits', () => {
    const limits = { characters: 1e7, terms: 1e7, depth: 1e7 }
    for (const text of [nested('(', ')', 20_000), nested('[', ']', 20_000), `1${' + 1'.repeat(20_000)}`])
      expect(code(text, limits)).toBe('R1019')
  })
})

describe('an evaluation ends', () => {
  const values = { list: Array.from({ length: 100_000 }, (_, i) => i), text: 'a'.repeat(1_000_000) }

  test.each([
    'list.all(x, list.all(y, x + y >= 0))',
    'list.map(x, list.map(y, x + y))',
    'list.map(x, list.filter(y, y > x).size()).size() > 1',
    'list.all(x, x in list)',
    'list.all(x, list == list)',
    'list.map(x, list)',
    '[text, text].all(x, x.contains(text + "b") || text.contains("b" + x))',
    '[1,2,3,4,5,6,7,8,9].all(x, (text + text + text + text + text + text).size() > 1)',
    'text.matches("^(" + text + ")$")',
  ])('%s takes too many steps', (text) => {
    expect(outcome(text, values)).toContain('steps: too much to compute')
  })

  test('after the same number of steps each time', () => {
    const at = (steps: number): unknown => outcome('list.exists(x, x == 1000)', values, { limits: { steps } })
    const fewest = [...Array(20).keys()].reduce((high, i) => (at(high - 2 ** (18 - i)) === true ? high - 2 ** (18 - i) : high), 2 ** 18)
    expect(at(Math.ceil(fewest))).toBe(true)
    expect(at(Math.ceil(fewest) - 1)).toContain('steps')
    expect(Math.ceil(fewest)).toBe(4004)
  })

  test('a regular expression takes linear time', () => {
    expect(outcome('(text + "!").matches("^(a+)+$")', values)).toBe(false)
    expect(outcome('text.matches("(x+x+)+y")', values)).toBe(false)
  })

  test('variables that are not read are not touched', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('touched')
        },
        get: () => {
          throw new Error('touched')
        },
      },
    )
    const tripwire = {
      ...variablesOf({ total: 5, large: trap }),
      keys: () => {
        throw new Error('listed')
      },
    }
    expect(compiled('total > 4 && has(board.large)').evaluate(tripwire)).toEqual({ ok: true, value: true })
    const halfRead = variablesOf({
      order: {
        total: 5,
        get large(): unknown {
          throw new Error('touched')
        },
      },
    })
    expect(compiled('order.total > 4').evaluate(halfRead)).toEqual({ ok: true, value: true })
  })
})

describe('any text', () => {
  const token = fc.constantFrom(
    ...'a b board . .x [ ] ( ) { } : , ? && || ! - + * / % == < in 1 2.5 "t" \'😀\' true null has( size( .all(x, .map(x, x //c " \'\'\' \\ 0x 1e @ ` 😀 for r" b" 5u = and 1e999 a.b{ __proto__ "\\ud800" .. \r \u2028 \0'.split(
      ' ',
    ),
    '\n',
  )
  const soup = fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(' '))

  test('reading and evaluating never throw, and failures have a place in the text', () => {
    const variables = variablesOf({ a: { x: [1, { y: 'z' }] }, x: 2 })
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const { expression, findings } = compileExpression(text, { allVariables: 'board' })
        expect(expression === undefined).toBe(findings.length > 0)
        const result = expression?.evaluate(variables)
        if (result === undefined || result.ok) return
        const { offset, length } = result.failure
        expect(offset >= 0 && offset + length <= text.length).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
