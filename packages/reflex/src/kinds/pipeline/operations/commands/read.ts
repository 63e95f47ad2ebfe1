import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { sendRequest } from './api.ts'
import { effectFailed, placeOf, required, requiredValue } from './requirements.ts'

/** Bytes of a file that is read. */
const MOST = 10_000_000

/** Reads a text file: its text goes to `output_key` and to `last_response` (reference pipeline 4.7). */
export const readFile: Handler = (scene) => {
  const path = pathOf(scene)
  return path === undefined ? refusal(`${scene.node.rawType} ${scene.node.id}: no path or source_key`) : reads(scene, path)
}

function* reads(scene: Scene, path: string): Steps {
  const settled = yield* callTool('file.read', { path: placeOf(scene, path), limit: MOST })
  if (settled.error !== undefined) return effectFailed(scene, settled.error)
  return success(kept(scene, isObject(settled.ok) ? (settled.ok['text'] ?? '') : ''))
}

/** The path that is written, else the one that a value of the context holds, else what names that value. */
function pathOf(scene: Scene): string | undefined {
  const written = textOf(scene.attributes, 'path')?.trim()
  if (written) return written
  const key = textOf(scene.attributes, 'source_key')?.trim() ?? ''
  return renderText(scene.get(key)).trim() || key || undefined
}

/** Copies a value of the context (reference pipeline 4.7). */
export const readContext: Handler = (scene) => {
  const key = required(scene, 'source_key')
  if (typeof key !== 'string') return key
  const found = requiredValue(scene, key)
  return 'status' in found ? found : success({ [outputKey(scene)]: found.value })
}

/** Reads from an address: the text goes to `output_key` and to `last_response`; a status of 400 and more fails (reference pipeline 4.7). */
export const readApi: Handler = (scene) => {
  const body = textOf(scene.attributes, 'body_key')
  return sendRequest(scene, { method: 'GET', bodyKey: body === '' ? undefined : body }, ({ status, text }) => ({
    ...kept(scene, text),
    [`read.${scene.node.id}.status`]: status,
  }))
}

function kept(scene: Scene, value: Json): JsonObject {
  return { [outputKey(scene)]: value, last_response: value }
}

function outputKey({ attributes, node }: Scene): string {
  return textOf(attributes, 'output_key')?.trim() || `read.${node.id}`
}
