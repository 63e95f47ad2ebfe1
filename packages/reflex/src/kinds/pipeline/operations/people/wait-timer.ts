import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { waitTimer as run } from './wait.ts'

export const waitTimer = defineOperation({
  name: 'wait.timer',
  does: 'Waits for a time.',
  dispatch: [{ type: 'wait', by: { source: 'timer' } }],
  parameters: {
    duration: attribute('duration', 'How long to wait.', { usual: '1000' }),
  },
  writes: writes('engine', 'wait.<id>.duration'),
  repeat: 'side_effecting',
  patient: true,
  run,
})
