import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { requiredText, requiredValue } from './requirements.ts'
import { outputKey } from './read.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { key, writesAt } from '../../model/operation-ports.ts'

/** Copies a value of the context (reference pipeline 4.7). */
const run: Handler = (context) => {
  const key = requiredText(context, 'source_key')
  if (typeof key !== 'string') return key
  const found = requiredValue(context, key)
  return 'status' in found ? found : success({ [outputKey(context)]: found.value })
}

export const readContext = defineOperation({
  name: 'read.context',
  does: 'Copies a value of the context.',
  types: [],
  dispatch: [{ type: 'read', by: { source: 'context' } }],
  usual: ['source_key'],
  parameters: {},
  requires: ['source_key'],
  reads: [key('source_key')],
  writes: [writesAt('inputs', 'output_key', 'read.<id>')],
  repeat: 'read_only',
  pure: true,
  run,
})
