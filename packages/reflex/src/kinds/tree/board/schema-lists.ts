import { copyJson, isList, isObject, type Json, type JsonObject, type Validator } from '../../../kernel/index.ts'
import { resolveReference } from '../../../text/json-schema/check.ts'

/** True unless a JSON Schema refuses every list. */
export function jsonSchemaAdmitsList(schema: Json): boolean {
  return admitsList(schema, schema, new Map())
}

/** `known` has the schemas that were looked at: one that refers to itself adds nothing, and one that stands in many places is read once. */
function admitsList(schema: Json | undefined, root: Json, known: Map<JsonObject, boolean>): boolean {
  if (!isObject(schema)) return schema !== false
  const earlier = known.get(schema)
  if (earlier !== undefined) return earlier
  known.set(schema, true)
  const admits = (part: Json | undefined): boolean => admitsList(part, root, known)
  const { allOf, anyOf, oneOf, $ref } = schema
  const result =
    ownKeywordsAdmitList(schema) &&
    (!isList(allOf) || allOf.every(admits)) &&
    [anyOf, oneOf].every((parts) => !isList(parts) || parts.some(admits)) &&
    (typeof $ref !== 'string' || admits(resolveReference(root, $ref)))
  known.set(schema, result)
  return result
}

function ownKeywordsAdmitList({ type, enum: words, const: only }: JsonObject): boolean {
  if (type !== undefined && type !== 'array' && !(isList(type) && type.includes('array'))) return false
  if (isList(words) && !words.some(isList)) return false
  return only === undefined || isList(only)
}

/** The JSON Schema that a validator can have besides its function (Standard JSON Schema). */
interface JsonSchemaSource {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown }
}

/** True unless the JSON Schema of a validator refuses every list. A validator that has none may admit lists. */
export function validatorAdmitsList(validator: Validator): boolean {
  const { jsonSchema } = validator['~standard'] as JsonSchemaSource
  if (typeof jsonSchema?.input !== 'function') return true
  try {
    return jsonSchemaAdmitsList(copyJson(jsonSchema.input({ target: 'draft-2020-12' }), 'schema'))
  } catch {
    // zod throws for a schema that JSON Schema cannot express.
    return true
  }
}
