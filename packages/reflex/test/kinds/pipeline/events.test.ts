import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  CallbackInterviewer,
  EVENT_ALIASES,
  EventStream,
  HandlerRegistry,
  type PipelineEvent,
  type PipelineRunOptions,
  run,
} from '../../../src/kinds/pipeline/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { folder } from './folders.ts'

const ANY_NUMBER: unknown = expect.any(Number)
const ANY_TEXT: unknown = expect.any(String)
const A_TIME: unknown = expect.stringMatching(/^\d{4}-.*Z$/)

const eventsOf = async (dot: string, options: PipelineRunOptions = {}): Promise<PipelineEvent[]> => {
  const events: PipelineEvent[] = []
  await run(dot, { logs_root: false, ...options, on_event: (event) => events.push(event) })
  return events
}
const typesOf = (events: readonly PipelineEvent[]): string[] => events.map(({ type }) => type)
const one = (events: readonly PipelineEvent[], type: string): PipelineEvent => {
  const found = events.find((event) => event.type === type)
  if (found === undefined) throw new Error(`there is no ${type}`)
  return found
}

const line =
  'digraph g { label="A line" start [shape=Mdiamond] a [prompt="x", label="The A", simulate=true] done [shape=Msquare] start -> a -> done }'

// proves: pipeline 12.118, pipeline s15.1a, pipeline s15.1c, pipeline 10.2a, pipeline 10.2h, pipeline 6.3a
test('the events of a run come in order, each with time, place and subject (118)', async () => {
  const logs_root = folder()
  const events = await eventsOf(line, { logs_root })
  expect(typesOf(events).filter((type) => type !== 'fidelity_resolved' && type !== 'signal')).toEqual([
    'pipeline_started',
    'stage_started',
    'stage_completed',
    'checkpoint_saved',
    'edge_selected',
    'stage_started',
    'stage_completed',
    'checkpoint_saved',
    'edge_selected',
    'stage_started',
    'stage_completed',
    'checkpoint_saved',
    'pipeline_completed',
  ])
  for (const event of events) expect(event).toMatchObject({ graph_id: 'g', timestamp: A_TIME })
  expect([...events].sort((a, b) => a.seq - b.seq)).toEqual(events)
  expect(one(events, 'pipeline_started')).toMatchObject({ name: 'A line', id: 'g', node_count: 3, logs_root })
  expect(one(events, 'pipeline_completed')).toMatchObject({ completed_nodes: 3, artifact_count: 0, duration_ms: ANY_NUMBER })
  expect(events.filter(({ type }) => type === 'stage_started').map(({ node_id, name, index }) => [node_id, name, index])).toEqual([
    ['start', 'start', 1],
    ['a', 'The A', 2],
    ['done', 'done', 3],
  ])
  expect(one(events, 'checkpoint_saved')['path']).toBe(join(logs_root, 'checkpoint.json'))
  const lines = readFileSync(join(logs_root, 'events.jsonl'), 'utf8').trimEnd().split('\n')
  expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual(events)
})

// proves: pipeline 10.2g
test('every event of the base document has its name', () => {
  expect(Object.keys(EVENT_ALIASES)).toHaveLength(15)
})

// proves: pipeline s15.1b
test('retries, failures and cancellations are events', async () => {
  const fails = await eventsOf(
    'digraph g { start [shape=Mdiamond] a [prompt=x, simulate=fail, max_retries=1, initial_delay="1ms"] done [shape=Msquare] start -> a -> done }',
  )
  expect(
    fails
      .filter(({ type }) => type.startsWith('stage_'))
      .map(({ type, will_retry, attempt, index }) => [type, will_retry, attempt, index])
      .slice(2),
  ).toEqual([
    ['stage_started', undefined, undefined, 2],
    ['stage_failed', true, undefined, 2],
    ['stage_retrying', undefined, 2, 2],
    ['stage_failed', false, undefined, 2],
  ])
  expect(one(fails, 'pipeline_failed')).toMatchObject({ reason: 'simulated failure', duration_ms: ANY_NUMBER })
  const stop = new AbortController()
  const handlers = new HandlerRegistry()
  handlers.register('wait', {
    idempotency: 'idempotent',
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  const cancelled = await eventsOf('digraph g { start [shape=Mdiamond] a [type=wait] done [shape=Msquare] start -> a -> done }', {
    handlers,
    signal: stop.signal,
  })
  expect(typesOf(cancelled).slice(-2)).toEqual(['pipeline_cancelled', 'pipeline_failed'])
  expect(cancelled.at(-1)?.['reason']).toBe('cancelled')
})

const gate = `digraph g { start [shape=Mdiamond] ask [shape=hexagon, question="Go?", timeout="5s", "human.default_choice"="No"] a [prompt=x, simulate=true] done [shape=Msquare]
  start -> ask ask -> a [label="Yes"] ask -> done [label="No"] a -> done }`

// proves: pipeline 10.2c
test('an interview begins, and is completed or times out', async () => {
  const answered = await eventsOf(gate, { interviewer: new CallbackInterviewer(() => 'Yes') })
  expect(one(answered, 'interview_started')).toMatchObject({ stage: 'ask', question: 'Go?', id: ANY_TEXT })
  expect(one(answered, 'interview_completed')).toMatchObject({
    stage: 'ask',
    question: 'Go?',
    answer: 'Yes',
    duration_ms: ANY_NUMBER,
  })
  const host = virtualHost()
  const late: PipelineEvent[] = []
  const running = run(gate, {
    logs_root: false,
    host,
    interviewer: { ask: () => new Promise(() => undefined) },
    on_event: (event) => late.push(event),
  })
  for (let i = 0; i < 20; i++) {
    await host.drain()
    await host.tick()
  }
  expect((await running).completed_nodes).toEqual(['start', 'ask', 'done'])
  expect(one(late, 'interview_timeout')).toMatchObject({ stage: 'ask', question: 'Go?', duration_ms: 5_000 })
})

// proves: pipeline 10.2b
test('events of branches have the name and index of the branch', async () => {
  const events =
    await eventsOf(`digraph g { start [shape=Mdiamond] fork [shape=component] a [prompt=a, simulate=true] b [prompt=b, simulate=true]
    join [shape=tripleoctagon] done [shape=Msquare] start -> fork fork -> a -> join fork -> b -> join join -> done }`)
  expect(one(events, 'parallel_started')).toMatchObject({ node_id: 'fork', branch_count: 2 })
  expect(events.filter(({ type }) => type === 'parallel_branch_completed').map(({ branch, success }) => [branch, success])).toEqual([
    ['a', true],
    ['b', true],
  ])
  expect(one(events, 'parallel_completed')).toMatchObject({ success_count: 2, failure_count: 0 })
  expect(
    events
      .filter(({ type, branch }) => type === 'stage_completed' && branch !== undefined)
      .map(({ node_id, branch_index }) => [node_id, branch_index]),
  ).toEqual([
    ['a', 0],
    ['b', 1],
  ])
})

test('a resumed run names the node at which it continues', async () => {
  const logs_root = folder()
  await run(line, { logs_root })
  const events = await eventsOf(line, { resume: true, logs_root })
  expect(one(events, 'pipeline_resumed')).toMatchObject({ current_node: 'done', checkpoint: join(logs_root, 'checkpoint.json') })
})

// proves: pipeline 10.2f
test('a listener that throws does not affect the run', async () => {
  const result = await run(line, {
    logs_root: false,
    on_event: () => {
      throw new Error('no')
    },
  })
  expect(result.status).toBe('success')
})

test('events can be iterated over; a reader that is too slow loses the oldest', async () => {
  const events = new EventStream()
  const seen: string[] = []
  const reading = (async () => {
    for await (const { type } of events) seen.push(type)
  })()
  await run(line, { logs_root: false, events })
  await reading
  expect(seen.at(0)).toBe('pipeline_started')
  expect(seen.at(-1)).toBe('pipeline_completed')
  const slow = new EventStream(3)
  await run(line, { logs_root: false, events: slow })
  expect(slow.dropped).toBe(seen.length - 3)
})
