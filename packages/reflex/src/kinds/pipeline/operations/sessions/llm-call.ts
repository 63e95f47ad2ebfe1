import { defineOperation } from '../../contract/define-operation.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST, THINKING } from '../parameters.ts'
import { serves, session } from './serves.ts'
import { llmCall } from '../models/session-model.ts'

export const sessionLlmCall = defineOperation({
  name: 'session.llm_call',
  does: 'Asks the model of the session.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'llm_call' }, injects: { mode: 'session' } }],
  parameters: {
    ...MODEL_REQUEST,
    ...THINKING,
  },
  reads: [
    context('session.agent_id', 'control'),
    ...session(
      'messages',
      'cognitive_mode',
      'system_prompt',
      'input',
      'turn_count',
      'tools',
      'goals',
      'active_intents',
      'working_memory',
      'knowledge_graph',
      'recalled_memories',
      'pending_proposals',
      'recent_thinking',
      'recent_percepts',
    ),
  ],
  writes: writes('model', 'llm.content', 'llm.tool_calls', 'llm.response_type', 'last_response'),
  repeat: 'side_effecting',
  needs: () => [MODEL],
  takesPrompt: true,
  run: serves(llmCall),
})
