import { canonicalJson, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { complete, streamReply } from './scripted.ts'
import type { Model, ModelMessage, ModelRequest, ModelTry, ToolOffer, Usage } from './types.ts'

/** The approximate number of characters per token. */
const PER_TOKEN = 4
/** The depth at which a schema that contains itself is cut. */
const DEEPEST = 12

/**
 * Creates a model that needs no provider and costs nothing: the same request gets the same reply. Structured output is
 * the first value that the schema allows; a tool is called only if the request forces one, so that loops end. The text
 * and `by` mark the reply as simulated. Usage is an estimate: four characters per token.
 */
export function simulatedModel(name = 'simulated'): Model {
  return {
    name,
    billed: false,
    async generate(request, call) {
      const reply = replyTo(request)
      if (request.stream === true) streamReply(reply, call)
      return reply
    },
  }
}

function replyTo(request: ModelRequest): ModelTry {
  const by = 'simulated'
  const forced = forcedTool(request)
  if (forced !== undefined) {
    const args = sample(forced.schema)
    const id = `call_${request.messages.length}`
    const calls = [{ id, name: forced.name, args: isObject(args) ? args : {} }]
    return complete({ calls, by, usage: usageOf(request, canonicalJson(args)) })
  }
  if (request.output !== undefined) {
    const object = sample(request.output.schema)
    return complete({ object, by, usage: usageOf(request, canonicalJson(object)) })
  }
  const text = `[Simulated] Response${request.label === undefined ? '' : ` for ${request.label}`}`
  return complete({ text, by, usage: usageOf(request, text) })
}

function forcedTool({ tools = [], choice }: ModelRequest): ToolOffer | undefined {
  if (choice === 'required') return tools[0]
  return typeof choice === 'object' ? tools.find(({ name }) => name === choice.tool) : undefined
}

function usageOf({ messages }: ModelRequest, written: string): Usage {
  const read = messages.reduce((sum, message) => sum + textOf(message).length, 0)
  return { input: Math.ceil(read / PER_TOKEN), output: Math.ceil(written.length / PER_TOKEN) }
}

function textOf(message: ModelMessage): string {
  return message.role === 'tool' ? canonicalJson(message.result) : (message.content ?? '')
}

/** Returns the first value that a schema allows, as far as the schema shows it. */
export function sample(root: JsonObject): Json {
  const visit = (schema: Json | undefined, depth: number): Json => {
    if (!isObject(schema) || depth > DEEPEST) return null
    const { $ref, enum: values, anyOf, oneOf, allOf, examples } = schema
    if (schema['const'] !== undefined) return schema['const']
    if (schema['default'] !== undefined) return schema['default']
    for (const choices of [values, examples]) if (isList(choices) && choices[0] !== undefined) return choices[0]
    if (typeof $ref === 'string') return visit(pointer(root, $ref), depth + 1)
    for (const choices of [anyOf, oneOf]) if (isList(choices)) return visit(choices[0], depth + 1)
    if (isList(allOf)) return visit(merged(schema, allOf), depth + 1)
    return byType(schema, (inner) => visit(inner, depth + 1))
  }
  return visit(root, 0)
}

/** Merges the parts of an `allOf` into one schema: properties and required names are joined, other keys are overwritten. */
function merged({ allOf: _, ...rest }: JsonObject, parts: readonly Json[]): JsonObject {
  return parts.filter(isObject).reduce<JsonObject>((sum, part) => {
    const properties = { ...objectOf(sum.properties), ...objectOf(part.properties) }
    const required = [...listOf(sum.required), ...listOf(part.required)]
    return { ...sum, ...part, ...(Object.keys(properties).length === 0 ? {} : { properties, required }) }
  }, rest)
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}

function byType(schema: JsonObject, visit: (inner: Json | undefined) => Json): Json {
  const { type, properties, required, items, minItems, minLength } = schema
  switch (isList(type) ? type[0] : type) {
    case 'string':
      return textFor(schema.format, typeof minLength === 'number' ? minLength : 0, schema.maxLength)
    case 'integer':
    case 'number':
      return numberFor(schema)
    case 'boolean':
      return false
    case 'array':
      return Array.from({ length: typeof minItems === 'number' ? minItems : 0 }, () => visit(items))
    case 'null':
      return null
    default:
      if (!isObject(properties)) return type === 'object' ? {} : null
      return Object.fromEntries(
        (isList(required) ? required : []).flatMap((key) => (typeof key === 'string' ? [[key, visit(properties[key])]] : [])),
      )
  }
}

function numberFor({ type, minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number') return type === 'integer' ? Math.ceil(minimum) : minimum
  if (typeof exclusiveMinimum === 'number') return Math.floor(exclusiveMinimum) + 1
  return typeof maximum === 'number' ? Math.min(0, Math.floor(maximum)) : 0
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:00:00Z',
  time: '09:00:00Z',
  email: 'simulated@example.com',
  uri: 'https://example.com/simulated',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function textFor(format: Json | undefined, least: number, most: Json | undefined): string {
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (known !== undefined) return known
  const text = 'simulated'.padEnd(least, '.')
  return typeof most === 'number' ? text.slice(0, most) : text
}

function pointer(root: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined
  let at: Json | undefined = root
  for (const step of ref
    .slice(1)
    .split('/')
    .filter((part) => part !== '')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isList(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined
  }
  return at
}
