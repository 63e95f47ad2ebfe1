import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { askHost, decisionKeys, type Proposal } from './consensus-host.ts'
import { collectVotes, proposalOf } from './consensus.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'

/** Submits a proposal to the council and returns its decision. */
const run: Handler = (nodeContext) => {
  const proposal = proposalOf(nodeContext)
  if ('status' in proposal) return proposal
  return nodeContext.permissions.council === undefined ? askCouncil(nodeContext, proposal) : askHost(nodeContext, proposal)
}

function* askCouncil(nodeContext: NodeContext, proposal: Proposal): Steps {
  const decision = yield* collectVotes(nodeContext, proposal)
  return 'status' in decision
    ? decision
    : success(decisionKeys(decision.decision, decision.recommendation), { notes: decision.recommendation })
}

export const consensusAsk = defineOperation({
  name: 'consensus.ask',
  does: 'Submits a proposal to the council and waits for the decision.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'ask' }, injects: { mode: 'consensus' } }],
  parameters: {
    ...COUNCIL,
  },
  reads: [key('source_key', 'session.input')],
  writes: writes('derived', 'consensus.', 'council.'),
  repeat: 'side_effecting',
  needs: () => [MODEL],
  patient: true,
  takesPrompt: true,
  run,
})
