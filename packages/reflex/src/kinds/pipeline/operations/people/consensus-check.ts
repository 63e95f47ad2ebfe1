import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'
import { consensusCheck as run } from './consensus.ts'

export const consensusCheck = defineOperation({
  name: 'consensus.check',
  does: 'Returns whether a proposal has been decided, without waiting.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'check' }, injects: { mode: 'consensus' } }],
  parameters: {
    ...COUNCIL,
  },
  reads: [context('consensus.proposal_id')],
  writes: writes('derived', 'consensus.', 'council.'),
  repeat: 'read_only',
  patient: true,
  takesPrompt: true,
  run,
})
