import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DOCUMENTS } from '../../../../src/cli/output/schema.ts'
import { newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

/** A folder with two versions of the counter: the other one writes only a sum above 5. */
function versions(): string {
  const folder = newFolder()
  const nodes = { ...(COUNTER['nodes'] as object), five: { impl: 'number_source@^0.1', params: { value: 5 } }, always: { impl: 'gt@^0.1' } }
  const edges = [
    ...(COUNTER['edges'] as string[]).map((edge) => edge.replace('always.value', 'always.result')),
    'next.result -> always.a',
    'five.value -> always.b',
  ]
  for (const [name, graph] of [
    ['a', COUNTER],
    ['b', { ...COUNTER, nodes, edges }],
  ] as const) {
    writeFileSync(join(folder, `${name}.dataflow.json`), JSON.stringify(graph))
    writeFileSync(join(folder, `${name}.adapter.json`), JSON.stringify(COUNTER_ADAPTER))
  }
  const events = [...presses(3), { event_id: 'p1', semantic_kind: 'press', at: 9, payload: { by: 1 } }]
  writeFileSync(join(folder, 'e.jsonl'), `${events.map((event) => JSON.stringify(event)).join('\n')}\nnoise\n`)
  return folder
}

test('reflex diff A B --events FILE lists the events at which outputs or effects differ', async () => {
  const folder = versions()
  const { code, out } = await command(['diff', 'a.dataflow.json', 'b.dataflow.json', '--events', 'e.jsonl', '--json'], { folder })
  expect(code).toBe(1)
  const { events, differences } = DOCUMENTS.versions.parse(JSON.parse(out))
  expect(events).toBe(5)
  expect(differences).toEqual([
    { event: 'p1', line: 1, name: 'saved', one: 'Attempted', other: 'Skipped' },
    { event: 'p1', line: 1, name: 'writes n', one: 1 },
    { event: 'p2', line: 2, name: 'count', one: 3, other: 2 },
    { event: 'p2', line: 2, name: 'saved', one: 'Attempted', other: 'Skipped' },
    { event: 'p2', line: 2, name: 'writes n', one: 3 },
    { event: 'p3', line: 3, name: 'count', one: 6, other: 3 },
    { event: 'p3', line: 3, name: 'saved', one: 'Attempted', other: 'Skipped' },
    { event: 'p3', line: 3, name: 'writes n', one: 6 },
  ])
  expect(await command(['diff', 'a.dataflow.json', 'a.dataflow.json', '--events', 'e.jsonl'], { folder })).toMatchObject({
    code: 0,
    out: '',
  })
})
