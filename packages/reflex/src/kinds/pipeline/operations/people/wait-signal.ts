import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { waitSignal as run } from './wait.ts'

export const waitSignal = defineOperation({
  name: 'wait.signal',
  does: 'Waits for a signal.',
  dispatch: [{ type: 'wait', by: { source: 'signal' } }],
  parameters: {
    signal_topic: attribute('text', 'The signal that ends the wait.', { required: true }),
  },
  writes: writes('outside', 'wait.<id>.'),
  repeat: 'side_effecting',
  patient: true,
  run,
})
