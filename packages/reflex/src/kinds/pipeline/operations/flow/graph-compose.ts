import type { Handler } from '../../contract/handler.ts'
import { callNeeds, CHILD, composeGraph, referenceOf } from './compose.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { key, keys } from '../../model/operation-ports.ts'
import { CALL, SOURCE_FILE } from '../parameters.ts'

/** Calls a pipeline whose text is in the context. */
const run: Handler = (nodeContext) => composeGraph(nodeContext, 'source_key')

export const graphCompose = defineOperation({
  name: 'graph.compose',
  does: 'Calls a pipeline whose text is in the context.',
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
