import { z } from 'zod'
import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { once } from '../text/index.ts'

const sharedShapes = once(() => {
  const json = z.custom<Json>((value) => value !== undefined, 'expected a JSON value')
  const object = z.custom<JsonObject>((value) => isObject(value), 'expected an object')
  const list = z.custom<readonly Json[]>((value) => isList(value), 'expected a list')
  const count = z.int().nonnegative()
  const calls = z.array(z.strictObject({ id: z.string(), name: z.string(), args: object, invalid: z.string().optional() }))
  return { json, object, list, count, calls }
})

/** The shape of the arguments of the port `model`. */
export const requestShape = once(() => {
  const { json, object, list, count, calls } = sharedShapes()
  const options = z.record(z.string(), object)
  const marks = { cache: z.union([z.literal(true), z.literal('1h')]).optional(), options: options.optional() }
  const part = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string(), ...marks }),
    z.strictObject({
      type: z.literal('file'),
      data: z.string(),
      media: z.string().optional(),
      name: z.string().optional(),
      bytes: count.optional(),
      hash: z.string().optional(),
      ...marks,
    }),
  ])

  const message = z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: z.string(), ...marks }),
    z.strictObject({ role: z.literal('user'), content: z.string(), parts: z.array(part).optional(), ...marks }),
    z.strictObject({
      role: z.literal('assistant'),
      content: z.string().optional(),
      calls: calls.optional(),
      native: list.optional(),
      ...marks,
    }),
    z.strictObject({
      role: z.literal('tool'),
      call: z.string(),
      name: z.string(),
      result: json,
      failed: z.literal(true).optional(),
      ...marks,
    }),
  ])

  return z.strictObject({
    model: z.string().optional(),
    fallback: z.array(z.string()).optional(),
    messages: z.array(message).min(1),
    tools: z.array(z.strictObject({ name: z.string().min(1), description: z.string().optional(), schema: object })).optional(),
    choice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: z.string() })]).optional(),
    output: z.strictObject({ schema: object, name: z.string().optional() }).optional(),
    temperature: z.number().nonnegative().optional(),
    topP: z.number().min(0).max(1).optional(),
    maxTokens: z.int().positive().optional(),
    partial: z.boolean().optional(),
    stop: z.array(z.string()).optional(),
    seed: z.int().optional(),
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high']).optional(),
    options: options.optional(),
    stream: z.boolean().optional(),
    timeout: z.number().positive().optional(),
    tryTimeout: z.number().positive().optional(),
    retries: count.optional(),
    label: z.string().optional(),
  })
})

/** The shape of a reply in a recording; a handwritten one needs only `text`, `object` or `calls`. */
export const replyShape = once(() => {
  const { json, list, count, calls } = sharedShapes()
  return z
    .strictObject({
      model: z.string(),
      text: z.string(),
      object: json,
      calls,
      reasoning: z.string(),
      finish: z.enum(['stop', 'length', 'tools', 'filter', 'other']),
      usage: z.strictObject({
        input: count,
        output: count,
        cached: count.optional(),
        cacheWrite: count.optional(),
        reasoning: count.optional(),
      }),
      native: list,
      warnings: z.array(z.string()),
      by: z.string(),
      cost: z.number().nonnegative(),
      estimated: z.literal(true),
      tries: count,
      failures: z.array(z.strictObject({ model: z.string(), code: z.string(), message: z.string() })),
    })
    .partial()
})
