import type { Handler } from '../../contract/handler.ts'
import { askApproval } from '../people/human.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { ASK } from '../../model/capability-uris.ts'
import { prompt, writes } from '../../model/operation-ports.ts'
import { GATE, QUESTION } from '../parameters.ts'

const run: Handler = (context) => askApproval(context, 'gate')

export const gateApproval = defineOperation({
  name: 'gate.approval',
  does: 'Asks a person to approve.',
  dispatch: [{ type: 'gate', by: { predicate: 'approval' } }],
  parameters: {
    ...QUESTION,
    ...GATE,
  },
  reads: [prompt('question')],
  writes: writes('engine', 'gate.<id>.passed', 'human.gate.'),
  repeat: 'side_effecting',
  needs: () => [ASK],
  form: 'approval',
  patient: true,
  run,
})
