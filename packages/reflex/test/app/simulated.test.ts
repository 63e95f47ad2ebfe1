import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HandlerRegistry } from '../../src/kinds/pipeline/index.ts'
import { lifeIn, newFolder, workflow } from './folders.ts'

const DOT =
  'digraph s { start [shape=Mdiamond] a [type=sends] b [type=reads] c [type=exec, target=action, action=ship] done [shape=Msquare] start -> a -> b -> c -> done }'

test('a handler and an action of a host that change something succeed in a simulated run without being called, one that only reads is called', async () => {
  const called: string[] = []
  const handlers = new HandlerRegistry()
  handlers.register('sends', { execute: () => void called.push('sends') })
  handlers.register('reads', { idempotency: 'read_only', execute: () => void called.push('reads') })
  const folder = newFolder()
  writeFileSync(join(folder, 's.dot'), DOT)
  const reflex = lifeIn(folder, { trust: 'trusted', pipeline: { handlers, actions: { ship: () => void called.push('ship') } } })
  const handle = await reflex.run(join(folder, 's.dot'), { simulate: true })
  expect([handle.status, called]).toEqual(['completed', ['reads']])
})

test('a script that decides in every run of a process begins anew in each of them', async () => {
  const folder = newFolder()
  const file = join(folder, 'two.workflow.json')
  const nodes = { pick: { prompt: 'Which?' }, left: {}, right: {} }
  writeFileSync(
    file,
    JSON.stringify(
      workflow('two', nodes, [
        ['LEFT', 'pick', 'left'],
        ['RIGHT', 'pick', 'right'],
      ]),
    ),
  )
  const reflex = lifeIn(folder, { agent: { default: 'script', script: { pick: ['RIGHT'] } } })
  for (let i = 0; i < 2; i++) expect((await reflex.run(file)).status).toBe('completed')
})
