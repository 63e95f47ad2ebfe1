import { z } from 'zod'
import type { Json, JsonObject } from '../kernel/index.ts'
import { type SchemaIssue, schemaIssues } from '../text/json-schema/check.ts'

/**
 * What a JSON Schema objects to in a value; nothing if it fits. Comes to an end whatever stands in both, for models write
 * the one and strangers the other. Throws for a schema that it cannot check, whatever the value.
 */
export type FindMisfits = (schema: JsonObject, value: Json) => readonly SchemaIssue[]

/** Schemas that were found to be sound: each is read once. */
const validSchemas = new WeakSet<JsonObject>()

/** The default check: that of boards, after the schema has been read. */
export const schemaMisfits: FindMisfits = (schema, value) => {
  if (!validSchemas.has(schema)) {
    z.fromJSONSchema(structuredClone(schema) as Parameters<typeof z.fromJSONSchema>[0])
    validSchemas.add(schema)
  }
  return schemaIssues(schema, value)
}
