import { isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { itemsIn, objectIn } from './loose-json.ts'

/** The formats of transcripts. */
export const FORMATS = ['openai', 'anthropic', 'ai-sdk', 'claude-code', 'mcp', 'swe-agent'] as const
export type TranscriptFormat = (typeof FORMATS)[number]

/** The entries of a file at which a format is recognised. */
export const LOOKED_AT = 200

/** Returns the format of a line of a file with one JSON value on each line; undefined if none is recognised. A conversation has that of its messages. */
export function formatOfLine(value: Json): TranscriptFormat | undefined {
  const entry = objectIn(value)
  if (entry['jsonrpc'] === '2.0') return 'mcp'
  if (typeof entry['sessionId'] === 'string' && typeof entry['type'] === 'string') return 'claude-code'
  return formatOfValue(value)
}

/** Returns the format of one JSON document; undefined if none is recognised. */
export function formatOfValue(value: Json): TranscriptFormat | undefined {
  if (isObject(value) && isList(value['trajectory'])) return 'swe-agent'
  const messages = messagesIn(value)
  if (messages === undefined) return undefined
  let isConversation = false
  for (const message of messages.slice(0, LOOKED_AT)) {
    const entry = objectIn(message)
    if (typeof entry['role'] !== 'string') continue
    isConversation = true
    const found = formatOfMessage(entry)
    if (found !== undefined) return found
  }
  if (!isConversation) return undefined
  return isObject(value) && Object.hasOwn(value, 'system') ? 'anthropic' : 'openai'
}

/** Returns the messages of a document: a list, or the list under `messages`. */
export function messagesIn(value: Json): readonly Json[] | undefined {
  if (isList(value)) return value
  const messages = objectIn(value)['messages']
  return isList(messages) ? messages : undefined
}

/** Returns the format that only one provider's messages have. */
function formatOfMessage({
  role,
  content,
  parts,
  tool_calls: calls,
  tool_call_id: id,
  function_call: old,
}: JsonObject): TranscriptFormat | undefined {
  if (isList(calls) || isObject(old) || role === 'function' || (role === 'tool' && typeof id === 'string')) return 'openai'
  if (isList(parts)) return 'ai-sdk'
  for (const part of itemsIn(content)) {
    const { type } = objectIn(part)
    if (type === 'tool_use' || type === 'tool_result') return 'anthropic'
    if (type === 'tool-call' || type === 'tool-result') return 'ai-sdk'
  }
  return undefined
}
