import { renderText } from '../../language/render.ts'
import { perform } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { ledgerOf, type Proposal, proposeToHost } from './consensus-host.ts'
import { effectFailed } from '../commands/requirements.ts'
import { collectVotes, proposalOf } from './consensus.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'

/**
 * Submits a proposal to the council of this process. Each evaluator is a point of view that the model takes; all are asked at
 * once (reference pipeline 4.6.1). The proposal and its decision are kept in the ledger `consensus/<run>`, so that later nodes
 * of the run can read them.
 */
const run: Handler = (nodeContext) => {
  const proposal = proposalOf(nodeContext)
  if ('status' in proposal) return proposal
  return nodeContext.permissions.council === undefined ? submitProposal(nodeContext, proposal) : proposeToHost(nodeContext, proposal)
}

function* submitProposal(nodeContext: NodeContext, proposal: Proposal): Steps {
  const { text, agent, evaluators, quorum } = proposal
  const entry = { proposal: { text, agent, evaluators, quorum, at: nodeContext.now } }
  const appended = yield* perform('ledger', ['append', ledgerOf(nodeContext), entry])
  if (appended.error !== undefined) return effectFailed(nodeContext, appended.error)
  const id = `proposal-${renderText(appended.ok)}`
  const decision = yield* collectVotes(nodeContext, proposal)
  if ('status' in decision) return decision
  const stored = yield* perform('ledger', ['append', ledgerOf(nodeContext), { decided: id, ...decision }])
  if (stored.error !== undefined) return effectFailed(nodeContext, stored.error)
  return success({ 'consensus.proposal_id': id, 'consensus.status': 'submitted' })
}

export const consensusPropose = defineOperation({
  name: 'consensus.propose',
  does: 'Submits a proposal to the council of the run.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'propose' }, injects: { mode: 'consensus' } }],
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
