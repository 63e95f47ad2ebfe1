import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Validator } from '../../../../src/kernel/index.ts'
import { SchemaValidationError, TreeDefinitionError, TreeLoadError } from '../../../../src/kinds/tree/board/errors.ts'
import { luaToInt } from '../../../../src/kinds/tree/board/lua-int.ts'
import { schemaOf, type SchemaType } from '../../../../src/kinds/tree/board/schema.ts'
import { typeOf, valuePreview } from '../../../../src/kinds/tree/board/value-text.ts'
import { faultOf } from './board-fixtures.ts'

function fits(type: SchemaType, value: unknown): boolean {
  return schemaOf(type).validate(value).issues === undefined
}

const VALUES = { null: null, text: 'a', whole: 3, part: 3.5, flag: true, list: [1], object: { a: 1 } }

describe('a schema by name', () => {
  test.each<[SchemaType, (keyof typeof VALUES)[]]>([
    ['any', ['null', 'text', 'whole', 'part', 'flag', 'list', 'object']],
    ['str', ['text']],
    ['int', ['whole']],
    ['float', ['whole', 'part']],
    ['bool', ['flag']],
    ['list', ['list']],
    ['dict', ['object']],
  ])('accepts its values only: %s', (type, accepted) => {
    expect(Object.entries(VALUES).flatMap(([name, value]) => (fits(type, value) ? [name] : []))).toEqual(accepted)
  })

  test('has other spellings', () => {
    const pairs = [
      ['string', 'str'],
      ['number', 'float'],
      ['integer', 'int'],
      ['boolean', 'bool'],
      ['array', 'list'],
      ['object', 'dict'],
    ] as const
    for (const [alias, name] of pairs) expect(schemaOf(alias).equals(schemaOf(name))).toBe(true)
    expect(schemaOf('str').equals(schemaOf('int'))).toBe(false)
  })

  test('can be registered by the host', () => {
    const query = z.object({ text: z.string() })
    const registry = { OracleQuery: query, 'types.Count': { type: 'integer' } }
    const schema = schemaOf('OracleQuery', registry)
    expect([schema.name, schema.admitsList, schema.equals(schemaOf(query))]).toEqual(['OracleQuery', false, true])
    expect(schema.validate({ text: 1 }).issues).toMatchObject([{ path: ['text'] }])
    expect(schemaOf('types.Count', registry).validate(1)).toEqual({ value: 1 })
    const fault = faultOf(() => schemaOf('OracleQeury', registry))
    expect(fault).toBeInstanceOf(SchemaValidationError)
    expect(fault).toBeInstanceOf(TreeDefinitionError)
    expect(fault).toBeInstanceOf(TreeLoadError)
    expect(fault).toMatchObject({ code: 'R1202', rule: 'E4002', fix: 'write "OracleQuery"' })
    expect(faultOf(() => schemaOf('toString')).code).toBe('R1202')
    expect(faultOf(() => schemaOf(5 as never)).code).toBe('R1202')
  })
})

describe('a JSON Schema', () => {
  test('is checked with its keywords, in bounded work', () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', pattern: '^(a+)+$' } },
      not: { required: ['x'] },
    }
    expect(fits(schema, { id: 'aaa' })).toBe(true)
    expect(fits(schema, { id: 'aaa', x: 1 })).toBe(false)
    expect(fits(schema, { id: `${'a'.repeat(50_000)}b` })).toBe(false)
    expect(schemaOf(schema).equals(schemaOf(structuredClone(schema)))).toBe(true)
    expect(schemaOf({ type: 'string', title: 'Name' }).name).toBe('Name')
  })

  test.each([
    [{ type: 'strin' }],
    [{ type: 'string', pattern: '(?=a)' }],
    [{ $ref: 'https://example.com/schema' }],
    [{ unevaluatedProperties: false }],
    [{ minLength: -1 }],
  ])('that cannot be checked is refused when it is declared: %j', (schema) => {
    const fault = faultOf(() => schemaOf(schema))
    expect(fault).toMatchObject({ code: 'R1202', rule: 'E4002', cause: { code: 'R1059' } })
    expect(fault).toBeInstanceOf(SchemaValidationError)
  })

  test.each<[boolean, SchemaType]>([
    [true, 'any'],
    [true, 'list'],
    [false, 'dict'],
    [true, {}],
    [true, { type: ['array', 'null'] }],
    [false, { type: 'object' }],
    [false, { enum: [1, 2] }],
    [false, { const: 1 }],
    [true, { anyOf: [{ type: 'string' }, { type: 'array' }] }],
    [false, { oneOf: [{ type: 'string' }, { type: 'number' }] }],
    [false, { allOf: [{ type: 'array' }, { type: 'string' }] }],
    [true, { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#' } } } }],
    [false, { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }],
    [true, { $ref: '#' }],
    [true, z.array(z.string())],
    [false, z.string()],
    [false, z.string().transform((text) => [text])],
  ])('admits lists: %s', (admits, type) => {
    expect(schemaOf(type).admitsList).toBe(admits)
  })
})

describe('a validator', () => {
  const validator = (validate: Validator['~standard']['validate']): Validator => ({ '~standard': { version: 1, vendor: 'test', validate } })

  test('gives the value to store, as a frozen copy', () => {
    const result = schemaOf(z.object({ n: z.number().default(1) })).validate({})
    expect(result).toEqual({ value: { n: 1 } })
    expect(Object.isFrozen(result.issues === undefined ? result.value : undefined)).toBe(true)
  })

  test('that answers later, throws or gives no JSON refuses the value', async () => {
    for (const broken of [
      validator(() => Promise.reject(new Error('later'))),
      validator(() => {
        throw new Error('broken')
      }),
      validator(() => ({ value: new Date(0) })),
      validator(() => ({ issues: 5 }) as never),
      validator(() => ({ issues: [null] }) as never),
      validator(() => ({ issues: [{ message: 5, path: 5 }] }) as never),
      validator(() => undefined as never),
    ])
      expect(schemaOf(broken).validate('x').issues).toHaveLength(1)
    await Promise.resolve()
  })

  test('is what the kernel takes', () => {
    const { '~standard': standard } = schemaOf('int')
    expect([standard.validate(1), standard.version]).toEqual([{ value: 1 }, 1])
    expect(standard.validate(1.5)).toMatchObject({ issues: [{ message: 'must be a whole number' }] })
  })
})

describe('values of Lua', () => {
  // proves: tree 89, tree TS-01
  test('that are empty tables become lists where only a list fits', () => {
    expect(schemaOf('list').validate({})).toEqual({ value: [] })
    expect(schemaOf('any').validate({})).toEqual({ value: {} })
    expect(schemaOf('dict').validate({})).toEqual({ value: {} })
    expect(schemaOf({ type: 'array', maxItems: 2 }).validate({})).toEqual({ value: [] })
    expect(schemaOf(z.array(z.number())).validate({})).toEqual({ value: [] })
    const nested = { type: 'object', properties: { items: { type: 'array' }, meta: { type: 'object' } } }
    expect(schemaOf(nested).validate({ items: {}, meta: {} })).toEqual({ value: { items: [], meta: {} } })
    expect(schemaOf(z.object({ rows: z.array(z.array(z.int())) })).validate({ rows: [{}, [1], {}] })).toEqual({
      value: { rows: [[], [1], []] },
    })
    expect(fits({ type: 'array', minItems: 1 }, {})).toBe(false)
    expect(fits('list', new Date(0))).toBe(false)
    expect(fits('list', { a: 1 })).toBe(false)
  })

  test('that are many empty tables are repaired in one pass', () => {
    const rows = Array.from({ length: 20_000 }, () => ({}))
    const result = schemaOf(z.array(z.array(z.int()))).validate(rows)
    expect(result.issues === undefined && Array.isArray(result.value) && result.value.every((row) => Array.isArray(row))).toBe(true)
  })

  // proves: tree 90
  test('that are numbers are whole if nothing stands behind the point', () => {
    expect([luaToInt(1.0), Object.is(luaToInt(-0), 0), luaToInt(2 ** 53 - 1)]).toEqual([1, true, 2 ** 53 - 1])
    for (const value of [1.5, Number.NaN, 2 ** 60, '1', null, Number.POSITIVE_INFINITY, 1n, undefined])
      expect(faultOf(() => luaToInt(value))).toMatchObject({ code: 'R1212', rule: 'E1002', data: { expected_schema: 'int' } })
    expect([
      fits('int', 3),
      fits('int', 3.5),
      fits('int', Number.NaN),
      fits('float', Number.NaN),
      fits('any', Number.NEGATIVE_INFINITY),
    ]).toEqual([true, false, false, false, false])
    expect(Object.is((schemaOf('int').validate(-0) as { value: unknown }).value, 0)).toBe(true)
  })
})

test('a preview shows the beginning of any value, without characters that act on a terminal', () => {
  const cycle: Record<string, unknown> = { name: 'x' }
  cycle['self'] = cycle
  expect(valuePreview({ a: [1, 'b', null], c: true })).toBe('{"a":[1,"b",null],"c":true}')
  expect(valuePreview('\u001b[31m\ud800')).not.toContain('\u001b')
  for (const value of [
    cycle,
    Array.from({ length: 1e5 }, () => ({})),
    { ['k'.repeat(1000)]: 1 },
    'x'.repeat(1000),
    JSON.parse('['.repeat(500) + ']'.repeat(500)),
  ])
    expect(valuePreview(value)).toHaveLength(100)
  expect([typeOf([]), typeOf(new Map()), typeOf(Object.create(null)), typeOf(1), typeOf(1.5), typeOf(1n), typeOf(undefined)]).toEqual([
    'list',
    'Map',
    'dict',
    'int',
    'float',
    'bigint',
    'undefined',
  ])
})
