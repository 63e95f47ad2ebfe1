import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { CONDITION } from '../parameters.ts'

/**
 * Succeeds without changes: its edges decide. `condition_key` names a value that selects an edge without a condition by its
 * label (reference pipeline 4.2).
 */
const run: Handler = (context) => {
  const key = textOf(context.attributes, 'condition_key')
  if (key === undefined) return success()
  const value = context.get(key) ?? null
  const label = renderText(value)
  return success({ [`branch.${context.node.id}.value`]: value }, label === '' ? {} : { preferred_label: label })
}

export const branch = defineOperation({
  name: 'branch',
  does: 'Selects an edge by their conditions.',
  types: ['conditional'],
  shape: 'diamond',
  dispatch: [{ type: 'branch' }],
  parameters: {
    ...CONDITION,
  },
  reads: [key('condition_key')],
  writes: writes('inputs', 'branch.<id>.value'),
  repeat: 'idempotent',
  run,
})
