import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'
import { gateCapability as run } from '../people/gate.ts'

export const gateCapability = defineOperation({
  name: 'gate.capability',
  does: 'Passes if a capability is granted.',
  dispatch: [{ type: 'gate', by: { predicate: 'capability' } }],
  parameters: {
    ...GATE,
    resource_uri: attribute('text', 'The capability that is asked for.'),
    capability: attribute('text', 'The same.'),
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  needs: (node) =>
    [node.text('resource_uri') ?? node.text('capability') ?? ''].flatMap((wanted) => (wanted === '' ? [] : [wanted.toWellFormed()])),
  run,
})
