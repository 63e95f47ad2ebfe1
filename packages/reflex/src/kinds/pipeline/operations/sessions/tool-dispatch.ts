import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { toolDispatch } from '../models/session-model.ts'

export const sessionToolDispatch = defineOperation({
  name: 'session.tool_dispatch',
  does: 'Performs the tool calls that the model of the session requested.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'tool_dispatch' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('llm.tool_calls', 'control'), context('session.agent_id', 'control'), ...session('messages', 'tools')],
  writes: writes('derived', 'session.tool_results', 'session.messages'),
  repeat: 'side_effecting',
  needs: () => [uri('tool')],
  takesPrompt: true,
  run: serves(toolDispatch),
})
