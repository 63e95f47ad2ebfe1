import { isList, isObject, type Json, type JsonObject, questionInterruption } from '../kernel/index.ts'
import { mcpFaults } from './faults.ts'

/** A request of a server for the input of a person. */
export interface InputRequest {
  readonly method: string
  readonly params: JsonObject
}

const MOST_TEXT = 4_000
const MOST_FIELDS = 50
const FIELD_KEYS = [
  'type',
  'title',
  'description',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'enum',
  'format',
  'minItems',
  'maxItems',
]
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/**
 * Returns the interruption that asks a person. `state`: what the call needs to continue after the answer, which nobody is shown.
 * Throws `R4507` for a request that no person can answer, such as one for a model.
 */
export function askPerson(server: string, tool: string, { method, params }: InputRequest, state: JsonObject): Error {
  if (method !== 'elicitation/create')
    throw mcpFaults.make('R4507', `the server ${server} asks for ${method} in ${tool}; Reflex answers questions to people only`)
  const { message, mode, url, requestedSchema } = params
  const text = `The server ${server} asks: ${clipped(message)}`
  const about: JsonObject =
    mode === 'url'
      ? { text: `${text} Open ${clipped(url)}`, options: [{ value: 'accept', label: 'Done' }, ...REFUSALS] }
      : { text, options: REFUSALS, schema: formOf(requestedSchema) }
  return questionInterruption(`mcp.${server}`, { ...about, about: { server, tool, from: 'outside' }, mcp: state })
}

const REFUSALS: readonly JsonObject[] = [
  { value: 'decline', label: 'Decline', detail: 'the server continues without it' },
  { value: 'cancel', label: 'Cancel', detail: 'the server ends the call' },
]

/** Returns the answer of a person as a server gets it. */
export function answerFor(answer: Json): JsonObject {
  if (answer === 'decline' || answer === 'cancel') return { action: answer }
  return isObject(answer) ? { action: 'accept', content: answer } : { action: 'accept' }
}

function clipped(text: Json | undefined): string {
  const words = typeof text === 'string' ? text : ''
  return words.length > MOST_TEXT ? `${words.slice(0, MOST_TEXT)}…` : words
}

/** Returns the parts of a form that can be checked: a server sends any schema. */
function formOf(schema: Json | undefined): JsonObject {
  const { properties, required } = isObject(schema) ? schema : {}
  const fields = Object.entries(isObject(properties) ? properties : {}).slice(0, MOST_FIELDS)
  const names = new Set(fields.map(([name]) => name))
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field)])),
    ...(isList(required) ? { required: required.filter((name) => typeof name === 'string' && names.has(name)) } : {}),
  }
}

function fieldOf(field: Json): JsonObject {
  if (!isObject(field)) return {}
  const kept = FIELD_KEYS.flatMap((key): [string, Json][] => (field[key] === undefined ? [] : [[key, field[key]]]))
  const { format, ...others } = Object.fromEntries(kept)
  const { oneOf, items } = field
  const choices = constants(oneOf)
  return {
    ...others,
    ...(FORMATS.includes(format) && format !== undefined ? { format } : {}),
    ...(choices.length === 0 ? {} : { enum: choices }),
    ...(isObject(items) ? { items: itemsOf(items) } : {}),
  }
}

function itemsOf({ type, enum: words, anyOf }: JsonObject): JsonObject {
  const choices = isList(words) ? words : constants(anyOf)
  return { ...(typeof type === 'string' ? { type } : {}), ...(choices.length === 0 ? {} : { enum: choices }) }
}

function constants(list: Json | undefined): readonly Json[] {
  return isList(list) ? list.flatMap((one) => (isObject(one) && one['const'] !== undefined ? [one['const']] : [])) : []
}
