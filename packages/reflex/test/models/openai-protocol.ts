import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'

const schema = z.record(z.string(), z.unknown())
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
})
const content = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)])
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().regex(/^data:image\/\w+;base64,/) }),
})
const said = z.union([z.string(), z.array(z.union([z.strictObject({ type: z.literal('text'), text: z.string() }), image])).min(1)])
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content }),
  z.strictObject({ role: z.literal('user'), content: said }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
])
const body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: schema,
          strict: z.boolean().optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  response_format: z
    .union([
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), schema, strict: z.boolean().optional() }),
      }),
    ])
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  stop: z.array(z.string()).min(1).max(4).optional(),
  seed: z.int().optional(),
  reasoning_effort: z.string().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
})

export type Body = { readonly [key in keyof z.infer<typeof body>]?: z.infer<typeof body>[key] }

/** The parts of a request that are checked. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

/** Returns the reason why OpenAI would refuse a request; undefined for a valid one. */
export function problemOf({ method, path, headers, body: given }: Received): string | undefined {
  if (method !== 'POST' || path !== '/v1/chat/completions') return `${method} ${path} is not POST /v1/chat/completions`
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return `content-type is ${headers['content-type'] ?? 'missing'}`
  const read = body.safeParse(given)
  if (!read.success) return read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  const { tools, tool_choice: choice, response_format: format, stream, stream_options: options } = read.data
  if (choice !== undefined && tools === undefined) return 'tool_choice without tools'
  if (options !== undefined && stream !== true) return 'stream_options without stream'
  if (format?.type === 'json_schema' && format.json_schema.strict !== false && !isStrict(format.json_schema.schema))
    return `Invalid schema for response_format '${format.json_schema.name}': all keys must be required and additionalProperties false`
  return orderProblem(read.data.messages)
}

/** System messages come first; each tool call is answered immediately, in its order, by its id. */
function orderProblem(messages: readonly z.infer<typeof message>[]): string | undefined {
  let open: string[] = []
  let begun = false
  for (const [i, next] of messages.entries()) {
    if (next.role === 'tool') {
      if (open[0] !== next.tool_call_id)
        return `messages.${i}: tool_call_id ${next.tool_call_id} is not the next open call (${open.join(', ')})`
      open = open.slice(1)
      continue
    }
    if (open.length > 0) return `messages.${i}: tool calls ${open.join(', ')} have no result`
    if (next.role === 'system' && begun) return `messages.${i}: a system message after others`
    begun ||= next.role !== 'system'
    if (next.role !== 'assistant') continue
    open = (next.tool_calls ?? []).map(({ id }) => id)
    if (next.content === '' && open.length === 0) return `messages.${i}: an empty assistant message`
    for (const {
      function: { arguments: args },
    } of next.tool_calls ?? [])
      if (!isJson(args)) return `messages.${i}: arguments are no JSON`
  }
  if (open.length > 0) return `tool calls ${open.join(', ')} have no result`
  return messages.at(-1)?.role === 'assistant' ? 'the last message is the assistant’s' : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isStrict(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  const { type, properties, required, additionalProperties } = value as Readonly<Record<string, unknown>>
  if (type === 'object') {
    if (additionalProperties !== false || !Array.isArray(required)) return false
    if (!Object.keys(properties ?? {}).every((key) => required.includes(key))) return false
  }
  return Object.values(value).every(isStrict)
}
