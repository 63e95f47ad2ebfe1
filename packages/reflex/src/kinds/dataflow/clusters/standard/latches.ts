import type { ClusterJson } from '../../documents/decode.ts'

const MEMORY = { cluster: 'bool-memory@^1', params: { state_key: { exposed: 'state_key' } } } as const
const state = (slot: string) => ({ name: 'state_key', type: 'String', default: { derive_key: slot } }) as const

const ONCE: ClusterJson = {
  id: 'once',
  version: '1.0.0',
  about: 'Lets the first event pass, and none after it',
  inputs: [{ name: 'event', type: 'Event' }],
  parameters: [state('has_fired')],
  nodes: {
    fired: { impl: 'context_bool_source@^0.1', params: { key: { exposed: 'state_key' } } },
    not_fired: { impl: 'not@^0.1' },
    gate: { impl: 'emit_if_event_and_true@^0.1' },
    yes: { impl: 'boolean_source@^0.1', params: { value: true } },
    save: { impl: 'context_set_bool@^0.1', params: { key: { exposed: 'state_key' } } },
  },
  edges: [
    'fired.value -> not_fired.value',
    '$event -> gate.event',
    'not_fired.result -> gate.condition',
    'gate.event -> save.event',
    'yes.value -> save.value',
  ],
  outputs: { event: 'gate.event' },
}

const LATCH: ClusterJson = {
  id: 'latch',
  version: '1.0.0',
  about: 'Is on from "set" until "reset"; with both, it is off',
  inputs: [
    { name: 'set', type: 'Bool' },
    { name: 'reset', type: 'Bool' },
  ],
  parameters: [state('on')],
  nodes: {
    memory: MEMORY,
    held: { impl: 'or@^0.1' },
    not_reset: { impl: 'not@^0.1' },
    on: { impl: 'and@^0.1' },
  },
  edges: [
    '$set -> held.a',
    'memory.before -> held.b',
    '$reset -> not_reset.value',
    'held.result -> on.a',
    'not_reset.result -> on.b',
    'on.result -> memory.next',
  ],
  outputs: { on: 'on.result', changed: 'memory.changed' },
}

const TOGGLE: ClusterJson = {
  id: 'toggle',
  version: '1.0.0',
  about: 'Changes between off and on at each event at which "when" is true',
  inputs: [{ name: 'when', type: 'Bool' }],
  parameters: [state('on')],
  nodes: { memory: MEMORY, on: { cluster: 'xor@^1' } },
  edges: ['$when -> on.a', 'memory.before -> on.b', 'on.result -> memory.next'],
  outputs: { on: 'on.result', changed: 'memory.changed' },
}

const HYSTERESIS: ClusterJson = {
  id: 'hysteresis',
  version: '1.0.0',
  about: 'Is on from the moment the value reaches "high" until it falls to "low"',
  inputs: [{ name: 'value', type: 'Number' }],
  parameters: [{ name: 'high', type: 'Number' }, { name: 'low', type: 'Number' }, state('on')],
  nodes: {
    memory: MEMORY,
    high: { impl: 'number_source@^0.1', params: { value: { exposed: 'high' } } },
    low: { impl: 'number_source@^0.1', params: { value: { exposed: 'low' } } },
    reached: { impl: 'gte@^0.1' },
    above: { impl: 'gt@^0.1' },
    held: { impl: 'and@^0.1' },
    on: { impl: 'or@^0.1' },
  },
  edges: [
    '$value -> reached.a',
    'high.value -> reached.b',
    '$value -> above.a',
    'low.value -> above.b',
    'memory.before -> held.a',
    'above.result -> held.b',
    'reached.result -> on.a',
    'held.result -> on.b',
    'on.result -> memory.next',
  ],
  outputs: { on: 'on.result', changed: 'memory.changed' },
}

/** Clusters that stay on or off. */
export const LATCHES: readonly ClusterJson[] = [ONCE, LATCH, TOGGLE, HYSTERESIS]
