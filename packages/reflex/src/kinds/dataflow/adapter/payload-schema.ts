import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { type Locator, type Path, quote } from '../../../text/index.ts'
import { schemaFindings } from '../../../text/json-schema/schema-findings.ts'
import type { ScalarType } from '../model/value.ts'

/** A part of a payload schema that breaks a rule. */
export interface SchemaProblem {
  readonly message: string
  readonly fix: string
  readonly path: Path
}

/** Returns the type of the values that the schema of a property allows; undefined if it is not one of the four (ADP-19). */
export function propertyType(schema: Json | undefined): ScalarType | undefined {
  if (!isObject(schema)) return undefined
  switch (schema.type) {
    case 'number':
    case 'integer':
      return 'Number'
    case 'boolean':
      return 'Bool'
    case 'string':
      return 'String'
    case 'array':
      return isObject(schema.items) && propertyType(schema.items) === 'Number' ? 'Series' : undefined
    default:
      return undefined
  }
}

/** Returns the schema of a property of each type, for adapters that are written for a graph. */
export const SCHEMA_OF: Readonly<Record<ScalarType, JsonObject>> = {
  Number: { type: 'number' },
  Series: { type: 'array', items: { type: 'number' } },
  Bool: { type: 'boolean' },
  String: { type: 'string' },
}

/** Returns the properties of an object schema; none for any other. */
export function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {}
}

/** Returns the names that an object schema requires. */
export function requiredOf(schema: JsonObject): readonly string[] {
  return isList(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
}

/** Returns the problems of a schema that is not JSON Schema, or that says more than payloads can: choices, open objects (ADP-8, ADP-13). */
export function restrictionProblems(schema: JsonObject, at: Path): SchemaProblem[] {
  const paths: Path[] = []
  // Each finding locates its place once; the path begins with [board, payload_schema].
  const locate: Locator = (path) => {
    paths.push([...at, ...path.slice(2)])
    return {}
  }
  const misfits = schemaFindings({ payload_schema: schema }, locate).map(({ message, fix }, index) => ({
    message: message.replaceAll('board.payload_schema', 'payload_schema'),
    fix: fix ?? 'correct it',
    path: paths[index] ?? at,
  }))
  return misfits.length > 0 ? misfits : [...walk(schema, at)]
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const SINGLE = ['not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames']

function* walk(schema: Json | undefined, at: Path): Generator<SchemaProblem> {
  if (!isObject(schema)) return
  for (const key of ['oneOf', 'anyOf'])
    if (Object.hasOwn(schema, key))
      yield { message: `${quote(key)} is not allowed in a payload schema`, fix: 'state one type', path: [...at, key] }
  const isOpen = (schema.type === 'object' || Object.hasOwn(schema, 'properties')) && schema.additionalProperties !== false
  if (isOpen) {
    const message = 'an object of a payload schema must state "additionalProperties": false'
    yield { message, fix: 'add "additionalProperties": false', path: at }
  }
  for (const key of SINGLE) yield* walk(schema[key], [...at, key])
  for (const key of LISTS) {
    const list = schema[key]
    for (const [index, inner] of (isList(list) ? list : []).entries()) yield* walk(inner, [...at, key, index])
  }
  for (const key of MAPS) {
    const map = schema[key]
    for (const [name, inner] of Object.entries(isObject(map) ? map : {})) yield* walk(inner, [...at, key, name])
  }
}

/** Returns the problems of a schema as the schema of an event: a flat object of values that a context can hold (ADP-19). */
export function eventProblems(schema: JsonObject, at: Path): SchemaProblem[] {
  if (schema.type !== 'object')
    return [{ message: 'the schema of an event must have the type "object"', fix: 'write "type": "object"', path: [...at, 'type'] }]
  const properties = propertiesOf(schema)
  const found: SchemaProblem[] = []
  for (const [name, property] of Object.entries(properties)) {
    const path = [...at, 'properties', name]
    if (name === '__proto__') found.push({ message: 'a field must not be named "__proto__"', fix: 'rename it', path })
    if (propertyType(property) !== undefined || hasChoice(property)) continue
    const message = `field ${quote(name)} must be a number, integer, boolean, string or a list of numbers`
    found.push({ message, fix: 'write one "type"; for a list add "items": { "type": "number" }', path })
  }
  for (const [index, name] of requiredOf(schema).entries()) {
    if (Object.hasOwn(properties, name)) continue
    const message = `field ${quote(name)} is required and is not a property; no event can fit`
    found.push({ message, fix: `declare it under "properties"`, path: [...at, 'required', index] })
  }
  return found
}

/** True for a schema whose choice between types is already reported. */
function hasChoice(schema: Json | undefined): boolean {
  return isObject(schema) && (Object.hasOwn(schema, 'oneOf') || Object.hasOwn(schema, 'anyOf'))
}
