import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'
import { gateTrust as run } from '../people/gate.ts'

export const gateTrust = defineOperation({
  name: 'gate.trust',
  does: 'Passes if the run is trusted enough.',
  dispatch: [{ type: 'gate', by: { predicate: 'trust' } }],
  parameters: {
    ...GATE,
    min_tier: attribute('text', 'The least trust.'),
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
