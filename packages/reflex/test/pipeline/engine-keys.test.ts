import { expect, test } from 'vitest'
import { run } from '../../src/pipeline/index.ts'

const INNER = `digraph inner { start [shape=Mdiamond] fan [shape=component, merge_context=true] a [prompt=x, simulate=fail_once, max_retries=1, backoff_ms=1]
  b [prompt=y, simulate=true] join [shape=tripleoctagon] done [shape=Msquare] start -> fan -> a -> join -> done fan -> b -> join }`

test('what the engine counts does not come out of called pipelines, branches and items', async () => {
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
