import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { context } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { memoryUpdate } from '../models/session-memory.ts'

export const sessionMemoryUpdate = defineOperation({
  name: 'session.memory_update',
  does: 'Stores a turn of the session in memory.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'memory_update' }, injects: { mode: 'session' } }],
  parameters: {
    mode: attribute('text', 'Passed on to the service.'),
  },
  reads: [context('session.agent_id', 'control'), ...session('turn_data', 'response', 'memory_notes', 'beliefs')],
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'memory_update')],
  takesPrompt: true,
  run: serves(memoryUpdate),
})
