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
 * A conversation as the board keeps it, so that a request holds what is new and refers to what went before: the first part holds
 * the request, each further one names the part before it and the answers on the board that it adds.
 */
export type ConversationPart =
  | { readonly request: JsonObject }
  | { readonly after: string; readonly reply: string; readonly results: readonly ResultPart[] }

/** The result of a tool call: the key of the answer that holds it, or a text in place of an answer. */
export interface ResultPart {
  readonly call: string
  readonly name: string
  readonly at?: string
  readonly said?: string
}

/** A file of a message as a request keeps it: `at` is the key on the board that has the content. */
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
 * Returns the whole arguments of a request to a model: those of a conversation name its last part, and `read` gives the values
 * that stand on the board. Other arguments are returned as they are.
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

/** The same for an effect of a frame, for people: its files are facts, without their contents. */
export function shownRequest({ args, frame }: Pick<Call, 'args' | 'frame'>): Json | undefined {
  const reader = frame.reader()
  return fullRequest(args, (key) => reader.get(key))
}

/** Returns the whole arguments of a call to a model, with the contents of its files, in the frame that asks. */
export function requestOfCall({ args, frame }: Pick<Call, 'args' | 'frame'>): Json | undefined {
  const reader = frame.reader()
  const read: ReadBoard = (key) => reader.get(key)
  return withContents(fullRequest(args, read), read)
}

/** Returns a request with the contents of its files. A file whose content is not there stays as it is: the port refuses it. */
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
