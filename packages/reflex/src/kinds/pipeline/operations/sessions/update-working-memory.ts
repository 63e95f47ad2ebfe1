import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { updateWorkingMemory } from '../models/session-memory.ts'

export const sessionUpdateWorkingMemory = defineOperation({
  name: 'session.update_working_memory',
  does: 'Updates the working memory of the session.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'update_working_memory' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('concerns', 'curiosity', 'memory_notes')],
  writes: writes('derived', 'session.wm_updated', 'session.working_memory'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'update_working_memory')],
  takesPrompt: true,
  run: serves(updateWorkingMemory),
})
