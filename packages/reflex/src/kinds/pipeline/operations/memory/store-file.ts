import { digest, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { listOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed, onResume, requiredText, requiredValue, resolvePath } from '../commands/requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { fileUri, uri } from '../../model/capability-uris.ts'
import { authored, key, keys, writes } from '../../model/operation-ports.ts'
import { CONTENT, STORE_FILE } from '../parameters.ts'

const DAY = 86_400_000

/** Appends a value of the context to a store file as a line (reference pipeline 4.7, store_file). */
const run: Handler = (context) => {
  const path = requiredText(context, 'memory_store')
  if (typeof path !== 'string') return path
  const found = requiredValue(context, textOf(context.attributes, 'content_key')?.trim() || 'last_response')
  if ('status' in found) return found
  const days = numberOf(context.attributes, 'ttl_days')
  if (days !== undefined && !(days > 0)) return refusal(`${context.node.id}: ttl_days must be a number above 0`)
  return storeFact(context, path.trim(), lineOf(context, renderText(found.value), days))
}

function* storeFact(context: NodeContext, path: string, line: JsonObject): Steps {
  const args = { path: resolvePath(context, path), text: `${JSON.stringify(line)}\n`, in: 'work', append: true }
  const settled = yield* callTool('file.write', args, onResume(context))
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  const prefix = `memory.${context.node.id}`
  return success({
    [`${prefix}.stored`]: true,
    [`${prefix}.memory_id`]: line['id'] ?? '',
    [`${prefix}.store_path`]: path,
  }) satisfies Outcome
}

function lineOf(context: NodeContext, fact: string, days: number | undefined): JsonObject {
  const { attributes, permissions, node, now } = context
  const metadata = listOf(attributes, 'metadata_keys').flatMap((key): [string, Json][] => {
    const value = context.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return {
    id: `mem_${digest(JSON.stringify([permissions.run, node.id, context.visit, now, fact])).slice(0, 16)}`,
    fact,
    tags: listOf(attributes, 'tags'),
    source: textOf(attributes, 'source')?.trim() || node.id,
    pipeline_run: permissions.run,
    timestamp: new Date(now).toISOString(),
    expires_at: days === undefined ? null : new Date(now + days * DAY).toISOString(),
    metadata: Object.fromEntries(metadata),
  }
}

export const memoryStoreFile = defineOperation({
  name: 'memory.store_file',
  does: 'Adds a value of the context to a file of JSON lines.',
  dispatch: [{ type: 'write', by: { target: 'memory', op: 'store_file' } }],
  parameters: {
    ...CONTENT,
    ...STORE_FILE,
    ttl_days: attribute('number', 'The lifetime of the memory in days.'),
    source: attribute('text', 'The source of the memory.'),
    metadata_keys: attribute('keys', 'Context values to store with it.'),
  },
  reads: [authored('memory_store', 'path_traversal'), key('content_key', 'last_response'), keys('metadata_keys')],
  writes: writes('engine', 'memory.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [uri('memory', 'store_file'), fileUri('write', node.text('memory_store'))],
  run,
})
