import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { build } from '../../../../src/kinds/tree/lua/expression/build.ts'
import { compileCondition, compileExpression, type Environment } from '../../../../src/kinds/tree/lua/expression/compile.ts'
import { evaluate, run, runCondition } from '../../../../src/kinds/tree/lua/expression/evaluate.ts'
import { reads, type Expression } from '../../../../src/kinds/tree/lua/expression/forms.ts'
import { parseExpression } from '../../../../src/kinds/tree/lua/expression/parse.ts'
import { text } from '../../../../src/kinds/tree/lua/expression/print.ts'
import { environmentOf } from './real-lua.ts'

const BOARD: Readonly<Record<string, Json>> = {
  count: 7,
  rate: 0.004,
  name: 'Ada',
  accent: 'Zoë',
  empty: null,
  order: { items: [{ price: 10 }, { price: 2.5 }], get: 'field' },
  get: 'a key that is called get',
  huge: 'x'.repeat(2_000_000),
  half: 'x'.repeat(600_000),
}
const ENVIRONMENT = environmentOf({ board: BOARD, event: { kind: 'ask', size: 3 } })

function expressionOf(source: string): Expression {
  const parsed = parseExpression(source)
  if ('expression' in parsed) return parsed.expression
  throw new Error('outside' in parsed ? parsed.outside : String(parsed.fault))
}

/** Returns the value, `error: MESSAGE`, or `outside: REASON`. */
function outcome(source: string): unknown {
  const parsed = parseExpression(source)
  if ('outside' in parsed) return `outside: ${parsed.outside}`
  if ('fault' in parsed) return String(parsed.fault)
  const evaluated = evaluate(parsed.expression, ENVIRONMENT)
  return 'error' in evaluated ? `error: ${evaluated.error}` : evaluated.value
}

test.each<[string, Json]>([
  ['bb.rate < 0.01 and bb.count', 7],
  ['return bb.count >= 7;', true],
  ['bb["name"] == "Ada" -- a comment', true],
  ['blackboard.order.items[2].price * 2', 5],
  ['#bb.order.items .. "/" .. bb.count', '2/7'],
  ['bb.get("get"):sub(1, 5) == "a key"', true],
  ['bb.order.get', 'field'],
  ['bb.has("empty") and bb.empty == nil and not bb.has("absent")', true],
  ['ctx.tick_count == 3 and ctx.event.kind == "ask" and ctx.bb.count == 7', true],
  ['10/2 .. ""', '5.0'],
  ['bb.count // 2 + bb.count % -4', 2],
  ['2 ^ 10 == 1024', true],
  ['bb.count ^ 2', 49],
  ['0x7fffffffffffffff + 1 == math.mininteger', true],
  ['math.max(1, bb.rate, math.floor(7.9))', 7],
  ['#bb.accent == 4 and bb.accent:upper() == "ZOë"', true],
  ['bb.order.constructor == nil and bb.order.items.length == nil and bb.name.constructor == nil and bb.__proto__ == nil', true],
  ['bb.order == bb.order and bb.order.items[1] ~= bb.order.items[2]', true],
  ['type(bb.order) .. type(bb.absent) .. tostring(bb.order)', 'tableniltable'],
  ['bb.order.items', [{ price: 10 }, { price: 2.5 }]],
  ['-0.0', 0],
  ['nil', null],
])('%s', (source, expected) => {
  expect(outcome(source)).toStrictEqual(expected)
})

test.each([
  ['bb.empty + 1', "attempt to perform arithmetic on a nil value (field 'empty')"],
  ['bb.count < "x"', 'attempt to compare number with string'],
  ['bb.count > bb.name', 'attempt to compare string with number'],
  ['bb.absent.field', "attempt to index a nil value (field 'absent')"],
  ['bb.order.items[9].price', "attempt to index a nil value (field 'integer index')"],
  ['(bb.empty or bb.absent).x', 'attempt to index a nil value'],
  ['(nil or bb.absent).x', "attempt to index a nil value (field 'absent')"],
  ['bb.name * 2', "attempt to mul a 'string' with a 'number'"],
  ['bb.count // 0', 'attempt to divide by zero'],
  ['bb.count % 0', "attempt to perform 'n%0'"],
  ['bb.name .. bb.order', "attempt to concatenate a table value (field 'order')"],
  ['#bb.count', "attempt to get length of a number value (field 'count')"],
  ['bb.count:len()', "attempt to index a number value (field 'count')"],
  ['bb.order:len()', "attempt to call a nil value (method 'len')"],
  ['math.floor(bb.name)', "bad argument #1 to 'floor' (number expected, got string)"],
  ['bb.accent:sub(4)', 'the string is not UTF-8'],
  ['bb.name[bb.order.get]', undefined],
  ['bb.name.len', "a condition has no function values: 'len' of a string"],
])('%s is the error of Lua', (source, message) => {
  expect(outcome(source)).toBe(message === undefined ? null : `error: ${message}`)
})

test.each([
  ['foo(bb.x)', 'calls foo, which is not one of the functions of conditions'],
  ['math.random() < 0.5', 'calls math.random, which is not one of the functions of conditions'],
  ['os.time()', 'reads os'],
  ['constructor', 'reads constructor'],
  ['math.constructor', 'reads math.constructor'],
  ['bb.name:rep(3)', 'calls the method rep, which is not one of the functions of conditions'],
  ['bb.call()', 'calls a value'],
  ['bb[bb.name]', 'reads bb with a key that is not a literal text'],
  ['bb.get(bb.name)', 'calls bb.get with a key that is not a literal text'],
  ['bb.set("x", 1)', 'uses bb.set'],
  ['bb:get("x")', 'uses bb as a value'],
  ['type(bb)', 'uses bb as a value'],
  ['ctx.secret', 'reads ctx.secret'],
  ['tonumber("ff", 16)', 'calls tonumber with 2 arguments; it takes at most 1'],
  ['tostring', 'uses the function tostring as a value'],
  ['bb.get', 'uses the function bb.get as a value'],
  ['{1}', 'makes a table'],
  ['(function() return true end)()', 'has a function'],
  ['...', 'uses ...'],
  ['bb.x & 1', 'uses the operator &'],
  ['bb.x ^ 0.5', 'has a power whose last digit depends on the machine'],
  ['10 ^ -3', 'has a power whose last digit depends on the machine'],
  ['if bb.x then return true end', 'has a statement: if'],
  ['local x = 1 return x', 'has a statement: local'],
  ['bb.x = 5', 'is an assignment; == compares'],
  ['bb.has("x") return true', 'has several statements'],
  ['return bb.x, bb.y', 'has several values'],
  ['return', 'returns no value'],
])('%s is outside', (source, reason) => {
  expect(outcome(source)).toBe(`outside: ${reason}`)
})

describe('a text that is not Lua', () => {
  test('is the fault R1241 with its place in the text', () => {
    const parsed = parseExpression('bb.count <\n  bb.limit bb.rate', { file: 'trees/x.lua' })
    expect('fault' in parsed && String(parsed.fault)).toMatchInlineSnapshot(`
      "error R1241 (E5001)  trees/x.lua:2:12  the condition is not Lua: "bb" cannot follow this value
      2 │   bb.limit bb.rate
        │            ^^
        fix    put an operator before it, or remove it"
    `)
  })

  test('has the line of the file if it stands in one, and no column', () => {
    const parsed = parseExpression('bb.state = = "done"', { file: 'trees/x.lua', line: 41 })
    expect('outside' in parsed).toBe(true)
    const wrong = parseExpression('(bb.state = "done")', { file: 'trees/x.lua', line: 41 })
    expect('fault' in wrong && String(wrong.fault)).toMatchInlineSnapshot(`
      "error R1241 (E5001)  trees/x.lua:41:1  the condition is not Lua: ")" must stand here, not "="
      41 │ (bb.state = "done")
         │           ^
        fix    write == to compare"
    `)
    expect('fault' in wrong && wrong.fault).toMatchObject({ code: 'R1241', rule: 'E5001', line: 41 })
    expect('fault' in wrong && wrong.fault.column).toBe(undefined)
  })

  test.each([
    ['bb.a && bb.b', 'Lua has no &&', 'write and'],
    ['bb.a != 1', 'Lua has no !=', 'write ~='],
    ['bb.a ? 1 : 2', 'Lua has no ?', 'write a and b or c'],
    ['bb.a ==', 'a value must follow "=="', 'write a value, such as bb.key'],
    ['bb.a == )', 'a value must stand here, not ")"', 'write a value, such as bb.key'],
    ['not bb.a = 1', '"=" cannot follow this value', 'write == to compare'],
    ['bb.end', 'a name must stand here, not "end"', 'write ["end"]'],
    ['bb.name == "Ada', 'this string has no end', 'close it with "'],
    ['[==[ Ada', 'this string has no end', 'close it with ]==]'],
    ['"\\400"', '"\\\\400" is not an escape of Lua', 'write \\\\ for a backslash'],
    ['3x', '"3x" is not a number', 'write a number such as 12, 0.5, 1e3 or 0xff'],
    ['bb.a € 3', '"€" has no meaning in Lua', 'remove it, or write it in a string'],
    [' -- nothing', 'it is empty', 'write a value, such as bb.key'],
  ])('%s', (source, message, fix) => {
    const parsed = parseExpression(source)
    expect('fault' in parsed && [parsed.fault.message, parsed.fault.fix]).toEqual([`the condition is not Lua: ${message}`, fix])
  })
})

describe('limits', () => {
  test.each([
    ['(', 'is nested deeper than 100 levels', 10_000],
    ['not ', 'is nested deeper than 100 levels', 10_000],
    ['- ', 'is nested deeper than 100 levels', 10_000],
    ['bb.a[', 'is nested deeper than 100 levels', 10_000],
    ['type(', 'is nested deeper than 100 levels', 10_000],
    ['bb.a .. ', 'is nested deeper than 100 levels', 5000],
    ['1 + ', 'has more than 500 parts', 10_000],
    ['bb.a.a.a.a or ', 'has more than 500 parts', 4000],
    ['(', 'is longer than 65536 characters', 1_000_000],
  ])('%s many times %s', (part, reason, times) => {
    expect(parseExpression(part.repeat(times))).toEqual({ outside: reason })
  })

  test('the largest expression is evaluated, printed and read', () => {
    const expression = expressionOf(`bb.count${' + 1'.repeat(249)}`)
    expect(evaluate(expression, ENVIRONMENT)).toEqual({ value: 256 })
    expect(expressionOf(text(expression))).toEqual(expression)
    expect(reads(expression)).toEqual(['count'])
  })

  test('a string that is too long is tested for nil and truth, and for nothing else', () => {
    const tested = (source: string): unknown => runCondition(compileCondition(expressionOf(source)), ENVIRONMENT)
    expect(tested('bb.huge and bb.huge ~= nil and not not bb.huge')).toEqual({ value: true })
    const error = 'not enough memory: a condition handles strings of at most 1048576 characters'
    expect(tested('bb.huge == "x"')).toEqual({ error })
    expect(tested('#bb.half > 500000')).toEqual({ value: true })
    expect(tested('bb.half .. bb.half == ""')).toEqual({ error })
  })
})

test('reads lists each key that is read or tested for presence, once, in order', () => {
  const source =
    'bb.b > bb.a.c and (bb.has("flag") or not bb["two words"]) and ctx.bb.z == bb.get("get") and bb.a:len() < math.max(bb.m, bb.b)'
  expect(reads(expressionOf(source))).toEqual(['b', 'a', 'flag', 'two words', 'z', 'get', 'm'])
})

test.each([
  ['(bb.a or bb.b) and not (bb.c == 1)', '(bb.a or bb.b) and not (bb.c == 1)'],
  ['((bb.a)) - (bb.b - 1) - -2 - - bb.c', 'bb.a - (bb.b - 1) - -2 - -bb.c'],
  ['(-2)^2 + -bb.a^2 + (-bb.a)^2', '4.0 + -bb.a ^ 2 + (-bb.a) ^ 2'],
  ['(bb.a..bb.b)..bb.c..bb.d', '(bb.a .. bb.b) .. bb.c .. bb.d'],
  ['bb["end"]["x y"][1].z', 'bb["end"]["x y"][1].z'],
  ["('a\\n\"'):len()", '("a\\n\\""):len()'],
  ['"\\xff\\0é"', '"\\xff\\x00\\xc3\\xa9"'],
  [
    '9223372036854775807 + 9223372036854775808 + 1e400 + -0.0 + 5.0',
    '9223372036854775807 + 9223372036854776000.0 + math.huge + -0.0 + 5.0',
  ],
])('%s is printed in its simplest form', (source, printed) => {
  expect(text(expressionOf(source))).toBe(printed)
  expect(expressionOf(printed)).toEqual(expressionOf(source))
})

test('constructors give the forms that parsing gives', () => {
  const { value, key, index, binary, call, method, power, negate, not, has, context, length } = build
  const built = binary(
    'and',
    binary('<', index(key('order'), value('total')), value(2n ** 60n)),
    binary('or', not(has('x')), binary('==', call('math.abs', negate(value(1.5))), length(method('sub', context('node_id'), value(2n))))),
  )
  expect(text(built)).toBe('bb.order.total < 1152921504606846976 and (not bb.has("x") or math.abs(-1.5) == #ctx.node_id:sub(2))')
  expect(expressionOf(text(built))).toEqual(built)
  expect(key('get')).toEqual(['get', 'get'])
  expect(power(value(2n), value(10n))).toEqual(['float', 1024])
  expect(power(key('a'), key('b'))).toBe(undefined)
})

test('only what an expression reaches is asked of its environment', () => {
  const asked: string[] = []
  const environment: Environment = {
    bb: (key) => void asked.push(key),
    has: (key) => asked.push(key) === 0,
    ctx: (field) => void asked.push(field),
  }
  expect(run(compileExpression(expressionOf('bb.a and bb.b or bb.has("c") and ctx.event or bb.d')), environment)).toEqual({ value: null })
  expect(asked).toEqual(['a', 'c', 'd'])
})

test('an error of the environment is not an error of Lua', () => {
  const environment: Environment = {
    ...ENVIRONMENT,
    bb: () => {
      throw new RangeError('broken')
    },
  }
  expect(() => evaluate(expressionOf('bb.a'), environment)).toThrow('broken')
})
