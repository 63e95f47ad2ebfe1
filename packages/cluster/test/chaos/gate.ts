/** The action, the graph, its adapter and its host: each press starts a workflow with its number. */
export const DEED = {
  kind: 'action',
  id: 'deed',
  version: '1.0.0',
  inputs: [
    { name: 'event', type: 'Event' },
    { name: 'n', type: 'Number' },
  ],
  outputs: [{ name: 'outcome', type: 'Event' }],
  parameters: [],
  execution: { deterministic: true },
  state: { allowed: false },
  side_effects: true,
  effects: { writes: [], intents: [{ name: 'deed', fields: [{ name: 'n', type: 'Number', from_input: 'n' }] }] },
}
export const GATE = {
  kind: 'cluster',
  id: 'gate',
  version: '1.0.0',
  nodes: {
    n: { impl: 'context_number_source@^0.1', params: { key: 'n' } },
    always: { impl: 'const_bool@^0.1', params: { value: true } },
    each: { impl: 'emit_if_true@^0.1' },
    act: { impl: 'deed@^1' },
  },
  edges: ['always.value -> each.input', 'each.event -> act.event', 'n.value -> act.n'],
  outputs: { outcome: 'act.outcome' },
}
const NUMBER = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
export const GATE_ADAPTER = {
  kind: 'adapter',
  id: 'gate',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [{ name: 'n', type: 'Number', required: true, writable: false }],
  event_kinds: [{ name: 'press', payload_schema: NUMBER }],
  accepts: { effects: [{ name: 'deed', payload_schema: NUMBER }] },
  capture: { format_version: '1', fields: ['event.press'] },
}
export const GATE_HOST = {
  kind: 'host',
  channels: { noted: { type: 'program', start: 'workflow:deed' } },
  routes: { deed: { channel: 'noted' } },
}
