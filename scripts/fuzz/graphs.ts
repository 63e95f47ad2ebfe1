import * as fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { canonicalJson, type Json, type JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { readHostFile } from '../../packages/reflex/src/kinds/dataflow/adapter/host-file.ts'
import { writeAdapter } from '../../packages/reflex/src/kinds/dataflow/adapter/write-adapter.ts'
import { readBundle } from '../../packages/reflex/src/kinds/dataflow/capture/read-bundle.ts'
import { replayBundle } from '../../packages/reflex/src/kinds/dataflow/capture/replay-bundle.ts'
import { writeBundle } from '../../packages/reflex/src/kinds/dataflow/capture/write-bundle.ts'
import { evaluate } from '../../packages/reflex/src/kinds/dataflow/pass/evaluate.ts'
import { readArgs, writeArgs } from '../../packages/reflex/src/kinds/dataflow/run/args.ts'
import { compileGraph } from '../../packages/reflex/src/kinds/dataflow/run/compile.ts'
import type { GraphSource } from '../../packages/reflex/src/kinds/dataflow/run/compiled.ts'
import { formatJson, readJson } from '../../packages/reflex/src/text/index.ts'
import { THERMOSTAT } from '../../packages/reflex/test/kinds/dataflow/adapter/thermostat.ts'
import { evaluation, readings, record } from '../../packages/reflex/test/kinds/dataflow/capture/recorded-run.ts'
import { graphOf } from '../../packages/reflex/test/kinds/dataflow/compile.ts'
import { THERMOSTAT_GRAPH } from '../../packages/reflex/test/kinds/dataflow/graphs.ts'
import { bits } from '../../packages/reflex/test/kinds/dataflow/pass/random-graph.ts'
import { randomContext, randomDocument } from '../../packages/reflex/test/kinds/dataflow/random-graph.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../../packages/reflex/test/kinds/dataflow/run/graphs.ts'
import type { Door } from './door.ts'
import { EVENT_LINES, HOST_FILES } from './graph-seeds.ts'
import type { Subject } from './subject.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Random graphs among the seeds, and the contexts with which a graph that can run is run. */
const DRAWN = 40
const CONTEXTS = fc.sample(randomContext(), { numRuns: 6, seed: 7 })

/** Graphs, the files beside them, their events, and captures of their runs. */
export function graphSubjects(): readonly Subject[] {
  return [
    { name: 'graph', seeds: graphSeeds(), try: tryGraph },
    { name: 'graph-adapter', seeds: adapterSeeds(), try: tryAdapter },
    { name: 'graph-primitive', seeds: filesOf('**/*.primitive.json'), try: tryPrimitive },
    { name: 'graph-host', seeds: [...HOST_FILES, ...filesOf('**/*.host.json')], try: tryHost },
    { name: 'graph-events', seeds: eventSeeds(), try: tryEvents },
    { name: 'graph-bundle', seeds: BUNDLES, try: tryBundle },
  ]
}

function filesOf(pattern: string): readonly string[] {
  const files = globSync([`examples/${pattern}`, `cases/${pattern}`], { cwd: ROOT }).toSorted()
  return files.map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
}

function graphSeeds(): readonly string[] {
  const drawn = fc.sample(randomDocument({ maxNodes: 20 }), { numRuns: DRAWN, seed: 7 })
  return [...filesOf('**/*.dataflow.json'), ...drawn.map((document) => JSON.stringify({ kind: 'cluster', ...document }, undefined, 1))]
}

function adapterSeeds(): readonly string[] {
  const drawn = fc.sample(randomDocument({ maxNodes: 8 }), { numRuns: 10, seed: 7 })
  const written = drawn.map((document) =>
    JSON.stringify(writeAdapter(graphOf({ kind: 'cluster', ...document }), { runtime: '0.1.0' }), undefined, 1),
  )
  return [...filesOf('**/*.adapter.json'), ...written, JSON.stringify(COUNTER_ADAPTER, undefined, 1)]
}

function eventSeeds(): readonly string[] {
  const own = presses(12).map((event) => JSON.stringify(event))
  return [own.join('\n'), ...EVENT_LINES]
}

/** Reads a graph, formats it, and runs it in every way: the checked pass and the compiled one must give the same bits. */
async function tryGraph(text: string, door: Door): Promise<void> {
  const source = await door.read('program.dataflow.json', text)
  const { text: formatted, findings } = formatJson(text)
  door.judge(findings, text)
  if (formatted !== undefined) {
    if (formatJson(formatted).text !== formatted) throw new Error('what was formatted is formatted otherwise the second time')
    if (JSON.stringify(readJson(formatted).value) !== JSON.stringify(readJson(text).value)) throw new Error('what was formatted differs')
  }
  if (source === undefined) return
  const { graph, pass } = compileGraph(source as unknown as GraphSource, { primitives: [] })
  for (const context of CONTEXTS) {
    const reader = { value: (key: string) => (Object.hasOwn(context, key) ? context[key] : undefined) }
    const [checked, compiled] = [evaluate(graph, reader, IDS), pass.run(reader, IDS)].map((result) =>
      'error' in result ? result.error.fault.message : bits([result.outputs, result.effects]),
    )
    if (checked !== compiled) throw new Error(`the compiled pass gives ${compiled}\nand the checked one ${checked}`)
  }
}

const IDS = { graphId: 'program', eventId: 'e1' }

/** Reads the counter and the alerts of the examples with this adapter beside them. */
async function tryAdapter(text: string, door: Door): Promise<void> {
  for (const graph of [JSON.stringify(COUNTER), ALERTS])
    await door.read('it.dataflow.json', graph, { 'it.adapter.json': text, 'notify.primitive.json': NOTIFY })
}

async function tryPrimitive(text: string, door: Door): Promise<void> {
  await door.read('alerts.dataflow.json', ALERTS, { 'alerts.adapter.json': ALERTS_ADAPTER, 'notify.primitive.json': text })
}

const [ALERTS = '', ALERTS_ADAPTER = '', NOTIFY = ''] = ['alerts.dataflow.json', 'alerts.adapter.json', 'notify.primitive.json'].map(
  (name) => readFileSync(resolve(ROOT, 'examples/10-alerts', name), 'utf8'),
)

/** Reads a host file. Nothing of it is run: a mutant names any command. What was read is the same after it was recorded. */
function tryHost(text: string, door: Door): Promise<void> {
  const { host, findings } = readHostFile(text, 'it.host.json')
  door.judge(findings, text)
  if (host === undefined) {
    if (findings.length === 0) throw new Error('it is refused without a reason')
    return Promise.resolve()
  }
  const again = readArgs(JSON.parse(JSON.stringify(writeArgs({ host }))) as Json).host
  if (JSON.stringify(again) !== JSON.stringify(host)) throw new Error('it is read otherwise from a journal')
  return Promise.resolve()
}

/** Runs the counter, within limits that the length of the text selects, over a file of events. */
async function tryEvents(text: string, door: Door): Promise<void> {
  const constraints = LIMITS[text.length % LIMITS.length]
  await door.runEvents('counter.dataflow.json', JSON.stringify(COUNTER), {
    'events.jsonl': text,
    'counter.adapter.json': JSON.stringify(COUNTER_ADAPTER),
    'counter.host.json': JSON.stringify({ kind: 'host', constraints }),
  })
}

const LIMITS: readonly JsonObject[] = [
  {},
  { max_per_window: 1, rate_window: '3s' },
  { max_per_window: 2, rate_window: '1ms', max_retries: 2 },
  { max_in_flight: 1, max_per_window: 1, rate_window: '1h', deadline: '1s' },
]

const RUNS = [
  record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18.5, 20.5, 21, 20, 19])),
  record(THERMOSTAT_GRAPH, THERMOSTAT, readings([18, 22, null, 18, null, null, null]), { max_per_window: 1, rate_window: 3000 }),
  record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18]), {}, 'host_stop_requested'),
]
const BUNDLES = RUNS.flatMap(({ header, steps }) => [[...writeBundle(header, steps)].join(''), [...writeBundle(header, steps, 1)].join('')])
const WHOLE = new Set(BUNDLES.map((text) => canonicalJson(readBundle(text).bundle as unknown as Json)))

/** Reads and replays a capture. One that differs from every real one is refused. */
function tryBundle(text: string, door: Door): Promise<void> {
  const { bundle, findings } = readBundle(text, 'it.bundle.json')
  door.judge(findings, text)
  if (bundle === undefined) {
    if (findings.length === 0) throw new Error('it is refused without a reason')
    return Promise.resolve()
  }
  const options = { graph: THERMOSTAT_GRAPH, adapter: THERMOSTAT, evaluate: evaluation(THERMOSTAT_GRAPH), all: true }
  const replayed = replayBundle(bundle, options)
  door.judge(replayed.findings, text)
  if (replayed.findings.length === 0 && !WHOLE.has(canonicalJson(bundle as unknown as Json)))
    throw new Error('a capture that differs from the real one is replayed as if it were whole')
  return Promise.resolve()
}
