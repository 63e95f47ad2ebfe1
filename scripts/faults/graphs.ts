import { isObject, type Json, type JsonObject, ledgerPort, type Run } from '../../packages/reflex/src/kernel/index.ts'
import { graphKind } from '../../packages/reflex/src/kinds/dataflow/run/kind.ts'
import type { KindSubject, SubjectProgram } from '../../packages/reflex/src/testing/index.ts'
import {
  COUNTER,
  COUNTER_ADAPTER,
  presses,
  READINGS,
  setHeater,
  THERMOSTAT,
  THERMOSTAT_ADAPTER,
} from '../../packages/reflex/test/kinds/dataflow/run/graphs.ts'
import { flow } from '../../packages/reflex/test/kernel/probes/flow.ts'
import { graphPorts } from './graph-channels.ts'

const MINUTE = 60_000
const TICKS = 5
const PROCESS: JsonObject = { type: 'process', command: ['hvac'] }

/** Counts events: those that send an intent, and the ends of the programs that intents start, in whatever order they come. */
const STARTER: JsonObject = {
  ...COUNTER,
  id: 'starter',
  nodes: {
    n: { impl: 'context_number_source@^0.1', params: { key: 'n' } },
    one: { impl: 'number_source@^0.1', params: { value: 1 } },
    next: { impl: 'add@^0.1' },
    always: { impl: 'const_bool@^0.1', params: { value: true } },
    each: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: 'n' } },
    go: { impl: 'context_bool_source@^0.1', params: { key: 'go' } },
    wanted: { impl: 'and@^0.1' },
    gate: { impl: 'emit_if_true@^0.1' },
    act: { impl: 'set_heater@^0.1', params: { zone: 'hall' } },
  },
  edges: [
    'n.value -> next.a',
    'one.value -> next.b',
    'always.value -> each.input',
    'each.event -> save.event',
    'next.result -> save.value',
    'go.value -> wanted.a',
    'go.value -> wanted.b',
    'wanted.result -> gate.input',
    'gate.event -> act.event',
    'wanted.result -> act.on',
  ],
  outputs: { outcome: 'act.outcome' },
}

const N = { n: { type: 'number' }, heater_on: { type: 'boolean' } }
const STARTER_ADAPTER: JsonObject = {
  ...THERMOSTAT_ADAPTER,
  id: 'starter',
  context_keys: [
    { name: 'n', type: 'Number', required: false, writable: true },
    { name: 'go', type: 'Bool', required: false, writable: false },
    { name: 'heater_on', type: 'Bool', required: false, writable: true },
  ],
  event_kinds: [
    {
      name: 'order',
      payload_schema: { type: 'object', properties: { ...N, go: { type: 'boolean' } }, additionalProperties: false },
    },
    { name: 'done', payload_schema: { type: 'object', properties: N, additionalProperties: false } },
  ],
  capture: { format_version: '1', fields: ['event.order', 'event.done'] },
}

const ORDERS = [1, 2, 3, 4].map((at) => ({ event_id: `o${at}`, semantic_kind: 'order', at, payload: { go: at !== 2 } }))

/** Keeps the last press. */
const LATEST: JsonObject = {
  ...COUNTER,
  id: 'latest',
  nodes: {
    by: { impl: 'context_number_source@^0.1', params: { key: 'by' } },
    always: { impl: 'const_bool@^0.1', params: { value: true } },
    gate: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: 'n' } },
  },
  edges: ['always.value -> gate.input', 'gate.event -> save.event', 'by.value -> save.value'],
  outputs: { saved: 'save.outcome' },
}

/** Counts ticks of a clock up to five, so that more ticks are right, too. */
const CLOCK: JsonObject = {
  ...COUNTER,
  id: 'clock',
  nodes: {
    n: { impl: 'context_number_source@^0.1', params: { key: 'n' } },
    one: { impl: 'number_source@^0.1', params: { value: 1 } },
    most: { impl: 'number_source@^0.1', params: { value: TICKS } },
    next: { impl: 'add@^0.1' },
    below: { impl: 'lt@^0.1' },
    gate: { impl: 'emit_if_true@^0.1' },
    save: { impl: 'context_set_number@^0.1', params: { key: 'n' } },
  },
  edges: [
    'n.value -> next.a',
    'one.value -> next.b',
    'n.value -> below.a',
    'most.value -> below.b',
    'below.result -> gate.input',
    'gate.event -> save.event',
    'next.result -> save.value',
  ],
  outputs: { saved: 'save.outcome' },
}

const CLOCK_ADAPTER: JsonObject = {
  ...COUNTER_ADAPTER,
  id: 'clock',
  context_keys: [{ name: 'n', type: 'Number', required: false, writable: true }],
  event_kinds: [
    {
      name: 'tick',
      payload_schema: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
    },
  ],
  capture: { format_version: '1', fields: ['event.tick'] },
}

/**
 * Graphs with each sort of channel and source. An intent to a keyed channel is accepted exactly once; after a crash in the middle of one to
 * another channel a person is asked.
 */
export function graphSubjects(): readonly KindSubject[] {
  const thermostat = { graph: THERMOSTAT, adapter: THERMOSTAT_ADAPTER }
  const counter = { graph: COUNTER, adapter: COUNTER_ADAPTER }
  const called = { semantic_kind: 'reading', temp: 18 }
  return [
    subject('keyed', { ...thermostat, args: { _stays: true, _host: hostOf(PROCESS, { keyed: true }) }, events: READINGS }),
    subject('not keyed', { ...thermostat, args: { _stays: true, _host: hostOf(PROCESS) }, events: READINGS }),
    subject('called', { ...thermostat, args: { ...called, _host: hostOf(PROCESS) } }),
    subject('ledger', { ...thermostat, args: { _stays: true, _host: hostOf({ type: 'ledger', ledger: 'heater' }) }, events: READINGS }),
    subject('programs', {
      graph: STARTER,
      adapter: STARTER_ADAPTER,
      args: { _stays: true, _host: hostOf({ type: 'program', start: 'flow:inner', ends_as: 'done' }) },
      events: ORDERS,
    }),
    subject('limit', { ...counter, args: { _stays: true, _host: { ...hostOf(PROCESS), constraints: LIMIT } }, events: presses(9) }),
    subject('source', { ...counter, args: { _stays: true, _sources: [DRIVER] }, sent: presses(40) }),
    subject('file', { ...counter, args: { _stays: true, _sources: [FILE] }, sent: presses(600) }),
    subject('file with intents', {
      ...thermostat,
      args: { _stays: true, _host: hostOf(PROCESS, { keyed: true }), _sources: [FILE] },
      sent: READINGS,
    }),
    // The clock goes on while no process lives.
    subject('timer', {
      graph: CLOCK,
      adapter: CLOCK_ADAPTER,
      args: { _stays: true, _live: true, _sources: [{ from: 'timer', name: 'timer', every: MINUTE, semantic_kind: 'tick' }] },
      drive: closeAfter('n', TICKS),
    }),
    subject('deferred', {
      graph: LATEST,
      adapter: COUNTER_ADAPTER,
      args: { _stays: true, _live: true, _host: { ...hostOf(PROCESS), constraints: LIMIT } },
      events: presses(6).map(({ at: _, ...event }) => event),
      drive: closeAfter('n', 6),
    }),
  ]
}

const LIMIT: JsonObject = { max_per_window: 2, rate_window: 3000 }
const FILE: JsonObject = { from: 'file', name: 'events.jsonl', file: 'events.jsonl' }
const DRIVER: JsonObject = { from: 'process', name: 'ingress', command: ['driver'] }

function hostOf(channel: JsonObject, route: JsonObject = {}): JsonObject {
  return {
    dedupe: 'segment',
    constraints: {},
    channels: { out: channel },
    routes: { heater_command: { channel: 'out', ack_timeout: 1000, keyed: false, on_failure: 'fail', ...route } },
  }
}

interface GraphRun {
  readonly graph: JsonObject
  readonly adapter: JsonObject
  readonly args: JsonObject
  /** Events that are sent to the graph; then it is told that none follows. */
  readonly events?: readonly Json[]
  /** Events that its source sends. */
  readonly sent?: readonly Json[]
  readonly drive?: (run: Run) => Promise<boolean>
}

function subject(name: string, { graph, adapter, args, events, sent = [], drive }: GraphRun): KindSubject {
  const programs: SubjectProgram[] = [
    { kind: 'dataflow', id: graph.id as string, source: { format: 'reflex-dataflow-1', graph, adapter } },
    { kind: 'flow', id: 'inner', source: { entry: 'a', nodes: { a: { next: 'b' }, b: {} } } },
  ]
  const messages = events === undefined ? [] : [...events, ...(drive === undefined ? [null] : [])].map((body) => ({ topic: 'event', body }))
  return {
    name: `graph ${name}`,
    kinds: [graphKind({ primitives: [setHeater] }), flow],
    programs,
    args,
    times: UNCERTAIN,
    timeless: (position) =>
      isObject(position) ? Object.fromEntries(Object.entries(position).filter(([key]) => !TIMES.has(key))) : position,
    ports: (store, host) => ({ ...graphPorts(host, ['heater_command'], sent), ledger: ledgerPort(store, host) }),
    script: { answer: () => 'yes', messages, ...(drive === undefined ? {} : { drive }) },
  }
}

/** The parts of a position that depend on when a process lived: the clock, passes, counts of events and refusals, ends of lines. */
const TIMES: ReadonlySet<string> = new Set(['c', 'e', 'i', 'n', 'r', 'o'])
/**
 * Fields that depend on it, too: a clock that goes on ticks more often, ids of ticks are record numbers, and a message that is sent again
 * after two seals is refused as a duplicate.
 */
const UNCERTAIN = ['events', 'refused', ...Array.from({ length: 40 }, (_, i) => [`~ids/${i}`, `~rate/${i}`]).flat()]

/** Says that no event follows, once a key has reached a value. */
function closeAfter(key: string, value: number): (run: Run) => Promise<boolean> {
  return async (run) => Number(run.state.root.reader().get(key) ?? 0) >= value && run.message('event', null, { id: 'close' })
}
