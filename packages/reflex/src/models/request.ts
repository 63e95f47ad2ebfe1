import { z } from 'zod'
import { type Fault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { issueWords } from './issue-words.ts'
import type { ModelReply, ModelRequest } from './types.ts'

const json = z.custom<Json>((value) => value !== undefined, 'expected a JSON value')
const object = z.custom<JsonObject>((value) => isObject(value), 'expected an object')
const list = z.custom<readonly Json[]>((value) => isList(value), 'expected a list')
const count = z.int().nonnegative()
const calls = z.array(z.strictObject({ id: z.string(), name: z.string(), args: object, invalid: z.string().optional() }))

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

const requestShape = z.strictObject({
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

/** A reply as a recording holds it; by hand, `text`, `object` or `calls` is enough. */
export const replyShape = z
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

/** Reads the arguments of the port `model`. Throws `R4017`, naming the keys that are wrong, and `R4031` for a key in the options of a provider. */
export function readRequest(args: Json | undefined): ModelRequest {
  const read = requestShape.safeParse(args)
  if (read.success) {
    refuseKeys(read.data)
    return read.data
  }
  throw faults.make('R4017', `the request to a model cannot be read: ${issueWords(read.error.issues, args, 'the request')}`, {
    fix: 'correct what the message names',
  })
}

/** Names of settings that hold a key or a password. */
const KEY_NAME =
  /^(?:x-)?(?:api[-_]?key|authorization|auth[-_]?token|access[-_]?(?:key|token)(?:[-_]?id)?|secret(?:[-_]?access)?[-_]?key|secret|session[-_]?token|bearer(?:[-_]?token)?|password|credentials?|private[-_]?key)$/i

/** Returns the path of a key or password in the options of a provider: records keep options as they are. */
export function keyIn(options: Json | undefined, path: readonly string[] = []): string | undefined {
  if (typeof options !== 'object' || options === null) return undefined
  for (const [name, value] of Object.entries(options)) {
    const at = [...path, name]
    if (KEY_NAME.test(name) && typeof value === 'string' && value !== '') return at.join('.')
    const inner = keyIn(value, at)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Refuses a request whose provider options hold a key: `R4031`. */
export function refuseKeys({ options, messages }: ModelRequest): void {
  const parts = messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : []))
  for (const given of [options, ...[...messages, ...parts].map((one) => one.options)]) {
    const found = keyIn(given)
    if (found !== undefined) throw holdsKey(found)
  }
}

/** The fault `R4031`. */
export function holdsKey(path: string): Fault {
  return faults.make('R4031', `the provider options hold ${path}; a record keeps options as they are`, {
    fix: `remove ${path}; set the variable of the provider in the environment instead`,
  })
}

/** Whether calls can be an answer to a request. Where they cannot, calls would pass for an answer that nobody checks. */
export function offersTools({ tools = [], choice }: ModelRequest): boolean {
  return tools.length > 0 && choice !== 'none'
}

/** A reply of which only what matters is written. */
export type WrittenReply = { readonly [key in keyof ModelReply]?: ModelReply[key] | undefined }
