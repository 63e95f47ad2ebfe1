import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../../src/kernel/index.ts'
import { schemaSource } from '../../../src/kinds/workflow/model/board-schemas/board-schemas.ts'
import { schemaIssues } from '../../../src/text/json-schema/check.ts'
import { schemaFindings } from '../../../src/text/json-schema/schema-findings.ts'

const objections = (schema: Json, value: Json): string[] =>
  schemaIssues(schema, value).map(({ message, path }) => [...path, message].join(' '))

describe('a value and its JSON Schema', () => {
  test.each<[JsonObject, Json, string[]]>([
    [{}, { anything: [1] }, []],
    [{ type: 'integer' }, 1.5, ['must be an integer']],
    [{ type: ['string', 'null'] }, 1, ['must be a string or null']],
    [{ type: 'number', minimum: 0, exclusiveMaximum: 10 }, 10, ['must be less than 10']],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ multipleOf: 0.1 }, 0.35, ['must be a multiple of 0.1']],
    [{ enum: ['a', { b: 1 }] }, { b: 1 }, []],
    [{ enum: ['a'] }, 'b', ['must be one of "a"']],
    [{ const: null }, 0, ['must be null']],
    [{ minLength: 2, maxLength: 2 }, '👍👍', []],
    [{ pattern: '^[A-Z]-\\d+$' }, 'A-1042', []],
    [{ pattern: '^\\u00e9$' }, 'é', []],
    [{ pattern: '^[A-Z]-\\d+$' }, 'a', ['must match ^[A-Z]-\\d+$']],
    [{ format: 'email' }, 'ana', ['must have the format email']],
    [{ format: 'date-time' }, '2026-11-21T14:02:07+01:00', []],
    [{ format: 'what nobody knows' }, 'x', []],
    [{ required: ['id'], properties: { id: { type: 'string' } } }, { id: 1 }, ['id must be a string']],
    [{ required: ['toString'] }, {}, ['must have the key "toString"']],
    [{ properties: {}, additionalProperties: false }, { toString: 1 }, ['toString is not a known key']],
    [
      { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: { type: 'string' } },
      { n_a: 1, b: 2 },
      ['b must be a string'],
    ],
    [{ propertyNames: { pattern: '^a' } }, { b: 1 }, ['must not have the key "b"']],
    [{ minProperties: 1, dependentRequired: { a: ['b'] } }, { a: 1 }, ['must have the key "b"']],
    [{ items: { type: 'number' } }, [1, 'b'], ['1 must be a number']],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], ['1 no value is allowed here']],
    [{ items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 'b'], ['1 must be a number']],
    [
      { uniqueItems: true, minItems: 3 },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['must have at least 3 items', 'must not have equal items'],
    ],
    [{ contains: { type: 'number' }, minContains: 2 }, [1, 'a'], ['must contain at least 2 matching items']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ['must be a string or null']],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['must match exactly one of 2 shapes, but matches 2']],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, ['must be at most 2']],
    [{ not: { type: 'string' } }, 'a', ['must not match the schema of "not"']],
    [{ if: { required: ['card'] }, else: { required: ['cash'] } }, { card: 1 }, []],
    [{ if: { required: ['card'] }, else: { required: ['cash'] } }, {}, ['must have the key "cash"']],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 1, ['must be a string']],
    [{ type: 'object', default: {}, title: 'x', 'x-mine': 1 }, {}, []],
  ])('%j and %j', (schema, value, expected) => {
    expect(schemaFindings({ key: schema })).toEqual([])
    expect(objections(schema, value)).toEqual(expected)
  })

  const tree: JsonObject = { type: 'object', required: ['kids'], properties: { kids: { type: 'array', items: { $ref: '#' } } } }

  test('a schema may refer to itself', () => {
    expect(objections(tree, { kids: [{ kids: [] }] })).toEqual([])
    expect(objections(tree, { kids: [{ kids: 1 }] })).toEqual(['kids 0 kids must be an array'])
  })

  test('an endless schema is refused, with the same result each time', () => {
    const doubling: Record<string, Json> = { n0: { type: 'string' } }
    for (let i = 1; i < 60; i++) doubling[`n${i}`] = { allOf: [{ $ref: `#/$defs/n${i - 1}` }, { $ref: `#/$defs/n${i - 1}` }] }
    expect(objections({ $ref: '#' }, 1)).toEqual(['the schema is nested more than 1000 levels deep'])
    expect(objections({ $ref: '#/$defs/n59', $defs: doubling }, 'a')).toEqual(['the value is too large for its schema'])
    expect(objections({ pattern: '^(a+)+$' }, `${'a'.repeat(10_000)}!`)).toEqual(['must match ^(a+)+$'])
  })

  test('agrees with zod, for schemas that both accept', () => {
    const leaf = fc.oneof(
      fc.constant(z.string()),
      fc.constant(z.int()),
      fc.constant(z.boolean()),
      fc.constant(z.null()),
      fc.constant(z.number().min(0).max(3)),
      fc.constant(z.enum(['a', 'b'])),
      fc.constant(z.string().min(1).regex(/^a/)),
    )
    const schema: fc.Arbitrary<z.ZodType> = fc.letrec<{ any: z.ZodType }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        leaf,
        tie('any').map((inner) => z.array(inner).max(3)),
        tie('any').map((inner) => z.record(z.string(), inner)),
        tie('any').map((inner) => inner.nullable()),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => z.object({ a, b: b.optional() })),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => z.strictObject({ a: a.optional(), b })),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => z.union([a, b])),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => z.tuple([a, b])),
      ),
    })).any
    const words = fc.constantFrom('a', 'b', 'ab', '')
    const value = fc.letrec<{ any: Json }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(words, fc.constantFrom<Json>(0, 1, 1.5, 4, true, null)),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(words, tie('any'), { maxKeys: 3 }),
      ),
    })).any
    fc.assert(
      fc.property(schema, value, (validator, given) => {
        const source = schemaSource(validator)
        if (!('schema' in source)) throw new Error(source.reason)
        expect(schemaIssues(source.schema, given).length === 0).toBe(validator.safeParse(given).success)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a schema that cannot be checked', () => {
  test.each<[JsonObject, string, string]>([
    [{ type: 'strnig' }, 'board.key.type', 'board.key.type cannot be "strnig"'],
    [{ properties: { a: { type: 1 } } }, 'board.key.properties.a.type', 'cannot be'],
    [{ properties: { a: 'string' } }, 'board.key.properties.a', 'expects'],
    [{ required: 'id' }, 'board.key.required', 'expects a list'],
    [{ exclusiveMinimum: true }, 'board.key.exclusiveMinimum', 'expects a number'],
    [{ items: { pattern: '(?=a)' } }, 'board.key.items.pattern', 'cannot be matched'],
    [{ patternProperties: { '(a)\\1': {} } }, 'board.key.patternProperties["(a)\\\\1"]', 'cannot be matched'],
    [{ pattern: '(' }, 'board.key.pattern', 'cannot be matched'],
    [{ $ref: 'other.json#/a' }, 'board.key.$ref', 'refers to a part that this schema does not have'],
    [{ anyOf: [{}, { $ref: '#/$defs/a' }] }, 'board.key.anyOf[1].$ref', 'refers to a part that this schema does not have'],
    [{ unevaluatedProperties: false }, 'board.key.unevaluatedProperties', 'is not checked'],
  ])('%j', (schema, path, message) => {
    const [finding, ...more] = schemaFindings({ key: schema })
    expect(finding).toMatchObject({ code: 'R1059', path, message: expect.stringContaining(message) as string })
    expect(more).toEqual([])
  })

  test('a schema that is not JSON', () => {
    const circle: Record<string, unknown> = {}
    circle['not'] = circle
    expect(schemaFindings({ key: circle })).toMatchObject([{ code: 'R1059' }])
  })
})

describe('a validator as JSON Schema', () => {
  test.each([
    ['an object', z.object({ id: z.string(), total: z.number() })],
    ['a format', z.object({ at: z.iso.datetime(), mail: z.email(), id: z.uuid(), link: z.url() })],
    ['a union', z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })])],
    ['a default', z.object({ a: z.number().default(1) })],
    ['any JSON', z.json()],
  ])('%s', (_, validator) => expect(schemaSource(validator)).toHaveProperty('schema'))

  test.each([
    ['a refinement', z.object({ a: z.string().refine((text) => text !== 'no') }), 'it has a refinement'],
    ['a transformation', z.string().transform(Number), 'it changes values'],
    ['trimming', z.string().trim(), 'it changes values'],
    ['coercion', z.object({ n: z.coerce.number() }), 'it changes values'],
    ['a date', z.date(), 'Date cannot be represented in JSON Schema'],
    ['a flag', z.string().regex(/a/i), 'its pattern has the flag i'],
    ['a look ahead', z.string().regex(/(?=a)/), 'cannot be matched'],
    ['a function', z.custom(() => true), 'Custom types cannot be represented'],
  ])('%s is more than that', (_, validator, reason) =>
    expect(schemaSource(validator)).toMatchObject({ reason: expect.stringContaining(reason) as string }),
  )

  test('another vendor has one, or has none', () => {
    const own = { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) } as const
    expect(schemaSource({ '~standard': own })).toEqual({ reason: 'mine has no JSON Schema' })
    const described = { ...own, jsonSchema: { input: () => ({ type: 'string' }) } }
    expect(schemaSource({ '~standard': described })).toEqual({ schema: { type: 'string' } })
    const refusing = {
      ...own,
      jsonSchema: {
        input: () => {
          throw new Error('a predicate')
        },
      },
    }
    expect(schemaSource({ '~standard': refusing })).toEqual({ reason: 'a predicate' })
  })
})
