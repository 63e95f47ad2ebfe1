import { isAbsolute, join } from 'node:path'
import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { matchesGlob } from '../../../../tools/index.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Scene } from '../../contract/handler.ts'
import { onResume, placeOf } from '../commands/requirements.ts'
import { looseJson } from '../models/loose-json.ts'
import { type Action, problemOf, settledOr } from './action.ts'
import type { Given } from '../../model/action-parameters.ts'

const MOST = 10_000_000

/** The folder that an action works in: its own, else the node's. */
export function folderOf(scene: Scene, given: Given, parameter = 'path'): string {
  return placeOf(scene, renderText(given[parameter]) || '.')
}

/** Writes a text, or a value as JSON, as a whole or not at all; folders on the way are made. */
export const fileWrite: Action = function* (scene, given) {
  const { content = '' } = given
  const text = typeof content === 'object' ? `${JSON.stringify(content, null, 2)}\n` : renderText(content)
  const append = given['append'] === true ? { append: true } : {}
  const args = { path: placeOf(scene, renderText(given['path'])), text, in: 'work', ...append }
  const settled = settledOr(yield* callTool('file.write', args, onResume(scene)))
  if ('problem' in settled) return settled
  const { path = '', bytes = 0 } = isObject(settled.ok) ? settled.ok : {}
  const shown = renderText(path)
  return { result: { path: isAbsolute(shown) ? shown : join(scene.charter.workdir, shown), bytes_written: bytes } }
}

/** Reads a text file. */
export const fileRead: Action = function* (scene, given) {
  const limit = given['limit'] ?? MOST
  const settled = settledOr(yield* callTool('file.read', { path: placeOf(scene, renderText(given['path'])), limit }))
  if ('problem' in settled) return settled
  const { text = '', path = '', bytes = 0 } = isObject(settled.ok) ? settled.ok : {}
  return { result: { content: text, path, size: bytes } }
}

/** Looks for a text in the files of a folder. */
export const fileSearch: Action = function* (scene, given) {
  const { pattern = '', glob, ignore_case: loose, limit } = given
  const settled = settledOr(
    yield* callTool('file.search', {
      path: folderOf(scene, given),
      pattern,
      ...(glob === undefined ? {} : { glob }),
      ...(loose === undefined ? {} : { ignore_case: loose }),
      ...(limit === undefined ? {} : { limit }),
    }),
  )
  if ('problem' in settled) return settled
  const { matches = [], truncated = false } = isObject(settled.ok) ? settled.ok : {}
  return { result: { matches, count: isList(matches) ? matches.length : 0, truncated } }
}

const DEEP = 32
const LISTED = 20_000
const GLOBBED = 1_000

/** Paths below a folder that a pattern names: `*` within a step, `**` for steps, `?` for one character. */
export const fileGlob: Action = function* (scene, given) {
  const settled = settledOr(yield* callTool('file.list', { path: folderOf(scene, given), depth: DEEP, limit: LISTED }))
  if ('problem' in settled) return settled
  const { entries = [], truncated = false } = isObject(settled.ok) ? settled.ok : {}
  const paths = (isList(entries) ? entries : []).flatMap((entry) =>
    isObject(entry) && entry['type'] === 'file' && matchesGlob(renderText(given['pattern']), renderText(entry['path']))
      ? [renderText(entry['path'])]
      : [],
  )
  const most = typeof given['limit'] === 'number' ? given['limit'] : GLOBBED
  return {
    result: { files: paths.slice(0, most), count: Math.min(paths.length, most), truncated: truncated === true || paths.length > most },
  }
}

/** What lies in a folder. */
export const fileList: Action = function* (scene, given) {
  const depth = given['depth'] ?? 1
  const settled = settledOr(yield* callTool('file.list', { path: folderOf(scene, given), depth }))
  return 'problem' in settled ? settled : { result: isObject(settled.ok) ? settled.ok : {} }
}

/**
 * Makes a list of changes, `{path, content}` or `{path, old, new}`, to files below the work folder: all of them or none.
 * The list may be JSON in a sentence or a fence, as models write it, alone or under `changes` or `edits`.
 */
export const applyChanges: Action = function* (scene, given) {
  const raw = given['changes'] ?? null
  const read = typeof raw === 'string' ? looseJson(raw) : raw
  const list = isObject(read) ? (read['changes'] ?? read['edits'] ?? read) : read
  const edits = (isList(list) ? list : isObject(list) ? [list] : []).map((edit) => editOf(scene, given, edit))
  if (edits.length === 0) return { problem: 'the changes are no list of {path, content} or {path, old, new}' }
  const wrong = edits.findIndex((edit) => edit === undefined)
  if (wrong >= 0) return { problem: `change ${wrong + 1} has no path, or neither content nor old and new` }
  const settled = yield* callTool('file.edit', { edits: edits as Json[], in: 'work' }, onResume(scene))
  if (settled.error !== undefined) return problemOf(settled.error)
  const { files = [] } = isObject(settled.ok) ? settled.ok : {}
  return { result: { applied: true, files, count: edits.length } }
}

function editOf(scene: Scene, given: Given, edit: Json): JsonObject | undefined {
  if (!isObject(edit)) return undefined
  const path = edit['path'] ?? edit['file'] ?? edit['file_path']
  if (typeof path !== 'string' || path.trim() === '') return undefined
  const at = { path: isAbsolute(path) ? path : join(folderOf(scene, given), path) }
  const { content, old, new: next } = edit
  if (typeof content === 'string') return { ...at, content }
  return typeof old === 'string' && old !== '' && typeof next === 'string' ? { ...at, old, new: next } : undefined
}
