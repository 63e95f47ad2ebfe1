import { z } from 'zod'
import type { Json, JsonObject } from '../kernel/index.ts'
import { type SchemaIssue, schemaIssues } from '../text/json-schema/check.ts'

/**
 * Returns the misfits of a value against a JSON Schema; an empty list if it fits. Always ends, whatever the input is:
 * models write the values, and strangers write the schemas. Throws for a schema that it cannot check, whatever the
 * value.
 */
export type FindMisfits = (schema: JsonObject, value: Json) => readonly SchemaIssue[]

/** The schemas that were found to be valid; each is read once. */
const validSchemas = new WeakSet<JsonObject>()

/** The default check: the check of boards, after the schema has been read. */
export const schemaMisfits: FindMisfits = (schema, value) => {
  if (!validSchemas.has(schema)) {
    z.fromJSONSchema(structuredClone(schema) as Parameters<typeof z.fromJSONSchema>[0])
    validSchemas.add(schema)
  }
  return schemaIssues(schema, value)
}
