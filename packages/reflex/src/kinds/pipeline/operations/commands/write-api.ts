import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { sendRequest } from './api.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { netUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { CONTENT, REQUEST } from '../parameters.ts'

/** Sends a value of the context to an address (reference pipeline 4.8). */
const run: Handler = (context) => {
  const { attributes, node } = context
  const bodyKey = ['content_key', 'body_key'].map((name) => textOf(attributes, name)?.trim()).find((key) => key)
  const output = textOf(attributes, 'output_key')?.trim()
  return sendRequest(context, { method: 'POST', bodyKey }, ({ status, text }) => ({
    [`write.${node.id}.status`]: status,
    [`write.${node.id}.response`]: text,
    ...(output ? { [output]: text } : {}),
  }))
}

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
