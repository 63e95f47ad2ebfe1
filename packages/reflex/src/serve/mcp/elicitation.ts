import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { OpenQuestion } from '../../runs/handle.ts'

const PRIMITIVES: ReadonlySet<Json | undefined> = new Set(['string', 'number', 'integer', 'boolean'])

/** Returns a question as a request that the client shows to its user. `problem`: why the last answer was refused. */
export function elicitation({ question: { text, options, schema } }: OpenQuestion, problem?: string): object {
  const choices = options?.flatMap(({ value, label, detail }) => {
    const words = [label === value ? undefined : label, detail].filter((word) => word !== undefined)
    return words.length === 0 ? [] : [`${value}: ${words.join(', ')}`]
  })
  const message = [...(problem === undefined ? [] : [problem]), text, ...(choices ?? [])].join('\n')
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: formOf(schema, options) } }
}

/** A form has primitive fields only, so other values are written as JSON. */
function formOf(schema: JsonObject | undefined, options: OpenQuestion['question']['options']): object {
  const answer = (field: object): object => ({ type: 'object', properties: { answer: field }, required: ['answer'] })
  if (options !== undefined && options.length > 0) return answer({ type: 'string', enum: options.map(({ value }) => value) })
  if (schema === undefined) return answer({ type: 'string' })
  if (isForm(schema))
    return { type: 'object', properties: schema.properties, ...(Array.isArray(schema.required) ? { required: schema.required } : {}) }
  return answer(PRIMITIVES.has(schema.type) ? primitive(schema) : { type: 'string', description: 'JSON' })
}

function isForm({ type, properties }: JsonObject): boolean {
  return (
    type === 'object' &&
    isObject(properties) &&
    Object.keys(properties).length > 0 &&
    Object.values(properties).every((field) => isObject(field) && PRIMITIVES.has(field.type))
  )
}

/** Returns the parts of a schema that a form knows. The whole schema is checked when the answer arrives. */
function primitive({ type, title, description, minimum, maximum, minLength, maxLength, enum: values }: JsonObject): object {
  return JSON.parse(JSON.stringify({ type, title, description, minimum, maximum, minLength, maxLength, enum: values })) as object
}

/** Returns the answer in a form that the user has filled in; undefined if the user declined. */
export function elicitedAnswer(
  { question: { options, schema } }: OpenQuestion,
  response: unknown,
): { readonly value: unknown } | undefined {
  const { action, content } = isRecord(response) ? response : {}
  if (action !== 'accept' || !isRecord(content)) return undefined
  const hasOptions = options !== undefined && options.length > 0
  if (hasOptions || schema === undefined || PRIMITIVES.has(schema.type)) return { value: content.answer }
  return isForm(schema) ? { value: content } : { value: jsonOr(content.answer) }
}

/** A text that is not JSON is the answer itself. */
function jsonOr(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return text
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
