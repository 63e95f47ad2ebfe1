import type { Handler } from '../../contract/handler.ts'
import { callNeeds, CHILD, composeGraph, referenceOf } from './compose.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { authored, key, keys } from '../../model/operation-ports.ts'
import { CALL, SOURCE_FILE } from '../parameters.ts'

/** Calls a program of any kind: by reference, by file name, or by its text (reference pipeline 4.6.3). */
const run: Handler = (nodeContext) => composeGraph(nodeContext, 'graph_source_key')

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
