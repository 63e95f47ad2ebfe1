import { z } from 'zod'
import type { Json, JsonObject } from '../kernel/index.ts'
import { type Misfit, misfits } from '../text/json-schema/check.ts'

/**
 * What a JSON Schema objects to in a value; nothing if it fits. Comes to an end whatever stands in both, for models write
 * the one and strangers the other. Throws for a schema that it cannot check, whatever the value.
 */
export type FindMisfits = (schema: JsonObject, value: Json) => readonly Misfit[]

/** Schemas that were found to be sound: each is read once. */
const sound = new WeakSet<JsonObject>()

/** The default check: that of boards, after the schema has been read. */
export const schemaMisfits: FindMisfits = (schema, value) => {
  if (!sound.has(schema)) {
    z.fromJSONSchema(structuredClone(schema) as Parameters<typeof z.fromJSONSchema>[0])
    sound.add(schema)
  }
  return misfits(schema, value)
}
