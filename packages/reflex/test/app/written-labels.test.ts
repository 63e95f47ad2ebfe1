import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/index.ts'
import { type ScriptedReply, scriptedModel } from '../../src/models/index.ts'
import { noSandbox } from '../tools/workshop.ts'
import { newFolder, workflow } from './folders.ts'

/** Labels of written content go with a fork, and through workflows, which have none on their boards. */

const missing = await noSandbox()

const pipeline = (nodes: string, path: string): string =>
  `digraph p { start [shape=Mdiamond] done [shape=Msquare] ${nodes} start -> ${path} -> done }`
const WRITES = pipeline(
  'k [type=transform, transform=constant, expression="mine, all of it", output_key=k] f [type="file.write", content_key=k, output="taken.txt"]',
  'k -> f',
)

interface World {
  readonly reflex: Reflex
  readonly story: (file: string) => Promise<string>
}

function world(files: Readonly<Record<string, string>>, ...replies: readonly ScriptedReply[]): World {
  const work = newFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text)
  const left = [...replies]
  const reflex = new Reflex({
    workdir: work,
    store: join(work, 'reflex.db'),
    models: { said: scriptedModel(() => left.shift() ?? 'done') },
    model: 'said',
    onTrouble: () => undefined,
  })
  onTestFinished(() => reflex.close())
  return {
    reflex,
    async story(file) {
      const { id } = await reflex.run(join(work, file))
      return JSON.stringify((await reflex.runtime.history(id)).records)
    },
  }
}

test.skipIf(missing !== undefined)('a fork inherits the labels of what the commands of its source wrote', async () => {
  const nodes = `m [prompt="write a program"] c [type=shell, command="printf %s \\"$last_response\\" > note.txt", context_keys=last_response]
    d [type=shell, command="test -e inner.dot && exit 1; cp n*.txt inner.dot"]`
  const { reflex, story } = world({ 'attack.dot': pipeline(nodes, 'm -> c -> d') }, WRITES)
  const { id } = await reflex.run(join(reflex.workdir, 'attack.dot'))
  const { records } = await reflex.runtime.history(id)
  const called = records.findLastIndex(({ input }) => input?.[0] === 'ok')
  rmSync(join(reflex.workdir, 'inner.dot'))
  const fork = await reflex.fork(`${id}@${called - 1}`)
  const forked = await reflex.resume(fork.id)
  await forked.idle()
  expect(forked.status).toBe('completed')
  expect(await story('inner.dot')).toContain('this run is untrusted')
})

const readAndWrite = 'r [type=read, source=file, path="secret.txt", output_key=s] f [type="file.write", content_key=s, output="notes.txt"]'
const INNER = pipeline('k [type=transform, transform=constant, expression=1, output_key=k]', 'k')
const reader = JSON.stringify(
  workflow(
    'reader',
    { r: { tool: 'file.read', args: { path: 'notes.txt' }, writes: { text: 'text' } }, end: { writes: { text: { from: 'text' } } } },
    [['next', 'r', 'end']],
  ),
)

test('a workflow that reads a file returns it as the pipeline’s own read would', async () => {
  const main = pipeline(
    `${readAndWrite} w [type="graph.invoke", program="workflow:reader", result_mapping="text:back"] a [type="pipeline.run", source_key=back]`,
    'r -> f -> w -> a',
  )
  const { story } = world({ 'main.dot': main, 'reader.workflow.json': reader, 'secret.txt': INNER })
  expect(await story('main.dot')).toContain('it would decide what runs')
})

test('a pipeline that a workflow calls is given what the workflow has read as what it is', async () => {
  const main = JSON.stringify(
    workflow(
      'main',
      {
        r: { tool: 'file.read', args: { path: 'notes.txt' }, writes: { text: 'text' } },
        c: { invokes: { workflowId: 'pipeline:q', inputMap: [{ from: 'text', to: 'text' }], returnMap: [] } },
      },
      [['next', 'r', 'c']],
    ),
  )
  const q = pipeline('a [type="pipeline.run", source_key=text]', 'a').replace('digraph p', 'digraph q')
  const { story } = world({ 'first.dot': pipeline(readAndWrite, 'r -> f'), 'main.workflow.json': main, 'q.dot': q, 'secret.txt': INNER })
  await story('first.dot')
  expect(await story('main.workflow.json')).toContain('it would decide what runs')
})

test.each([
  ['what a model said', { prompt: 'Write a program.', writes: 'text' }, WRITES],
  ['a file with a label', { tool: 'file.read', args: { path: 'notes.txt' }, writes: { text: 'text' } }, undefined],
])('a program that a workflow writes from %s has the lowest trust', async (_, spec, reply) => {
  const main = workflow(
    'main',
    { r: spec, w: { tool: 'file.write', args: { path: 'inner.dot', text: { from: 'text' }, in: 'work' } }, end: {} },
    [
      ['next', 'r', 'w'],
      ['done', 'w', 'end'],
    ],
  )
  const { story } = world(
    { 'first.dot': pipeline(readAndWrite, 'r -> f'), 'main.workflow.json': JSON.stringify(main), 'secret.txt': WRITES },
    ...(reply === undefined ? [] : [reply as ScriptedReply]),
  )
  if (reply === undefined) await story('first.dot')
  await story('main.workflow.json')
  expect(await story('inner.dot')).toContain('this run is untrusted')
})

test('a file that a workflow writes from a file with a label has that label for a pipeline', async () => {
  const copies = workflow(
    'copies',
    {
      r: { tool: 'file.read', args: { path: 'notes.txt' }, writes: { text: 'text' } },
      w: { tool: 'file.write', args: { path: 'copy.txt', text: '// {{text}}', in: 'work' } },
      end: {},
    },
    [
      ['next', 'r', 'w'],
      ['done', 'w', 'end'],
    ],
  )
  const main = pipeline('b [type=read, source=file, path="copy.txt", output_key=back] a [type="pipeline.run", source_key=back]', 'b -> a')
  const { story } = world({
    'first.dot': pipeline(readAndWrite, 'r -> f'),
    'copies.workflow.json': JSON.stringify(copies),
    'main.dot': main,
    'secret.txt': INNER,
  })
  await story('first.dot')
  await story('copies.workflow.json')
  expect(await story('main.dot')).toContain('it would decide what runs')
})
