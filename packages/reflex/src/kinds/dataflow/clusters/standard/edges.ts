import type { ClusterJson } from '../../documents/decode.ts'

const HEAD = {
  version: '1.0.0',
  inputs: [{ name: 'level', type: 'Bool' }],
  parameters: [{ name: 'state_key', type: 'String', default: { derive_key: 'level' } }],
} as const
const MEMORY = { cluster: 'bool-memory@^1', params: { state_key: { exposed: 'state_key' } } } as const

const RISING: ClusterJson = {
  ...HEAD,
  id: 'rising-edge',
  about: 'Emits when the level becomes true; a first level of true counts',
  nodes: { memory: MEMORY, was_off: { impl: 'not@^0.1' }, edge: { impl: 'and@^0.1' }, emit: { impl: 'emit_if_true@^0.1' } },
  edges: [
    '$level -> memory.next',
    'memory.before -> was_off.value',
    '$level -> edge.a',
    'was_off.result -> edge.b',
    'edge.result -> emit.input',
  ],
  outputs: { event: 'emit.event', now: 'edge.result' },
}

const FALLING: ClusterJson = {
  ...HEAD,
  id: 'falling-edge',
  about: 'Emits when the level becomes false',
  nodes: { memory: MEMORY, is_off: { impl: 'not@^0.1' }, edge: { impl: 'and@^0.1' }, emit: { impl: 'emit_if_true@^0.1' } },
  edges: [
    '$level -> memory.next',
    '$level -> is_off.value',
    'memory.before -> edge.a',
    'is_off.result -> edge.b',
    'edge.result -> emit.input',
  ],
  outputs: { event: 'emit.event', now: 'edge.result' },
}

const ANY: ClusterJson = {
  ...HEAD,
  id: 'any-edge',
  about: 'Emits when the level changes; a first level of true counts',
  nodes: { memory: MEMORY },
  edges: ['$level -> memory.next'],
  outputs: { event: 'memory.changed', now: 'memory.is_changed' },
}

/** Clusters that find changes of a level. */
export const EDGES: readonly ClusterJson[] = [RISING, FALLING, ANY]
