import type { Primitive } from '../model/primitive.ts'
import { builtin, inputs, NO_PARAMETERS, PURE } from './builtin.ts'

const TRIGGER = { ...PURE, kind: 'trigger', outputs: [{ name: 'event', type: 'Event' }], parameters: NO_PARAMETERS } as const

/** The triggers. They have no memory. */
export const TRIGGERS: readonly Primitive[] = [
  builtin(
    { ...TRIGGER, id: 'emit_if_true', about: 'Emits an event if the input is true.', inputs: inputs('Bool', 'input') },
    ({ input }) => (input ? 'Emitted' : 'NotEmitted'),
  ),
  builtin(
    {
      ...TRIGGER,
      id: 'emit_if_event_and_true',
      about: 'Emits an event if there is one and the condition is true.',
      inputs: [{ name: 'event', type: 'Event' }, ...inputs('Bool', 'condition')],
    },
    ({ event, condition }) => (event === 'Emitted' && condition ? 'Emitted' : 'NotEmitted'),
  ),
]
