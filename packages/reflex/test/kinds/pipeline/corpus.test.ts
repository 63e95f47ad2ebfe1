import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/kernel/index.ts'
import type { Graph } from '../../../src/programs/graph.ts'
import { isList, isObject } from '../../../src/kernel/journal/json.ts'
import { QueueInterviewer } from '../../../src/kinds/pipeline/face/built-in-interviewers.ts'
import { compileGraph, type LlmAnswer, parse, type PipelineEvent, type PipelineResult } from '../../../src/kinds/pipeline/index.ts'
import { pictureOf } from '../../../src/kinds/pipeline/operations/picture.ts'
import { runFile } from '../../../src/kinds/pipeline/face/run.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { casesOf } from '../../cases.ts'
import { workFolder } from './handlers/session-world.ts'

/** What stands around a pipeline: inputs, what a person answers, and in turn what models and actions give. */
interface World {
  readonly inputs?: JsonObject
  readonly answers?: readonly string[]
  readonly replies?: Readonly<Record<string, readonly string[]>>
  readonly outcomes?: Readonly<Record<string, readonly JsonObject[]>>
  readonly actions?: Readonly<Record<string, readonly JsonObject[]>>
  /** Values that stand below the trail. */
  readonly shows: readonly string[]
}

/** What differs from run to run, and what another event says. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'type',
  'timestamp',
  'run_id',
  'graph_id',
  'seq',
  'index',
  'duration_ms',
  'delay_ms',
  'logs_root',
  'name',
  'closed',
  'question',
  'id',
])
const UNTOLD: ReadonlySet<string> = new Set(['checkpoint_saved', 'pipeline_initialized', 'fidelity_resolved'])

// Pipelines of our own in the dialect of those that people run elsewhere: what came of each, event by event.
// proves: pipeline 3.4c, pipeline 4.9d, pipeline 4.6.3b, pipeline s15.1d, pipeline s15.1e, pipeline s3.1a
test.each(casesOf('pipeline-dialect'))('$name', async (it) => {
  const { inputs = {}, answers = [], replies = {}, outcomes = {}, actions = {}, shows } = it.json('world.json') as World
  const given = new Map(Object.entries<readonly LlmAnswer[]>({ ...replies, ...outcomes }).map(([id, list]) => [id, inTurn(id, list)]))
  const lines: string[] = []
  const acting = Object.entries(actions).map(([name, list]) => {
    const result = inTurn(name, list)
    const act = (params: JsonObject): unknown => {
      lines.push(`  ${name} is given ${JSON.stringify(params)}`)
      return result()
    }
    return [name, act] as const
  })
  const host = virtualHost()
  const events: PipelineEvent[] = []
  const running = runFile(it.path('program.dot'), {
    initial_values: inputs,
    interviewer: new QueueInterviewer({ answers }),
    workdir: workFolder(),
    logs_root: false,
    trust: 'trusted',
    host,
    llm_backend: ({ id }) => given.get(id)?.() ?? `[${id}]`,
    actions: Object.fromEntries(acting),
    on_event: (event) => {
      events.push(event)
      lines.push(...lineOf(event))
    },
  })
  const went = await whileTimePasses(running, host)
  const golden = [...lines, '', ...endOf(went), ...shows.map((key) => `${key} = ${JSON.stringify(went.context[key] ?? null)}`)]
  await expect(`${golden.join('\n')}\n`).toMatchFileSnapshot(it.path('trail.txt'))
  const graph = parse(it.text('program.dot'))
  const own = events.filter((event) => event['graph_id'] === graph.id)
  expect(undrawn(pictureOf(compileGraph(graph)), own), 'ways that the picture lacks').toEqual([])
})

/** The steps of a run from node to node that no edge of the picture shows. At a join, the edges of the branches lead there. */
function undrawn({ edges }: Graph, events: readonly PipelineEvent[]): string[] {
  const drawn = new Set(edges.map(({ from, to }) => `${from} to ${to}`))
  const back = new Set(edges.flatMap(({ to, jump }) => (jump === undefined ? [] : [to])))
  return events.flatMap((event) => {
    const { type, from, to, target, reason } = event as JsonObject
    if (type === 'goal_gate_retrying') return typeof target === 'string' && back.has(target) ? [] : [`back to ${shown(target ?? null)}`]
    if (type !== 'edge_selected' || reason === 'its branches join there') return []
    const way = `${shown(from ?? null)} to ${shown(to ?? null)}`
    return drawn.has(way) ? [] : [way]
  })
}

/** Gives one after the other; asking for more than there are is a mistake of the case. */
function inTurn<Value>(name: string, values: readonly Value[]): () => Value {
  const left = [...values]
  return () => {
    const next = left.shift()
    if (next === undefined) throw new Error(`${name} is asked for once more than the case says`)
    return next
  }
}

/** The clock goes on whenever the run rests. */
async function whileTimePasses(running: Promise<PipelineResult>, host: ReturnType<typeof virtualHost>): Promise<PipelineResult> {
  const state = { ended: false }
  const end = (): void => void (state.ended = true)
  void running.then(end, end)
  while (!state.ended) {
    await host.drain()
    await host.tick()
  }
  return running
}

function lineOf(event: PipelineEvent): string[] {
  if (UNTOLD.has(event.type)) return []
  const facts = Object.entries(event).flatMap(([key, value]) => (LEFT_OUT.has(key) ? [] : [`${key}: ${shown(value)}`]))
  return [[event.type, ...facts].join('  ')]
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : isList(value) || isObject(value) ? JSON.stringify(value) : String(value)
}

function endOf({ status, failure_reason, completed_nodes }: PipelineResult): string[] {
  return [`${status}${failure_reason === null ? '' : `: ${failure_reason}`}`, `completed ${completed_nodes.join(' ')}`]
}
