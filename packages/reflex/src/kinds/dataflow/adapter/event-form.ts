import { equalJson, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { schemaIssues } from '../../../text/json-schema/check.ts'
import type { Adapter } from '../model/adapter.ts'
import { normal, type Scalar, type ScalarType } from '../model/value.ts'
import { propertiesOf, propertyType, requiredOf } from './payload-schema.ts'

/** A field of the events of one kind, prepared for many events. */
export interface EventField {
  readonly name: string
  readonly type: ScalarType
  readonly schema: JsonObject
  /** True for a context key: the store provides it when the event does not. */
  readonly isKey: boolean
  /** The schema requires it, or the adapter promises it for every event. */
  readonly required: 'schema' | 'adapter' | undefined
  /** The type of the context key of this name, if it is another one. */
  readonly keyType: ScalarType | undefined
  /** Returns the value as a context holds it; undefined if it does not fit. */
  readonly read: (value: Json) => Scalar | undefined
}

/** The events of one kind, prepared: binding one of them looks at each field once. */
export interface EventForm {
  readonly kind: string
  readonly schema: JsonObject
  /** In the order of their names. */
  readonly fields: readonly EventField[]
  /** True if the schema has rules beyond those of its fields, which the general checker judges. */
  readonly hasMoreRules: boolean
}

/** An adapter, prepared for binding events. */
export interface PreparedAdapter {
  readonly adapter: Adapter
  readonly forms: ReadonlyMap<string, EventForm>
}

/** Prepares an adapter that breaks no rule. */
export function prepareAdapter(adapter: Adapter): PreparedAdapter {
  const forms = adapter.event_kinds.map(({ name, payload_schema }) => [name, formOf(adapter, name, payload_schema)] as const)
  return { adapter, forms: new Map(forms) }
}

/** Keywords that say nothing about values. */
const REMARKS = ['title', 'description', 'default', 'examples', 'deprecated', '$comment', '$schema', '$id', '$defs', 'definitions']
const OBJECT_RULES = ['type', 'properties', 'required', 'additionalProperties', ...REMARKS]

function formOf({ context_keys }: Adapter, kind: string, schema: JsonObject): EventForm {
  const properties = propertiesOf(schema)
  const required = new Set(requiredOf(schema))
  const keys = new Map(context_keys.map((key) => [key.name, key]))
  // A promised key that the schema does not have is a field that no event can have: every event of the kind is refused.
  const names = [...new Set([...Object.keys(properties), ...context_keys.filter((key) => key.required).map(({ name }) => name)])].sort()
  const fields = names.map((name): EventField => {
    const key = keys.get(name)
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const type = propertyType(property) ?? key?.type ?? 'String'
    const own = isObject(property) ? property : {}
    return {
      name,
      type,
      schema: own,
      isKey: key !== undefined,
      required: required.has(name) ? 'schema' : key?.required ? 'adapter' : undefined,
      keyType: key === undefined || key.type === type ? undefined : key.type,
      read: property === undefined ? () => undefined : reader(type, own),
    }
  })
  // A reference needs the whole schema, to whose parts it refers.
  const hasReference = JSON.stringify(properties).includes('"$ref"')
  const hasMoreRules = hasReference || Object.keys(schema).some((keyword) => !OBJECT_RULES.includes(keyword))
  return { kind, schema, fields, hasMoreRules }
}

type Reader = EventField['read']

/** Returns the check of one field: of its type, and of further rules only if there are any. */
function reader(type: ScalarType, schema: JsonObject): Reader {
  const fits = furtherRules(type, schema)
  const take = typeReader(type, schema)
  if (fits === undefined) return take
  return (value) => {
    const taken = take(value)
    return taken !== undefined && fits(value) ? taken : undefined
  }
}

function typeReader(type: ScalarType, schema: JsonObject): Reader {
  switch (type) {
    case 'Number':
      return schema.type === 'integer'
        ? (value) => (typeof value === 'number' && Number.isInteger(value) ? value + 0 : undefined)
        : (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined)
    case 'Bool':
      return (value) => (typeof value === 'boolean' ? value : undefined)
    case 'String':
      return (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined)
    default:
      return seriesReader(schema)
  }
}

function seriesReader({ items }: JsonObject): Reader {
  const item = typeReader('Number', isObject(items) ? items : {})
  return (value) => (isList(value) && value.every((one) => item(one) !== undefined) ? normal(value as readonly number[]) : undefined)
}

const NUMBER_RULES = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** Returns the check of what a schema says besides its type; undefined if it says nothing else. */
function furtherRules(type: ScalarType, schema: JsonObject): ((value: Json) => boolean) | undefined {
  const rules = Object.keys(schema).filter((keyword) => keyword !== 'type' && !REMARKS.includes(keyword))
  const onlyKnown = (known: readonly string[]): boolean => rules.every((rule) => known.includes(rule))
  if (rules.length === 0 || (type === 'Series' && onlyKnown(['items']) && hasPlainItems(schema))) return undefined
  if (onlyKnown(['enum']) && isList(schema.enum)) return oneOf(schema.enum)
  if (type === 'Number' && onlyKnown(NUMBER_RULES)) return within(schema)
  return (value) => schemaIssues(schema, value).length === 0
}

function hasPlainItems({ items }: JsonObject): boolean {
  return isObject(items) && Object.keys(items).every((keyword) => keyword === 'type' || REMARKS.includes(keyword))
}

function oneOf(words: readonly Json[]): (value: Json) => boolean {
  const scalars = new Set(words)
  return (value) => scalars.has(value) || (typeof value === 'object' && words.some((word) => equalJson(word, value)))
}

function within({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): (value: Json) => boolean {
  const bound = (limit: Json | undefined, otherwise: number): number => (typeof limit === 'number' ? limit : otherwise)
  const [least, most] = [bound(minimum, Number.NEGATIVE_INFINITY), bound(maximum, Number.POSITIVE_INFINITY)]
  const [above, below] = [bound(exclusiveMinimum, Number.NEGATIVE_INFINITY), bound(exclusiveMaximum, Number.POSITIVE_INFINITY)]
  return (value) => {
    const number = value as number
    return number >= least && number <= most && number > above && number < below
  }
}
