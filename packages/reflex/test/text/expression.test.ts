import { describe, expect, test } from 'vitest'
import { compileExpression, readValuesText, evaluationText } from '../../src/text/index.ts'
import { compiled, outcome, variablesOf } from './variables.ts'

const board = {
  order: { total: 84, state: 'lost', note: null, items: [{ price: 1.5 }, { price: 2 }] },
  total: 49.5,
  ratio: 1,
  vip: true,
  name: 'zoé😀',
  'Part Object': 5,
  board: 'the key',
}

describe('an expression returns', () => {
  test.each<[string, unknown]>([
    ['order.total >= 100', false],
    ['total + 1', 50.5],
    ['ratio * 2.0', 2],
    ['ratio - 0.5', 0.5],
    ['ratio + 1', 2],
    ['ratio < 1.5 && 0.5 < ratio', true],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['-7 % 2', -1],
    ['7 / 2.0', 3.5],
    ['order.total / 2 == 42', true],
    ['[2.0][0] / 4', 0.5],
    ['1 == 1.0 && 1 in [1.0] && {1: true}[1.0]', true],
    ['9007199254740993 > 9007199254740992', true],
    ['9007199254740993 == 9007199254740992.0', false],
    ['order.note == null && has(order.note)', true],
    ['has(order.missing)', false],
    ['order["items"][1].price', 2],
    ['size(name) == 4', true],
    ['"\uffff" < "😀"', true],
    ['board["Part Object"]', 5],
    ['board.board', 'the key'],
    ['"Part Object" in board && !("x" in board)', true],
    ['size(board) == 7 && board.exists(key, key == "vip")', true],
    ['board["na" + "me"] == name', true],
    ['[1, 2, 3].map(x, x > 1, x * x)', [4, 9]],
    ['[1, 2].map(x, [3, 4].map(x, x * 10)) == [[30, 40], [30, 40]]', true],
    ['[1, 2].map(x, [10].map(y, x + y))', [[11], [12]]],
    ['[1, 2].exists_one(x, x > 1) && [1, 2].existsOne(x, x > 1)', true],
    ['{"b": 1, "a": 2}.map(key, key)', ['b', 'a']],
    ['[[1], [1.0]][0] == [1] && {"a": [1]} == {"a": [1.0]}', true],
    ['vip ? "yes" : 1 / 0 == 1 ? "no" : "never"', 'yes'],
    ['timestamp("2026-03-01T00:30:00+02:00")', '2026-02-28T22:30:00Z'],
    ['timestamp("2026-01-01T00:00:00Z") - duration("1.5s")', '2025-12-31T23:59:58.5Z'],
    ['duration("1h30m") + duration("-90m") == duration("0s")', true],
    ['timestamp("2024-12-31T00:00:00Z").getDayOfYear()', 365],
    ["r\"\\d\" + '''a'b'''", "\\da'b"],
    ['true // yes', true],
  ])('%s', (text, value) => {
    expect(outcome(text, board)).toEqual(value)
  })

  test.each([
    ['orde.total > 5', 'absent: orde is not on the board [orde] did you mean "order"?'],
    ['order.totl > 5', 'field: no field "totl" in order [order.totl] did you mean "total"?'],
    ['order.items[2].price', 'field: no element 2: order.items has the elements 0 to 1 [order.items[2]]'],
    ['order.items[-1]', 'field: no element -1: order.items has the elements 0 to 1 [order.items[-1]]'],
    ['order.items[0.5]', 'type: the index of a list must be a whole number, not a number [order.items[0.5]]'],
    ['name.length > 3', 'field: name is text and has no field "length" [name.length]'],
    ['vip && name > 5', 'type: cannot compare text with a number [name > 5]'],
    ['1 + (name + 2)', 'type: cannot add a number to text [name + 2]'],
    ['vip && (name || vip == false)', 'type: || needs true or false, not text [name]'],
    ['name ? 1 : 2', 'type: ? needs true or false, not text [name]'],
    ['vip.all(x, x)', 'type: a loop needs a list or an object, not true or false [vip.all(x, x)]'],
    ['order.items.all(item, item.prise > 0)', 'field: no field "prise" in item [item.prise] did you mean "price"?'],
    ['9223372036854775807 + order.total', 'range: the number does not fit into 64 bits [9223372036854775807 + order.total]'],
    ['9007199254740992 * 1', 'range: JSON cannot hold 9007199254740992 exactly [9007199254740992 * 1]'],
    ['1.0 / 0', 'range: Infinity is not a number of JSON [1.0 / 0]'],
    ['7 % 0', 'range: a whole number was divided by zero [7 % 0]'],
    ['7.5 % 2', 'type: % needs whole numbers [7.5 % 2]'],
    ['{"a": 1, "a": 2}', 'range: the key "a" occurs twice in one map [{"a": 1, "a": 2}]'],
    ['int(name)', 'range: int() needs a text of digits [int(name)]'],
    [
      'timestamp("2026-02-30T00:00:00Z") == null',
      'range: timestamp() needs a text such as "2026-01-31T12:00:00Z" [timestamp("2026-02-30T00:00:00Z")]',
    ],
    [
      '"😀" == name.matches(name + "(")',
      'type: the pattern is not a regular expression of RE2: missing closing ): `zoé😀(` [name.matches(name + "(")]',
    ],
  ])('%s fails', (text, failure) => {
    expect(outcome(text, board)).toBe(failure)
  })

  test('its value although one side fails, if the other side decides', () => {
    for (const text of ['nope > 1 || vip', 'vip || nope > 1', '!(nope > 1 && !vip)', '!(!vip && nope > 1)'])
      expect(outcome(text, board)).toBe(true)
    expect(outcome('[0, 1].exists(x, 2 / x == 2) && ![0, 1].all(x, 2 / x == 1)')).toBe(true)
    expect(outcome('[0, 1].filter(x, 2 / x == 2)')).toContain('divided by zero')
  })

  test('no value that objects inherit', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(outcome(name, board)).toContain('is not on the board')
      expect(outcome(`has(order.${name}) || has(board.${name}) || "${name}" in order`, board)).toBe(false)
      expect(outcome(`order["${name}"]`, board)).toContain('no key')
    }
    const own = JSON.parse('{"__proto__": {"constructor": 1}}') as Record<string, unknown>
    expect(outcome('board["__proto__"].constructor', own)).toBe(1)
    const made = outcome('{"__proto__": 1}') as object
    expect(Object.keys(made)).toEqual(['__proto__'])
  })

  test('a failure when a variable throws or is not JSON', () => {
    const throws = {
      has: () => true,
      get: () => {
        throw new Error('broken')
      },
      keys: () => [],
    }
    expect(compiled('x > 1').evaluate(throws)).toMatchObject({ ok: false, failure: { message: 'a variable could not be read: broken' } })
    expect(outcome('f', { f: () => 1 })).toContain('the value is not JSON')
  })
})

describe('a bad expression is', () => {
  test.each([
    ['', 'R1016', 'the expression is empty'],
    ['a b', 'R1016', 'an operator is missing between "a" and "b"'],
    [String.raw`a == "\U00110000"`, 'R1016', String.raw`\U00110000 is not a character of Unicode`],
    [String.raw`a == 'x\uD800'`, 'R1016', String.raw`\uD800 is not a character of Unicode`],
    ['a or b', 'R1016', '"or" is not an operator'],
    ['not a', 'R1016', '"not" is not an operator'],
    ['a = 5', 'R1016', '"=" is not an operator'],
    ['a === 5', 'R1016', '"=" is not an operator'],
    ['a ? b', 'R1016', 'this ? has no :'],
    ['[a, (b]', 'R1016', '( is closed by ]'],
    ['a)', 'R1016', 'this ) closes nothing'],
    ['"a', 'R1016', 'the text is never closed'],
    ['for > 1', 'R1016', '"for" is a reserved word of CEL'],
    ['a.b{c: 1}', 'R1016', 'there is no type "a.b"'],
    ['9223372036854775808 > a', 'R1016', 'the number does not fit into 64 bits'],
    ['1u == a', 'R1016', 'unsigned numbers are not supported'],
    ['b"x" == a', 'R1016', 'bytes are not supported'],
    ['len(a) > 1', 'R1018', 'there is no function "len"'],
    ['a.size(1) > 1', 'R1018', 'size must be called as size(list)'],
    ['contains(a, "b")', 'R1018', 'contains must be called as text.contains("part")'],
    ['a.all(b)', 'R1018', 'all must be called as list.all(item, condition)'],
    ['a.all(b.c, true)', 'R1018', 'all must be called as list.all(item, condition)'],
    ['has(a)', 'R1018', 'has must be called as has(order.total)'],
    ['constructor()', 'R1018', 'there is no function "constructor"'],
    ['a && 5', 'R1013', 'each side of && must be true or false, not a number'],
    ['a + 1', 'R1013', 'the result of the expression must be true or false, not a sum or difference'],
    ['a ? "x" : "y"', 'R1013', 'the result of the expression must be true or false, not text'],
    ['!size(a)', 'R1013', 'the operand of ! must be true or false, not a number'],
  ])('%s: %s', (text, code, message) => {
    const { expression, findings } = compileExpression(text, { allVariables: 'board', result: 'boolean' })
    expect(expression).toBeUndefined()
    expect(findings).toMatchObject([{ code, message }])
    expect(findings[0]?.fix).toBeTruthy()
    expect(findings[0]?.frame).toContain('│')
  })

  test('reported with all its mistakes together', () => {
    const names = ['order', 'region']
    const { findings } = compileExpression('ordr.total > 5 && lenght(order) > 1 && regon == "EU"', { names, rule: 'E_EXPR' })
    expect(findings.map(({ code, rule, message }) => `${code} ${rule} ${message}`)).toEqual([
      'R1017 E_EXPR there is no name "ordr" here',
      'R1018 E_EXPR there is no function "lenght"',
      'R1017 E_EXPR there is no name "regon" here',
    ])
    expect(findings[0]?.toString()).toContain('^^^^ did you mean "order"?')
    expect(compileExpression('[1].all(x, x == order)', { names }).findings).toEqual([])
  })

  test('shown at its place in the file', () => {
    const locate = ({ offset, length }: { offset: number; length: number }): object => ({ file: 'f', line: 7, column: offset, length })
    expect(compileExpression('a && len(b)', { locate }).findings).toMatchObject([{ file: 'f', line: 7, column: 5, length: 3 }])
  })
})

describe('functions of a host', () => {
  const functions = [
    {
      name: 'glob',
      params: ['string', 'string'],
      returns: 'boolean',
      call: (text: unknown, part: unknown) => String(text).includes(String(part)),
    },
    {
      name: 'broken',
      params: [],
      returns: 'number',
      call: () => {
        throw new Error('no answer')
      },
    },
    { name: 'later', params: ['any'], returns: 'any', call: () => Promise.resolve(1) as never },
    { name: 'wrong', params: [], returns: 'list', call: () => 5 },
  ] as const

  test('receive JSON and return JSON', () => {
    expect(outcome('glob("abc", "b") && vip', board, { functions })).toBe(true)
    expect(outcome('glob(5, "b")', board, { functions })).toBe('type: glob() takes string as argument 1, not a number [glob(5, "b")]')
    expect(outcome('broken() > 1', board, { functions })).toBe('function: broken() failed: no answer [broken()]')
    expect(outcome('later(1)', board, { functions })).toBe('function: later() returned a promise, not a value [later(1)]')
    expect(outcome('wrong()', board, { functions })).toBe('function: wrong() returned a number, not list [wrong()]')
  })

  test('are checked like built-in functions', () => {
    expect(compileExpression('glob("a")', { functions }).findings).toMatchObject([
      { code: 'R1018', message: 'glob must be called as glob(string, string)' },
    ])
    expect(compileExpression('glbo("a", "b")', { functions }).findings[0]?.fix).toBe('write "glob"')
  })
})

describe('the values that an expression read', () => {
  test.each([
    ['order.total >= 100', '84'],
    ['order.total >= 100 && vip', 'order.total 84, vip true'],
    ['has(board.order) && order.total > 5', '84'],
    ['has(board.identity)', 'identity not there'],
    ['identity == "x"', 'identity not there'],
    ['order.items.all(i, i.price > 0)', '[{"price":1.5},{"price":2}]'],
    ['total > 1 && ratio > 1 && vip && name == "" && order.total > 1', 'total 49.5, ratio 1, vip true, name "zoé😀", 1 more'],
    ['1 == 1', ''],
  ])('%s: %s', (text, seen) => {
    expect(readValuesText(compiled(text), variablesOf(board))).toBe(seen)
    expect(evaluationText(compiled(text), variablesOf(board), 'false')).toBe(`${text} is false${seen === '' ? '' : ` (${seen})`}`)
  })
})
