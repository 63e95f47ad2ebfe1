import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HandlerRegistry, run, storedArtifacts } from '../../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../../src/app/reflex.ts'
import { reflex as command } from '../../cli/worlds.ts'
import { filesIn, folder } from './folders.ts'

const DOT = 'digraph g { start [shape=Mdiamond] a [type=keeps] b [type=drops] done [shape=Msquare] start -> a -> b -> done }'
const ids = (all: readonly { readonly id: string; readonly data: unknown }[]): unknown[] => all.map(({ id, data }) => [id, data])

function handlers(): HandlerRegistry {
  const registry = new HandlerRegistry()
  registry.register('keeps', {
    execute: (_node, _context, _graph, { artifacts }) => {
      artifacts.store('report', { good: true })
      artifacts.store('draft', 'one')
    },
  })
  registry.register('drops', {
    execute: (_node, _context, _graph, { artifacts }) => void artifacts.store('notes.txt', 'two'),
  })
  return registry
}

test('artifacts of nodes can be read after the run', async () => {
  const logs_root = folder()
  const result = await run(DOT, { logs_root, handlers: handlers(), validate: false })
  expect(ids(result.artifacts)).toEqual([
    ['a/report', { good: true }],
    ['a/draft', 'one'],
    ['b/notes.txt', 'two'],
  ])
  expect(Object.keys(filesIn(logs_root)).filter((file) => file.startsWith('artifacts/'))).toEqual([])
})

// proves: pipeline 6.6b
test('small artifacts are files too if the host wants that', async () => {
  const logs_root = folder()
  await run(DOT, { logs_root, handlers: handlers(), validate: false, persistArtifacts: true })
  const files = Object.entries(filesIn(logs_root)).filter(([file]) => file.startsWith('artifacts/'))
  expect(files).toEqual([
    ['artifacts/a/draft', 'one'],
    ['artifacts/a/report', '{\n  "good": true\n}\n'],
    ['artifacts/b/notes.txt', 'two'],
  ])
})

test('the artifacts of a run are read from its journal, and the kind brings the verb that shows them', async () => {
  const workdir = folder()
  const file = join(workdir, 'g.dot')
  writeFileSync(file, DOT)
  const store = join(workdir, '.reflex/reflex.db')
  const first = new Reflex({ workdir, store, pipeline: { handlers: handlers() } })
  const { id } = await first.run(file, { pipeline: { validate: false } })
  expect(ids(storedArtifacts(await first.runtime.journal(id)))).toHaveLength(3)
  await first.close()
  const shown = await command(['artifacts', id, '--json', '--store', store], { folder: workdir })
  expect(JSON.parse(shown.out)).toMatchObject({
    v: 1,
    verb: 'artifacts',
    found: [{ id: 'a/report', data: { good: true } }, {}, { data: 'two' }],
  })
  expect((await command(['artifacts', id, '--store', store], { folder: workdir })).out).toContain('b/notes.txt\t3 B\tmemory\t')
})
