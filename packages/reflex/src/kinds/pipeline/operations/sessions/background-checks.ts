import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves } from './serves.ts'
import { backgroundChecks } from '../models/session-memory.ts'

export const sessionBackgroundChecks = defineOperation({
  name: 'session.background_checks',
  does: 'Reports the state of the agent: memories, goals, intents.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'background_checks' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control')],
  writes: writes('derived', 'session.background_check_results'),
  repeat: 'read_only',
  needs: () => [uri('memory', 'background_checks')],
  takesPrompt: true,
  run: serves(backgroundChecks),
})
