import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { quote } from '../../text/index.ts'
import type { ImportReport } from './import-report.ts'
import { contentText, itemsIn, objectIn, own, parsedJson, resultIn, textIn, tokensIn } from './loose-json.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import type { Transcript } from './transcript.ts'

/** The messages of one conversation, with the place of each. */
export interface Conversation {
  readonly messages: readonly Json[]
  /** Returns the line of a message. */
  readonly line: (message: number) => number
}

type ReadMessage = (message: JsonObject, line: number, builder: TranscriptBuilder, report: ImportReport) => void

function reader(read: ReadMessage): (conversation: Conversation, report: ImportReport) => Transcript {
  return ({ messages, line }, report) => {
    const builder = new TranscriptBuilder(report)
    for (const [i, message] of messages.entries())
      if (isObject(message) && typeof message['role'] === 'string') read(message, line(i), builder, report)
      else report.leftOut(`message ${i + 1} is no object with a role`, line(i))
    return builder.end()
  }
}

/** Reads messages of OpenAI's chat completions: `tool_calls` of the assistant, and messages of the role `tool`. They do not say if a call failed. */
export const readOpenAi = reader((message, line, builder, report) => {
  const { role, content, tool_calls: calls, function_call: old, tool_call_id: id, name } = message
  if (role === 'user') builder.user(contentText(content))
  else if (role === 'assistant') {
    builder.reply({ usage: tokensIn(own(message, 'usage')) })
    builder.said(contentText(content))
    for (const call of itemsIn(calls)) openAiCall(objectIn(call), line, builder, report)
    if (isObject(old)) openAiCall({ id: `function ${textIn(old['name']) ?? ''}`, function: old }, line, builder, report)
  } else if (role === 'tool') {
    if (typeof id === 'string') builder.result(id, resultIn(content), 2, line)
    else report.leftOut('a message of the role tool has no tool_call_id', line)
  } else if (role === 'function') builder.result(`function ${textIn(name) ?? ''}`, resultIn(content), 2, line)
})

function openAiCall({ id, function: called }: JsonObject, line: number, builder: TranscriptBuilder, report: ImportReport): void {
  const { name, arguments: given } = objectIn(called)
  if (typeof id !== 'string' || typeof name !== 'string') {
    report.leftOut('a tool call has no id, or its function no name', line)
    return
  }
  const args = typeof given === 'string' ? (given.trim() === '' ? {} : parsedJson(given)) : (given ?? {})
  if (args === undefined) report.leftOut(`the arguments of ${quote(name)} are no JSON`, line)
  builder.call({ id, tool: name, args: args ?? textIn(given) ?? null, place: line })
}

/** Reads messages of Anthropic: parts `tool_use` of the assistant, and `tool_result` of the user, which say if a call failed. */
export const readAnthropic = reader((message, line, builder, report) => {
  if (message['role'] === 'assistant') builder.reply({ usage: tokensIn(own(message, 'usage')) })
  anthropicMessage(message, line, builder, report)
})

/** Where an entry stands, and when it was written. */
export interface EntryFacts {
  readonly at?: number | undefined
  readonly strand?: string
}

/** Reads the parts of one message. The reply that an assistant's parts belong to has begun. */
export function anthropicMessage(
  { role, content }: JsonObject,
  line: number,
  builder: TranscriptBuilder,
  report: ImportReport,
  { at, strand = '' }: EntryFacts = {},
): void {
  const text = contentText(content)
  if (role === 'assistant') builder.said(text, strand)
  else if (role === 'user') builder.user(text, strand)
  for (const part of itemsIn(content)) {
    const { type, id, name, input = null, tool_use_id: used, content: result, is_error: failed } = objectIn(part)
    if (type === 'tool_use' && role === 'assistant') {
      if (typeof id === 'string' && typeof name === 'string') builder.call({ id, tool: name, args: input, place: line, at }, strand)
      else report.leftOut('a part tool_use has no id or no name', line)
    } else if (type === 'tool_result') {
      if (typeof used === 'string') builder.result(used, resultIn(result), failed === true ? 0 : 1, line, at)
      else report.leftOut('a part tool_result has no tool_use_id', line)
    }
  }
}

/** Reads messages of the AI SDK: of models (`content`) and of chats in a page (`parts`). */
export const readAiSdk = reader((message, line, builder, report) => {
  const { role, content, parts } = message
  if (role === 'user') builder.user(contentText(parts ?? content))
  const all = itemsIn(parts ?? content).map(objectIn)
  // A message of a chat in a page can have several replies, each with its beginning.
  if (role === 'assistant' && all[0]?.['type'] !== 'step-start') builder.reply()
  if (role === 'assistant' && typeof content === 'string') builder.said(content)
  for (const part of all) aiSdkPart(part, line, builder, report)
})

function aiSdkPart(part: JsonObject, line: number, builder: TranscriptBuilder, report: ImportReport): void {
  const { type, toolCallId: id, toolName, input, args } = part
  if (typeof type !== 'string') return
  const isShown = type === 'dynamic-tool' || (type.startsWith('tool-') && type !== 'tool-call' && type !== 'tool-result')
  if (type === 'step-start') builder.reply()
  // The texts of users are none of a reply, and `said` ignores them.
  if (type === 'text') builder.said(textIn(part['text']) ?? '')
  if (!isShown && type !== 'tool-call' && type !== 'tool-result') return
  const tool = isShown && type !== 'dynamic-tool' ? type.slice('tool-'.length) : toolName
  if (typeof id !== 'string' || typeof tool !== 'string') {
    report.leftOut(`a part ${type.slice(0, 40)} has no toolCallId or no name of a tool`, line)
    return
  }
  if (type !== 'tool-result') builder.call({ id, tool, args: input ?? args ?? {}, place: line })
  if (isShown) shownResult(part, id, line, builder)
  else if (type === 'tool-result') builder.result(id, ...aiSdkResult(part), line)
}

/** A part of a chat in a page has its result with it, once there is one. */
function shownResult({ state, output = null, errorText = null }: JsonObject, id: string, line: number, builder: TranscriptBuilder): void {
  if (state === 'output-available') builder.result(id, output, 1, line)
  else if (state === 'output-error') builder.result(id, errorText, 0, line)
}

/** Returns the result of a part: typed in version 5 and later, plain before. */
function aiSdkResult({ output, result = null, isError }: JsonObject): readonly [result: Json, ok: 0 | 1 | 2] {
  const { type, value = null } = objectIn(output)
  if (typeof type !== 'string') return [output ?? result, isError === true ? 0 : isError === false ? 1 : 2]
  return type.startsWith('error') || type === 'execution-denied' ? [value, 0] : [type === 'content' ? resultIn(value) : value, 1]
}
