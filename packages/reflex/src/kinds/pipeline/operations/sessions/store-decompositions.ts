import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { storeDecompositions } from '../models/session-memory.ts'

export const sessionStoreDecompositions = defineOperation({
  name: 'session.store_decompositions',
  does: 'Stores the split of goals into intents.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'store_decompositions' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), ...session('decompositions')],
  writes: writes('engine', 'session.decompositions_stored'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'store_decompositions')],
  takesPrompt: true,
  run: serves(storeDecompositions),
})
