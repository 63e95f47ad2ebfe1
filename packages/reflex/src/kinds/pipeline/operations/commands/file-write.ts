import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { fileUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { FILE_PATH, OUTPUT, CONTENT } from '../parameters.ts'
import { fileWrite as run } from './write.ts'

export const fileWrite = defineOperation({
  name: 'file.write',
  does: 'Writes a value of the context into a file.',
  dispatch: [{ type: 'write', by: { target: 'file' } }],
  usual: ['output', 'path'],
  parameters: {
    ...FILE_PATH,
    ...OUTPUT,
    ...CONTENT,
    append: attribute('bool', 'Whether the text is added to what the file holds.', { usual: 'false' }),
  },
  requires: ['content_key', 'output|path'],
  reads: [key('content_key'), authored('output', 'path_traversal'), authored('path', 'path_traversal')],
  writes: writes('engine', 'file.written.<id>'),
  repeat: 'idempotent_with_key',
  needs: (node) => [fileUri('write', node.text('output') ?? node.text('path'))],
  repeats: (node) => (node.isOn('append') ? 'side_effecting' : undefined),
  run,
})
