import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readJson } from '../../src/text/json.ts'
import { checkSchema } from '../../src/text/schema.ts'

const shape = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('circle'), radius: z.number().min(0) }),
  z.strictObject({ type: z.literal(['square', 'box']), side: z.number(), label: z.string().optional() }),
])
const schema = z.strictObject({
  name: z.string(),
  color: z.enum(['red', 'green']).optional(),
  size: z.union([z.string(), z.number()]).optional(),
  shapes: z.array(shape).optional(),
  byName: z.record(z.string(), z.strictObject({ depth: z.int().default(1) })).optional(),
  inner: z
    .lazy(() => z.strictObject({ flag: z.boolean() }))
    .nullable()
    .optional(),
  either: z.union([z.strictObject({ left: z.string() }), z.strictObject({ right: z.strictObject({ deep: z.string() }) })]).optional(),
})

function check(text: string): string[] {
  const json = readJson(text)
  return checkSchema(schema, json.value, { locate: (path, at) => json.details(path, at) }).map(
    ({ code, line, column, length, path, message, fix }) => `${code} ${line}:${column}+${length} ${path ?? '-'} · ${message} · ${fix}`,
  )
}

describe('the shape of a value', () => {
  test('is right', () => {
    expect(check('{"name": "a", "shapes": [{"type": "box", "side": 1}], "inner": null}')).toEqual([])
  })

  test.each([
    ['{"name": 5}', ['R1013 1:10+1 name · name expects a string, found a number · write a string']],
    ['[]', ['R1013 1:1+1 - · the top level expects an object, found a list · write an object']],
    ['null', ['R1013 1:1+4 - · the top level expects an object, found null · write an object']],
    ['{}', ['R1012 1:1+1 - · the top level has no "name" · add "name"']],
    ['{"name": "a", "colour": "red"}', ['R1011 1:15+8 colour · no attribute "colour" · write "color"']],
    ['{"nmae": "a"}', ['R1011 1:2+6 nmae · no attribute "nmae" · write "name"']],
    ['{"name": "a", "color": "gren"}', ['R1014 1:24+6 color · color cannot be "gren" · write "green"']],
    ['{"name": "a", "color": 1}', ['R1014 1:24+1 color · color cannot be a number · write one of "red", "green"']],
    ['{"name": "a", "size": true}', ['R1013 1:23+4 size · size expects a string or a number, found true · write a string or a number']],
    [
      '{"name": "a", "shapes": [{"type": "circel", "radius": -1}]}',
      ['R1014 1:35+8 shapes[0].type · shapes[0].type cannot be "circel" · write "circle"'],
    ],
    [
      '{"name": "a", "shapes": [{"radius": 1}]}',
      ['R1012 1:26+1 shapes[0] · shapes[0] has no "type" · add "type": one of "circle", "square", "box"'],
    ],
    ['{"name": "a", "shapes": [{"type": "box"}]}', ['R1012 1:26+1 shapes[0] · shapes[0] has no "side" · add "side"']],
    [
      '{"name": "a", "shapes": [{"type": "box", "side": 1, "lable": "x"}]}',
      ['R1011 1:53+7 shapes[0].lable · no attribute "lable" in shapes[0] · write "label"'],
    ],
    ['{"name": "a", "shapes": [7]}', ['R1013 1:26+1 shapes[0] · shapes[0] expects an object, found a number · write an object']],
    [
      '{"name": "a", "byName": {"x y": {"dept": 1}}}',
      ['R1011 1:34+6 byName["x y"].dept · no attribute "dept" in byName["x y"] · write "depth"'],
    ],
    ['{"name": "a", "inner": {"flg": true}}', ['R1011 1:25+5 inner.flg · no attribute "flg" in inner · write "flag"']],
    [
      '{"name": "a", "either": {"right": {"deep": 1}}}',
      ['R1013 1:44+1 either.right.deep · either.right.deep expects a string, found a number · write a string'],
    ],
  ])('%s', (text, expected) => {
    expect(check(text)).toEqual(expected)
  })

  test('may break a bound', () => {
    expect(check('{"name": "a", "shapes": [{"type": "circle", "radius": -1}]}')[0]).toMatch(/^R1015 1:55\+2 shapes\[0\]\.radius · /)
  })

  test('has one fault for each mistake, at every place', () => {
    expect(check('{"nam": 1, "zzz": 2, "size": [], "inner": {}}')).toHaveLength(4)
  })

  test('is also checked without a text', () => {
    const [finding] = checkSchema(schema, { name: 'a', size: {} }, { rule: 'SHAPE' })
    expect(Object.keys(finding?.toJSON() ?? {})).toEqual(['code', 'rule', 'message', 'verdict', 'path', 'fix'])
    expect(finding).toMatchObject({ code: 'R1013', rule: 'SHAPE', path: 'size' })
    expect(checkSchema(schema, { name: undefined })[0]).toMatchObject({ code: 'R1012', message: 'the top level has no "name"' })
    expect(checkSchema(schema, JSON.parse('{"name":"a","__proto__":1}'))[0]).toMatchObject({ code: 'R1011', path: '__proto__' })
  })

  test('lets the caller give the fix for an attribute that resembles no other', () => {
    const advise = (path: readonly unknown[], key: string): string => `${path.length} ${key}`
    expect(checkSchema(schema, { name: 'a', qqqq: 1 }, { advise })[0]?.fix).toBe('0 qqqq')
  })

  test('is checked fast when everything is wrong', () => {
    const value = { name: 'a', byName: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`n${i}`, { dept: 1, extra: 2 }])) }
    expect(checkSchema(schema, value)).toHaveLength(10_000)
  })
})
