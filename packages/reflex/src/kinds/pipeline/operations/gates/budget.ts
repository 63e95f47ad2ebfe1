import type { Handler } from '../../contract/handler.ts'
import { gateOutcome } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'

/** Passes unless the budget is used up. */
const run: Handler = (context) => {
  const status = context.text('budget_status')
  return gateOutcome(context, status === '' || status === 'normal' || status === 'low', 'the budget is used up')
}

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
