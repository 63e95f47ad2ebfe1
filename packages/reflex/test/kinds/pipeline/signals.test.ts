import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StoryLine } from '../../../src/history/trace.ts'
import { EventStream, type PipelineEvent, run } from '../../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../../src/app/reflex.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { reflex as command, workFolder } from '../../cli/worlds.ts'
import { folder } from './folders.ts'

const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare]
  a [type=transform, transform=constant, expression="x"] b [type=transform, transform=increment, source_key=current_node]
  start -> a -> b b -> done [label=fail] }`
const SIGNALS = [
  ['start', 'start', 'success'],
  ['a', 'transform', 'success'],
  ['b', 'transform', 'fail'],
  ['done', 'exit', 'success'],
]

const signalsOf = (events: readonly PipelineEvent[]) =>
  events.flatMap(({ type, topic, node_id, node_type, status, graph_id }) =>
    type === 'signal' && topic === 'orchestrator.node' && graph_id === 'g' ? [[node_id, node_type, status]] : [],
  )

// proves: pipeline s15.2a
test('signal_emit reaches the listener, the stream and events.jsonl', async () => {
  const logs_root = folder()
  const heard: PipelineEvent[] = []
  const events = new EventStream()
  await run(dot, { logs_root, validate: false, on_event: (event) => heard.push(event), events })
  const streamed: PipelineEvent[] = []
  for await (const event of events) streamed.push(event)
  const lines = readFileSync(join(logs_root, 'events.jsonl'), 'utf8').trimEnd().split('\n')
  for (const told of [heard, streamed, lines.map((line) => JSON.parse(line) as PipelineEvent)]) expect(signalsOf(told)).toEqual(SIGNALS)
})

test('signal_emit reaches the subscribers of a run, and its trace', async () => {
  const cwd = workFolder()
  writeFileSync(join(cwd, 'g.dot'), dot.replace('start -> a', 'nap [type="wait.timer", duration="5m"] start -> nap -> a'))
  const host = virtualHost()
  const surroundings = { host, worker: { id: 'u', host: 'test', pid: 1 }, cwd, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir: cwd, store: memoryStore(), surroundings })
  onTestFinished(() => reflex.close())
  const lines: StoryLine[] = []
  const handle = await reflex.run('g.dot', { pipeline: { validate: false } })
  await handle.idle()
  handle.onLine((line) => lines.push(line))
  await host.advance(300_000)
  await host.drain()
  await handle.idle()
  const told = (all: readonly StoryLine[]) =>
    all.flatMap(({ event: { facts } }) => (facts?.['signal'] === undefined ? [] : [facts['signal']]))
  const expected = [
    { topic: 'orchestrator.node', node_id: 'a', node_type: 'transform', status: 'success', graph_id: 'g' },
    { topic: 'orchestrator.node', node_id: 'b', node_type: 'transform', status: 'fail', graph_id: 'g' },
  ]
  expect(told(lines).slice(-2)).toEqual(expected)
  expect(told((await reflex.trace(handle.id)).lines).slice(-2)).toEqual(expected)
})

test('a terminal shows signals with --verbose', async () => {
  const cwd = workFolder()
  writeFileSync(join(cwd, 'g.dot'), dot)
  await command(['run', 'g.dot', '--id', 'otter', '--no-validate'], { folder: cwd })
  const trace = async (...more: readonly string[]) => (await command(['trace', 'otter', ...more], { folder: cwd, columns: 80 })).screen
  expect(await trace('-v')).toContain('signal orchestrator.node: fail')
  expect(await trace()).not.toContain('signal orchestrator.node')
})
