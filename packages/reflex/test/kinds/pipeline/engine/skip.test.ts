import { expect, test } from 'vitest'
import { HandlerRegistry, type PipelineEvent, type PipelineHandler, run } from '../../../../src/kinds/pipeline/index.ts'
import { dataIn, folder } from '../folders.ts'
import { runDot, told } from './harness.ts'

/** A loop of three rounds, with nodes in it. */
const loop = (body: string, way: string) => `digraph g { start [shape=Mdiamond, context.n=0, context.word="x"] done [shape=Msquare]
  count [type=transform, transform=increment, source_key=n, output_key=n]
  ${body}
  start -> count -> ${way} -> turn turn [shape=diamond]
  turn -> count [condition="context.n<3"] turn -> done [condition="context.n>=3"] }`
const copy = 'copy [type=transform, transform=template, source_key=word, expression="<{value}>", output_key=copied]'
const kinds = (went: Awaited<ReturnType<typeof runDot>>, id: string) =>
  went.remarks.flatMap(([type, { node_id }]) =>
    node_id === id && ['stage_completed', 'stage_skipped', 'middleware_halted'].includes(type) ? [type] : [],
  )

// proves: pipeline s3.10a, pipeline s15.1f, pipeline 2.6.22
test('a pure node whose inputs are unchanged is not run again; one whose inputs change is', async () => {
  const went = await runDot(loop(copy, 'copy'))
  expect(kinds(went, 'copy')).toEqual(['stage_completed', 'stage_skipped', 'stage_skipped'])
  expect(kinds(went, 'count')).toEqual(['stage_completed', 'stage_completed', 'stage_completed'])
  expect(told(went, 'signal').filter(({ node_id }) => node_id === 'copy')).toHaveLength(1)
  expect(went.context).toMatchObject({ copied: '<x>', n: 3 })
  expect(went.status).toBe('success')
})

test.each([
  ['a value that it compares with', 'copy [type=transform, transform=not_equal, source_key=word, expression=n, output_key=copied]', 'copy'],
  [
    'a value that its text names',
    'copy [type=transform, transform=template, source_key=word, expression="{ctx.n}", output_key=copied]',
    'copy',
  ],
  ['its output, by another node', `${copy} other [type=transform, transform=constant, expression=o, output_key=copied]`, 'copy -> other'],
  ['its author, who says that it may not', copy.replace('output_key', 'idempotent=false, output_key'), 'copy'],
])('a node runs again where something has changed: %s', async (_, body, way) => {
  const went = await runDot(loop(body, way))
  expect(kinds(went, 'copy')).toEqual(['stage_completed', 'stage_completed', 'stage_completed'])
})

test('an unchanged value of the context does not run its reader again', async () => {
  const went = await runDot(loop('copy [type=read, target=context, source_key=word, output_key=copied]', 'copy'))
  expect(kinds(went, 'copy')).toEqual(['stage_completed', 'stage_skipped', 'stage_skipped'])
})

// proves: pipeline 3.10b
test('a branch that skips a node still returns its value', async () => {
  const dot = `digraph g { start [shape=Mdiamond, context.n=0, context.word=x] done [shape=Msquare]
    ${copy} count [type=transform, transform=increment, source_key=n, output_key=n]
    fork [shape=component, join_target=join] join [shape=tripleoctagon] other [type=transform, transform=constant, expression=o]
    start -> copy -> count
    count -> fork [condition="context.n>1"] count -> copy [condition="context.n<=1"]
    fork -> copy fork -> other copy -> join [condition="context.n>1", weight=9] other -> join join -> done }`
  const went = await runDot(dot)
  expect(kinds(went, 'copy').at(-1)).toBe('stage_skipped')
  expect(went.context['parallel.results']).toMatchObject([{ id: 'copy', context_updates: { copied: '<x>' } }, {}])
})

// proves: pipeline 3.10c
test('checkpoints contain hashes, and the outcome of an idempotent node in a checkpoint is used', async () => {
  const logs_root = folder()
  const stop = new AbortController()
  const calls: string[] = []
  const dies: PipelineHandler = {
    idempotency: 'idempotent',
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  }
  const handlers = (last: PipelineHandler) => {
    const registry = new HandlerRegistry()
    const asks: PipelineHandler = {
      idempotency: 'side_effecting',
      execute: ({ id }) => {
        calls.push(id)
        return { status: 'success', context_updates: { [`said.${id}`]: 'yes' } }
      },
    }
    registry.register('asks', asks)
    registry.register('last', last)
    return registry
  }
  const dot = loop('once [type=asks, idempotent=true, source_key=word] each [type=asks] last [type=last]', 'once -> each -> last')
  await run(dot, { logs_root, handlers: handlers(dies), signal: stop.signal })
  expect(calls).toEqual(['once', 'each'])
  expect(Object.keys(dataIn(logs_root, 'checkpoint.json')['content_hashes'] as object)).toContain('once')
  const events: PipelineEvent[] = []
  const ok: PipelineHandler = { idempotency: 'idempotent', execute: () => ({ status: 'success' }) }
  const resumed = await run(dot, { logs_root, handlers: handlers(ok), resume: true, on_event: (event) => events.push(event) })
  expect(resumed.status).toBe('success')
  expect(calls).toEqual(['once', 'each', 'each', 'each'])
  expect(events.filter(({ type }) => type === 'stage_skipped').map(({ node_id }) => node_id)).toEqual(['once', 'once'])
  expect(resumed.completed_nodes.filter((id) => id === 'once')).toHaveLength(3)
})
