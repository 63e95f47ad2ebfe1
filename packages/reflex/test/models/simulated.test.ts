import * as fc from 'fast-check'
import { fromJSONSchema } from 'zod'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/kernel/index.ts'
import { createModels, simulatedModel } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { saying, watched } from './workshop.ts'

const models = createModels({ host: virtualHost(), model: simulatedModel() })

const { schema: schemas } = fc.letrec<{ schema: JsonObject; leaf: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('schema'), { maxKeys: 3 })
      .map((properties) => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false })),
    fc.record({ items: tie('schema'), minItems: fc.nat(2) }).map((rest) => ({ type: 'array', ...rest })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
    tie('schema').map((inner) => ({ $ref: '#/$defs/it', $defs: { it: inner } })),
  ),
  leaf: fc.oneof(
    fc.record({ minLength: fc.nat(30) }).map((rest) => ({ type: 'string', ...rest })),
    fc.constantFrom('date', 'date-time', 'email', 'uuid', 'uri').map((format) => ({ type: 'string', format })),
    fc.record({ minimum: fc.integer({ min: -5, max: 5 }) }).map((rest) => ({ type: 'integer', ...rest })),
    fc.record({ maximum: fc.integer({ min: -5, max: 5 }) }).map((rest) => ({ type: 'number', ...rest })),
    fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
    fc.constantFrom<JsonObject>({ type: 'boolean' }, { type: 'null' }, { const: 7 }, { type: ['string', 'null'] }),
  ),
}))

describe('a simulated model', () => {
  test('answers with an allowed value of the schema, the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(schemas, async (schema) => {
        // A reference inside a referenced value belongs to its own document; only the outermost is one here.
        fc.pre(JSON.stringify(schema).lastIndexOf('$ref') <= 2)
        const asked = saying('?', { output: { schema } })
        const reply = await models.generate(asked, watched())
        expect(reply).toMatchObject({ by: 'simulated', tries: 1 })
        expect(fromJSONSchema(structuredClone(schema) as Parameters<typeof fromJSONSchema>[0]).safeParse(reply.object).success).toBe(true)
        expect(await models.generate(asked, watched('another'))).toEqual(reply)
      }),
    )
  })

  test('joins the parts of an allOf', async () => {
    const part = (name: string) => ({ type: 'object', properties: { [name]: { type: 'boolean' } }, required: [name] })
    const reply = await models.generate(saying('?', { output: { schema: { allOf: [part('a'), part('b')] } } }), watched())
    expect(reply.object).toEqual({ a: false, b: false })
  })

  test('is marked as simulated, estimates its usage, and costs nothing', async () => {
    expect(await models.generate(saying('12345678', { label: 'plan' }), watched())).toEqual({
      model: 'simulated',
      text: '[Simulated] Response for plan',
      by: 'simulated',
      finish: 'stop',
      usage: { input: 2, output: 8 },
      tries: 1,
    })
  })

  test('calls a tool only if it must', async () => {
    const tools = [{ name: 'read', schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } }]
    expect((await models.generate(saying('?', { tools }), watched())).calls).toBeUndefined()
    expect((await models.generate(saying('?', { tools, choice: { tool: 'read' } }), watched())).calls).toEqual([
      { id: 'call_1', name: 'read', args: { path: 'simulated' } },
    ])
  })
})
