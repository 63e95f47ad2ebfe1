import { isAbsolute, join } from 'node:path'
import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { matchesGlob } from '../../../../tools/index.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { onResume, resolvePath } from '../commands/requirements.ts'
import { looseJson } from '../models/loose-json.ts'
import { type Action, problemOf, okOrProblem } from './action.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

const MOST = 10_000_000

/** Returns the folder of an action: its parameter, otherwise the folder of the node. */
export function folderOf(context: NodeContext, params: ParameterValues, parameter = 'path'): string {
  return resolvePath(context, renderText(params[parameter]) || '.')
}

/** Writes a text, or a value as JSON. The write is atomic; missing folders are created. */
export const fileWrite: Action = function* (context, params) {
  const { content = '' } = params
  const text = typeof content === 'object' ? `${JSON.stringify(content, null, 2)}\n` : renderText(content)
  const append = params['append'] === true ? { append: true } : {}
  const args = { path: resolvePath(context, renderText(params['path'])), text, in: 'work', ...append }
  const settled = okOrProblem(yield* callTool('file.write', args, onResume(context)))
  if ('problem' in settled) return settled
  const { path = '', bytes = 0 } = isObject(settled.ok) ? settled.ok : {}
  const shown = renderText(path)
  return { result: { path: isAbsolute(shown) ? shown : join(context.permissions.workdir, shown), bytes_written: bytes } }
}

/** Reads a text file. */
export const fileRead: Action = function* (context, params) {
  const limit = params['limit'] ?? MOST
  const settled = okOrProblem(yield* callTool('file.read', { path: resolvePath(context, renderText(params['path'])), limit }))
  if ('problem' in settled) return settled
  const { text = '', path = '', bytes = 0 } = isObject(settled.ok) ? settled.ok : {}
  return { result: { content: text, path, size: bytes } }
}

/** Searches for a text in the files of a folder. */
export const fileSearch: Action = function* (context, params) {
  const { pattern = '', glob, ignore_case: ignoreCase, limit } = params
  const settled = okOrProblem(
    yield* callTool('file.search', {
      path: folderOf(context, params),
      pattern,
      ...(glob === undefined ? {} : { glob }),
      ...(ignoreCase === undefined ? {} : { ignore_case: ignoreCase }),
      ...(limit === undefined ? {} : { limit }),
    }),
  )
  if ('problem' in settled) return settled
  const { matches = [], truncated = false } = isObject(settled.ok) ? settled.ok : {}
  return { result: { matches, count: isList(matches) ? matches.length : 0, truncated } }
}

const DEPTH = 32
const MOST_LISTED = 20_000
const MOST_FOUND = 1_000

/** Returns the paths below a folder that match a pattern: `*` within a path component, `**` for several, `?` for one character. */
export const fileGlob: Action = function* (context, params) {
  const settled = okOrProblem(yield* callTool('file.list', { path: folderOf(context, params), depth: DEPTH, limit: MOST_LISTED }))
  if ('problem' in settled) return settled
  const { entries = [], truncated = false } = isObject(settled.ok) ? settled.ok : {}
  const paths = (isList(entries) ? entries : []).flatMap((entry) =>
    isObject(entry) && entry['type'] === 'file' && matchesGlob(renderText(params['pattern']), renderText(entry['path']))
      ? [renderText(entry['path'])]
      : [],
  )
  const most = typeof params['limit'] === 'number' ? params['limit'] : MOST_FOUND
  return {
    result: { files: paths.slice(0, most), count: Math.min(paths.length, most), truncated: truncated === true || paths.length > most },
  }
}

/** Lists the entries of a folder. */
export const fileList: Action = function* (context, params) {
  const depth = params['depth'] ?? 1
  const settled = okOrProblem(yield* callTool('file.list', { path: folderOf(context, params), depth }))
  return 'problem' in settled ? settled : { result: isObject(settled.ok) ? settled.ok : {} }
}

/**
 * Applies a list of changes, `{path, content}` or `{path, old, new}`, to files below the work folder: all or none. The list may
 * be JSON in a sentence or a code fence, as models write it, and may be under `changes` or `edits`.
 */
export const applyChanges: Action = function* (context, params) {
  const raw = params['changes'] ?? null
  const read = typeof raw === 'string' ? looseJson(raw) : raw
  const list = isObject(read) ? (read['changes'] ?? read['edits'] ?? read) : read
  const edits = (isList(list) ? list : isObject(list) ? [list] : []).map((edit) => editOf(context, params, edit))
  if (edits.length === 0) return { problem: 'the changes are not a list of {path, content} or {path, old, new}' }
  const invalid = edits.findIndex((edit) => edit === undefined)
  if (invalid >= 0) return { problem: `change ${invalid + 1} has no path, or neither content nor old and new` }
  const settled = yield* callTool('file.edit', { edits: edits as Json[], in: 'work' }, onResume(context))
  if (settled.error !== undefined) return problemOf(settled.error)
  const { files = [] } = isObject(settled.ok) ? settled.ok : {}
  return { result: { applied: true, files, count: edits.length } }
}

function editOf(context: NodeContext, params: ParameterValues, edit: Json): JsonObject | undefined {
  if (!isObject(edit)) return undefined
  const path = edit['path'] ?? edit['file'] ?? edit['file_path']
  if (typeof path !== 'string' || path.trim() === '') return undefined
  const at = { path: isAbsolute(path) ? path : join(folderOf(context, params), path) }
  const { content, old, new: next } = edit
  if (typeof content === 'string') return { ...at, content }
  return typeof old === 'string' && old !== '' && typeof next === 'string' ? { ...at, old, new: next } : undefined
}
