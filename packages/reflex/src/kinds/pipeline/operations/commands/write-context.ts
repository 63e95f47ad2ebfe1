import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { key, writesAt } from '../../model/operation-ports.ts'
import { CONTENT } from '../parameters.ts'
import { writeContext as run } from './write.ts'

export const writeContext = defineOperation({
  name: 'write.context',
  does: 'Writes a value under another key of the context.',
  types: [],
  dispatch: [{ type: 'write', by: { target: 'context' } }],
  usual: ['output_key'],
  parameters: {
    ...CONTENT,
    value: attribute('text', 'What is written, in place of a context value.'),
  },
  requires: ['output_key'],
  reads: [key('content_key')],
  writes: [writesAt('inputs', 'output_key')],
  repeat: 'idempotent',
  run,
})
