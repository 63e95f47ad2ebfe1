import { canonicalJson, equalJson, isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { hasFormat, matchesPattern } from './pattern.ts'

/** A part of a value that does not match its schema, and its path inside the value. */
export interface SchemaIssue {
  readonly message: string
  readonly path: readonly (string | number)[]
}

/** The state of one check. The work is counted, not timed, so that a replay finds the same issues. */
interface CheckState {
  readonly root: Json
  left: number
  depth: number
}

/** The limit on the work of one check: values visited and characters matched with patterns. */
const MAX_WORK = 1_000_000
/** The limit on nested schemas. It also ends schemas that refer to each other in a circle. */
const MAX_DEPTH = 1_000

/** The check is too large. It is thrown and caught only in this file. */
class TooLarge extends Error {}

/**
 * Returns the issues of a value under a JSON Schema (2020-12, and the different spellings of draft-07); none if the value matches. Does not
 * change the value: `default` has no effect. The schema must have no problems according to `schemaProblems`.
 */
export function schemaIssues(schema: Json, value: Json): readonly SchemaIssue[] {
  try {
    return check(schema, value, [], { root: schema, left: MAX_WORK, depth: 0 })
  } catch (thrown) {
    if (thrown instanceof TooLarge) return [{ message: thrown.message, path: [] }]
    throw thrown
  }
}

type Path = SchemaIssue['path']

function check(schema: Json | undefined, value: Json, path: Path, state: CheckState): SchemaIssue[] {
  spend(state, 1)
  if (schema === false) return [{ message: 'no value is allowed here', path }]
  if (!isObject(schema)) return []
  if (state.depth >= MAX_DEPTH) throw new TooLarge(`the schema is nested more than ${MAX_DEPTH} levels deep`)
  state.depth++
  const found = [...checkKeywords(schema, value, path, state), ...checkComposition(schema, value, path, state)]
  state.depth--
  return found
}

function spend(state: CheckState, work: number): void {
  state.left -= work
  if (state.left < 0) throw new TooLarge('the value is too large for its schema')
}

function fits(schema: Json | undefined, value: Json, state: CheckState): boolean {
  return check(schema, value, [], state).length === 0
}

function checkKeywords(schema: JsonObject, value: Json, path: Path, state: CheckState): SchemaIssue[] {
  const issue = (message: string): SchemaIssue => ({ message, path })
  const { type, enum: words } = schema
  const types = typeof type === 'string' ? [type] : isList(type) ? type.map(String) : undefined
  if (types !== undefined && !types.some((name) => isOfType(value, name))) return [issue(`must be ${types.map(withArticle).join(' or ')}`)]
  if (isList(words)) {
    spend(state, words.length)
    if (!words.some((word) => equalJson(word, value)))
      return [issue(`must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`)]
  }
  if (schema.const !== undefined && !equalJson(schema.const, value)) return [issue(`must be ${JSON.stringify(schema.const)}`)]
  if (typeof value === 'string') return checkText(schema, value, state).map(issue)
  if (typeof value === 'number') return checkNumber(schema, value).map(issue)
  if (isList(value)) return checkList(schema, value, path, state)
  return isObject(value) ? checkObject(schema, value, path, state) : []
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return isList(value)
    case 'object':
      return isObject(value)
    default:
      return typeof value === type
  }
}

function withArticle(type: string): string {
  return type === 'null' ? type : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

function checkText({ minLength, maxLength, pattern, format }: JsonObject, value: string, state: CheckState): string[] {
  const found: string[] = []
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const size = Array.from(value).length
    if (typeof minLength === 'number' && size < minLength) found.push(`must have at least ${minLength} characters`)
    if (typeof maxLength === 'number' && size > maxLength) found.push(`must have at most ${maxLength} characters`)
  }
  if (typeof pattern === 'string') {
    spend(state, value.length)
    if (!matchesPattern(value, pattern)) found.push(`must match ${pattern}`)
  }
  if (typeof format === 'string') {
    spend(state, value.length)
    if (!hasFormat(value, format)) found.push(`must have the format ${format}`)
  }
  return found
}

function checkNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject, value: number): string[] {
  const found: string[] = []
  if (typeof minimum === 'number' && value < minimum) found.push(`must be at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) found.push(`must be at most ${maximum}`)
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) found.push(`must be more than ${exclusiveMinimum}`)
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) found.push(`must be less than ${exclusiveMaximum}`)
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) found.push(`must be a multiple of ${multipleOf}`)
  return found
}

/** True if a value is a multiple of another within rounding: 0.3 is a multiple of 0.1, although the quotient is 2.9999999999999996. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 2
}

function checkList(schema: JsonObject, value: readonly Json[], path: Path, state: CheckState): SchemaIssue[] {
  const { minItems, maxItems, uniqueItems, contains } = schema
  const found: SchemaIssue[] = []
  const say = (message: string): number => found.push({ message, path })
  if (typeof minItems === 'number' && value.length < minItems) say(`must have at least ${minItems} items`)
  if (typeof maxItems === 'number' && value.length > maxItems) say(`must have at most ${maxItems} items`)
  if (uniqueItems === true && new Set(value.map(canonicalJson)).size < value.length) say('must not have equal items')
  if (contains !== undefined) {
    const matching = value.filter((item) => fits(contains, item, state)).length
    const least = typeof schema.minContains === 'number' ? schema.minContains : 1
    if (matching < least) say(`must contain at least ${least} matching items`)
    if (typeof schema.maxContains === 'number' && matching > schema.maxContains)
      say(`must contain at most ${schema.maxContains} matching items`)
  }
  const { first, rest } = itemSchemas(schema)
  for (const [index, item] of value.entries())
    found.push(...check(index < first.length ? first[index] : rest, item, [...path, index], state))
  return found
}

/** Returns the schemas of the items of a list. Draft-07 writes the first schemas in `items`, and the rest in `additionalItems`. */
function itemSchemas({ prefixItems, items, additionalItems }: JsonObject): { first: readonly Json[]; rest: Json | undefined } {
  if (isList(items)) return { first: items, rest: additionalItems }
  return { first: isList(prefixItems) ? prefixItems : [], rest: items }
}

function checkObject(schema: JsonObject, value: JsonObject, path: Path, state: CheckState): SchemaIssue[] {
  const { minProperties, maxProperties, required, propertyNames, dependentRequired, dependentSchemas } = schema
  const keys = Object.keys(value)
  const found: SchemaIssue[] = []
  const say = (message: string): number => found.push({ message, path })
  if (typeof minProperties === 'number' && keys.length < minProperties) say(`must have at least ${minProperties} keys`)
  if (typeof maxProperties === 'number' && keys.length > maxProperties) say(`must have at most ${maxProperties} keys`)
  const needed = isList(required) ? [...required] : []
  for (const [key, also] of Object.entries(isObject(dependentRequired) ? dependentRequired : {}))
    if (Object.hasOwn(value, key) && isList(also)) needed.push(...also)
  for (const key of needed) if (typeof key === 'string' && !Object.hasOwn(value, key)) say(`must have the key ${JSON.stringify(key)}`)
  for (const key of keys) {
    if (propertyNames !== undefined && !fits(propertyNames, key, state)) say(`must not have the key ${JSON.stringify(key)}`)
    found.push(...checkKey(schema, key, value[key] ?? null, [...path, key], state))
  }
  for (const [key, also] of Object.entries(isObject(dependentSchemas) ? dependentSchemas : {}))
    if (Object.hasOwn(value, key)) found.push(...check(also, value, path, state))
  return found
}

function checkKey(
  { properties, patternProperties, additionalProperties }: JsonObject,
  key: string,
  value: Json,
  path: Path,
  state: CheckState,
): SchemaIssue[] {
  const declared = isObject(properties) && Object.hasOwn(properties, key)
  const found = declared ? check(properties[key], value, path, state) : []
  let matched = declared
  for (const [pattern, schema] of Object.entries(isObject(patternProperties) ? patternProperties : {})) {
    spend(state, key.length)
    if (!matchesPattern(key, pattern)) continue
    matched = true
    found.push(...check(schema, value, path, state))
  }
  if (matched) return found
  return additionalProperties === false ? [{ message: 'is not a known key', path }] : check(additionalProperties, value, path, state)
}

function checkComposition(schema: JsonObject, value: Json, path: Path, state: CheckState): SchemaIssue[] {
  const { allOf, anyOf, oneOf, not, if: condition, $ref } = schema
  const found: SchemaIssue[] = []
  if (typeof $ref === 'string') found.push(...check(resolveReference(state.root, $ref), value, path, state))
  for (const part of isList(allOf) ? allOf : []) found.push(...check(part, value, path, state))
  if (isList(anyOf) && !anyOf.some((part) => fits(part, value, state))) found.push({ message: alternatives(anyOf), path })
  if (isList(oneOf)) {
    const fitting = oneOf.filter((part) => fits(part, value, state)).length
    if (fitting === 0) found.push({ message: alternatives(oneOf), path })
    if (fitting > 1) found.push({ message: `must match exactly one of ${oneOf.length} shapes, but matches ${fitting}`, path })
  }
  if (not !== undefined && fits(not, value, state)) found.push({ message: 'must not match the schema of "not"', path })
  if (condition !== undefined) found.push(...check(fits(condition, value, state) ? schema.then : schema.else, value, path, state))
  return found
}

function alternatives(parts: readonly Json[]): string {
  const types = parts.map((part) => (isObject(part) && typeof part.type === 'string' ? withArticle(part.type) : undefined))
  return types.includes(undefined) || new Set(types).size < types.length
    ? `must match one of ${parts.length} shapes`
    : `must be ${types.join(' or ')}`
}

/** Returns the schema that a reference inside the document points to; undefined if there is none. */
export function resolveReference(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  let at: Json | undefined = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (isList(at)) at = at[Number(key)]
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key]
    else return undefined
  }
  return at
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
