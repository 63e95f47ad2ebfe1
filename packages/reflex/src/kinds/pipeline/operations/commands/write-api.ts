import { defineOperation } from '../../contract/define-operation.ts'
import { netUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { CONTENT, REQUEST } from '../parameters.ts'
import { writeApi as run } from './write.ts'

export const writeApi = defineOperation({
  name: 'write.api',
  does: 'Sends a value of the context to an address.',
  types: [],
  dispatch: [{ type: 'write', by: { target: 'api' } }],
  parameters: {
    ...CONTENT,
    ...REQUEST,
  },
  reads: [authored('url', 'ssrf'), key('body_key'), key('content_key')],
  writes: writes('outside', 'write.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [netUri(node.text('url'))],
  run,
})
