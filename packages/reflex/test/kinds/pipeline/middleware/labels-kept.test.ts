import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Reflex, type ReflexOptions, type RunHandle } from '../../../../src/index.ts'
import { isList, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'

/** Labels of values that leave the board and come back: through files, memories and programs of other kinds, also in another run. */

let folder = ''
let outside = ''
let store = memoryStore()
let runs = 0

beforeEach(() => {
  const made = ['labels', 'outside'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), `reflex-${name}-`))))
  ;[folder = '', outside = ''] = made
  store = memoryStore()
  writeFileSync(join(outside, 'given.txt'), WORDS)
  onTestFinished(() => {
    for (const one of made) rmSync(one, { recursive: true, force: true })
  })
})

const WORDS = 'words that somebody outside has written'
const file = (name: string, text: string): void => writeFileSync(join(folder, name), text)

/** Runs a pipeline of these nodes, in their order, in a process of its own. */
async function ran(nodes: readonly string[], options: ReflexOptions & { readonly simulate?: boolean } = {}): Promise<RunHandle> {
  const ids = nodes.map((node) => node.slice(0, node.indexOf(' ')))
  file(
    'main.dot',
    `digraph main { start [shape=Mdiamond] done [shape=Msquare] ${nodes.join(' ')} ${['start', ...ids, 'done'].join(' -> ')} }`,
  )
  const id = `otter-${runs++}`
  const surroundings = { host: virtualHost(), worker: { id, host: 'here', pid: process.pid }, cwd: folder, environment: {}, actor: 'ana' }
  const policy = [{ file: 'the operator', allow: ['arbor://memory/**', 'arbor://fs/read/**'], deny: [], ask: [] }]
  const { simulate = false, ...rest } = options
  const reflex = new Reflex({ store, surroundings, workdir: folder, policy, ...rest })
  const handle = await reflex.start(join(folder, 'main.dot'), {
    id,
    trust: 'probationary',
    simulate,
    input: { own: 'mine' },
    pipeline: { validate: false },
  })
  await handle.run.idle()
  await reflex.close()
  expect(handle.run.state.ended).toMatchObject({ status: 'done' })
  return handle
}

/** Level and sensitivity of a value. */
function labelOf({ run }: RunHandle, key: string): readonly number[] {
  const packed = run.state.root.reader().get(`#t/${key}`)
  return isList(packed) ? packed.slice(0, 2).map(Number) : [0, 0]
}

const get = (): string => `get [type=read, source=file, path="${outside}/given.txt", output_key=given]`
const write = (key: string, more = ''): string => `write [type="file.write", output="notes.txt", content_key=${key} ${more}]`
const read = (path = 'notes.txt'): string => `read [type=read, source=file, path="${path}", output_key=back]`

describe('a file with content from outside', () => {
  beforeEach(async () => void (await ran([get(), write('given')])))

  test('is untrusted in every later run', async () => {
    expect(labelOf(await ran([read()]), 'back')).toEqual([2, 0])
  })

  test('stays untrusted when a person edits it by hand', async () => {
    file('notes.txt', `edited: ${WORDS}`)
    expect(labelOf(await ran([read()]), 'back')).toEqual([2, 0])
  })

  test('stays untrusted when something is appended', async () => {
    await ran([write('own', ', append=true')])
    expect(labelOf(await ran([read()]), 'back')).toEqual([2, 0])
  })

  test('is recognised by its text under every other name', async () => {
    file('copy.txt', WORDS)
    expect(labelOf(await ran([read('copy.txt')]), 'back')).toEqual([2, 0])
  })

  test('is a file like others once a run has written all of it', async () => {
    await ran([write('own')])
    expect(labelOf(await ran([read()]), 'back')).toEqual([1, 0])
  })

  test('leaves the labels of other files unchanged', async () => {
    file('other.txt', 'what the author of the program has written')
    expect(labelOf(await ran([read('other.txt')]), 'back')).toEqual([1, 0])
  })
})

test('a simulated run writes no file, and no label', async () => {
  file('notes.txt', 'what the author of the program has written')
  await ran([get(), write('given')], { simulate: true })
  expect(labelOf(await ran([read()]), 'back')).toEqual([1, 0])
})

test('a file keeps the sensitivity of its content', async () => {
  await ran(['hide [type=transform, transform=constant, expression=hidden, output_key=found, data_class=secret]', write('found')])
  expect(labelOf(await ran([read()]), 'back')).toEqual([1, 3])
})

describe('an agent that remembers content from outside', () => {
  const index = 'index [type="memory.index", source_key=given]'
  const recall = 'recall [type="memory.recall", source_key=nothing]'

  test('recalls it as untrusted in every later run', async () => {
    await ran([get(), index])
    expect(labelOf(await ran([recall]), 'memory.recalled')).toEqual([2, 0])
  })

  test('recalls nothing else as untrusted', async () => {
    await ran([get(), index])
    await ran(['index [type="memory.index", source_key=own]'])
    const query = 'recall [type="memory.recall", source_key=own, limit=1]'
    expect(labelOf(await ran([query]), 'memory.recalled')).toEqual([1, 0])
  })

  test('keeps it as untrusted in its working memory', async () => {
    const save = [
      'hold [type=write, target=context, content_key=given, output_key="memory.working_memory"]',
      'save [type="memory.working_save"]',
    ]
    await ran([get(), ...save])
    const went = await ran(['load [type="memory.working_load"]'])
    expect(labelOf(went, 'memory.working_memory')).toEqual([2, 0])
    expect(went.run.state.root.reader().get('memory.working_memory')).toEqual({ notes: [WORDS] })
  })

  test('recalls it as untrusted from the memory of a host', async () => {
    const kept: Json[] = []
    const services = { memory: { index: ({ content }: JsonObject) => kept.push(content ?? null), recall: () => kept } }
    await ran([get(), index], { pipeline: { services } })
    expect(labelOf(await ran([recall], { pipeline: { services } }), 'memory.recalled')).toEqual([2, 0])
  })
})

describe('a workflow with an input from outside', () => {
  const flow = (id: string, node: JsonObject): void =>
    file(`${id}.workflow.json`, JSON.stringify({ id, entry: 'a', nodes: { a: { id: 'a', spec: {}, ...node } }, edges: [] }))

  test('returns it as untrusted', async () => {
    flow('echo', { spec: { writes: { said: 'yes' } }, outputs: [{ key: 'given', guaranteed: false }] })
    const call = 'call [type="graph.invoke", program="workflow:echo", pass_context=given, result_mapping="given:back"]'
    const went = await ran([get(), call])
    expect(labelOf(went, 'back')).toEqual([2, 0])
    expect(went.run.state.root.reader().get('back')).toBe(WORDS)
  })

  test('passes it to a pipeline as untrusted', async () => {
    flow('through', { invokes: { workflowId: 'pipeline:deep', inputMap: [{ from: 'given', to: 'given' }], returnMap: [] } })
    file('deep.dot', `digraph deep { start [shape=Mdiamond] done [shape=Msquare] ${write('given')} start -> write -> done }`)
    await ran([get(), 'call [type="graph.invoke", program="workflow:through", pass_context=given]'])
    expect(labelOf(await ran([read()]), 'back')).toEqual([2, 0])
  })
})
