import { canonicalJson, equalJson, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { BoardSchema } from '../types/index.ts'

type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** The possible values of a board key. */
export interface Domain {
  /** All values by canonical text, if there are few. */
  readonly values?: ReadonlyMap<string, Json> | undefined
  /** The types of the values, if known. */
  readonly types?: ReadonlySet<JsonType> | undefined
  fits(value: Json): boolean
}

/** The domain of a key that may have any value. */
export const ANYTHING: Domain = { fits: () => true }

/** The limit of values that are listed. */
const MOST_VALUES = 64
const DEEPEST = 16

/**
 * Returns the values that the schema of a board key allows, if they can be listed: booleans, null, `enum`, `const`, ranges of at
 * most 64 integers, and unions of these; else their types. Reads JSON Schemas, and validators that have one. An unknown part of
 * a schema allows anything, so the list is never too short.
 */
export function domainOf(schema: BoardSchema | undefined): Domain {
  const json = jsonSchemaOf(schema)
  return json === undefined ? ANYTHING : readDomain(json, 0)
}

/** True if two keys can never have the same value. */
export function areDisjoint(a: Domain, b: Domain): boolean {
  if (a.values !== undefined) return [...a.values.values()].every((value) => !b.fits(value))
  if (b.values !== undefined) return areDisjoint(b, a)
  if (a.types === undefined || b.types === undefined) return false
  for (const type of a.types) if (b.types.has(type)) return false
  return true
}

/** Returns a domain in words: `true | false`, `string`, `anything`. */
export function describeDomain({ values, types }: Pick<Domain, 'values' | 'types'>): string {
  if (values !== undefined) {
    const texts = [...values.keys()]
    return texts.length > 8 ? `${texts.slice(0, 7).join(', ')}, …` : texts.join(' | ')
  }
  return types === undefined ? 'anything' : [...types].join(' | ')
}

/** Returns the JSON Schema of a key; undefined if it has no schema, or a validator without JSON Schema. */
export function jsonSchemaOf(schema: BoardSchema | undefined): Json | undefined {
  if (schema === undefined) return undefined
  if (!('~standard' in schema)) return schema
  const standard: object = schema['~standard'] as object
  if (!('jsonSchema' in standard)) return undefined
  try {
    const converter = standard.jsonSchema as { input?: (options: { target: string }) => Json }
    return converter.input?.({ target: 'draft-2020-12' })
  } catch {
    return undefined
  }
}

function readDomain(schema: Json, depth: number): Domain {
  if (!isObject(schema) || depth > DEEPEST) return schema === false ? listDomain([]) : ANYTHING
  const parts: Domain[] = [keywordDomain(schema)]
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const options = schema[keyword]
    if (isList(options)) parts.push(unionOf(options.map((option) => readDomain(option, depth + 1))))
  }
  if (isList(schema.allOf)) parts.push(...schema.allOf.map((part) => readDomain(part, depth + 1)))
  return parts.reduce(intersectionOf)
}

function keywordDomain(schema: JsonObject): Domain {
  const types = namedTypesDomain(schema.type)
  if (schema.const !== undefined) return intersectionOf(listDomain([schema.const]), types)
  if (isList(schema.enum)) return intersectionOf(listDomain(schema.enum), types)
  return isList(schema.type) ? unionOf(schema.type.map((type) => typeDomain(type, schema))) : typeDomain(schema.type, schema)
}

function typeDomain(type: Json | undefined, schema: JsonObject): Domain {
  if (type === 'boolean') return listDomain([true, false])
  if (type === 'null') return listDomain([null])
  if (type === 'integer') return range(schema) ?? typesDomain(['number'])
  return namedTypesDomain(type)
}

function range(schema: JsonObject): Domain | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const from =
    typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : typeof minimum === 'number' ? Math.ceil(minimum) : undefined
  const to =
    typeof exclusiveMaximum === 'number' ? Math.ceil(exclusiveMaximum) - 1 : typeof maximum === 'number' ? Math.floor(maximum) : undefined
  if (from === undefined || to === undefined || to - from >= MOST_VALUES) return undefined
  return listDomain(Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i))
}

const TYPES: readonly string[] = ['null', 'boolean', 'number', 'string', 'array', 'object'] satisfies JsonType[]

function namedTypesDomain(type: Json | undefined): Domain {
  const names = (isList(type) ? type : [type]).map((name) => (name === 'integer' ? 'number' : name))
  return names.every((name): name is JsonType => typeof name === 'string' && TYPES.includes(name)) ? typesDomain(names) : ANYTHING
}

function typesDomain(names: readonly JsonType[]): Domain {
  const types = new Set(names)
  return { types, fits: (value) => types.has(typeOf(value)) }
}

function listDomain(values: readonly Json[]): Domain {
  if (values.length > MOST_VALUES * 4) return ANYTHING
  const texts = new Map(values.map((value) => [canonicalJson(value), value]))
  return { values: texts, types: new Set(values.map(typeOf)), fits: (value) => values.some((item) => equalJson(item, value)) }
}

function typeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  return typeof value as JsonType
}

function unionOf(options: readonly Domain[]): Domain {
  if (options.every(({ values }) => values !== undefined)) return listDomain(options.flatMap(({ values }) => [...(values?.values() ?? [])]))
  if (!options.every(({ types }) => types !== undefined)) return ANYTHING
  const types = new Set(options.flatMap((option) => [...(option.types ?? [])]))
  return { types, fits: (value) => options.some((option) => option.fits(value)) }
}

function intersectionOf(a: Domain, b: Domain): Domain {
  if (a.values !== undefined) return listDomain([...a.values.values()].filter((value) => b.fits(value)))
  if (b.values !== undefined) return intersectionOf(b, a)
  if (a.types === undefined) return b
  if (b.types === undefined) return a
  const types = new Set([...a.types].filter((type) => b.types?.has(type)))
  return { types, fits: (value) => a.fits(value) && b.fits(value) }
}
