import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves } from './serves.ts'
import { processResults } from '../models/session-results.ts'

export const sessionProcessResults = defineOperation({
  name: 'session.process_results',
  does: 'Splits the answer of a model into lists of actions, goals and insights.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'process_results' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('llm.content'), context('last_response')],
  writes: writes(
    'inputs',
    'session.actions',
    'session.goal_updates',
    'session.new_goals',
    'session.decompositions',
    'session.new_intents',
    'session.identity_insights',
    'session.memory_notes',
    'session.concerns',
    'session.curiosity',
    'session.proposal_decisions',
  ),
  repeat: 'read_only',
  takesPrompt: true,
  run: serves(processResults),
})
