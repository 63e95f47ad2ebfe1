import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'
import { consensusAwait as run } from './consensus.ts'

export const consensusAwait = defineOperation({
  name: 'consensus.await',
  does: 'Waits for the decision on a proposal.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'await' }, injects: { mode: 'consensus' } }],
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
