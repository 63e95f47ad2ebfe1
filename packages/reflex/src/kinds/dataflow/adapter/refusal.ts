import { type Fault, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { pathText, quote, quoteAll, shortJson, suggest } from '../../../text/index.ts'
import { schemaIssues } from '../../../text/json-schema/check.ts'
import type { HostedEvent } from '../model/event.ts'
import type { Scalar, ScalarType } from '../model/value.ts'
import type { EventField, EventForm } from './event-form.ts'
import { faults } from './faults.ts'

/** The names of the reference for events that cannot be bound. */
export type BindingError =
  | 'MissingSemanticKind'
  | 'UnknownSemanticKind'
  | 'MissingPayload'
  | 'PayloadMustBeObject'
  | 'PayloadSchemaMismatch'
  | 'UnsupportedFieldType'
  | 'MissingContextProvision'
  | 'ContextTypeMismatch'

/** Returns the refusal of an event. */
export function refuse(rule: BindingError, message: string, fix: string, field?: string, more: JsonObject = {}): Fault {
  const path = field === undefined ? undefined : pathText(['payload', field])
  return faults.finding('R1331', message, { rule, path, fix, ...(Object.keys(more).length === 0 ? {} : { data: more }) })
}

/** Returns the refusal of an event whose kind the adapter does not have. */
export function unknownKind({ semantic_kind: kind }: HostedEvent, kinds: readonly string[]): Fault {
  const fix = `write one of ${quoteAll(kinds)}`
  if (kind === undefined) return refuse('MissingSemanticKind', 'the event has no "semantic_kind"', fix)
  const guess = suggest(kind, kinds)
  return refuse('UnknownSemanticKind', asked(`no event kind ${quote(kind)}`, guess), guess === undefined ? fix : `write ${quote(guess)}`)
}

function asked(message: string, guess: string | undefined): string {
  return guess === undefined ? message : `${message}; did you mean ${quote(guess)}?`
}

interface Misfit {
  readonly rule: BindingError
  readonly message: string
  readonly fix: string
  readonly field?: string
}

const MOST_NAMED = 20

/** Returns the refusal of an event that does not fit: the first misfit as its message, and the others, at most 20, in its data. */
export function explainMisfit(form: EventForm, store: (key: string) => Scalar | undefined, payload: JsonObject): Fault {
  const missing = new Map(form.fields.filter((field) => isMissing(field, store, payload)).map((field) => [field.name, field]))
  const misfits = [
    ...unknownFields(form, payload, missing),
    ...[...missing.values()].map((field) => missingField(field, form)),
    ...form.fields.flatMap((field) => wrongValue(field, store, payload)),
  ]
  if (misfits.length === 0) misfits.push(...wholeMisfits(form, store, payload))
  const [first, ...others] = misfits
  if (first === undefined) return refuse('PayloadSchemaMismatch', 'the event does not fit its schema', 'correct the event')
  const more: JsonObject =
    others.length === 0 ? {} : { more: others.slice(0, MOST_NAMED).map(({ message }) => message), count: others.length + 1 }
  return refuse(first.rule, first.message, first.fix, first.field, more)
}

function isMissing({ name, isKey, required }: EventField, store: (key: string) => Scalar | undefined, payload: JsonObject): boolean {
  return required !== undefined && !Object.hasOwn(payload, name) && !(isKey && store(name) !== undefined)
}

/** Yields the fields that the schema does not have. A misspelt required field is one misfit, not two. */
function* unknownFields(form: EventForm, payload: JsonObject, missing: Map<string, EventField>): Generator<Misfit> {
  const known = new Set(Object.keys(isObject(form.schema.properties) ? form.schema.properties : {}))
  const open = [...known].filter((name) => !Object.hasOwn(payload, name))
  for (const field of Object.keys(payload)) {
    if (known.has(field)) continue
    const guess = suggest(field, missing.keys()) ?? suggest(field, open) ?? [...missing.keys()].find((name) => field.startsWith(name))
    if (guess !== undefined) missing.delete(guess)
    const fix = guess === undefined ? `remove it; the fields of ${quote(form.kind)} are ${quoteAll([...known])}` : `write ${quote(guess)}`
    yield { rule: 'PayloadSchemaMismatch', message: asked(`no field ${quote(field)}`, guess), fix, field }
  }
}

function missingField({ name, type, required }: EventField, form: EventForm): Misfit {
  const message = `field ${quote(name)} is missing`
  if (required === 'schema') return { rule: 'PayloadSchemaMismatch', message, fix: `add it as ${TYPES[type]}`, field: name }
  const rule = 'MissingContextProvision'
  if (isObject(form.schema.properties) && Object.hasOwn(form.schema.properties, name))
    return { rule, message: `${message}; the adapter requires it for every event`, fix: `add it as ${TYPES[type]}`, field: name }
  const fix = `declare it in the schema of ${quote(form.kind)}, or write "required": false`
  return { rule, message: `the adapter requires ${quote(name)}, which events of ${quote(form.kind)} cannot have`, fix, field: name }
}

const TYPES: Readonly<Record<ScalarType, string>> = {
  Number: 'a number',
  Series: 'a list of numbers',
  Bool: 'true or false',
  String: 'a string',
}

function wrongValue(field: EventField, store: (key: string) => Scalar | undefined, payload: JsonObject): Misfit[] {
  const { name, type, schema, keyType, isKey, read } = field
  const isStored = !Object.hasOwn(payload, name)
  const value = isStored ? (isKey ? store(name) : undefined) : payload[name]
  if (value === undefined || (keyType === undefined && read(value) !== undefined)) return []
  const what = `${isStored ? 'the stored value of' : 'field'} ${quote(name)}`
  if (keyType !== undefined) {
    const message = `${what} is ${TYPES[type]} for events, and its context key is a ${keyType}`
    return [{ rule: 'ContextTypeMismatch', message, fix: 'make the two types in the adapter equal', field: name }]
  }
  const [issue] = schemaIssues(schema, value)
  const unfit = issue?.message ?? (type === 'String' ? 'must be well-formed Unicode' : `must be ${TYPES[type]}`)
  return [{ rule: 'PayloadSchemaMismatch', message: `${what} ${unfit}, found ${shown(value)}`, fix: `write ${TYPES[type]}`, field: name }]
}

function shown(value: Json): string {
  return isList(value) ? `a list of ${value.length}` : isObject(value) ? 'an object' : shortJson(value, 60)
}

/** Returns the misfits with rules of the whole object, such as a minimum of properties. */
function wholeMisfits(form: EventForm, store: (key: string) => Scalar | undefined, payload: JsonObject): Misfit[] {
  const stored = form.fields.flatMap(({ name, isKey }) => {
    const value = isKey && !Object.hasOwn(payload, name) ? store(name) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return schemaIssues(form.schema, { ...Object.fromEntries(stored), ...payload }).map(({ message, path }) => ({
    rule: 'PayloadSchemaMismatch',
    message: `${pathText(['payload', ...path])} ${message}`,
    fix: 'correct the event',
  }))
}
