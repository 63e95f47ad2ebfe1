import { textOf } from '../../dot/graph.ts'
import { TRUST_LEVELS } from '../../../../policy/index.ts'
import type { Handler } from '../../contract/handler.ts'
import { gateOutcome } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'

/** Passes if the run has at least the required trust. */
const run: Handler = (context) => {
  const wanted = textOf(context.attributes, 'min_tier') ?? 'trusted'
  const least = rank(wanted)
  const passed = least >= 0 && rank(context.permissions.trust) >= least
  return gateOutcome(context, passed, `the run is ${context.permissions.trust}, not ${wanted}`)
}

function rank(level: string): number {
  return TRUST_LEVELS.findIndex((one) => one === level)
}

export const gateTrust = defineOperation({
  name: 'gate.trust',
  does: 'Passes if the run has enough trust.',
  dispatch: [{ type: 'gate', by: { predicate: 'trust' } }],
  parameters: {
    ...GATE,
    min_tier: attribute('text', 'The lowest trust level that passes.'),
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
