import { isObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { effectFailed, resolvePath } from './requirements.ts'
import { readUpdates } from './read.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { fileUri } from '../../model/capability-uris.ts'
import type { OpenedFile } from '../../model/operation-facts.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { FILE_PATH } from '../parameters.ts'

/** The limit of a file in bytes. */
const MOST = 10_000_000

/** Reads a text file and writes its text to `output_key` and `last_response` (reference pipeline 4.7). */
const run: Handler = (context) => {
  const path = pathOf(context)
  return path === undefined ? refusal(`${context.node.rawType} ${context.node.id}: no path or source_key`) : readFileAt(context, path)
}

function* readFileAt(context: NodeContext, path: string): Steps {
  const settled = yield* callTool('file.read', { path: resolvePath(context, path), limit: MOST })
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  return success(readUpdates(context, isObject(settled.ok) ? (settled.ok['text'] ?? '') : ''))
}

/** Returns the written path, otherwise the path in a context value, otherwise the name of that value. */
function pathOf(context: NodeContext): string | undefined {
  const written = textOf(context.attributes, 'path')?.trim()
  if (written) return written
  const key = textOf(context.attributes, 'source_key')?.trim() ?? ''
  return renderText(context.get(key)).trim() || key || undefined
}

function openedBy(node: WrittenNode): readonly OpenedFile[] {
  const [path, source] = [node.text('path'), node.text('source_key')]
  return [...(path === undefined ? [] : [{ path }]), ...(source === undefined ? [] : [{ key: source }])]
}

export const readFile = defineOperation({
  name: 'read.file',
  does: 'Reads a text file.',
  types: [],
  dispatch: [{ type: 'read', by: { source: 'file' } }],
  usual: ['path'],
  parameters: {
    ...FILE_PATH,
  },
  requires: ['path|source_key'],
  reads: [authored('path', 'path_traversal'), key('source_key', undefined, 'control', 'path_traversal')],
  writes: [writesAt('derived', 'output_key', 'read.<id>'), ...writes('derived', 'last_response')],
  repeat: 'read_only',
  needs: (node) => [fileUri('read', node.text('path'))],
  opens: openedBy,
  run,
})
