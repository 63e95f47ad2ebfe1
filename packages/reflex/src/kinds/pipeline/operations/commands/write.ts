import { isAbsolute, join } from 'node:path'
import { isObject, type Json } from '../../../../kernel/journal/json.ts'
import { isOn, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { sendRequest } from './api.ts'
import { effectFailed, onResume, placeOf, required, requiredValue } from './requirements.ts'
import { jsonIn } from '../../language/json-in.ts'

/** Writes a value of the context into a file: as a whole or not at all, below a granted folder (reference pipeline 4.8). */
export const fileWrite: Handler = (scene) => {
  const key = required(scene, 'content_key')
  if (typeof key !== 'string') return key
  const path = required(scene, 'output', 'path')
  if (typeof path !== 'string') return path
  const content = requiredValue(scene, key)
  if ('status' in content) return content
  const format = textOf(scene.attributes, 'format')?.trim() || 'raw'
  const text = formatted(content.value, format)
  if (text === undefined) return refusal(`${scene.node.id}: a file is written as raw, json or text, not as ${JSON.stringify(format)}`)
  return writes(scene, path.trim(), text)
}

function* writes(scene: Scene, path: string, text: string): Steps {
  const { attributes, charter, node } = scene
  const append = isOn(attributes, 'append') ? { append: true } : {}
  const settled = yield* callTool('file.write', { path: placeOf(scene, path), text, in: 'work', ...append }, onResume(scene))
  if (settled.error !== undefined) return effectFailed(scene, settled.error)
  const written = isObject(settled.ok) ? renderText(settled.ok['path']) : path
  return success({ [`file.written.${node.id}`]: isAbsolute(written) ? written : join(charter.workdir, written) })
}

/** A value as a file holds it. Text that is JSON already is printed again and not put into quotes. */
function formatted(value: Json, format: string): string | undefined {
  if (format === 'raw' || format === 'text') return typeof value === 'object' ? JSON.stringify(value, null, 2) : renderText(value)
  return format === 'json' ? `${JSON.stringify(typeof value === 'string' ? (jsonIn(value) ?? value) : value, null, 2)}\n` : undefined
}

/** Writes a value of the context, or one that the author wrote, under another key (reference pipeline 4.8). */
export const writeContext: Handler = (scene) => {
  const output = required(scene, 'output_key')
  if (typeof output !== 'string') return output
  const key = textOf(scene.attributes, 'content_key')?.trim() ?? ''
  const written = scene.attributes.get('value')?.value
  if (key === '')
    return written === undefined
      ? refusal(`${scene.node.rawType} ${scene.node.id}: no content_key or value`)
      : success({ [output]: written })
  const found = requiredValue(scene, key)
  return 'status' in found ? found : success({ [output]: found.value })
}

/** Sends a value of the context to an address (reference pipeline 4.8). */
export const writeApi: Handler = (scene) => {
  const { attributes, node } = scene
  const bodyKey = ['content_key', 'body_key'].map((name) => textOf(attributes, name)?.trim()).find((key) => key)
  const output = textOf(attributes, 'output_key')?.trim()
  return sendRequest(scene, { method: 'POST', bodyKey }, ({ status, text }) => ({
    [`write.${node.id}.status`]: status,
    [`write.${node.id}.response`]: text,
    ...(output ? { [output]: text } : {}),
  }))
}
