/** Graphs without a mistake: one around each ready-made cluster, and graphs as people write them. */
import { STANDARD_CLUSTERS } from '../../../packages/reflex/src/kinds/dataflow/clusters/standard/standard-clusters.ts'
import type { JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import type { DraftGraph } from './draft.ts'

const BOOL = { type: 'boolean' }
const NUMBER = { type: 'number', minimum: 0, maximum: 1000 }
const TIME = { type: 'integer', minimum: 0 }
const PARAMS: Readonly<Record<string, Record<string, number>>> = {
  hysteresis: { high: 80, low: 70 },
  debounce: { quiet: 60 },
  throttle: { gap: 60 },
  cooldown: { gap: 60 },
  'every-nth': { n: 3 },
  'rolling-window': { size: 5 },
  'rolling-mean': { size: 5 },
}

/** Returns a graph around one cluster: its inputs are fields of one kind of event, and an action follows each event of it. */
function around(id: string): DraftGraph {
  const { inputs = [], outputs = {}, parameters = [] } = STANDARD_CLUSTERS[id] ?? {}
  const nodes: DraftGraph['nodes'] = {}
  const edges: string[] = []
  const event: DraftGraph['events'][string] = {}
  const open = parameters.filter((parameter) => parameter.default === undefined).map(({ name }) => [name, 60] as const)
  nodes['it'] = { cluster: `${id}@^1`, params: { ...Object.fromEntries(open), ...PARAMS[id] } }
  for (const { name, type } of inputs) {
    const schema: JsonObject = type === 'Number' ? (name === 'ts' ? TIME : NUMBER) : BOOL
    event[name] = { schema }
    nodes[`in_${name}`] = { impl: `context_${type === 'Number' ? 'number' : 'bool'}_source@^0.1`, params: { key: name } }
    if (type !== 'Event') edges.push(`in_${name}.value -> it.${name}`)
    else {
      nodes['both'] = { impl: 'and@^0.1' }
      nodes['emit'] = { impl: 'emit_if_true@^0.1' }
      edges.push(`in_${name}.value -> both.a`, `in_${name}.value -> both.b`, 'both.result -> emit.input', `emit.event -> it.${name}`)
    }
  }
  for (const name of Object.keys(outputs).filter((output) => output === 'event' || output === 'changed')) {
    nodes[`act_${name}`] = { impl: 'annotate_action@^0.1' }
    edges.push(`it.${name} -> act_${name}.event`)
  }
  const shown = Object.keys(outputs).filter((output) => output !== 'event' && output !== 'changed')
  return {
    id: `around-${id}`,
    nodes,
    edges,
    outputs: Object.fromEntries(shown.map((name) => [name, `it.${name}`])),
    events: { sample: event },
  }
}

const THERMOSTAT: DraftGraph = {
  id: 'thermostat',
  nodes: {
    temp: { impl: 'context_number_source@^0.1', params: { key: 'temp' } },
    hot: { cluster: 'hysteresis@^1', params: { high: 22, low: 19 } },
    alarm: { impl: 'annotate_action@^0.1', params: { note: 'hot' } },
  },
  edges: ['temp.value -> hot.value', 'hot.changed -> alarm.event'],
  outputs: {},
  events: { reading: { temp: { schema: { type: 'number', minimum: -40, maximum: 60 } } } },
}

const RATIO: DraftGraph = {
  id: 'error-ratio',
  nodes: {
    errors: { impl: 'context_number_source@^0.1', params: { key: 'errors' } },
    requests: { impl: 'context_number_source@^0.1', params: { key: 'requests' } },
    ratio: { impl: 'safe_divide@^0.1', params: { fallback: 0 } },
    limit: { impl: 'number_source@^0.1', params: { value: 0.05 } },
    many: { impl: 'gt@^0.1' },
    edge: { cluster: 'rising-edge@^1' },
    page: { impl: 'annotate_action@^0.1' },
  },
  edges: [
    'errors.value -> ratio.a',
    'requests.value -> ratio.b',
    'ratio.result -> many.a',
    'limit.value -> many.b',
    'many.result -> edge.level',
    'edge.event -> page.event',
  ],
  outputs: { ratio: 'ratio.result' },
  events: { minute: { errors: { schema: { type: 'integer', minimum: 0 } }, requests: { schema: { type: 'integer', minimum: 0 } } } },
}

const ORDERS: DraftGraph = {
  id: 'order-gate',
  nodes: {
    price: { impl: 'context_number_source@^0.1', params: { key: 'price' } },
    size: { impl: 'context_number_source@^0.1', params: { key: 'size' } },
    halted: { impl: 'context_bool_source@^0.1', params: { key: 'halted' } },
    halt: { impl: 'context_bool_source@^0.1', params: { key: 'halt' } },
    resume: { impl: 'context_bool_source@^0.1', params: { key: 'resume' } },
    value: { impl: 'multiply@^0.1' },
    most: { impl: 'number_source@^0.1', params: { value: 10_000 } },
    fits: { impl: 'lte@^0.1' },
    open: { impl: 'not@^0.1' },
    allowed: { impl: 'and@^0.1' },
    send: { impl: 'emit_if_true@^0.1' },
    order: { impl: 'ack_action@^0.1' },
    changes: { impl: 'or@^0.1' },
    on_change: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_bool@^0.1', params: { key: 'halted' } },
    next: { impl: 'not@^0.1' },
  },
  edges: [
    'price.value -> value.a',
    'size.value -> value.b',
    'value.result -> fits.a',
    'most.value -> fits.b',
    'halted.value -> open.value',
    'fits.result -> allowed.a',
    'open.result -> allowed.b',
    'allowed.result -> send.input',
    'send.event -> order.event',
    'halt.value -> changes.a',
    'resume.value -> changes.b',
    'changes.result -> on_change.input',
    'on_change.event -> save.event',
    'resume.value -> next.value',
    'next.result -> save.value',
  ],
  outputs: { ordered: 'order.outcome' },
  events: {
    signal: {
      price: { schema: { type: 'number', minimum: 0.01, maximum: 10_000 } },
      size: { schema: { type: 'integer', minimum: 1, maximum: 100 } },
    },
    control: { halt: { schema: BOOL }, resume: { schema: BOOL } },
  },
}

const CHAIN: DraftGraph = {
  id: 'calm-alerts',
  nodes: {
    cpu: { impl: 'context_number_source@^0.1', params: { key: 'cpu' } },
    ts: { impl: 'context_number_source@^0.1', params: { key: 'ts' } },
    yes: { impl: 'const_bool@^0.1', params: { value: true } },
    mean: { cluster: 'rolling-mean@^1', params: { size: 3 } },
    hot: { cluster: 'hysteresis@^1', params: { high: 90, low: 75 } },
    rise: { cluster: 'rising-edge@^1' },
    count: { cluster: 'count@^1' },
    rest: { cluster: 'cooldown@^1', params: { gap: 300 } },
    page: { impl: 'annotate_action@^0.1' },
  },
  edges: [
    'cpu.value -> mean.value',
    'yes.value -> mean.when',
    'mean.mean -> hot.value',
    'hot.on -> rise.level',
    'rise.now -> count.when',
    'rise.now -> rest.when',
    'ts.value -> rest.ts',
    'rest.event -> page.event',
  ],
  outputs: { count: 'count.count' },
  events: { sample: { cpu: { schema: { type: 'number', minimum: 0, maximum: 100 } }, ts: { schema: TIME } } },
}

const PATTERNS: DraftGraph = {
  id: 'bands',
  nodes: {
    level: { impl: 'context_number_source@^0.1', params: { key: 'level' } },
    low: { impl: 'number_source@^0.1', params: { value: 20 } },
    high: { impl: 'number_source@^0.1', params: { value: 80 } },
    below: { impl: 'lt@^0.1' },
    above: { impl: 'gt@^0.1' },
    fill: { impl: 'emit_if_true@^0.1' },
    drain: { impl: 'emit_if_true@^0.1' },
    open: { impl: 'context_set_number@^0.1', params: { key: 'valve' } },
    close: { impl: 'context_set_number@^0.1', params: { key: 'valve' } },
    valve: { impl: 'context_number_source@^0.1', params: { key: 'valve' } },
    is_far: { impl: 'gt@^0.1' },
    warn: { impl: 'emit_if_true@^0.1' },
    note: { impl: 'annotate_action@^0.1' },
  },
  edges: [
    'level.value -> below.a',
    'low.value -> below.b',
    'level.value -> above.a',
    'high.value -> above.b',
    'below.result -> fill.input',
    'above.result -> drain.input',
    'fill.event -> open.event',
    'low.value -> open.value',
    'drain.event -> close.event',
    'high.value -> close.value',
    'valve.value -> is_far.a',
    'level.value -> is_far.b',
    'is_far.result -> warn.input',
    'warn.event -> note.event',
  ],
  outputs: {},
  events: { reading: { level: { schema: { type: 'number', minimum: 0, maximum: 100 } } } },
}

/** The graphs into which mistakes are put. */
export const GRAPHS: readonly DraftGraph[] = [...Object.keys(STANDARD_CLUSTERS).map(around), THERMOSTAT, RATIO, ORDERS, CHAIN, PATTERNS]
