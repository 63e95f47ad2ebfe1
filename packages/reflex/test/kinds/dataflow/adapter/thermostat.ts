import type { Adapter } from '../../../../src/kinds/dataflow/model/adapter.ts'

/** The adapter of the thermostat of reference 9.3, which breaks no rule. */
export const THERMOSTAT: Adapter = {
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
        additionalProperties: false,
        properties: { temp: { type: 'number' }, heater_on: { type: 'boolean' } },
        required: ['temp'],
      },
    },
  ],
  accepts: {
    effects: [
      { name: 'set_context', payload_schema: { type: 'object', additionalProperties: false, properties: { key: { type: 'string' } } } },
      {
        name: 'heater_command',
        payload_schema: {
          type: 'object',
          additionalProperties: false,
          properties: { on: { type: 'boolean' }, zone: { type: 'string' } },
          required: ['on', 'zone'],
        },
      },
    ],
  },
  capture: { format_version: '1', fields: ['event.reading', 'meta.adapter_id', 'meta.adapter_version', 'meta.timestamp'] },
}

/** Returns the adapter with another schema for its only kind of event, and further keys. */
export function withEvent(payload_schema: Adapter['event_kinds'][number]['payload_schema'], keys: Adapter['context_keys'] = []): Adapter {
  return { ...THERMOSTAT, context_keys: keys, event_kinds: [{ name: 'reading', payload_schema }] }
}
