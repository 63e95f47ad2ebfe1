import { z } from 'zod'
import { copyJson, type Fault, isFault, isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { faults } from '../faults.ts'
import { once } from '../once.ts'
import { type Path, pathText } from '../path.ts'
import { quote } from '../printable.ts'
import { checkSchema, type Locator, pathOnly } from '../schema.ts'
import { resolveReference, schemaIssues } from './check.ts'
import { patternProblem } from './pattern.ts'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

/** The schema of a board: each key has a JSON Schema, checked by its known keywords. Unknown keywords are allowed. */
const boards = once(() => z.object({ board: z.record(z.string(), jsonSchema()) }))

function jsonSchema(): z.ZodType {
  const inner: z.ZodType = z.lazy(() => z.union([object, z.boolean()]))
  const schemaList = z.array(inner).optional()
  const schemaMap = z.record(z.string(), inner).optional()
  const optionalSchema = inner.optional()
  const object: z.ZodType = z.looseObject({
    ...plainKeywords(),
    allOf: schemaList,
    anyOf: schemaList,
    oneOf: schemaList,
    not: optionalSchema,
    if: optionalSchema,
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: optionalSchema,
    else: optionalSchema,
    $defs: schemaMap,
    definitions: schemaMap,
    items: z.union([inner, z.array(inner)]).optional(),
    prefixItems: schemaList,
    additionalItems: optionalSchema,
    contains: optionalSchema,
    properties: schemaMap,
    patternProperties: schemaMap,
    additionalProperties: optionalSchema,
    propertyNames: optionalSchema,
    dependentSchemas: schemaMap,
  })
  return object
}

/** Returns the schemas of keywords that hold no schemas. */
function plainKeywords(): Readonly<Record<string, z.ZodType>> {
  const number = z.number().optional()
  const size = z.int().min(0).optional()
  const keys = z.array(z.string())
  const type = z.enum(TYPES)
  return {
    type: z.union([type, z.array(type)]).optional(),
    enum: z.array(z.json()).optional(),
    $ref: z.string().optional(),
    minLength: size,
    maxLength: size,
    pattern: z.string().optional(),
    format: z.string().optional(),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: z.number().positive().optional(),
    minItems: size,
    maxItems: size,
    uniqueItems: z.boolean().optional(),
    minContains: size,
    maxContains: size,
    required: keys.optional(),
    minProperties: size,
    maxProperties: size,
    dependentRequired: z.record(z.string(), keys).optional(),
  }
}

/** Returns a schema without the parts that cannot be checked: patterns with lookahead, references to other documents, rare keywords. */
export function checkablePart(schema: JsonObject): JsonObject {
  const kept = structuredClone(schema)
  for (const { at } of schemaProblems(schema, [], schema)) {
    const parent = at
      .slice(0, -1)
      .reduce<unknown>((value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined), kept)
    if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, at.at(-1) ?? '')
  }
  return kept
}

/** Keywords that restrict values but are not checked. Ignoring them silently would accept invalid values. */
const UNCHECKED = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef', 'dependencies']

/** Returns the findings about the JSON Schemas of a board, each with its place: `R1059`. Unknown keywords are not mistakes. */
export function schemaFindings(board: Readonly<Record<string, unknown>>, locate: Locator = pathOnly): Fault[] {
  return Object.entries(board).flatMap(([key, schema]) => {
    const path: Path = ['board', key]
    try {
      const json = copyJson(schema, key)
      const shape = checkSchema(boards(), { board: { [key]: json } }, { locate }).map(toSchemaFault)
      return [...shape, ...meaningFindings(json, path, locate)]
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      return [schemaFault(`the schema of ${quote(key)} is not JSON: ${thrown.message}`, path, locate, 'write a JSON Schema or a validator')]
    }
  })
}

/** Returns the misfits of a value against a JSON Schema, as boards judge it. Throws `R1059` for a schema that cannot be used. */
export function jsonSchemaIssues(schema: JsonObject, value: Json): ReturnType<typeof schemaIssues> {
  const [finding] = schemaFindings({ schema })
  if (finding !== undefined) throw finding
  return schemaIssues(schema, value)
}

/** Returns the findings about a schema of the right shape: references, patterns and keywords that cannot be checked. */
export function meaningFindings(schema: Json, path: Path, locate: Locator = pathOnly): Fault[] {
  return [...schemaProblems(schema, path, schema)].map(({ message, fix, at }) => schemaFault(message, at, locate, fix))
}

function schemaFault(message: string, path: Path, locate: Locator, fix: string): Fault {
  return faults.make('R1059', message, { rule: 'SCHEMA_VIOLATION', path: pathText(path), ...locate(path), fix })
}

function toSchemaFault({ message, file, line, column, frame, path, fix }: Fault): Fault {
  return faults.make('R1059', message, { rule: 'SCHEMA_VIOLATION', file, line, column, frame, path, fix })
}

interface Problem {
  readonly message: string
  readonly fix: string
  readonly at: Path
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const SINGLE = ['not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames']

/** Yields the problems of a schema of the right shape, and of every schema inside it. */
function* schemaProblems(schema: Json | undefined, at: Path, root: Json): Generator<Problem> {
  if (!isObject(schema)) return
  const { pattern, $ref, patternProperties } = schema
  if (typeof pattern === 'string') yield* patternProblems(pattern, [...at, 'pattern'])
  for (const key of Object.keys(isObject(patternProperties) ? patternProperties : {}))
    yield* patternProblems(key, [...at, 'patternProperties', key])
  if (typeof $ref === 'string' && resolveReference(root, $ref) === undefined) {
    yield {
      message: `${quote($ref)} refers to a part that this schema does not have`,
      fix: 'refer to a part of it, as #/$defs/name',
      at: [...at, '$ref'],
    }
  }
  for (const key of UNCHECKED) {
    if (Object.hasOwn(schema, key)) yield { message: `${quote(key)} is not checked`, fix: 'use other keywords', at: [...at, key] }
  }
  for (const key of SINGLE) yield* schemaProblems(schema[key], [...at, key], root)
  for (const key of LISTS) {
    const list = schema[key]
    for (const [index, inner] of (isList(list) ? list : []).entries()) yield* schemaProblems(inner, [...at, key, index], root)
  }
  for (const key of MAPS) {
    const map = schema[key]
    for (const [name, inner] of Object.entries(isObject(map) ? map : {})) yield* schemaProblems(inner, [...at, key, name], root)
  }
}

function* patternProblems(pattern: string, at: Path): Generator<Problem> {
  const problem = patternProblem(pattern)
  if (problem === undefined) return
  yield {
    message: `the pattern ${quote(pattern)} cannot be matched: ${problem}`,
    fix: 'write it without lookahead, lookbehind and back references',
    at,
  }
}
