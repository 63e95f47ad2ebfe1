import { textOf } from '../../dot/graph.ts'
import type { Json } from '../../../../kernel/index.ts'
import type { Handler } from '../../contract/handler.ts'
import { gateOutcome } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { CONDITION, GATE } from '../parameters.ts'

/** Passes if a value of the context is truthy (reference pipeline 4.12). */
const run: Handler = (context) => {
  const key = textOf(context.attributes, 'expression') ?? textOf(context.attributes, 'condition_key') ?? ''
  return gateOutcome(context, isTruthy(context.get(key)), `${key} is false, empty or missing`)
}

function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 'false' && value !== '' && value !== 0 && value !== '0'
}

export const gateExpression = defineOperation({
  name: 'gate.expression',
  does: 'Passes if a value of the context is true.',
  types: [],
  dispatch: [{ type: 'gate', by: { predicate: 'expression' } }],
  usual: ['condition_key', 'expression'],
  parameters: {
    ...GATE,
    ...CONDITION,
  },
  reads: [key('expression'), key('condition_key')],
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
