import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { format } from '../models/session.ts'

export const sessionFormat = defineOperation({
  name: 'session.format',
  does: 'Formats the answer of the session.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'format' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: [context('llm.content'), ...session('blocked', 'input_type', 'block_reason')],
  writes: writes('inputs', 'session.response'),
  repeat: 'read_only',
  takesPrompt: true,
  run: serves(format),
})
