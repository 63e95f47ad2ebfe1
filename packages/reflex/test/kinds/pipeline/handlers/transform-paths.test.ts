import { expect, test } from 'vitest'
import { run } from '../../../../src/kinds/pipeline/index.ts'

const BOOK = { items: [{ name: 'a', tags: ['x', 'y'] }, { name: 'b' }], 'a.b': 1, by: { ana: { age: 3 }, bo: { age: 4 } } }

async function extract(expression: string): Promise<readonly unknown[]> {
  const dot = `digraph g { start [shape=Mdiamond] t [type=transform, transform=json_extract, source_key=book, expression=${JSON.stringify(expression)}, output_key=found] done [shape=Msquare] start -> t -> done }`
  const { status, context, failure_reason } = await run(dot, { logs_root: false, initial_values: { book: BOOK } })
  return status === 'success' ? [context['found']] : [status, failure_reason]
}

test.each([
  ['items.0.name', 'a'],
  ['items[1].name', 'b'],
  ['items[-1].name', 'b'],
  ['$.items[0].tags[1]', 'y'],
  ['["a.b"]', 1],
  ["$['a.b']", 1],
  ['items[*].name', ['a', 'b']],
  ['items.*.name', ['a', 'b']],
  ['items[*].tags[0]', ['x']],
  ['by.*.age', [3, 4]],
  ['items[9].name', null],
  ['none[*].name', []],
  ['items.name', null],
  ['$', BOOK],
])('json_extract follows %s', async (path, value) => {
  expect(await extract(path)).toEqual([value])
})

test.each(['items[0', 'items[x]', 'items..name', 'items.'])('json_extract refuses %s, which is no path', async (path) => {
  expect(await extract(path)).toEqual(['fail', expect.stringContaining(`t: ${JSON.stringify(path)} is not a path`)])
})
