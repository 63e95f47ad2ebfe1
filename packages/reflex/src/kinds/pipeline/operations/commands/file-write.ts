import { isAbsolute, join } from 'node:path'
import { isObject, type Json } from '../../../../kernel/index.ts'
import { isOn, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { effectFailed, onResume, requiredText, requiredValue, resolvePath } from './requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { fileUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { CONTENT, FILE_PATH, OUTPUT } from '../parameters.ts'

/** Writes a value of the context to a file, atomically and below a granted folder (reference pipeline 4.8). */
const run: Handler = (context) => {
  const key = requiredText(context, 'content_key')
  if (typeof key !== 'string') return key
  const path = requiredText(context, 'output', 'path')
  if (typeof path !== 'string') return path
  const content = requiredValue(context, key)
  if ('status' in content) return content
  const format = textOf(context.attributes, 'format')?.trim() || 'raw'
  const text = formatContent(content.value, format)
  if (text === undefined) return refusal(`${context.node.id}: format must be raw, json or text, not ${JSON.stringify(format)}`)
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

/** Returns a value in a file format. JSON text is formatted, not quoted. */
function formatContent(value: Json, format: string): string | undefined {
  if (format === 'raw' || format === 'text') return typeof value === 'object' ? JSON.stringify(value, null, 2) : renderText(value)
  return format === 'json' ? `${JSON.stringify(typeof value === 'string' ? (parseJson(value) ?? value) : value, null, 2)}\n` : undefined
}

export const fileWrite = defineOperation({
  name: 'file.write',
  does: 'Writes a value of the context to a file.',
  dispatch: [{ type: 'write', by: { target: 'file' } }],
  usual: ['output', 'path'],
  parameters: {
    ...FILE_PATH,
    ...OUTPUT,
    ...CONTENT,
    append: attribute('bool', 'Appends to the file.', { usual: 'false' }),
  },
  requires: ['content_key', 'output|path'],
  reads: [key('content_key'), authored('output', 'path_traversal'), authored('path', 'path_traversal')],
  writes: writes('engine', 'file.written.<id>'),
  repeat: 'idempotent_with_key',
  needs: (node) => [fileUri('write', node.text('output') ?? node.text('path'))],
  repeats: (node) => (node.isOn('append') ? 'side_effecting' : undefined),
  run,
})
