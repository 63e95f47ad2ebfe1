import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { checkWithHost } from './consensus-host.ts'
import { isOutcome, proposalId, readProposal } from './consensus.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'

/** Returns the status of a proposal without waiting. */
const run: Handler = (nodeContext) => {
  const id = proposalId(nodeContext)
  if (typeof id !== 'string') return id
  return nodeContext.permissions.council === undefined ? checkDecision(nodeContext, id) : checkWithHost(nodeContext, id)
}

function* checkDecision(nodeContext: NodeContext, id: string): Steps {
  const found = yield* readProposal(nodeContext, id)
  if (isOutcome(found)) return found
  return success({ 'consensus.status': found.decision === undefined ? 'pending' : 'decided' })
}

export const consensusCheck = defineOperation({
  name: 'consensus.check',
  does: 'Returns the status of a proposal, without waiting.',
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
