import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'
import { PARAMETER_TYPES, PRIMITIVE_KINDS } from '../model/manifest.ts'
import { PORT_TYPES, SCALAR_TYPES } from '../model/value.ts'

/** The shape of a `*.primitive.json`. The rules that need several fields, or the kind, are in `check-manifest.ts`. */
export const manifestFile = once(() =>
  z.strictObject({
    $schema: z.string().optional().describe('The schema of this file, for editors'),
    kind: z.enum(PRIMITIVE_KINDS).describe('The causal role'),
    id: z.string().describe('The name by which graphs use it: lower-case letters, digits and underscores'),
    version: z.string().describe('A semantic version with three parts'),
    about: z.string().optional().describe('One sentence: what it does'),
    inputs: z.array(inputPort()),
    outputs: z.array(z.strictObject({ name: name('output'), type: z.enum(PORT_TYPES) })),
    parameters: z.array(parameter()),
    execution: z.strictObject({
      deterministic: z.boolean().describe('true: equal inputs give equal outputs'),
      cadence: z.enum(['continuous', 'event']).optional().describe('A label for triggers; it changes nothing'),
      may_error: z.boolean().optional().describe('True for a compute that can return an error'),
      retryable: z.boolean().optional().describe('false for an action'),
    }),
    state: z.strictObject({
      allowed: z.boolean().describe('false: nothing is kept between events'),
      resettable: z.boolean().optional(),
    }),
    side_effects: z.boolean().describe('true for an action, false for the others'),
    requires: z
      .strictObject({ context: z.array(contextKey()) })
      .optional()
      .describe('The keys of the context that a source reads'),
    errors: z
      .strictObject({ allowed: z.boolean(), types: z.array(z.string()), deterministic: z.boolean() })
      .optional()
      .describe('The errors of a compute'),
    effects: effects().optional().describe('The effects of an action'),
  }),
)

/** The JSON Schema (draft-07) of a manifest file, for editors and other languages. */
export const manifestSchema: () => JsonObject = once(() => {
  const { $schema, ...rest } = z.toJSONSchema(manifestFile(), { target: 'draft-07', io: 'input' }) as JsonObject
  return {
    ...($schema === undefined ? {} : { $schema }),
    $id: 'urn:reflex:dataflow-primitive',
    title: 'Reflex dataflow primitive',
    ...rest,
  }
})

/** The name of a port, parameter or field. `__proto__` is no key of a plain object, and functions get plain objects. */
function name(of: string): z.ZodString {
  return z
    .string()
    .regex(/^[^\s.]+$/)
    .refine((text) => text !== '__proto__', 'no name can be "__proto__"')
    .refine(isWellFormed, HALF)
    .describe(`The name of the ${of}`)
}

const HALF = 'a text cannot have half a surrogate pair'

/** True for text that has bytes: ids of intents are made of them. */
function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

function text(): z.ZodString {
  return z.string().min(1).refine(isWellFormed, HALF)
}

function inputPort(): z.ZodObject {
  return z.strictObject({
    name: name('input'),
    type: z.enum(PORT_TYPES),
    required: z.boolean().optional().describe('Default: true'),
    cardinality: z.enum(['single', 'multiple']).optional().describe('"multiple" is reserved'),
  })
}

function parameter(): z.ZodObject {
  return z.strictObject({
    name: name('parameter'),
    type: z.enum(PARAMETER_TYPES),
    default: z.union([z.number(), z.boolean(), z.string()]).optional().describe('A parameter without a default is required'),
    required: z.boolean().optional(),
    bounds: z.string().optional().describe('For readers only'),
    values: z.array(text()).optional().describe('The values of an Enum'),
  })
}

const KEY = 'A key of the context, or "$name" for the key that the String parameter "name" holds'

function contextKey(): z.ZodObject {
  return z.strictObject({ name: text().describe(KEY), type: z.enum(SCALAR_TYPES), required: z.boolean() })
}

function effects(): z.ZodObject {
  const key = text().describe(KEY)
  const type = z.enum(PORT_TYPES).describe('A scalar type')
  const field = z.strictObject({
    name: name('field'),
    type,
    from_input: z.string().optional().describe('The input with its value'),
    from_param: z.string().optional().describe('The parameter with its value'),
  })
  return z.strictObject({
    writes: z.array(z.strictObject({ name: key, type, from_input: z.string().describe('The input with the value') })).optional(),
    intents: z
      .array(
        z.strictObject({
          name: text().describe('The kind of the effect'),
          fields: z.array(field),
          mirror_writes: z
            .array(z.strictObject({ name: key, type, from_field: z.string().describe('The field with the value') }))
            .optional()
            .describe('Keys that are written besides, before the intent is sent'),
        }),
      )
      .optional(),
  })
}
