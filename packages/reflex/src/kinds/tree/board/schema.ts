import { canonicalJson, copyJson, isFault, isObject, type Json, type JsonObject, type Validator } from '../../../kernel/index.ts'
import { didYouMean, quote, quoteAll, shortJson, suggest, valueAt } from '../../../text/index.ts'
import { schemaIssues } from '../../../text/json-schema/check.ts'
import { schemaFindings } from '../../../text/json-schema/schema-findings.ts'
import { faults } from '../model/faults.ts'
import { jsonSchemaAdmitsList, validatorAdmitsList } from './schema-lists.ts'
import { NAMED_SCHEMAS, SCHEMA_ALIASES, type SchemaAlias, type SchemaName, schemaName } from './schema-names.ts'

/** A schema as authors and hosts write it: a name, a JSON Schema, or a validator with the Standard Schema interface. */
export type SchemaType = string | JsonObject | Validator | TreeSchema

/** The schemas of a host by name. The names that every tree knows come first. */
export type SchemaRegistry = Readonly<Record<string, JsonObject | Validator>>

/** The type of the values of a schema. */
export type ValueOf<Schema> = Schema extends keyof NamedValues
  ? NamedValues[Schema]
  : Schema extends SchemaAlias
    ? NamedValues[(typeof SCHEMA_ALIASES)[Schema]]
    : Schema extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
      ? unknown extends Output
        ? Json
        : Output
      : Json

interface NamedValues extends Record<SchemaName, Json> {
  str: string
  int: number
  float: number
  bool: boolean
  list: readonly Json[]
  dict: JsonObject
}

/** A part of a value that its schema refuses. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
}

/** The value as the schema returns it, as a frozen copy; or what is wrong with it. */
export type SchemaResult = { readonly value: Json; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

type Check = (value: unknown) => SchemaResult

/** The schema of a key. It answers at once, never throws for a wrong value, and is itself a validator that the kernel accepts. */
export class TreeSchema implements Validator {
  /** The name for messages. */
  readonly name: string
  /** False if no list fits. */
  readonly admitsList: boolean
  readonly '~standard': Validator['~standard']
  readonly #identity: unknown
  readonly #check: Check

  constructor(name: string, identity: unknown, admitsList: boolean, check: Check) {
    this.name = name
    this.admitsList = admitsList
    this.#identity = identity
    this.#check = check
    this['~standard'] = { version: 1, vendor: 'reflex', validate: (value) => this.validate(value) }
  }

  /**
   * Checks a value. An empty object is accepted as an empty list where only a list fits: Lua has one empty table for both. Throws `R2019` for a
   * value that is larger than any value of a run.
   */
  validate(value: unknown): SchemaResult {
    const result = this.#check(value)
    if (result.issues === undefined) return result
    const repaired = withEmptyLists(value, result.issues)
    const second = repaired === undefined ? result : this.#check(repaired)
    return second.issues === undefined ? second : result
  }

  /** True for two schemas by one name, with one JSON Schema, or with the same validator. */
  equals(other: TreeSchema): boolean {
    return this.#identity === other.#identity
  }
}

/** The schemas that were made of an object, by name. */
const made = new WeakMap<object, Map<string | undefined, TreeSchema>>()

/** Returns the schema that a declaration means. Throws `R1202` for an unknown name and for a JSON Schema that cannot be checked. */
export function schemaOf(type: SchemaType, registry: SchemaRegistry = {}): TreeSchema {
  if (type instanceof TreeSchema) return type
  return typeof type === 'string' ? named(type, registry) : objectSchema(undefined, type)
}

function objectSchema(name: string | undefined, type: JsonObject | Validator): TreeSchema {
  if (!isValidator(type) && !isObject(type)) throw refused(`${shortJson(type)} is not a schema`, type)
  const known = made.get(type) ?? new Map<string | undefined, TreeSchema>()
  made.set(type, known)
  const schema = known.get(name) ?? (isValidator(type) ? validatorSchema(name ?? type['~standard'].vendor, type) : jsonSchema(name, type))
  known.set(name, schema)
  return schema
}

function named(name: string, registry: SchemaRegistry): TreeSchema {
  const known = schemaName(name)
  if (known !== undefined) {
    const { expects, fits } = NAMED_SCHEMAS[known]
    return new TreeSchema(known, known, known === 'any' || known === 'list', (value) => {
      const copy = jsonCopy(value)
      return copy.issues !== undefined || fits(copy.value) ? copy : { issues: [{ message: `must be ${expects}` }] }
    })
  }
  const registered = Object.hasOwn(registry, name) ? registry[name] : undefined
  if (registered !== undefined) return objectSchema(name, registered)
  const available = [...Object.keys(NAMED_SCHEMAS), ...Object.keys(registry)]
  const guess = suggest(name, [...available, ...Object.keys(SCHEMA_ALIASES)])
  const hint = didYouMean(guess)
  throw faults.make('R1202', `there is no schema ${quote(name)}${hint === undefined ? '' : `; ${hint}`}`, {
    rule: 'E4002',
    fix: guess === undefined ? `write one of ${quoteAll(available, 12)}, or register the schema` : `write ${quote(guess)}`,
    data: { schema: name, available_schemas: available.slice(0, 50) },
  })
}

function jsonSchema(name: string | undefined, schema: JsonObject): TreeSchema {
  const [finding] = schemaFindings({ schema })
  if (finding !== undefined)
    throw refused(`the JSON Schema ${name === undefined ? '' : `${quote(name)} `}is invalid: ${finding.message}`, schema, finding)
  const json = copyJson(schema, 'schema')
  const title = typeof schema.title === 'string' ? schema.title : shortJson(schema, 60)
  return new TreeSchema(name ?? title, canonicalJson(json), jsonSchemaAdmitsList(json), (value) => {
    const copy = jsonCopy(value)
    if (copy.issues !== undefined) return copy
    const issues = schemaIssues(json, copy.value)
    return issues.length === 0 ? copy : { issues }
  })
}

function refused(message: string, schema: unknown, cause?: unknown): Error {
  return faults.make('R1202', message, {
    rule: 'E4002',
    fix: 'write the name of a schema, a JSON Schema such as { type = "string" }, or a validator',
    data: { schema: shortJson(schema, 100) },
    cause,
  })
}

function isValidator(schema: unknown): schema is Validator {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

function validatorSchema(name: string, validator: Validator): TreeSchema {
  return new TreeSchema(name, validator, validatorAdmitsList(validator), (value) => {
    try {
      const result = validator['~standard'].validate(value)
      if (!(result instanceof Promise)) return result.issues === undefined ? jsonCopy(result.value) : { issues: result.issues.map(issueOf) }
      // Nobody waits for the answer, so it must not end the process.
      result.catch(() => undefined)
      return { issues: [{ message: 'its validator answers later; a write needs the answer at once' }] }
    } catch (thrown) {
      if (isOversized(thrown)) throw thrown
      return { issues: [{ message: `its validator failed: ${thrown instanceof Error ? thrown.message : 'it threw a value'}` }] }
    }
  })
}

/** Returns an issue of a validator in the form that its type promises: a validator in JavaScript can give anything. */
function issueOf({ message, path }: { readonly [Key in keyof SchemaIssue]: unknown }): SchemaIssue {
  return { message: String(message), path: Array.isArray(path) ? path : [] }
}

/** Returns a frozen copy. A value that is not JSON is refused; only one that is too large is thrown, as `R2019`. */
function jsonCopy(value: unknown): SchemaResult {
  try {
    return { value: copyJson(value, 'value') }
  } catch (thrown) {
    if (isOversized(thrown)) throw thrown
    return { issues: [{ message: isFault(thrown) ? thrown.message : 'cannot be read as JSON' }] }
  }
}

function isOversized(thrown: unknown): boolean {
  return isFault(thrown) && thrown.code === 'R2019'
}

/** Returns a copy in which every refused empty object is an empty list; undefined if none is refused. */
function withEmptyLists(value: unknown, issues: readonly SchemaIssue[]): unknown {
  // A copy has no getters that could throw, and no class instances that look empty.
  const json = jsonCopy(value)
  if (json.issues !== undefined) return undefined
  const places = issues.map(({ path = [] }) => path.map(stepName)).filter((path) => isEmptyObject(valueAt(json.value, path)))
  if (places.length === 0) return undefined
  const holder: { value: unknown } = { value: structuredClone(json.value) }
  for (const path of places) {
    const owner = valueAt(holder, ['value', ...path].slice(0, -1))
    if (typeof owner === 'object' && owner !== null) Reflect.set(owner, path.at(-1) ?? 'value', [])
  }
  return holder.value
}

/** Standard Schema allows a step of a path to be an object with the key. */
export function stepName(step: unknown): string | number {
  const key: unknown = typeof step === 'object' && step !== null && 'key' in step ? step.key : step
  return typeof key === 'number' ? key : String(key)
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
