import { textOf } from '../../dot/graph.ts'
import type { JsonObject } from '../../../../kernel/index.ts'
import { readPipeline } from '../../check/read.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { unfenced } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { fileUri } from '../../model/capability-uris.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { GATE, SOURCE_FILE } from '../parameters.ts'

/** Parses and checks a pipeline given as text (reference pipeline 4.12). */
const run: Handler = (context) => {
  const { node, attributes } = context
  const text = unfenced(context.text(textOf(attributes, 'source_key') ?? 'last_response'))
  const { typed, findings } = readPipeline(text, undefined, { operations: context.typed.operations, author: 'untrusted' })
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ rule, message }) => `${rule ?? 'error'}: ${message}`)
  const updates: JsonObject = {
    [`pipeline.valid.${node.id}`]: errors.length === 0,
    [`pipeline.node_count.${node.id}`]: typed?.nodes.size ?? 0,
    [`pipeline.diagnostics.${node.id}`]: findings.map(({ rule, severity, message }) => ({ rule: rule ?? '', severity, message })),
    [`pipeline.dot_source.${node.id}`]: text,
    'validation.errors': errors.join('\n'),
  }
  return errors.length === 0 ? success(updates) : refusal(errors.slice(0, 5).join('; '), { context_updates: updates })
}

export const pipelineValidate = defineOperation({
  name: 'pipeline.validate',
  does: 'Checks a pipeline that is given as text.',
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
