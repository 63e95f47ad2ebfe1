import { defineOperation } from '../../contract/define-operation.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { GATE, CONDITION } from '../parameters.ts'
import { gateExpression as run } from '../people/gate.ts'

export const gateExpression = defineOperation({
  name: 'gate.expression',
  does: 'Passes if a value of the context is true.',
  types: [],
  dispatch: [{ type: 'gate', by: { predicate: 'expression' } }],
  usual: ['condition_key', 'expression'],
  parameters: {
    ...GATE,
    ...CONDITION,
  },
  reads: [key('expression'), key('condition_key')],
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
