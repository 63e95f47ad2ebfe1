import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'
import { SCALAR_TYPES } from '../model/value.ts'

/** The shape of a `*.adapter.json` (reference 6.1), the only source of its published schema. Its rules are in `check-adapter.ts`. */
export const adapterFile = once(() => {
  const schemas = z.array(
    z.strictObject({
      name: z.string().min(1).describe('The kind'),
      payload_schema: z.looseObject({}).describe('A JSON Schema without oneOf and anyOf; objects state "additionalProperties": false'),
    }),
  )
  return z.strictObject({
    $schema: z.string().optional().describe('The schema of this file, for editors'),
    kind: z.literal('adapter'),
    id: z.string().describe('The name of the adapter: lower-case letters, digits and underscores'),
    version: z.string().describe('A semantic version with three parts'),
    runtime_compatibility: z.string().describe('The oldest version of the runtime that has what the adapter needs'),
    about: z.string().optional().describe('One sentence: what it connects'),
    context_keys: z.array(contextKey()).describe('The keys that graphs read and write'),
    event_kinds: schemas.describe('The kinds of events and the schemas of their payloads'),
    accepts: z.strictObject({ effects: schemas }).optional().describe('The kinds of effects that graphs can ask for'),
    capture: z
      .strictObject({
        format_version: z.string().describe('The version of the capture format: "1"'),
        fields: z.array(z.string()).describe('event.KIND, meta.adapter_id, meta.adapter_version, meta.timestamp'),
      })
      .describe('The data that a capture contains'),
  })
})

/** Returns the shape of a key. ADP-6 and ADP-11 judge its type and `writable`, which the published schema states, too. */
function contextKey(): z.ZodType {
  return z
    .strictObject({
      name: z
        .string()
        .min(1)
        .refine((name) => !name.startsWith('~') && name !== '__proto__', { message: 'a key must not begin with "~" or be "__proto__"' })
        .describe('The name of the key'),
      type: z
        .string()
        .meta({ enum: [...SCALAR_TYPES] })
        .describe('The type of its values'),
      required: z.boolean().describe('True if every event provides it'),
      writable: z.boolean().optional().describe('True if actions write it'),
      description: z.string().optional(),
    })
    .meta({ required: ['name', 'type', 'required', 'writable'] })
}

/** The JSON Schema (draft-07) of an adapter file, for editors and other languages. */
export const adapterSchema: () => JsonObject = once(() => {
  const { $schema, ...rest } = z.toJSONSchema(adapterFile(), { target: 'draft-07', io: 'input' }) as JsonObject
  return { ...($schema === undefined ? {} : { $schema }), $id: 'urn:reflex:dataflow-adapter', title: 'Reflex dataflow adapter', ...rest }
})
