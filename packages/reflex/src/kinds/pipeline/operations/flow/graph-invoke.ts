import { defineOperation } from '../../contract/define-operation.ts'
import { authored, key, keys } from '../../model/operation-ports.ts'
import { SOURCE_FILE, CALL } from '../parameters.ts'
import { CHILD, callNeeds, graphInvoke as run, referenceOf } from './compose.ts'

export const graphInvoke = defineOperation({
  name: 'graph.invoke',
  does: 'Calls a program of any kind.',
  dispatch: [{ type: 'compose', by: { mode: 'invoke' } }],
  usual: [],
  parameters: {
    ...SOURCE_FILE,
    ...CALL,
  },
  requires: ['graph_file|graph_name|graph_source_key|program'],
  reads: [authored('graph_file', 'path_traversal'), key('graph_source_key', undefined, 'control'), keys('pass_context')],
  writes: [CHILD],
  repeat: 'side_effecting',
  needs: (node) => callNeeds(node, 'graph_file'),
  calls: referenceOf,
  returns: CHILD,
  run,
})
