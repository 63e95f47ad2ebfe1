import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { sendRequest } from './api.ts'
import { effectFailed, resolvePath, requiredText, requiredValue } from './requirements.ts'

/** Bytes of a file that is read. */
const MOST = 10_000_000

/** Reads a text file: its text goes to `output_key` and to `last_response` (reference pipeline 4.7). */
export const readFile: Handler = (context) => {
  const path = pathOf(context)
  return path === undefined ? refusal(`${context.node.rawType} ${context.node.id}: no path or source_key`) : readFileAt(context, path)
}

function* readFileAt(context: NodeContext, path: string): Steps {
  const settled = yield* callTool('file.read', { path: resolvePath(context, path), limit: MOST })
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  return success(readUpdates(context, isObject(settled.ok) ? (settled.ok['text'] ?? '') : ''))
}

/** The path that is written, else the one that a value of the context holds, else what names that value. */
function pathOf(context: NodeContext): string | undefined {
  const written = textOf(context.attributes, 'path')?.trim()
  if (written) return written
  const key = textOf(context.attributes, 'source_key')?.trim() ?? ''
  return renderText(context.get(key)).trim() || key || undefined
}

/** Copies a value of the context (reference pipeline 4.7). */
export const readContext: Handler = (context) => {
  const key = requiredText(context, 'source_key')
  if (typeof key !== 'string') return key
  const found = requiredValue(context, key)
  return 'status' in found ? found : success({ [outputKey(context)]: found.value })
}

/** Reads from an address: the text goes to `output_key` and to `last_response`; a status of 400 and more fails (reference pipeline 4.7). */
export const readApi: Handler = (context) => {
  const body = textOf(context.attributes, 'body_key')
  return sendRequest(context, { method: 'GET', bodyKey: body === '' ? undefined : body }, ({ status, text }) => ({
    ...readUpdates(context, text),
    [`read.${context.node.id}.status`]: status,
  }))
}

function readUpdates(context: NodeContext, value: Json): JsonObject {
  return { [outputKey(context)]: value, last_response: value }
}

function outputKey({ attributes, node }: NodeContext): string {
  return textOf(attributes, 'output_key')?.trim() || `read.${node.id}`
}
