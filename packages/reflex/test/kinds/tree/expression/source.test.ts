import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { build } from '../../../../src/kinds/tree/lua/expression/build.ts'
import { compileExpression } from '../../../../src/kinds/tree/lua/expression/compile.ts'
import { parseNumber } from '../../../../src/kinds/tree/lua/expression/numbers.ts'
import { parseExpression } from '../../../../src/kinds/tree/lua/expression/parse.ts'
import { text } from '../../../../src/kinds/tree/lua/expression/print.ts'
import { describeOutcome, describeValue, environmentOf, startLua, type RealLua } from './real-lua.ts'

const SCENE = { board: { a: 7, b: 'text', list: [1, 'two', [3]], o: { x: { y: false } }, f: 2.5, k: null }, event: { kind: 'e' } }
const RUNS = Number(process.env['EXPRESSION_RUNS'] ?? 1000)

let lua: RealLua

beforeAll(async () => {
  lua = await startLua()
  lua.enter(SCENE)
})

/** A text that we read has the meaning that Lua gives it, and a text with a fault is not Lua. */
function checkSource(source: string): void {
  const parsed = parseExpression(source)
  if ('expression' in parsed) {
    const ours = describeOutcome(() => compileExpression(parsed.expression)(environmentOf(SCENE)))
    const theirs = lua.describe(source)
    if (!theirs.includes("'huge'")) expect(`${source} => ${ours}`).toBe(`${source} => ${theirs}`)
    expect(parseExpression(text(parsed.expression))).toEqual(parsed)
  } else if ('fault' in parsed && !parsed.fault.message.endsWith('it is empty')) {
    expect(`${source} is Lua: ${lua.isLua(source)}`).toBe(`${source} is Lua: false`)
  }
}

const TOKENS = (
  'bb.a bb.b bb.list bb.o bb.f bb.k bb["a"] bb.get("a") bb.has("k") ctx.event ctx.tick_count ctx.bb.a blackboard type tostring ' +
  'math.floor math.max math.huge string.sub string.len ( ) ( ) [ ] [1] .x .y :len() :upper() :sub + - * / // % ^ .. < <= > == ~= and or not ' +
  "# 1 2 0.5 0x1p4 3e 1.. 'q' [[u]] nil true = , ; return { } if then end function do foo ... ~ & | << :: goto local while break != && ? \" \\"
).split(' ')

test('a sequence of tokens means what Lua makes of it, or is outside, and a fault is not Lua', () => {
  const tokens = fc.array(fc.constantFrom(...TOKENS, '"s"', '--c\n', '--[[c]]'), { maxLength: 9 })
  fc.assert(
    fc.property(tokens, fc.constantFrom(' ', ' ', '', '\n'), (list, between) => checkSource(list.join(between))),
    { numRuns: RUNS },
  )
})

test('a wrong or right literal of a string is read as Lua reads it', () => {
  const PARTS = [
    '\\',
    '\\',
    'x',
    'u',
    '{',
    '}',
    'z',
    'n',
    'a',
    'F',
    '0',
    '2',
    '5',
    '9',
    '"',
    "'",
    '\n',
    '\r',
    ' ',
    'é',
    '𝄞',
    '\\"',
    '\\u{7FFFFFFF}',
    ']]',
    '\\x41',
  ]
  const bodies = fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join(''))
  const quotes = fc.constantFrom(['"', '"'], ["'", "'"], ['[[', ']]'], ['[==[', ']==]'], ['[=[\r\n', ']=]'], ['--[[', ']] 1'])
  fc.assert(
    fc.property(quotes, bodies, ([open, close], body) => checkSource(`${open}${body}${close}`)),
    { numRuns: RUNS },
  )
})

test('a text is the number that Lua makes of it', () => {
  const UNITS = '0011223456789abfxXpPeE+-..  \t_'
  const digits = fc.array(fc.constantFrom(...UNITS.split('')), { maxLength: 12 }).map((parts) => parts.join(''))
  const texts = fc.tuple(fc.constantFrom('', '0x', '-0x', '9007199254740993', '922337203685477580', '0x1.8p-107', '1e-32'), digits)
  fc.assert(
    fc.property(texts, ([start, rest]) => {
      const number = start + rest
      expect(`${number}: ${describeValue(parseNumber(number))}`).toBe(`${number}: ${lua.describeNumber(number)}`)
      checkSource(`(${number})`)
    }),
    { numRuns: RUNS },
  )
})

test('a float is printed with 14 digits, as Lua rounds it', () => {
  const ties = fc.tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 0, max: 60 }))
  const floats = fc.oneof(
    fc.double({ noNaN: true }),
    ties.map(([a, b, shift]) => (a * 1e7 + b + 0.5) / 2 ** (shift % 8) / 10 ** (shift >> 3)),
  )
  fc.assert(
    fc.property(floats, (float) => checkSource(`${text(build.value(float))} .. ""`)),
    { numRuns: RUNS },
  )
})
