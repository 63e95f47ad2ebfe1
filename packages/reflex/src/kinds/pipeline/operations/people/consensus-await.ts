import { sleep } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { awaitHost, decisionKeys } from './consensus-host.ts'
import { isOutcome, proposalId, readProposal, timeoutOf } from './consensus.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'

/** Waits for the decision on a proposal, up to `timeout`. After that the proposal is pending, which is not a failure. */
const run: Handler = (nodeContext) => {
  const id = proposalId(nodeContext)
  if (typeof id !== 'string') return id
  return nodeContext.permissions.council === undefined ? awaitDecision(nodeContext, id) : awaitHost(nodeContext, id, timeoutOf(nodeContext))
}

function* awaitDecision(nodeContext: NodeContext, id: string): Steps {
  const timeout = timeoutOf(nodeContext)
  // The pause grows with the timeout, so that there are at most a few dozen checks.
  const rest = Math.max(250, Math.ceil(timeout / 50))
  for (let waited = 0; ; waited += rest) {
    const found = yield* readProposal(nodeContext, id)
    if (isOutcome(found)) return found
    if (found.decision !== undefined) return success(decisionKeys(found.decision, found.recommendation))
    if (waited >= timeout) return success({ 'consensus.status': 'pending' })
    yield* sleep(Math.min(rest, timeout - waited))
  }
}

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
