import { defineOperation } from '../../contract/define-operation.ts'
import { netUri } from '../../model/capability-uris.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { REQUEST } from '../parameters.ts'
import { readApi as run } from './read.ts'

export const readApi = defineOperation({
  name: 'read.api',
  does: 'Reads from an address.',
  types: [],
  dispatch: [{ type: 'read', by: { source: 'api' } }],
  parameters: {
    ...REQUEST,
  },
  reads: [authored('url', 'ssrf'), key('body_key')],
  writes: [writesAt('outside', 'output_key', 'read.<id>'), ...writes('outside', 'last_response', 'read.<id>.status')],
  repeat: 'read_only',
  needs: (node) => [netUri(node.text('url'))],
  repeats: (node) => (/^(get|head)?$/i.test(node.text('method') ?? '') ? undefined : 'side_effecting'),
  run,
})
