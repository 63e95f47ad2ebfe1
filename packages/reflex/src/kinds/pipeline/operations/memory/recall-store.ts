import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri, fileUri } from '../../model/capability-uris.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { STORE_FILE } from '../parameters.ts'
import { memoryRecallStore as run } from '../data/memory-store.ts'

export const memoryRecallStore = defineOperation({
  name: 'memory.recall_store',
  does: 'Recalls facts from a file of JSON lines.',
  dispatch: [{ type: 'read', by: { source: 'memory', op: 'recall_store' } }],
  parameters: {
    ...STORE_FILE,
    query_key: attribute('key', 'The value whose words are looked for.', { usual: 'last_response' }),
    strategy: attribute(['recent', 'keyword', 'tag_match'], 'Which memories are best.', { usual: 'recent' }),
    top_k: attribute('int', 'How many.', { usual: '5' }),
    result_key: attribute('key', 'Where they are written.', { usual: 'recalled_memories' }),
    format: attribute(['text', 'json'], 'As what.', { usual: 'text', lenient: true }),
    include_expired: attribute('bool', 'Whether those past their time count.', { usual: 'false' }),
  },
  reads: [authored('memory_store', 'path_traversal'), key('query_key', 'last_response')],
  writes: [writesAt('outside', 'result_key', 'recalled_memories'), ...writes('outside', 'memory.<id>.')],
  repeat: 'read_only',
  needs: (node) => [uri('memory', 'recall_store'), fileUri('read', node.text('memory_store'))],
  run,
})
