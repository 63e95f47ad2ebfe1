import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { authored, keys, writes } from '../../model/operation-ports.ts'
import { ON_ERROR } from '../parameters.ts'
import { hostFunction as run } from './exec.ts'

export const hostFunction = defineOperation({
  name: 'function',
  does: 'Calls a function that the host has registered.',
  types: [],
  dispatch: [{ type: 'exec', by: { target: 'function' } }],
  parameters: {
    ...ON_ERROR,
    function: attribute('text', 'The name of a function that the host has registered.', { required: true }),
  },
  reads: [authored('function'), keys('context_keys')],
  writes: writes('derived', 'exec.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [uri('function', node.text('function') ?? '')],
  run,
})
