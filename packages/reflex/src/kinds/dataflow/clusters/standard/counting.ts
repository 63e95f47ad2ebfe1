import type { ClusterJson } from '../../documents/decode.ts'

const COUNT: ClusterJson = {
  id: 'count',
  version: '1.0.0',
  about: 'Counts the events at which "when" is true, this one included',
  inputs: [{ name: 'when', type: 'Bool' }],
  parameters: [{ name: 'state_key', type: 'String', default: { derive_key: 'count' } }],
  nodes: {
    before: { impl: 'context_number_source@^0.1', params: { key: { exposed: 'state_key' } } },
    one: { impl: 'number_source@^0.1', params: { value: 1 } },
    more: { impl: 'add@^0.1' },
    count: { impl: 'select@^0.1' },
    counted: { impl: 'and@^0.1' },
    tick: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: { exposed: 'state_key' } } },
  },
  edges: [
    'before.value -> more.a',
    'one.value -> more.b',
    '$when -> count.cond',
    'more.result -> count.when_true',
    'before.value -> count.when_false',
    '$when -> counted.a',
    '$when -> counted.b',
    'counted.result -> tick.input',
    'tick.event -> save.event',
    'count.result -> save.value',
  ],
  outputs: { count: 'count.result' },
}

const EVERY_NTH: ClusterJson = {
  id: 'every-nth',
  version: '1.0.0',
  about: 'Emits at every n-th event at which "when" is true',
  inputs: [{ name: 'when', type: 'Bool' }],
  parameters: [
    { name: 'n', type: 'Int' },
    { name: 'state_key', type: 'String', default: { derive_key: 'count' } },
  ],
  nodes: {
    before: { impl: 'context_number_source@^0.1', params: { key: { exposed: 'state_key' } } },
    one: { impl: 'number_source@^0.1', params: { value: 1 } },
    zero: { impl: 'number_source@^0.1', params: { value: 0 } },
    n: { impl: 'number_source@^0.1', params: { value: { exposed: 'n' } } },
    more: { impl: 'add@^0.1' },
    due: { impl: 'gte@^0.1' },
    next: { impl: 'select@^0.1' },
    now: { impl: 'and@^0.1' },
    emit: { impl: 'emit_if_true@^0.1' },
    counted: { impl: 'and@^0.1' },
    tick: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: { exposed: 'state_key' } } },
  },
  edges: [
    'before.value -> more.a',
    'one.value -> more.b',
    'more.result -> due.a',
    'n.value -> due.b',
    'due.result -> next.cond',
    'zero.value -> next.when_true',
    'more.result -> next.when_false',
    '$when -> now.a',
    'due.result -> now.b',
    'now.result -> emit.input',
    '$when -> counted.a',
    '$when -> counted.b',
    'counted.result -> tick.input',
    'tick.event -> save.event',
    'next.result -> save.value',
  ],
  outputs: { event: 'emit.event', now: 'now.result' },
}

/** Clusters that count. */
export const COUNTING: readonly ClusterJson[] = [COUNT, EVERY_NTH]
