import { defineOperation } from '../../contract/define-operation.ts'
import { key, keys } from '../../model/operation-ports.ts'
import { SOURCE_FILE, CALL } from '../parameters.ts'
import { CHILD, callNeeds, graphCompose as run, referenceOf } from './compose.ts'

export const graphCompose = defineOperation({
  name: 'graph.compose',
  does: 'Calls a pipeline whose text the context holds.',
  dispatch: [{ type: 'compose', by: { mode: 'compose' } }],
  parameters: {
    ...SOURCE_FILE,
    ...CALL,
  },
  reads: [key('source_key', 'last_response', 'control'), key('graph_source_key', undefined, 'control'), keys('pass_context')],
  writes: [CHILD],
  repeat: 'side_effecting',
  needs: (node) => callNeeds(node, 'graph_file'),
  calls: referenceOf,
  returns: CHILD,
  run,
})
