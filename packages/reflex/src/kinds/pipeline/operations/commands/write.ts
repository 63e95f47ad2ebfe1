import { isAbsolute, join } from 'node:path'
import { isObject, type Json } from '../../../../kernel/journal/json.ts'
import { isOn, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { sendRequest } from './api.ts'
import { effectFailed, onResume, resolvePath, requiredText, requiredValue } from './requirements.ts'
import { parseJson } from '../../language/parse-json.ts'

/** Writes a value of the context into a file: as a whole or not at all, below a granted folder (reference pipeline 4.8). */
export const fileWrite: Handler = (context) => {
  const key = requiredText(context, 'content_key')
  if (typeof key !== 'string') return key
  const path = requiredText(context, 'output', 'path')
  if (typeof path !== 'string') return path
  const content = requiredValue(context, key)
  if ('status' in content) return content
  const format = textOf(context.attributes, 'format')?.trim() || 'raw'
  const text = formatContent(content.value, format)
  if (text === undefined) return refusal(`${context.node.id}: a file is written as raw, json or text, not as ${JSON.stringify(format)}`)
  return writeFileAt(context, path.trim(), text)
}

function* writeFileAt(context: NodeContext, path: string, text: string): Steps {
  const { attributes, permissions, node } = context
  const append = isOn(attributes, 'append') ? { append: true } : {}
  const settled = yield* callTool('file.write', { path: resolvePath(context, path), text, in: 'work', ...append }, onResume(context))
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  const written = isObject(settled.ok) ? renderText(settled.ok['path']) : path
  return success({ [`file.written.${node.id}`]: isAbsolute(written) ? written : join(permissions.workdir, written) })
}

/** A value as a file holds it. Text that is JSON already is printed again and not put into quotes. */
function formatContent(value: Json, format: string): string | undefined {
  if (format === 'raw' || format === 'text') return typeof value === 'object' ? JSON.stringify(value, null, 2) : renderText(value)
  return format === 'json' ? `${JSON.stringify(typeof value === 'string' ? (parseJson(value) ?? value) : value, null, 2)}\n` : undefined
}

/** Writes a value of the context, or one that the author wrote, under another key (reference pipeline 4.8). */
export const writeContext: Handler = (context) => {
  const output = requiredText(context, 'output_key')
  if (typeof output !== 'string') return output
  const key = textOf(context.attributes, 'content_key')?.trim() ?? ''
  const written = context.attributes.get('value')?.value
  if (key === '')
    return written === undefined
      ? refusal(`${context.node.rawType} ${context.node.id}: no content_key or value`)
      : success({ [output]: written })
  const found = requiredValue(context, key)
  return 'status' in found ? found : success({ [output]: found.value })
}

/** Sends a value of the context to an address (reference pipeline 4.8). */
export const writeApi: Handler = (context) => {
  const { attributes, node } = context
  const bodyKey = ['content_key', 'body_key'].map((name) => textOf(attributes, name)?.trim()).find((key) => key)
  const output = textOf(attributes, 'output_key')?.trim()
  return sendRequest(context, { method: 'POST', bodyKey }, ({ status, text }) => ({
    [`write.${node.id}.status`]: status,
    [`write.${node.id}.response`]: text,
    ...(output ? { [output]: text } : {}),
  }))
}
