import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFault, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import { luaToInt } from '../../../../src/kinds/tree/lua/lua-to-int.ts'
import { fault, request, testPool, value } from './harness.ts'

const pool = testPool()
const from = (code: string): Promise<Json> => value(pool, `return ${code}`)
const into = (given: Json, code: string): Promise<Json> => value(pool, `local v = bb.v return ${code}`, { board: { v: given } })
const refused = async (code: string): Promise<string> => {
  const { code: fault_, rule, message } = await fault(pool, code)
  return `${fault_} ${rule} ${message}`
}

// proves: tree 89
describe('values leave Lua as reference 2.9 has it', () => {
  test.each<[string, Json]>([
    ['nil', null],
    ['true', true],
    ['"text é"', 'text é'],
    ['1', 1],
    ['1.0', 1],
    ['1.5', 1.5],
    ['-0.0', 0],
    ['2^53', 2 ** 53],
    ['math.maxinteger', 2 ** 63],
    ['{1, 2}', [1, 2]],
    ['{[2] = "b", [1] = "a"}', ['a', 'b']],
    ['{[1.0] = "a"}', ['a']],
    ['{a = 1}', { a: 1 }],
    ['{1, nil, 3}', { 1: 1, 3: 3 }],
    ['{[0] = "zero"}', { 0: 'zero' }],
    ['{1, a = 2}', { 1: 1, a: 2 }],
    ['{}', {}],
    ['{ {}, {1} }', [{}, [1]]],
    ['1, "b", nil', [1, 'b', null]],
  ])('%s', async (code, json) => {
    expect(await from(code)).toEqual(json)
  })

  test('-0 is 0 and a key __proto__ is a key like others', async () => {
    expect(Object.is(await from('-0.0'), 0)).toBe(true)
    const object = (await from('{ ["__proto__"] = { x = 1 }, constructor = 2 }')) as JsonObject
    expect(Object.keys(object)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  })

  test('a table may be 20 deep, and not 21', async () => {
    const nested = (depth: number): string => `local t = {} for i = 2, ${depth} do t = { t } end return t`
    expect(await value(pool, nested(20))).toBeDefined()
    expect(await refused(nested(21))).toContain('nested deeper than 20 tables')
  })

  test.each([
    ['return 0/0', 'not a number (nan)'],
    ['return { x = 1/0 }', 'x is infinite'],
    ['return { [true] = 1 }', 'boolean key'],
    ['return { [1.5] = 1 }', 'the key 1.5'],
    ['return { [1] = 1, ["1"] = 2 }', 'the key 1 as a text and as a number'],
    ['return { a = { b = print } }', 'a.b is a function'],
    ['return "\\255"', 'not UTF-8'],
    ['local t = {} t.a = { t } return t', 'a[1] contains itself'],
    ['return math', 'belongs to the sandbox'],
  ])('%s is refused', async (code, message) => {
    expect(await refused(code)).toMatch(/^R1242 E1002 /)
    expect(await refused(code)).toContain(message)
  })

  test('what bb.set refuses is an error of Lua, with its cause', async () => {
    const refusal = await fault(pool, 'local x = 1\nbb.set("k", { f = print })')
    expect(refusal).toMatchObject({ code: 'R1242', line: 2, cause: { code: 'R1212', rule: 'E1002' } })
    expect(await value(pool, 'local ok, why = pcall(bb.set, "k", 0/0) return ok, why')).toEqual([false, expect.stringContaining('E1002')])
  })
})

describe('values enter Lua as reference 2.9 has it', () => {
  test.each<[Json, string, Json]>([
    [null, 'v == nil', true],
    [[1, 2], '#v, v[2]', [2, 2]],
    [{ a: { b: 1 } }, 'v.a.b', 1],
    [1, 'math.type(v)', 'integer'],
    [1e15, 'tostring(v)', '1000000000000000'],
    [2 ** 60, 'math.type(v)', 'float'],
    [1.5, 'math.type(v)', 'float'],
    [3, '"turn " .. v', 'turn 3'],
    [[1, null, 3], 'v[1], v[2], v[3]', [1, null, 3]],
    [[1, null, 3], 'v', { 1: 1, 3: 3 }],
    [{ a: null }, 'v.a == nil and next(v) == nil', true],
    ['é\u{1F600}\0x', '#v, v', [8, 'é\u{1F600}\0x']],
  ])('%j: %s', async (given, code, json) => {
    expect(await into(given, code)).toEqual(json)
  })

  test('a list that came in empty goes out as a list, until it has other keys', async () => {
    expect(await into([], 'v')).toEqual([])
    expect(await into({ a: [], b: {} }, 'v')).toEqual({ a: [], b: {} })
    expect(await value(pool, 'local v = bb.v v.x = 1 return v', { board: { v: [] } })).toEqual({ x: 1 })
    expect(await value(pool, 'local v = bb.v v.x = 1 v.x = nil return v', { board: { v: [] } })).toEqual([])
  })

  test('keys of prototypes are keys like others', async () => {
    const given = JSON.parse('{ "__proto__": { "x": 1 }, "constructor": 2 }') as JsonObject
    expect(await into(given, 'v.__proto__.x, v.constructor, v.toString')).toEqual([1, 2, null])
    expect(Object.keys((await into(given, 'v')) as JsonObject)).toEqual(['__proto__', 'constructor'])
    expect(await value(pool, 'return bb.__proto__, bb.toString', { board: JSON.parse('{ "__proto__": 3 }') as JsonObject })).toEqual([
      3,
      null,
    ])
  })

  test('a value that is nested too deep is refused, and harms nothing', async () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(await into(nested(100), 'type(v)')).toBe('table')
    const board = { v: nested(1000) }
    expect(await fault(pool, 'pcall(bb.get, "v")', { board })).toMatchObject({ code: 'R1243', data: { limit: 'depth' } })
  })

  test('a value is a copy', async () => {
    expect(await value(pool, 'local v = bb.v v[1] = 9 return bb.v, bb.get("v")', { board: { v: [1] } })).toEqual([[1], [1]])
  })

  test('JSON goes in and comes out equal, except for null', async () => {
    const json = fc
      .jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
      .filter((it) => !JSON.stringify(it).includes('null') && isPlain(it as Json))
    await fc.assert(
      fc.asyncProperty(json, async (given) => {
        const seen = await into(given as Json, 'v')
        expect(seen).toEqual(JSON.parse(JSON.stringify(given)))
      }),
      { numRuns: 150 },
    )
  })

  test('a number of the host is the same number afterwards', async () => {
    const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger())
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 1 }), async (given) => {
        expect(await into(given, 'v')).toEqual(given.map((it) => (it === 0 ? 0 : it)))
      }),
      { numRuns: 50 },
    )
  })
})

/** True if no object looks like a list: Lua has one kind of table. */
function isPlain(json: Json): boolean {
  if (typeof json !== 'object' || json === null) return true
  if (Array.isArray(json)) return json.every(isPlain)
  return !Object.keys(json).some((key) => /^\d+$/.test(key)) && Object.values(json).every(isPlain)
}

// proves: tree 90
test('luaToInt takes whole numbers and nothing else', () => {
  expect([luaToInt(1), Object.is(luaToInt(-0), 0), luaToInt(-(2 ** 53 - 1))]).toEqual([1, true, -(2 ** 53 - 1)])
  for (const wrong of [1.5, NaN, Infinity, 2 ** 60, '1', null]) {
    expect(() => luaToInt(wrong)).toThrow(expect.toSatisfy((thrown) => isFault(thrown) && thrown.rule === 'E1002'))
  }
})

test('what is written comes back in its order', async () => {
  const result = await pool.run(
    request('bb.set("a", 1) bb.set("a", { 2 }) local had = bb.delete("b") bb.delete("c") return had, bb.has("b"), bb.a', {
      board: { b: 1 },
    }),
  )
  expect(result).toMatchObject({
    ok: true,
    value: [true, false, [2]],
    writes: [
      ['set', 'a', 1],
      ['set', 'a', [2]],
      ['delete', 'b'],
    ],
  })
})
