import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { processProposals } from '../models/session-memory.ts'

export const sessionProcessProposalDecisions = defineOperation({
  name: 'session.process_proposal_decisions',
  does: 'Applies decisions on proposals.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'process_proposal_decisions' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('proposal_decisions')],
  writes: writes('engine', 'session.proposals_processed'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'process_proposal_decisions')],
  takesPrompt: true,
  run: serves(processProposals),
})
