import type { ClusterJson } from '../../documents/decode.ts'

const HEAD = {
  version: '1.0.0',
  inputs: [
    { name: 'value', type: 'Number' },
    { name: 'when', type: 'Bool' },
  ],
  parameters: [
    { name: 'size', type: 'Int' },
    { name: 'state_key', type: 'String', default: { derive_key: 'values' } },
  ],
} as const

const ROLLING_WINDOW: ClusterJson = {
  ...HEAD,
  id: 'rolling-window',
  about: 'Gives the last values, the current one included, and keeps them when "when" is true',
  nodes: {
    before: { impl: 'context_series_source@^0.1', params: { key: { exposed: 'state_key' } } },
    grown: { impl: 'append@^0.1' },
    last: { impl: 'window@^0.1', params: { size: { exposed: 'size' } } },
    count: { impl: 'len@^0.1' },
    counted: { impl: 'and@^0.1' },
    tick: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_series@^0.1', params: { key: { exposed: 'state_key' } } },
  },
  edges: [
    'before.value -> grown.series',
    '$value -> grown.value',
    'grown.result -> last.series',
    'last.result -> count.series',
    '$when -> counted.a',
    '$when -> counted.b',
    'counted.result -> tick.input',
    'tick.event -> save.event',
    'last.result -> save.value',
  ],
  outputs: { values: 'last.result', count: 'count.result', before: 'before.value' },
}

const ROLLING_MEAN: ClusterJson = {
  ...HEAD,
  id: 'rolling-mean',
  about: 'Gives the mean of the last values at which "when" is true, 0 before the first',
  nodes: {
    window: { cluster: 'rolling-window@^1', params: { size: { exposed: 'size' }, state_key: { exposed: 'state_key' } } },
    new: { impl: 'mean@^0.1' },
    old: { impl: 'mean@^0.1' },
    mean: { impl: 'select@^0.1' },
  },
  edges: [
    '$value -> window.value',
    '$when -> window.when',
    'window.values -> new.series',
    'window.before -> old.series',
    '$when -> mean.cond',
    'new.result -> mean.when_true',
    'old.result -> mean.when_false',
  ],
  outputs: { mean: 'mean.result' },
}

/** Clusters over the last values. */
export const SERIES: readonly ClusterJson[] = [ROLLING_WINDOW, ROLLING_MEAN]
