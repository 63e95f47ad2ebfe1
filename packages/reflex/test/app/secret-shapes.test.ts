import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Model, scriptedModel } from '../../src/models/index.ts'
import { run as runPipeline } from '../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { newFolder } from './folders.ts'

const KEY = 'sk-proj-AbCdEf0123456789AbCdEf0123456789'
const usage = { input: 1, output: 1 }

function worldOf(model: Model, files: Readonly<Record<string, string>>): { reflex: Reflex; lines: string[]; seen: unknown[] } {
  const workdir = newFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workdir, name), text)
  const [lines, seen]: [string[], unknown[]] = [[], []]
  const note = defineTool({
    name: 'note',
    description: 'Takes a note.',
    leaves: false,
    repeat: 'free',
    run: (args) => `note ${seen.push(args)}`,
  })
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    models: { test: model },
    model: 'test',
    tools: [note],
    agent: { default: 'model' },
    record: (line) => void lines.push(line),
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  return { reflex, lines, seen }
}

/** All that a run has left: its records, its trace, its recording. */
async function left(reflex: Reflex, lines: readonly string[]): Promise<string> {
  const records = await reflex.runtime.journal('otter')
  return JSON.stringify([records, (await reflex.trace('otter')).lines, lines])
}

const WORKFLOW = JSON.stringify({
  id: 'w',
  entry: 'a',
  board: { said: { type: 'object', properties: { key: { type: 'string', pattern: '^sk-' }, n: { type: 'integer' } } } },
  nodes: { a: { id: 'a', spec: { prompt: 'Say.', writes: 'said' } } },
  edges: [],
})
const PIPELINE = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare]; a [prompt="say"]; start -> a -> done }`

test('a key in a structured reply is in nothing that a workflow leaves, and the reply keeps its form', async () => {
  const model = scriptedModel(() => ({ object: { writes: { said: { key: 'sk-none', n: 3 } } }, usage }), 'test')
  const { reflex } = worldOf(model, { 'w.workflow.json': WORKFLOW })
  const plain = await reflex.run('w.workflow.json', { id: 'plain' })
  expect(plain.status).toBe('completed')
  const free = WORKFLOW.replace(',"pattern":"^sk-"', '')
  const keyed = worldOf(
    scriptedModel(() => ({ object: { writes: { said: { key: KEY, n: 3 } } }, usage }), 'test'),
    { 'w.workflow.json': free },
  )
  const run = await keyed.reflex.run('w.workflow.json', { id: 'otter' })
  expect(run.status).toBe('completed')
  expect(run.get('said')).toEqual({ key: expect.stringMatching(/^‹secret [0-9a-f]{4}›$/) as string, n: 3 })
  expect(await left(keyed.reflex, keyed.lines)).not.toContain('AbCdEf')
  expect(await keyed.reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('a key that comes in parts is in nothing that a pipeline leaves', async () => {
  const model: Model = {
    name: 'test',
    async generate(_, call) {
      for (const text of ['the key is sk-pr', KEY.slice(5, 20), KEY.slice(20), ' and more']) {
        call.part({ text })
        await new Promise((resolve) => setImmediate(resolve))
      }
      return { text: `the key is ${KEY} and more`, usage, finish: 'stop' }
    },
  }
  const { reflex, lines } = worldOf(model, { 'p.dot': PIPELINE.replace('prompt="say"', 'prompt="say", stream=true') })
  const run = await reflex.run('p.dot', { id: 'otter' })
  expect(run.status).toBe('completed')
  expect(await left(reflex, lines)).not.toContain('AbCdEf')
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('a tool gets the mark of a key that a model passes to it, as it does for a known secret', async () => {
  let asked = 0
  const model = scriptedModel(
    () => (++asked === 1 ? { calls: [{ id: 'c1', name: 'note', args: { text: `use ${KEY}` } }], usage } : { text: 'done', usage }),
    'test',
  )
  const dot = PIPELINE.replace('prompt="say"', 'prompt="say", use_tools=true, tools=note')
  const { reflex, lines, seen } = worldOf(model, { 'p.dot': dot })
  expect((await reflex.run('p.dot', { id: 'otter' })).status).toBe('completed')
  expect(seen).toEqual([{ text: expect.stringMatching(/^use ‹secret [0-9a-f]{4}›$/) as string }])
  expect(await left(reflex, lines)).not.toContain('AbCdEf')
})

test('an answer that fits no schema is kept in its fault without the key that it holds', async () => {
  const model = scriptedModel(() => ({ text: `${'x'.repeat(1_990)} ${KEY}`, usage }), 'test')
  const { reflex, lines } = worldOf(model, { 'w.workflow.json': WORKFLOW })
  const run = await reflex.run('w.workflow.json', { id: 'otter' })
  expect(run.questions.map(({ fault }) => fault?.code)).toEqual(['R4015'])
  expect(await left(reflex, lines)).not.toContain('sk-proj')
})

test('a backend of the library says no key', async () => {
  const seen: unknown[] = []
  const result = await runPipeline(PIPELINE, { llm_backend: () => `take ${KEY}`, on_event: (event) => void seen.push(event) })
  expect(result.status).toBe('success')
  expect(JSON.stringify([result, seen])).not.toContain('AbCdEf')
})
