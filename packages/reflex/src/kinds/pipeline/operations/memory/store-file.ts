import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri, fileUri } from '../../model/capability-uris.ts'
import { authored, key, keys, writes } from '../../model/operation-ports.ts'
import { CONTENT, STORE_FILE } from '../parameters.ts'
import { memoryStoreFile as run } from '../data/memory-store.ts'

export const memoryStoreFile = defineOperation({
  name: 'memory.store_file',
  does: 'Adds a value of the context to a file of JSON lines.',
  dispatch: [{ type: 'write', by: { target: 'memory', op: 'store_file' } }],
  parameters: {
    ...CONTENT,
    ...STORE_FILE,
    ttl_days: attribute('number', 'How many days the memory lasts.'),
    source: attribute('text', 'Where it comes from.'),
    metadata_keys: attribute('keys', 'Context values to remember with it.'),
  },
  reads: [authored('memory_store', 'path_traversal'), key('content_key', 'last_response'), keys('metadata_keys')],
  writes: writes('engine', 'memory.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [uri('memory', 'store_file'), fileUri('write', node.text('memory_store'))],
  run,
})
