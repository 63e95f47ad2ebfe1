import { defineOperation } from '../../contract/define-operation.ts'
import { writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { classify } from '../models/session.ts'

export const sessionClassify = defineOperation({
  name: 'session.classify',
  does: 'Classifies the input of the session.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'classify' }, injects: { mode: 'session' } }],
  parameters: {},
  reads: session('input', 'blocked'),
  writes: writes('engine', 'session.input_type'),
  repeat: 'read_only',
  takesPrompt: true,
  run: serves(classify),
})
