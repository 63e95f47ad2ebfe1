import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { COUNTER, COUNTER_ADAPTER } from '../run/graphs.ts'

test('a program that calls a graph with one kind of event names no kind, and gets its outputs', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'counter.dataflow.json'), JSON.stringify(COUNTER))
  writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
  writeFileSync(
    join(folder, 'calls.dot'),
    `digraph calls {
  graph [goal="count"]
  start [shape=Mdiamond]
  by [type=transform, transform=increment, source_key=by, output_key=by]
  call [type="graph.invoke", program="dataflow:counter", pass_context="by"]
  done [shape=Msquare]
  start -> by -> call -> done
}`,
  )
  const run = await lifeIn(folder).run(join(folder, 'calls.dot'))
  expect(run.value).toMatchObject({ status: 'success', context: { 'subgraph.call.count': 1 } })
})
