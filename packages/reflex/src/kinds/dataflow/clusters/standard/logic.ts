import type { ClusterJson } from '../../documents/decode.ts'

const XOR: ClusterJson = {
  id: 'xor',
  version: '1.0.0',
  about: 'True if exactly one of two values is true',
  inputs: [
    { name: 'a', type: 'Bool' },
    { name: 'b', type: 'Bool' },
  ],
  nodes: {
    either: { impl: 'or@^0.1' },
    both: { impl: 'and@^0.1' },
    not_both: { impl: 'not@^0.1' },
    result: { impl: 'and@^0.1' },
  },
  edges: [
    '$a -> either.a',
    '$b -> either.b',
    '$a -> both.a',
    '$b -> both.b',
    'both.result -> not_both.value',
    'either.result -> result.a',
    'not_both.result -> result.b',
  ],
  outputs: { result: 'result.result' },
}

const BOOL_MEMORY: ClusterJson = {
  id: 'bool-memory',
  version: '1.0.0',
  about: 'Keeps a Bool until the next event, and writes it when it changes; absent means false',
  inputs: [{ name: 'next', type: 'Bool' }],
  parameters: [{ name: 'state_key', type: 'String', default: { derive_key: 'value' } }],
  nodes: {
    before: { impl: 'context_bool_source@^0.1', params: { key: { exposed: 'state_key' } } },
    differs: { cluster: 'xor@^1' },
    gate: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_bool@^0.1', params: { key: { exposed: 'state_key' } } },
  },
  edges: [
    '$next -> differs.a',
    'before.value -> differs.b',
    'differs.result -> gate.input',
    'gate.event -> save.event',
    '$next -> save.value',
  ],
  outputs: { before: 'before.value', changed: 'gate.event', is_changed: 'differs.result' },
}

/** Clusters of which the others are made. */
export const LOGIC: readonly ClusterJson[] = [XOR, BOOL_MEMORY]
