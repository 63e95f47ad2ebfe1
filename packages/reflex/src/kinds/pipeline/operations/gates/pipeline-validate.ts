import { defineOperation } from '../../contract/define-operation.ts'
import { fileUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { GATE, SOURCE_FILE } from '../parameters.ts'
import { pipelineValidate as run } from '../people/gate.ts'

export const pipelineValidate = defineOperation({
  name: 'pipeline.validate',
  does: 'Checks a pipeline that came as text.',
  dispatch: [{ type: 'gate', by: { predicate: 'pipeline_valid' } }],
  parameters: {
    ...GATE,
    ...SOURCE_FILE,
  },
  reads: [key('source_key', 'last_response'), authored('source_file', 'path_traversal')],
  writes: [
    ...writes('engine', 'pipeline.valid.<id>', 'pipeline.node_count.<id>'),
    ...writes('inputs', 'pipeline.diagnostics.<id>', 'pipeline.dot_source.<id>', 'validation.errors'),
  ],
  repeat: 'read_only',
  needs: (node) => (node.text('source_file') === undefined ? [] : [fileUri('read', node.text('source_file'))]),
  sanitizes: 'pipeline',
  run,
})
