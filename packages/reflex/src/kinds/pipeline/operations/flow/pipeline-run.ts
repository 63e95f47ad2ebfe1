import type { JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { callChild, callNeeds, childResultOf, isScalar, referenceOf, stepsOf } from './compose.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { authored, key, type Output, writes } from '../../model/operation-ports.ts'
import { CALL, SOURCE_FILE } from '../parameters.ts'

/** Runs a pipeline with a fresh context (reference pipeline 4.6.4). */
const run: Handler = function* (nodeContext) {
  const { attributes, node } = nodeContext
  const returned = yield* callChild(nodeContext, {}, textOf(attributes, 'source_key') ?? 'last_response')
  if ('refused' in returned) return refusal(`${node.id}: ${returned.refused}`)
  const { status, context, error } = childResultOf(returned)
  const scalars = Object.entries(context).filter(([, value]) => isScalar(value))
  const updates: JsonObject = {
    [`pipeline.ran.${node.id}`]: true,
    [`pipeline.child_status.${node.id}`]: status,
    [`pipeline.child_nodes_completed.${node.id}`]: stepsOf(returned.value),
    ...Object.fromEntries(scalars.map(([key, value]) => [`pipeline.child.${node.id}.${key}`, value])),
  }
  return status === 'fail'
    ? refusal(`${node.id}: the child failed: ${error ?? 'no reason'}`, { context_updates: updates })
    : success(updates)
}

/** The keys for the values that the pipeline returns. */
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
