import type { Primitive } from '../model/primitive.ts'
import type { ScalarType } from '../model/value.ts'
import { builtin, inputs, VERSION } from './builtin.ts'

const EVENT = { name: 'event', type: 'Event' } as const
const ACTION = {
  kind: 'action',
  version: VERSION,
  inputs: [EVENT],
  outputs: [{ name: 'outcome', type: 'Event' }],
  execution: { deterministic: true, retryable: false },
  state: { allowed: false },
  side_effects: true,
} as const

/** The actions. Those with external effects are of the host. */
export const ACTIONS: readonly Primitive[] = [
  builtin(
    {
      ...ACTION,
      id: 'ack_action',
      about: 'Its outcome is Completed, or Rejected if `accept` is false. It has no effect.',
      parameters: [{ name: 'accept', type: 'Bool', default: true }],
    },
    (_, { accept }) => (accept ? 'Completed' : 'Rejected'),
  ),
  builtin(
    {
      ...ACTION,
      id: 'annotate_action',
      about: 'Its outcome is Attempted. It has no effect.',
      parameters: [{ name: 'note', type: 'String', default: '' }],
    },
    () => 'Attempted',
  ),
  write('context_set_number', 'Number', 'Writes a number to a key of the context.'),
  write('context_set_bool', 'Bool', 'Writes a Bool to a key of the context.'),
  write('context_set_string', 'String', 'Writes a text to a key of the context.'),
  write('context_set_series', 'Series', 'Writes a series to a key of the context.'),
]

function write(id: string, type: ScalarType, about: string): Primitive {
  return builtin(
    {
      ...ACTION,
      id,
      about: `${about} The next event sees it.`,
      inputs: [EVENT, ...inputs(type, 'value')],
      parameters: [{ name: 'key', type: 'String' }],
      effects: { writes: [{ name: '$key', type, from_input: 'value' }], intents: [] },
    },
    () => 'Attempted',
  )
}
