import { defineOperation } from '../../contract/define-operation.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'
import { consensusPropose as run } from './consensus.ts'

export const consensusPropose = defineOperation({
  name: 'consensus.propose',
  does: 'Puts a proposal before the council of the run.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'propose' }, injects: { mode: 'consensus' } }],
  parameters: {
    ...COUNCIL,
  },
  reads: [key('source_key', 'session.input')],
  writes: writes('derived', 'consensus.', 'council.'),
  repeat: 'side_effecting',
  needs: () => [MODEL],
  patient: true,
  takesPrompt: true,
  run,
})
