import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves } from './serves.ts'
import { consolidate } from '../models/session-memory.ts'

export const sessionConsolidate = defineOperation({
  name: 'session.consolidate',
  does: 'Weakens old memories and deletes expired ones.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'consolidate' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control')],
  writes: writes('derived', 'session.consolidated', 'session.consolidation_kg', 'session.consolidation_identity'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'consolidate')],
  takesPrompt: true,
  run: serves(consolidate),
})
