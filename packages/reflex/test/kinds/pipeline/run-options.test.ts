import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type AsyncMiddleware,
  HandlerRegistry,
  type Hook,
  type PipelineEvent,
  type PipelineHandler,
  type PipelineRunOptions,
  run,
} from '../../../src/kinds/pipeline/index.ts'
import { dataIn, folder } from './folders.ts'

const quick: PipelineRunOptions = { logs_root: false, validate: false }

function handlersOf(handlers: Readonly<Record<string, PipelineHandler>>): HandlerRegistry {
  const registry = new HandlerRegistry()
  for (const [type, handler] of Object.entries(handlers)) registry.register(type, handler)
  return registry
}

/** A run with the events that it told. */
async function told(dot: string, options: PipelineRunOptions = {}) {
  const events: PipelineEvent[] = []
  const result = await run(dot, { ...quick, ...options, on_event: (event) => events.push(event) })
  return { result, events, of: (type: string) => events.filter((event) => event.type === type) }
}

const graph = (body: string, attributes = ''): string => `digraph g { ${attributes} start [shape=Mdiamond] done [shape=Msquare] ${body} }`

/** Two branches, one of which goes round until it has been there 120 times. */
const LONG = (own = '', attributes = ''): string =>
  graph(
    `fan [shape=component${own}] one [type=transform, transform=increment, source_key=n, output_key=n]
     two [type=transform, transform=constant, expression=x] join [shape=tripleoctagon]
     start -> fan -> one one -> one [condition="context.n<120"] one -> join [condition="context.n>=120"] fan -> two -> join -> done`,
    attributes,
  )

test.each<[string, string, PipelineRunOptions, number]>([
  ['100 nodes by default', LONG(), {}, 1],
  ['what the parallel node says', LONG(', parallel_branch_max_steps=200'), {}, 2],
  ['what the graph says', LONG('', 'parallel_branch_max_steps=200'), {}, 2],
  ['no bound where the node says 0', LONG(', parallel_branch_max_steps=0'), {}, 2],
  ['what the operator says', LONG(), { limits: { branchSteps: 200 } }, 2],
  ['the lower of both', LONG(', parallel_branch_max_steps=200'), { limits: { branchSteps: 50 } }, 1],
])('a branch ends after %s', async (_, dot, options, good) => {
  const { context } = await run(dot, { ...quick, ...options })
  expect(context['parallel.success_count']).toBe(good)
  expect(JSON.stringify(context['parallel.results']).includes('branch max_steps_exceeded')).toBe(good === 1)
})

const FAILS = graph('a [prompt=x, simulate=fail] start -> a -> done')

// proves: pipeline 3.4j
test('a failure that nothing catches ends the run, or follows an edge without a condition where the operator is lenient', async () => {
  expect((await run(FAILS, quick)).status).toBe('fail')
  const { result, of } = await told(FAILS, { onUnroutedFailure: 'lenient' })
  expect([result.status, result.completed_nodes]).toEqual(['success', ['start', 'a', 'done']])
  expect(of('edge_selected').at(-1)).toMatchObject({ from: 'a', to: 'done', reason: 'nothing catches the failure; no condition' })
  const gate = FAILS.replace('simulate=fail', 'simulate=fail, goal_gate=true')
  expect((await run(gate, { ...quick, onUnroutedFailure: 'lenient' })).status).toBe('fail')
})

// proves: pipeline 3.3f
test('a dead end ends the run as an exit does, or fails it where the operator is strict', async () => {
  const dot = graph('a [prompt=x, simulate=true] start -> a a -> done [condition="outcome=fail"]')
  expect((await run(dot, quick)).status).toBe('success')
  expect(await run(dot, { ...quick, deadEnd: 'fail' })).toMatchObject({
    status: 'fail',
    failure_reason: 'dead_end: no edge leads on from a',
  })
})

test('the folder of the last round is the folder of the run', async () => {
  const logs_root = join(folder(), 'logs')
  const dot = graph(
    `a [type=transform, transform=increment, source_key=n, output_key=n]
     start -> a a -> start [condition="context.n<3", loop_restart=true] a -> done [condition="context.n>=3"]`,
  )
  const { result, of } = await told(dot, { logs_root })
  expect(result.logs_root).toBe(`${logs_root}-v3`)
  expect(dataIn(`${logs_root}-v3`, 'checkpoint.json')['logs_root']).toBe(`${logs_root}-v3`)
  expect(of('loop_restart').map((event) => event['logs_root'])).toEqual([`${logs_root}-v2`, `${logs_root}-v3`])
})

test('a checkpoint is said to be saved only where one is', async () => {
  const dot = graph('a [prompt=x, simulate=true] start -> a -> done')
  expect((await told(dot)).of('checkpoint_saved')).toEqual([])
  const logs_root = folder()
  expect((await told(dot, { logs_root })).of('checkpoint_saved').length).toBe(3)
  // A folder of that name is moved away; a file where the folder should be cannot be.
  const blocked = join(folder(), 'blocked')
  mkdirSync(blocked)
  writeFileSync(join(blocked, 'logs'), 'in the way')
  const { result, of } = await told(dot, { logs_root: join(blocked, 'logs') })
  expect([result.status, of('checkpoint_saved'), of('stage_completed').length]).toEqual(['success', [], 3])
})

test('a budget that is nearly spent is told once, before it is spent', async () => {
  const dot = graph('a [prompt=x] b [prompt=y] c [prompt=z] start -> a -> b -> c -> done', 'max_total_tokens=100')
  const { result, of } = await told(dot, { llm_backend: () => ({ text: 'said', usage: { input: 20, output: 20 } }) })
  expect(result.status).toBe('success')
  expect(of('budget_warning').map(({ node_id, used }) => [node_id, used])).toEqual([['c', ['80 of 100 tokens']]])
  const none = await told(dot.replace('=100', '=1000'), { llm_backend: () => ({ text: 'said', usage: { input: 20, output: 20 } }) })
  expect(none.of('budget_warning')).toEqual([])
})

// proves: pipeline 10.2i
test('an update that no handler may write is an event', async () => {
  const handlers = handlersOf({
    greedy: { execute: () => ({ status: 'success', context_updates: { outcome: 'mine', 'internal.run_id': 'mine', said: 'hello' } }) },
  })
  const { result, of } = await told(graph('a [type=greedy] start -> a -> done'), { handlers })
  expect(result.failure_reason).toBeNull()
  expect(result.context).toMatchObject({ said: 'hello', outcome: 'success' })
  expect(of('update_refused').map(({ node_id, key }) => [node_id, key])).toEqual([
    ['a', 'outcome'],
    ['a', 'internal.run_id'],
  ])
})

const ASYNC = graph('a [prompt=x, simulate=true, max_retries=1] start -> a -> done a -> done [condition="outcome=fail"]')

test('middleware of a host may wait: it is asked before and after the node, and its answers count', async () => {
  const seen: unknown[] = []
  const audit: AsyncMiddleware = {
    name: 'audit',
    asynchronous: true,
    async before({ id }, context) {
      await Promise.resolve()
      seen.push(['before', id, context.get('who')])
      return undefined
    },
    async after({ id }, _context, outcome, { attempt }) {
      await Promise.resolve()
      seen.push(['after', id, outcome.status, attempt])
      return id === 'a' ? { ...outcome, notes: 'audited' } : undefined
    },
  }
  const { result } = await told(ASYNC, { always: [audit], initial_values: { who: 'ana' } })
  expect(result.status).toBe('success')
  expect(result.node_outcomes['a']?.notes).toBe('audited')
  expect(seen).toEqual(
    ['start', 'a', 'done'].flatMap((id) => [
      ['before', id, 'ana'],
      ['after', id, 'success', 1],
    ]),
  )
})

test.each<[string, Partial<AsyncMiddleware>, string]>([
  ['halts', { before: async () => Promise.resolve({ halt: 'not today' }) }, 'not today'],
  ['throws', { before: () => Promise.reject(new Error('its server is away')) }, 'guard failed: its server is away'],
  ['halts behind the node', { after: () => ({ halt: 'leaks a name' }) }, 'leaks a name'],
  ['answers with nonsense', { after: () => 'yes' as never }, 'guard failed: it answered with neither a halt nor an outcome'],
])('asynchronous middleware that %s fails its node, whatever the node says of that', async (_, phases, reason) => {
  const guard: AsyncMiddleware = { name: 'guard', asynchronous: true, ...phases }
  const dot = ASYNC.replace('max_retries=1', 'max_retries=1, allow_partial=true, auto_status=true, middleware=guard')
  const { result, of } = await told(dot, { middleware: new Map([['guard', guard]]) })
  expect(result.node_outcomes['a']).toMatchObject({ status: 'fail', failure_reason: reason })
  expect(of('middleware_halted')).toMatchObject([{ node_id: 'a', middleware: 'guard', reason }])
  expect(of('stage_retrying')).toEqual([])
})

// proves: pipeline s12.6b
test('hooks of a host are functions: around the pipeline once, around each node, and one that says no fails it', async () => {
  const seen: unknown[] = []
  const note: Hook = async ({ of, phase, node_id, outcome = null }) => {
    await Promise.resolve()
    seen.push([of, phase, node_id, outcome])
    return undefined
  }
  const dot = graph('a [prompt=x, simulate=true] start -> a -> done')
  const both = { pre: note, post: note }
  expect((await run(dot, { ...quick, hooks: { graph: both, node: { post: note } } })).status).toBe('success')
  expect(seen).toEqual([
    ['graph', 'pre', 'start', null],
    ['node', 'post', 'start', 'success'],
    ['node', 'post', 'a', 'success'],
    ['node', 'post', 'done', 'success'],
    ['graph', 'post', 'done', null],
  ])
  const refused = await run(dot, { ...quick, hooks: { node: { pre: ({ node_id }) => node_id !== 'a' } } })
  expect([refused.status, refused.failure_reason]).toEqual(['fail', 'a: the pre_hook failed'])
  expect((await run(dot, { ...quick, hooks: { graph: { pre: () => false } } })).failure_reason).toBe('the pre_hook of the graph failed')
})
