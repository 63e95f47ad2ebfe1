import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { storeIdentity } from '../models/session-memory.ts'

export const sessionStoreIdentity = defineOperation({
  name: 'session.store_identity',
  does: 'Stores insights of the agent about itself.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'store_identity' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('identity_insights', 'identity_updates')],
  writes: writes('engine', 'session.identity_stored'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'apply_identity_insights')],
  takesPrompt: true,
  run: serves(storeIdentity),
})
