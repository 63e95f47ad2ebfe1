import { defineOperation } from '../../contract/define-operation.ts'
import { authored, key, type Output, writes } from '../../model/operation-ports.ts'
import { SOURCE_FILE, CALL } from '../parameters.ts'
import { callNeeds, pipelineRun as run, referenceOf } from './compose.ts'

/** The keys under which the values of the pipeline come back. */
const CHILD: Output = { key: 'pipeline.child.<id>.', origin: 'inputs' }

export const pipelineRun = defineOperation({
  name: 'pipeline.run',
  does: 'Runs a pipeline with a fresh context.',
  types: ['pipeline.run', 'compose.pipeline'],
  dispatch: [{ type: 'compose', by: { mode: 'pipeline' } }],
  usual: ['source_file'],
  parameters: {
    ...SOURCE_FILE,
    ...CALL,
  },
  reads: [key('source_key', 'last_response', 'control'), authored('source_file', 'path_traversal')],
  writes: [CHILD, ...writes('inputs', 'pipeline.child_status.<id>', 'pipeline.child_nodes_completed.<id>', 'pipeline.ran.<id>')],
  repeat: 'side_effecting',
  needs: (node) => callNeeds(node, 'source_file'),
  calls: referenceOf,
  returns: CHILD,
  run,
})
