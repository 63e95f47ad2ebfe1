import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { updateGoals } from '../models/session-memory.ts'

export const sessionUpdateGoals = defineOperation({
  name: 'session.update_goals',
  does: 'Updates the goals of the agent.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'update_goals' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('goal_updates', 'new_goals')],
  writes: writes('engine', 'session.goals_updated'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'update_goals')],
  takesPrompt: true,
  run: serves(updateGoals),
})
