import { isList, isObject, type Json, type JsonObject, type Call } from '../../../kernel/index.ts'
import {
  assistantMessage,
  type ContentPart,
  type FilePart,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  shortResult,
} from '../../../models/index.ts'
import type { Settled } from './handler.ts'
import { unpackSettled } from './pack-answer.ts'

/**
 * A part of a conversation on the board. Each request stores only what is new: the first part has the request, each further
 * part names the previous part and the keys of the answers that it adds.
 */
export type ConversationPart =
  | { readonly request: JsonObject }
  | { readonly after: string; readonly reply: string; readonly results: readonly ResultPart[] }

/** The result of a tool call: the key of the stored answer, or a text instead of an answer. */
export interface ResultPart {
  readonly call: string
  readonly name: string
  readonly at?: string
  readonly said?: string
}

/** A file of a stored message. `at` is the key of its content on the board. */
export type StoredFile = Omit<FilePart, 'data'> & { readonly at: string }

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>
type ReadBoard = (key: string) => Json | undefined

/** Returns the message of a tool call. */
export function resultMessage({ call, name, at, said }: ResultPart, read: (key: string) => Settled): ToolMessage {
  const about = { role: 'tool' as const, call, name }
  if (at === undefined) return { ...about, result: said ?? '', failed: true }
  const { ok, error } = read(at)
  return error === undefined ? { ...about, result: shortResult(ok ?? null) } : { ...about, result: error.message, failed: true }
}

/**
 * Returns the complete arguments of a request to a model. Arguments with a conversation name its last part; `read` reads values
 * of the board. Returns other arguments unchanged.
 */
function fullRequest(args: Json | undefined, read: ReadBoard): Json | undefined {
  if (!isObject(args) || typeof args['conversation'] !== 'string') return args
  const { conversation, ...settings } = args
  const turns: ModelMessage[][] = []
  let part = partAt(conversation, read)
  while (part !== undefined && 'after' in part) {
    const reply = unpackSettled(read(part.reply)).ok as unknown as ModelReply
    turns.push([assistantMessage(reply), ...part.results.map((result) => resultMessage(result, (at) => unpackSettled(read(at))))])
    part = partAt(part.after, read)
  }
  if (part === undefined) return args
  const { messages, ...shared } = part.request as unknown as ModelRequest
  return { ...settings, ...shared, messages: [...messages, ...turns.reverse().flat()] } as unknown as JsonObject
}

/** Returns the complete arguments of an effect of a frame, for people: files appear without their contents. */
export function shownRequest({ args, frame }: Pick<Call, 'args' | 'frame'>): Json | undefined {
  const reader = frame.reader()
  return fullRequest(args, (key) => reader.get(key))
}

/** Returns the complete arguments of a model call with the contents of its files, read in the frame of the call. */
export function requestOfCall({ args, frame }: Pick<Call, 'args' | 'frame'>): Json | undefined {
  const reader = frame.reader()
  const read: ReadBoard = (key) => reader.get(key)
  return withContents(fullRequest(args, read), read)
}

/** Returns a request with the contents of its files. A file without content stays unchanged; the port refuses it. */
function withContents(request: Json | undefined, read: ReadBoard): Json | undefined {
  const { messages } = isObject(request) ? request : {}
  if (!isObject(request) || !isList(messages) || !messages.some((message) => isObject(message) && isList(message['parts']))) return request
  const whole = (messages as unknown as ModelMessage[]).map((message) =>
    message.role === 'user' && message.parts !== undefined
      ? { ...message, parts: message.parts.map((part) => withContent(part, read)) }
      : message,
  )
  return { ...request, messages: whole as unknown as Json }
}

function withContent(part: ContentPart | StoredFile, read: ReadBoard): ContentPart | StoredFile {
  if (!('at' in part)) return part
  const { at, ...file } = part
  const kept = unpackSettled(read(at)).ok
  const content = typeof kept === 'string' ? kept : isObject(kept) ? kept['data'] : undefined
  return { ...file, data: typeof content === 'string' ? content : '' }
}

function partAt(key: string, read: ReadBoard): ConversationPart | undefined {
  return read(key) as unknown as ConversationPart | undefined
}
