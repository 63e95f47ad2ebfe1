import { defineOperation } from '../../contract/define-operation.ts'
import { writes } from '../../model/operation-ports.ts'
import { THINKING } from '../parameters.ts'
import { serves, session } from './serves.ts'
import { modeSelect } from '../models/session.ts'

export const sessionModeSelect = defineOperation({
  name: 'session.mode_select',
  does: 'Selects the cognitive mode of the agent.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'mode_select' }, injects: { mode: 'session' } }],
  parameters: {
    ...THINKING,
  },
  reads: session('goals', 'intents', 'active_intents', 'turn_count', 'user_waiting'),
  writes: writes('engine', 'session.cognitive_mode'),
  repeat: 'read_only',
  takesPrompt: true,
  run: serves(modeSelect),
})
