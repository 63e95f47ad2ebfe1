import { defineOperation } from '../../contract/define-operation.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'
import { gatePlain as run } from '../people/gate.ts'

export const gatePlain = defineOperation({
  name: 'gate',
  does: 'Lets everything through, with a warning.',
  types: [],
  dispatch: [{ type: 'gate' }],
  usual: [],
  parameters: {
    ...GATE,
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
