import { expect, test } from 'vitest'
import { HandlerRegistry, run } from '../../../src/kinds/pipeline/index.ts'

const INNER = `digraph inner { start [shape=Mdiamond] fan [shape=component, merge_context=true] a [prompt=x, simulate=fail_once, max_retries=1, backoff_ms=1]
  b [prompt=y, simulate=true] join [shape=tripleoctagon] done [shape=Msquare] start -> fan -> a -> join -> done fan -> b -> join }`

test('counters of the engine do not leave called pipelines, branches and items', async () => {
  const dot = `digraph g { start [shape=Mdiamond] call [type="graph.invoke", program=inner] each [type=map, items_key=list, item_type=codergen, item_prompt=z]
    done [shape=Msquare] start -> call -> each -> done }`
  const { status, context } = await run(dot, {
    logs_root: false,
    validate: false,
    programs: { inner: INNER },
    initial_values: { list: [1, 2] },
  })
  expect(status).toBe('success')
  const own = Object.keys(context).filter((key) => /^(#|__)|(^|\.)internal\.|depth/.test(key))
  expect(own.filter((key) => !['internal.run_id', 'internal.fidelity.mode', 'internal.fidelity.thread_id'].includes(key))).toEqual([])
})

// proves: pipeline 6.1d
test('a handler of the host reads the keys of the engine, like conditions', async () => {
  const seen: unknown[] = []
  const handlers = new HandlerRegistry()
  const keys = [
    'graph.goal',
    'outcome',
    'current_node',
    'last_stage',
    'preferred_label',
    'internal.run_id',
    'internal.retry_count.a',
    'own',
    '#charter',
  ]
  handlers.register('look', {
    execute: (_, context) => {
      seen.push(
        keys.map((key) => context.get(key)),
        context.has('last_stage'),
        context.get_string('graph.goal'),
      )
      return { status: 'success' }
    },
  })
  const dot = `digraph g { goal="win" start [shape=Mdiamond] a [prompt=x, simulate=fail, max_retries=1, initial_delay="1ms"] done [shape=Msquare] b [type=look]
    start -> a a -> b [condition="outcome=fail"] b -> done }`
  await run(dot, { logs_root: false, validate: false, handlers, run_id: 'otter', initial_values: { own: 1 } })
  expect(seen).toEqual([['win', 'fail', 'b', 'a', undefined, 'otter', 1, 1, undefined], true, 'win'])
})
