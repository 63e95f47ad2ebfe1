import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { checkpoint } from '../models/session-memory.ts'

export const sessionCheckpoint = defineOperation({
  name: 'session.checkpoint',
  does: 'Stores the state of the session, so that another process can continue it.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'checkpoint' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('id', 'turn_count')],
  writes: writes('engine', 'session.last_checkpoint'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'checkpoint')],
  takesPrompt: true,
  run: serves(checkpoint),
})
