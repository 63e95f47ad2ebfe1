import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { sendRequest } from './api.ts'
import { readUpdates } from './read.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { netUri } from '../../model/capability-uris.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { REQUEST } from '../parameters.ts'

/**
 * Reads from an address and writes the text to `output_key` and `last_response`. A status of 400 or more fails (reference
 * pipeline 4.7).
 */
const run: Handler = (context) => {
  const body = textOf(context.attributes, 'body_key')
  return sendRequest(context, { method: 'GET', bodyKey: body === '' ? undefined : body }, ({ status, text }) => ({
    ...readUpdates(context, text),
    [`read.${context.node.id}.status`]: status,
  }))
}

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
