import { defineOperation } from '../../contract/define-operation.ts'
import { key, writesAt } from '../../model/operation-ports.ts'
import { readContext as run } from './read.ts'

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
