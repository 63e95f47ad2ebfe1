import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal } from '../../contract/outcome.ts'
import { gateOutcome } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'

/** Passes if a capability is granted. The capability is among those that the node needs, so the policy has already been asked. */
const run: Handler = (context) => {
  const wanted = textOf(context.attributes, 'resource_uri') ?? textOf(context.attributes, 'capability') ?? ''
  if (wanted === '') return refusal(`${context.node.id}: resource_uri is missing`)
  return gateOutcome(context, !Object.hasOwn(context.permissions.denied, wanted), `${wanted} is not granted`)
}

export const gateCapability = defineOperation({
  name: 'gate.capability',
  does: 'Passes if a capability is granted.',
  dispatch: [{ type: 'gate', by: { predicate: 'capability' } }],
  parameters: {
    ...GATE,
    resource_uri: attribute('text', 'The capability to check.'),
    capability: attribute('text', 'The same as `resource_uri`.'),
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  needs: (node) =>
    [node.text('resource_uri') ?? node.text('capability') ?? ''].flatMap((wanted) => (wanted === '' ? [] : [wanted.toWellFormed()])),
  run,
})
