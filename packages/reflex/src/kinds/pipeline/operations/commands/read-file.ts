import { defineOperation } from '../../contract/define-operation.ts'
import { fileUri } from '../../model/capability-uris.ts'
import type { OpenedFile } from '../../model/operation-facts.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { FILE_PATH } from '../parameters.ts'
import { readFile as run } from './read.ts'

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
