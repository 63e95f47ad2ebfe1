import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'
import { gateBudget as run } from '../people/gate.ts'

export const gateBudget = defineOperation({
  name: 'gate.budget',
  does: 'Passes while the budget is not used up.',
  types: [],
  dispatch: [{ type: 'gate', by: { predicate: 'budget_ok' } }],
  parameters: {
    ...GATE,
  },
  reads: [context('budget_status')],
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
