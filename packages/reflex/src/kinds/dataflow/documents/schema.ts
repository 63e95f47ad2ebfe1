import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'
import { PARAMETER_TYPES } from '../model/manifest.ts'
import { PORT_TYPES } from '../model/value.ts'

/** The shape of a `*.dataflow.json`, the only source of the published schema. Names and references are checked in `read.ts`. */
export const clusterFile = once(() => {
  const text = z.string()
  return z.strictObject({
    $schema: text.optional().describe('The schema of this file, for editors'),
    kind: z.literal('cluster').optional().describe('Every document is a cluster; one without wired inputs is a graph'),
    id: text.describe('The name by which it is run, and by which other clusters use it'),
    version: z.union([text, z.number()]).describe('A version; 1 means 1.0.0, and 1.2 means 1.2.0'),
    about: text.optional().describe('Its purpose, for people'),
    inputs: z.array(input()).optional().describe('The values that the cluster around it gives'),
    parameters: z.array(parameter()).optional().describe('The parameters that the cluster around it can set'),
    nodes: z.record(text, node()).describe('The nodes, by name'),
    edges: z.array(edge()).optional().describe('The edges between ports; they must not form a cycle'),
    outputs: z.record(text, text).optional().describe('The values that it gives, each with its port: "node.port"'),
    declared_signature: signature().optional().describe('What it states of its own shape; it cannot claim more than is true'),
  })
})

/** The JSON Schema (draft-07) of a dataflow file, for editors and other languages. */
export const clusterSchema: () => JsonObject = once(() => {
  const { $schema, ...rest } = z.toJSONSchema(clusterFile(), { target: 'draft-07', io: 'input' }) as JsonObject
  return { ...($schema === undefined ? {} : { $schema }), $id: 'urn:reflex:dataflow', title: 'Reflex dataflow', ...rest }
})

function literal(): z.ZodUnion<[z.ZodNumber, z.ZodBoolean, z.ZodString]> {
  return z.union([z.number(), z.boolean(), z.string()])
}

function node(): z.ZodObject {
  const exposed = z.strictObject({ exposed: z.string().describe('The parameter of this cluster whose value is taken') })
  return z
    .strictObject({
      impl: z.string().optional().describe('The primitive with its version: "gt@^0.1"'),
      cluster: z.string().optional().describe('The cluster with its version: "once@^1"'),
      params: z
        .record(z.string(), z.union([z.number(), z.boolean(), z.string(), exposed]))
        .optional()
        .describe('The values of its parameters'),
    })
    .meta({ oneOf: [{ required: ['impl'] }, { required: ['cluster'] }] })
}

function edge(): z.ZodUnion {
  const port = z.strictObject({ node: z.string(), port: z.string() })
  return z.union([
    z.string().describe('"node.port -> node.port", or "$input -> node.port"'),
    z.tuple([z.string(), z.string()]),
    z.strictObject({ from: z.union([port, z.strictObject({ external: z.string().describe('An input of this cluster') })]), to: port }),
  ])
}

function input(): z.ZodObject {
  return z.strictObject({
    name: z.string(),
    type: z.enum(PORT_TYPES),
    required: z.boolean().optional().describe('Default: true'),
  })
}

function parameter(): z.ZodObject {
  return z.strictObject({
    name: z.string(),
    type: z.enum(PARAMETER_TYPES),
    default: z
      .union([literal(), z.strictObject({ derive_key: z.string().describe('Ends the key that is derived from the place of the node') })])
      .optional()
      .describe('A parameter without a default is required'),
    required: z.boolean().optional(),
    bounds: z.string().optional().describe('For readers only'),
    values: z.array(z.string()).optional().describe('The values of an Enum'),
  })
}

function signature(): z.ZodObject {
  return z.strictObject({
    kind: z.enum(['SourceLike', 'ComputeLike', 'TriggerLike', 'ActionLike']).optional(),
    inputs: z.array(z.strictObject({ name: z.string(), type: z.enum(PORT_TYPES) })).optional(),
    outputs: z
      .array(z.strictObject({ name: z.string(), type: z.enum(PORT_TYPES).optional(), wireable: z.boolean().optional() }))
      .optional(),
    has_side_effects: z.boolean().optional(),
    is_origin: z.boolean().optional(),
  })
}
