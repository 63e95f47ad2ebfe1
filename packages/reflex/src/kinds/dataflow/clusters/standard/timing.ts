import type { ClusterJson } from '../../documents/decode.ts'

const DEBOUNCE: ClusterJson = {
  id: 'debounce',
  version: '1.0.0',
  about: 'Emits once when "quiet" has passed since the last press; it needs events without a press, which carry the time',
  inputs: [
    { name: 'press', type: 'Bool' },
    { name: 'ts', type: 'Number' },
  ],
  parameters: [
    { name: 'quiet', type: 'Number' },
    { name: 'pending_key', type: 'String', default: { derive_key: 'pending' } },
    { name: 'last_key', type: 'String', default: { derive_key: 'last' } },
  ],
  nodes: {
    memory: { cluster: 'bool-memory@^1', params: { state_key: { exposed: 'pending_key' } } },
    last: { impl: 'context_number_source@^0.1', params: { key: { exposed: 'last_key' } } },
    quiet: { impl: 'number_source@^0.1', params: { value: { exposed: 'quiet' } } },
    elapsed: { impl: 'subtract@^0.1' },
    due: { impl: 'gte@^0.1' },
    ripe: { impl: 'and@^0.1' },
    no_press: { impl: 'not@^0.1' },
    expire: { impl: 'and@^0.1' },
    keep: { impl: 'not@^0.1' },
    still: { impl: 'and@^0.1' },
    pending: { impl: 'or@^0.1' },
    pressed: { impl: 'and@^0.1' },
    on_press: { impl: 'emit_if_true@^0.1' },
    save_last: { impl: 'context_set_number@^0.1', params: { key: { exposed: 'last_key' } } },
    emit: { impl: 'emit_if_true@^0.1' },
  },
  edges: [
    '$ts -> elapsed.a',
    'last.value -> elapsed.b',
    'elapsed.result -> due.a',
    'quiet.value -> due.b',
    'memory.before -> ripe.a',
    'due.result -> ripe.b',
    '$press -> no_press.value',
    'ripe.result -> expire.a',
    'no_press.result -> expire.b',
    'expire.result -> emit.input',
    'expire.result -> keep.value',
    'memory.before -> still.a',
    'keep.result -> still.b',
    '$press -> pending.a',
    'still.result -> pending.b',
    'pending.result -> memory.next',
    '$press -> pressed.a',
    '$press -> pressed.b',
    'pressed.result -> on_press.input',
    'on_press.event -> save_last.event',
    '$ts -> save_last.value',
  ],
  outputs: { event: 'emit.event', now: 'expire.result', pending: 'pending.result' },
}

interface Spacing {
  readonly id: string
  readonly about: string
  /** The input that is a signal. */
  readonly signal: string
  /** The parameter with the least time between two events. */
  readonly time: string
  /** The trigger after which the time is remembered. */
  readonly remembers: 'on_signal' | 'emit'
}

/** Returns a cluster that emits at a signal unless too little time has passed since the event that it remembers. */
function spaced(names: Spacing): ClusterJson {
  return {
    id: names.id,
    version: '1.0.0',
    about: names.about,
    inputs: [
      { name: names.signal, type: 'Bool' },
      { name: 'ts', type: 'Number' },
    ],
    parameters: [
      { name: names.time, type: 'Number' },
      { name: 'seen_key', type: 'String', default: { derive_key: 'seen' } },
      { name: 'last_key', type: 'String', default: { derive_key: 'last' } },
    ],
    nodes: {
      last: { impl: 'context_number_source@^0.1', params: { key: { exposed: 'last_key' } } },
      seen: { impl: 'context_bool_source@^0.1', params: { key: { exposed: 'seen_key' } } },
      gap: { impl: 'number_source@^0.1', params: { value: { exposed: names.time } } },
      elapsed: { impl: 'subtract@^0.1' },
      over: { impl: 'gte@^0.1' },
      never: { impl: 'not@^0.1' },
      ready: { impl: 'or@^0.1' },
      now: { impl: 'and@^0.1' },
      emit: { impl: 'emit_if_true@^0.1' },
      ...(names.remembers === 'on_signal' ? { signal: { impl: 'and@^0.1' }, on_signal: { impl: 'emit_if_true@^0.1' } } : {}),
      save_last: { impl: 'context_set_number@^0.1', params: { key: { exposed: 'last_key' } } },
      yes: { impl: 'boolean_source@^0.1', params: { value: true } },
      save_seen: { impl: 'context_set_bool@^0.1', params: { key: { exposed: 'seen_key' } } },
    },
    edges: spacedEdges(names),
    outputs: { event: 'emit.event', now: 'now.result' },
  }
}

function spacedEdges({ signal, remembers }: Spacing): readonly string[] {
  return [
    '$ts -> elapsed.a',
    'last.value -> elapsed.b',
    'elapsed.result -> over.a',
    'gap.value -> over.b',
    'seen.value -> never.value',
    'never.result -> ready.a',
    'over.result -> ready.b',
    `$${signal} -> now.a`,
    'ready.result -> now.b',
    'now.result -> emit.input',
    ...(remembers === 'on_signal' ? [`$${signal} -> signal.a`, `$${signal} -> signal.b`, 'signal.result -> on_signal.input'] : []),
    `${remembers}.event -> save_last.event`,
    '$ts -> save_last.value',
    `${remembers}.event -> save_seen.event`,
    'yes.value -> save_seen.value',
  ]
}

/** Clusters that depend on the time that events carry. */
export const TIMING: readonly ClusterJson[] = [
  DEBOUNCE,
  spaced({
    id: 'leading-debounce',
    about: 'Emits at the first press, and again at a press after "quiet" without any',
    signal: 'press',
    time: 'quiet',
    remembers: 'on_signal',
  }),
  spaced({
    id: 'cooldown',
    about: 'Emits when "when" is true, unless it emitted less than "gap" before',
    signal: 'when',
    time: 'gap',
    remembers: 'emit',
  }),
]
