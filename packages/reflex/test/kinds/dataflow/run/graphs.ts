import type { JsonObject } from '../../../../src/kernel/index.ts'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'

/** The action of the thermostat in the reference (9.3). */
export const setHeater: Primitive = definePrimitive(
  {
    kind: 'action',
    id: 'set_heater',
    version: '0.1.0',
    inputs: [
      { name: 'event', type: 'Event' },
      { name: 'on', type: 'Bool' },
    ],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters: [{ name: 'zone', type: 'String', required: true }],
    execution: { deterministic: true, retryable: false },
    state: { allowed: false },
    side_effects: true,
    effects: {
      writes: [],
      intents: [
        {
          name: 'heater_command',
          fields: [
            { name: 'on', type: 'Bool', from_input: 'on' },
            { name: 'zone', type: 'String', from_param: 'zone' },
          ],
          mirror_writes: [{ name: 'heater_on', type: 'Bool', from_field: 'on' }],
        },
      ],
    },
  },
  () => 'Attempted',
)

const SET_CONTEXT = { name: 'set_context', payload_schema: { type: 'object', properties: {}, additionalProperties: false } }

/** The thermostat with hysteresis of the reference. */
export const THERMOSTAT: JsonObject = {
  kind: 'cluster',
  id: 'thermostat',
  version: '0.1.0',
  nodes: {
    temp: { impl: 'context_number_source@^0.1', params: { key: 'temp' } },
    q: { impl: 'context_bool_source@^0.1', params: { key: 'heater_on' } },
    lo: { impl: 'number_source@^0.1', params: { value: 19 } },
    hi: { impl: 'number_source@^0.1', params: { value: 21 } },
    cold: { impl: 'lte@^0.1' },
    below: { impl: 'lt@^0.1' },
    hold: { impl: 'and@^0.1' },
    want: { impl: 'or@^0.1' },
    either: { impl: 'or@^0.1' },
    both: { impl: 'and@^0.1' },
    notboth: { impl: 'not@^0.1' },
    changed: { impl: 'and@^0.1' },
    gate: { impl: 'emit_if_true@^0.1' },
    act: { impl: 'set_heater@^0.1', params: { zone: 'hall' } },
  },
  edges: [
    'temp.value -> cold.a',
    'lo.value -> cold.b',
    'temp.value -> below.a',
    'hi.value -> below.b',
    'q.value -> hold.a',
    'below.result -> hold.b',
    'cold.result -> want.a',
    'hold.result -> want.b',
    'want.result -> either.a',
    'q.value -> either.b',
    'want.result -> both.a',
    'q.value -> both.b',
    'both.result -> notboth.value',
    'either.result -> changed.a',
    'notboth.result -> changed.b',
    'changed.result -> gate.input',
    'gate.event -> act.event',
    'want.result -> act.on',
  ],
  outputs: { outcome: 'act.outcome' },
}

export const THERMOSTAT_ADAPTER: JsonObject = {
  kind: 'adapter',
  id: 'thermostat',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [
    { name: 'temp', type: 'Number', required: true, writable: false },
    { name: 'heater_on', type: 'Bool', required: false, writable: true },
  ],
  event_kinds: [
    {
      name: 'reading',
      payload_schema: {
        type: 'object',
        properties: { temp: { type: 'number' }, heater_on: { type: 'boolean' } },
        required: ['temp'],
        additionalProperties: false,
      },
    },
  ],
  accepts: {
    effects: [
      SET_CONTEXT,
      {
        name: 'heater_command',
        payload_schema: {
          type: 'object',
          properties: { on: { type: 'boolean' }, zone: { type: 'string' } },
          required: ['on', 'zone'],
          additionalProperties: false,
        },
      },
    ],
  },
  capture: { format_version: '1', fields: ['event.reading'] },
}

/** The readings of the reference, of which three change the heater. */
export const READINGS = [20, 18.5, 20.5, 21, 20, 19].map((temp, i) => ({
  event_id: `t${i + 1}`,
  semantic_kind: 'reading',
  at: i + 1,
  payload: { temp },
}))

/** Counts presses; each write is the next number. */
export const COUNTER: JsonObject = {
  kind: 'cluster',
  id: 'counter',
  version: '0.1.0',
  nodes: {
    n: { impl: 'context_number_source@^0.1', params: { key: 'n' } },
    by: { impl: 'context_number_source@^0.1', params: { key: 'by' } },
    next: { impl: 'add@^0.1' },
    always: { impl: 'const_bool@^0.1', params: { value: true } },
    gate: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: 'n' } },
  },
  edges: ['n.value -> next.a', 'by.value -> next.b', 'always.value -> gate.input', 'gate.event -> save.event', 'next.result -> save.value'],
  outputs: { count: 'next.result', saved: 'save.outcome' },
}

export const COUNTER_ADAPTER: JsonObject = {
  kind: 'adapter',
  id: 'counter',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [
    { name: 'n', type: 'Number', required: false, writable: true },
    { name: 'by', type: 'Number', required: true, writable: false },
  ],
  event_kinds: [
    {
      name: 'press',
      payload_schema: {
        type: 'object',
        properties: { by: { type: 'number' }, n: { type: 'number' } },
        required: ['by'],
        additionalProperties: false,
      },
    },
  ],
  accepts: { effects: [SET_CONTEXT] },
  capture: { format_version: '1', fields: ['event.press'] },
}

export const presses = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) => ({ event_id: `p${i + 1}`, semantic_kind: 'press', at: i + 1, payload: { by: i + 1 } }))
