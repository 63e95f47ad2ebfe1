import { describe, it } from 'vitest'
import { type Json, type JsonObject, ledgerPort, type Port } from '../../../../src/kernel/index.ts'
import type { BatchRequest } from '../../../../src/kinds/dataflow/run/file-batch.ts'
import { graphKind } from '../../../../src/kinds/dataflow/run/kind.ts'
import { type KindSubject, kindSuite } from '../../../../src/testing/index.ts'
import { flow } from '../../../kernel/probes/flow.ts'
import { COUNTER, COUNTER_ADAPTER, presses, READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from './graphs.ts'

const source = (graph: JsonObject, adapter: JsonObject): Json => ({ format: 'reflex-dataflow-1', graph, adapter })

/** The port `egress` of a channel that takes an intent id once. */
const egress: Port = { leaves: true, repeat: 'keyed', perform: () => ({ status: 'accepted', acceptance: 'durable' }) }

/** The port `ingress` of a file with the readings, in memory: its offsets are numbers of lines. */
const ingress: Port = {
  leaves: false,
  repeat: 'free',
  perform({ args }) {
    const { name, at, most } = args as unknown as BatchRequest
    const to = Math.min(READINGS.length, at[2] + most)
    return { source: name, at, events: READINGS.slice(at[2], to), to: [to, to], ...(to < READINGS.length ? {} : { isEnd: true }) }
  },
}

const subject = (
  name: string,
  {
    graph,
    adapter,
    args,
    events = [],
  }: { readonly graph: JsonObject; readonly adapter: JsonObject; readonly args: JsonObject; readonly events?: readonly Json[] },
): KindSubject => ({
  name,
  kinds: [graphKind({ primitives: [setHeater] }), flow],
  programs: [
    { kind: 'dataflow', id: graph.id as string, source: source(graph, adapter) },
    { kind: 'flow', id: 'inner', source: { entry: 'a', nodes: { a: { next: 'b' }, b: {} } } },
  ],
  args,
  ports: (store, host) => ({ egress, ingress, ledger: ledgerPort(store, host) }),
  script: {
    answer: () => 'yes',
    messages: '_stays' in args && !('_sources' in args) ? [...events, null].map((body) => ({ topic: 'event', body })) : [],
  },
})

const host = (channel: JsonObject, more: JsonObject = {}): JsonObject => ({
  dedupe: 'segment',
  constraints: {},
  channels: { out: channel },
  routes: { heater_command: { channel: 'out', ack_timeout: 1000, keyed: true, on_failure: 'fail' } },
  ...more,
})

const SUBJECTS: readonly KindSubject[] = [
  subject('a graph that is called', {
    graph: THERMOSTAT,
    adapter: THERMOSTAT_ADAPTER,
    args: { semantic_kind: 'reading', temp: 18, _host: host({ type: 'process', command: ['hvac'] }) },
  }),
  subject('a graph that counts events', { graph: COUNTER, adapter: COUNTER_ADAPTER, args: { _stays: true }, events: presses(7) }),
  subject('intents to a process', {
    graph: THERMOSTAT,
    adapter: THERMOSTAT_ADAPTER,
    args: { _stays: true, _host: host({ type: 'process', command: ['hvac'] }) },
    events: READINGS,
  }),
  subject('intents to a ledger', {
    graph: THERMOSTAT,
    adapter: THERMOSTAT_ADAPTER,
    args: { _stays: true, _host: host({ type: 'ledger', ledger: 'heater' }) },
    events: READINGS,
  }),
  subject('intents that start programs', {
    graph: THERMOSTAT,
    adapter: THERMOSTAT_ADAPTER,
    args: { _stays: true, _host: host({ type: 'program', start: 'flow:inner' }) },
    events: READINGS,
  }),
  subject('intents of a file of events', {
    graph: THERMOSTAT,
    adapter: THERMOSTAT_ADAPTER,
    args: {
      _stays: true,
      _host: host({ type: 'ledger', ledger: 'heater' }),
      _sources: [{ from: 'file', name: 'readings.jsonl', file: 'readings.jsonl' }],
    },
  }),
  subject('a limit of passes', {
    graph: COUNTER,
    adapter: COUNTER_ADAPTER,
    args: { _stays: true, _host: { dedupe: 'segment', constraints: { max_per_window: 2, rate_window: 3000 }, channels: {}, routes: {} } },
    events: presses(9),
  }),
]

for (const one of SUBJECTS) {
  describe(`a graph keeps the promises of a kind: ${one.name}`, () => {
    // A graph that is called has too few records for several segments. And where the suite cuts a store inside a batch, it gives the messages
    // of the batch again: they are refused as duplicates, which the value of this subject counts.
    const cases = kindSuite(one).filter(({ name }) => !/called: ends the same whatever|start programs: resumes from every/.test(name))
    for (const { name, run } of cases) it(name, { timeout: 120_000 }, run)
  })
}
