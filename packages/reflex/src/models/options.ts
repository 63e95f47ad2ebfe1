import { Buffer } from 'node:buffer'
import { canonicalJson, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { fileText } from './content.ts'
import { isText } from './media.ts'
import type { ContentMarks, ContentPart, FilePart, ModelMessage, ModelRequest } from './types.ts'

/** A message in the form of the provider interface. */
type PromptMessage = (
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly Json[] }
) & { readonly providerOptions?: JsonObject }

/** The options of one call in the form of the AI SDK's provider interface. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[]
  readonly abortSignal?: AbortSignal
  readonly responseFormat?: JsonObject
  readonly [setting: string]: unknown
}

/** Converts a request to the form of the provider interface; absent settings are omitted. */
export function optionsFor(request: ModelRequest, version: string): CallOptions {
  const { tools = [], choice, output, effort } = request
  const settings = {
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    stopSequences: request.stop,
    seed: request.seed,
    // Models of the third generation get the effort through `options`, each provider in its own form.
    reasoning: version === 'v3' ? undefined : effort,
    tools:
      tools.length === 0
        ? undefined
        : tools.map((tool) => ({
            type: 'function',
            name: tool.name,
            ...(tool.description === undefined ? {} : { description: tool.description }),
            inputSchema: tool.schema,
          })),
    toolChoice: tools.length === 0 || choice === undefined ? undefined : toolChoice(choice),
    responseFormat: output === undefined ? undefined : { type: 'json', schema: output.schema, name: output.name ?? 'answer' },
    providerOptions: providerOptions(request),
  }
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { prompt: promptOf(request.messages, version), ...Object.fromEntries(given) }
}

function toolChoice(choice: NonNullable<ModelRequest['choice']>): JsonObject {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }
}

/**
 * Returns the provider options. OpenAI and similar providers check a schema strictly and refuse one with optional keys;
 * such a schema is sent as not strict, and Reflex checks the answer as it checks any other.
 */
function providerOptions({ options, output }: ModelRequest): JsonObject | undefined {
  if (output === undefined || isStrict(output.schema)) return options
  const lenient = { strictJsonSchema: false }
  const named = Object.entries(options ?? {}).map(([name, objectOf]) => [name, { ...objectOf }] as const)
  return {
    ...Object.fromEntries(named),
    openai: { ...lenient, ...options?.['openai'] },
    openaiCompatible: { ...lenient, ...options?.['openaiCompatible'] },
  }
}

/** True if each object in the schema requires all its keys and allows no others. */
function isStrict(schema: Json): boolean {
  if (isList(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { type, properties, required, additionalProperties } = schema
  if (type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isList(required) || !isObject(properties)) return false
    if (Object.keys(properties).some((key) => !required.includes(key))) return false
  }
  return Object.values(schema).every(isStrict)
}

/** Converts messages to the form of the provider interface: consecutive tool results become one message. */
function promptOf(messages: readonly ModelMessage[], version: string): readonly PromptMessage[] {
  const prompt: PromptMessage[] = []
  let results: Json[] | undefined
  for (const message of messages) {
    if (message.role !== 'tool') {
      results = undefined
      prompt.push({ ...promptMessage(message, version), ...providerMarks(message) })
      continue
    }
    if (results === undefined) {
      results = []
      prompt.push({ role: 'tool', content: results })
    }
    results.push(toolResult(message))
  }
  return prompt
}

function promptMessage(message: Exclude<ModelMessage, { role: 'tool' }>, version: string): PromptMessage {
  if (message.role === 'system') return { role: 'system', content: message.content }
  if (message.role === 'user') return { role: 'user', content: userParts(message, version) }
  if (message.native !== undefined) return { role: 'assistant', content: message.native }
  const { content = '', calls = [] } = message
  const text = content === '' ? [] : [{ type: 'text', text: content }]
  const made = calls.map(({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: args }))
  return { role: 'assistant', content: [...text, ...made] }
}

function userParts({ content, parts = [] }: Extract<ModelMessage, { role: 'user' }>, version: string): readonly Json[] {
  const before = parts.map((part) => contentPart(part, version))
  return content === '' && before.length > 0 ? before : [...before, { type: 'text', text: content }]
}

function contentPart(part: ContentPart, version: string): JsonObject {
  const marks = providerMarks(part)
  if (part.type === 'text') return { type: 'text', text: part.text, ...marks }
  const { name, media = 'application/octet-stream', data } = part
  // Not every provider accepts text files, but every model reads text.
  if (isText(media)) return { type: 'text', text: `The file ${fileText(part)}:\n${textIn(part)}`, ...marks }
  const filename = name === undefined ? {} : { filename: name }
  return { type: 'file', mediaType: media, ...filename, data: version === 'v3' ? data : { type: 'data', data }, ...marks }
}

function textIn({ data }: FilePart): string {
  return Buffer.from(data, 'base64').toString('utf8')
}

/** Returns the cache marks of all providers; providers that cache automatically need none. */
function cacheMarks(cache: true | '1h'): JsonObject {
  const control = { type: 'ephemeral', ...(cache === '1h' ? { ttl: '1h' } : {}) }
  const point = { type: 'default', ...(cache === '1h' ? { ttl: '1h' } : {}) }
  return { anthropic: { cacheControl: control }, openrouter: { cacheControl: control }, bedrock: { cachePoint: point } }
}

/** Returns the provider options of a message or a part; the author's options override the cache marks. */
function providerMarks({ cache, options = {} }: ContentMarks): { readonly providerOptions?: JsonObject } {
  const marks = cache === undefined ? {} : cacheMarks(cache)
  const names = new Set([...Object.keys(marks), ...Object.keys(options)])
  if (names.size === 0) return {}
  const objectOf = (candidate: Json | undefined): JsonObject => (isObject(candidate) ? candidate : {})
  return { providerOptions: Object.fromEntries([...names].map((name) => [name, { ...objectOf(marks[name]), ...objectOf(options[name]) }])) }
}

function toolResult(message: Extract<ModelMessage, { role: 'tool' }>): Json {
  const { call, name, result, failed } = message
  const kind = typeof result === 'string' ? 'text' : 'json'
  const output = { type: failed === true ? `error-${kind}` : kind, value: result }
  return { type: 'tool-result', toolCallId: call, toolName: name, output, ...providerMarks(message) }
}

/**
 * Adds the schema of the answer to the prompt: at the end of the last system message, because some servers accept only
 * one.
 */
export function askInPrompt(options: CallOptions, schema: JsonObject): CallOptions {
  const words = `Answer with one JSON value alone, without any other text. It must fit this JSON Schema: ${canonicalJson(schema)}`
  const last = options.prompt.findLastIndex(({ role }) => role === 'system')
  const prompt = options.prompt.map((message, i) =>
    i === last && message.role === 'system' ? { ...message, content: `${message.content}\n\n${words}` } : message,
  )
  return { ...options, prompt: last < 0 ? [{ role: 'system', content: words }, ...prompt] : prompt }
}
