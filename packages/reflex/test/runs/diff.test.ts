import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/kernel/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { reflexOf } from './world.ts'

const asking = workflow({
  id: 'asking',
  entry: 'ask',
  nodes: { ask: { spec: { ask: 'go on?' } }, on: {} },
  edges: [{ from: 'ask', to: 'on', event: 'YES' }],
})

const ordered = (order: JsonObject): JsonObject => ({ order })

test('keys with the names of built-in properties are compared like others', async () => {
  const reflex = reflexOf()
  await reflex.run(asking, { id: 'otter' })
  const odd = JSON.parse('{ "total": 4, "constructor": 1, "toString": "x", "__proto__": { "a": 1 } }') as JsonObject
  await reflex.fork('otter', { id: 'crane', set: ordered({ total: 4 }) })
  await reflex.fork('otter', { id: 'heron', set: ordered(odd) })
  const { differences } = await reflex.diff('crane', 'heron')
  expect(differences.filter(({ what }) => what === 'value').map(({ name, one, other }) => [name, one, other])).toEqual([
    ['order.constructor', undefined, 1],
    ['order.toString', undefined, 'x'],
    ['order.__proto__', undefined, { a: 1 }],
  ])
})

test('an earlier record on one side is not a difference, but the end of the other side is', async () => {
  const reflex = reflexOf()
  const run = await reflex.run(asking, { id: 'otter' })
  const { last } = (await reflex.show('otter')).row
  await reflex.fork('otter', { id: 'crane' })
  for (const question of run.questions) await run.answer(question, 'YES')
  await run.idle()
  expect((await reflex.diff(`otter@${last}`, 'crane')).differences).toEqual([])
  expect((await reflex.diff(`otter@${last}`, 'otter')).differences).toContainEqual(
    expect.objectContaining({ what: 'status', other: 'completed' }),
  )
})
