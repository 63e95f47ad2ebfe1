import { Buffer } from 'node:buffer'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ModelRequest, scriptedModel } from '../../src/models/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { PDF, PNG, pngOf } from '../models/files.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { lifeIn, newFolder, workflow } from './folders.ts'

/** A life whose model keeps what it is asked. */
function looking(folder: string, options: ReflexOptions = {}): { readonly reflex: Reflex; readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  const model = scriptedModel((request) => {
    asked.push(request)
    return { text: `seen ${asked.length}`, usage: { input: 10, output: 2 } }
  })
  return { reflex: lifeIn(folder, { model, ...options }), asked }
}

function put(folder: string, name: string, content: string | Buffer): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

const LARGE = pngOf(150_000)

/** A text of the content of the large picture in base64: it stands in no record but its own. */
const INSIDE = LARGE.toString('base64').slice(1_000, 1_060)

function dot(node: string, more = ''): string {
  return `digraph look { start [shape=Mdiamond] look [prompt="What is on it?", ${node}] done [shape=Msquare] start -> look -> done ${more} }`
}

describe('a picture that a stage of a pipeline shows its model', () => {
  test('is read once, kept by its hash, and nowhere printed', async () => {
    const folder = newFolder()
    put(folder, 'shots/photo.png', LARGE)
    put(folder, 'terms.pdf', PDF)
    const file = put(folder, 'look.dot', dot('attachments="shots/photo.png, terms.pdf", prompt_cache="prompt", system_prompt="Be terse."'))
    const { reflex, asked } = looking(folder)
    const run = await reflex.run(file, { id: 'otter-2m9q' })
    expect(run.status).toBe('completed')
    const [request] = asked
    expect(request?.messages).toMatchObject([
      { role: 'system', cache: true },
      {
        role: 'user',
        content: expect.stringContaining('What is on it?') as string,
        cache: true,
        parts: [
          { type: 'file', name: 'shots/photo.png', media: 'image/png', bytes: 150_000, data: LARGE.toString('base64') },
          { type: 'file', name: 'terms.pdf', media: 'application/pdf', data: PDF.toString('base64') },
        ],
      },
    ])
    // The content stands beside the journal, under its hash; the request has its facts.
    const { records } = await reflex.runtime.history('otter-2m9q')
    const model = records.flatMap(({ requests = [] }) => requests).find(([port]) => port === 'model')
    expect(JSON.stringify(model)).toMatch(/"name":"shots\/photo\.png","media":"image\/png","bytes":150000,"hash":"[0-9a-f]{64}"/)
    expect(JSON.stringify(model).includes(INSIDE)).toBe(false)
    const files = readdirSync(reflex.runFolder('otter-2m9q'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(texts.join('\n')).toContain('image/png')
    expect(texts.some((text) => text.includes(INSIDE))).toBe(false)
    expect(JSON.stringify(await reflex.runtime.journal('otter-2m9q')).includes(INSIDE)).toBe(true)
  })

  test('is not read again by a replay', async () => {
    const folder = newFolder()
    const photo = put(folder, 'photo.png', LARGE)
    const { reflex } = looking(folder)
    await reflex.run(put(folder, 'look.dot', dot('attachments="photo.png"')), { id: 'otter-2m9q' })
    rmSync(photo)
    expect(await reflex.replay('otter-2m9q')).toMatchObject({ result: 'equal' })
  })

  test('may be a value of the context: a path, a content, or several', async () => {
    const folder = newFolder()
    put(folder, 'a.png', PNG)
    const file = put(folder, 'look.dot', dot('attachments_context_key="shots"'))
    const { reflex, asked } = looking(folder)
    const data = PNG.toString('base64')
    for (const shots of ['a.png', `data:image/png;base64,${data}`, ['a.png', { data, name: 'b.png' }]])
      await reflex.run(file, { input: { shots } })
    const names = asked.map(({ messages }) => messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : [])))
    expect(names.map((parts) => parts.map((part) => (part.type === 'file' ? [part.name, part.data === data] : [])))).toEqual([
      [['a.png', true]],
      [[undefined, true]],
      [
        ['a.png', true],
        ['b.png', true],
      ],
    ])
  })

  test('stays in a conversation that a later stage continues', async () => {
    const folder = newFolder()
    put(folder, 'photo.png', LARGE)
    const text = `digraph talk { default_fidelity="full" start [shape=Mdiamond]
      one [prompt="What is on it?", attachments="photo.png", thread_id="t"] two [prompt="And above?", thread_id="t"]
      done [shape=Msquare] start -> one -> two -> done }`
    const { reflex, asked } = looking(folder)
    expect((await reflex.run(put(folder, 'talk.dot', text))).status).toBe('completed')
    const [, second] = asked
    const [first] = second?.messages.filter(({ role }) => role === 'user') ?? []
    expect(first).toMatchObject({ parts: [{ media: 'image/png', data: LARGE.toString('base64') }] })
  })

  test.each([
    ['outside the work folder', '../outside.png', /R3001|R4105|not granted/],
    ['behind a link that leads outside', 'link.png', /R3001|R4105|not granted/],
    ['that is not there', 'missing.png', /missing\.png/],
    ['that no model can read', 'archive.bin', /R4027/],
    ['that is too large', 'large.png', /more than 16000000 bytes/],
  ])('fails its stage if it is %s', async (_, path, message) => {
    const outer = newFolder()
    const folder = join(outer, 'work')
    put(outer, 'outside.png', PNG)
    put(folder, 'archive.bin', Buffer.from([0, 1, 2]))
    symlinkSync(join(outer, 'outside.png'), join(folder, 'link.png'))
    if (path === 'large.png') put(folder, path, pngOf(16_000_001))
    const { reflex, asked } = looking(folder)
    const run = await reflex.run(put(folder, 'look.dot', dot(`attachments="${path}"`)))
    expect(run.status).toBe('failed')
    expect(JSON.stringify(await reflex.runtime.journal(run.id))).toMatch(message)
    expect(asked).toEqual([])
  })
})

describe('the answer about a file', () => {
  test.each([
    ['outside the work folder may not decide what runs', '{outer}/outside.png', 'failed'],
    ['below the work folder may', 'inside.png', 'completed'],
  ])('%s', async (_, path, status) => {
    const outer = newFolder()
    const folder = join(outer, 'work')
    put(outer, 'outside.png', PNG)
    put(folder, 'inside.png', PNG)
    const said = 'digraph inner { start [shape=Mdiamond] done [shape=Msquare] start -> done }'
    const text = `digraph look { start [shape=Mdiamond] done [shape=Msquare]
      look [prompt="What is on it?", attachments="${path.replace('{outer}', outer)}", output_key=said] go [type="pipeline.run", source_key=said]
      start -> look -> go -> done }`
    const policy = [{ file: 'ours', allow: [`arbor://fs/read${outer}/outside.png`], deny: [] }]
    const reflex = lifeIn(folder, { model: scriptedModel(() => said), policy, trust: 'trusted', store: memoryStore() })
    const run = await reflex.run(put(folder, 'look.dot', text))
    expect(run.status).toBe(status)
    expect(JSON.stringify(await reflex.runtime.journal(run.id)).includes('it would decide what runs')).toBe(status === 'failed')
  })
})

describe('a picture that a node of a workflow shows its model', () => {
  const look = (spec: object): Workflow => workflow('look', { look: { prompt: 'What is on it?', writes: 'seen', ...spec } }, []) as Workflow

  test('is read as an effect of the node, kept by its hash, and shown without its content', async () => {
    const folder = newFolder()
    const photo = put(folder, 'photo.png', LARGE)
    const { reflex, asked } = looking(folder)
    const run = await reflex.run(look({ attach: ['photo.png'] }), { id: 'otter-2m9q' })
    expect(run.get('seen')).toBe('seen 1')
    expect(asked[0]?.messages.at(-1)).toMatchObject({ parts: [{ name: 'photo.png', media: 'image/png', data: LARGE.toString('base64') }] })
    const { lines } = await reflex.trace('otter-2m9q')
    const told = JSON.stringify(lines)
    expect(told.includes(INSIDE)).toBe(false)
    expect(told).toMatch(/\[photo\.png, image\/png 150 kB sha256:[0-9a-f]{12}\]/)
    expect(told).toContain('calls file.read photo.png')
    rmSync(photo)
    expect(await reflex.replay('otter-2m9q')).toMatchObject({ result: 'equal' })
  })

  test('travels with the run in an archive, once, and is replayed there', async () => {
    const [folder, other] = [newFolder(), newFolder()]
    put(folder, 'a.png', LARGE)
    put(folder, 'b.png', LARGE)
    const { reflex } = looking(folder)
    await reflex.run(look({ attach: ['a.png', 'b.png'] }), { id: 'otter-2m9q' })
    const archive: string[] = []
    for await (const line of reflex.export('otter-2m9q')) archive.push(line)
    // The content of both is one value of the archive.
    expect(archive.join('').includes(INSIDE)).toBe(true)
    expect(archive.join('').length).toBeLessThan(1.5 * LARGE.toString('base64').length)
    const there = looking(other).reflex
    await there.import(archive)
    expect(await there.replay('otter-2m9q')).toMatchObject({ result: 'equal' })
  })

  test('may be a value of the board, which no prompt shows', async () => {
    const folder = newFolder()
    put(folder, 'photo.png', LARGE)
    const program = workflow(
      'look',
      {
        read: { tool: 'file.read', args: { path: 'photo.png', as: 'base64' }, writes: 'photo' },
        look: { prompt: 'What is on {{photo}}?', writes: 'seen', attach: { from: 'photo' } },
      },
      [['next', 'read', 'look']],
    ) as Workflow
    const { reflex, asked } = looking(folder)
    expect((await reflex.run(program)).status).toBe('completed')
    const [request] = asked
    expect(request?.messages.at(-1)).toMatchObject({ parts: [{ name: 'photo.png', data: LARGE.toString('base64') }] })
    expect(request?.messages.some(({ content }) => typeof content === 'string' && content.includes(INSIDE))).toBe(false)
  })

  test('is asked for again when it could not be read', async () => {
    const folder = newFolder()
    const { reflex, asked } = looking(folder)
    const run = await reflex.run(look({ attach: '{{shot}}' }), { input: { shot: 'photo.png' } })
    expect(run.questions[0]?.fault).toMatchObject({ code: 'R4106' })
    put(folder, 'photo.png', PNG)
    const [question] = run.questions
    if (question === undefined) throw new Error('nothing is asked')
    await run.answer(question, null, 'ana')
    await run.idle()
    expect([run.status, asked.length]).toEqual(['completed', 1])
  })

  test('is one of at most 20, and of more none is read, whatever the board says', async () => {
    const folder = newFolder()
    put(folder, 'photo.png', PNG)
    const { reflex, asked } = looking(folder)
    const spec = { prompt: 'What is on it?', attach: { from: 'photos' }, writes: { seen: { type: 'string' } } }
    const program = workflow('look', { look: spec }, []) as Workflow
    const run = await reflex.run(program, { id: 'otter-2m9q', input: { photos: Array.from({ length: 21 }, () => 'photo.png') } })
    expect(run.questions[0]?.fault).toMatchObject({ code: 'R4028' })
    const { records } = await reflex.runtime.history('otter-2m9q')
    expect(records.flatMap(({ requests = [] }) => requests.filter(([port]) => port === 'tool'))).toEqual([])
    expect(asked).toEqual([])
  })

  test('is not read outside the work folder, whatever the board says', async () => {
    const outer = newFolder()
    const folder = join(outer, 'work')
    put(outer, 'outside.png', PNG)
    put(folder, 'inside.png', PNG)
    const { reflex, asked } = looking(folder)
    const run = await reflex.run(look({ attach: '{{shot}}' }), { input: { shot: '../outside.png' } })
    expect(run.questions[0]?.fault).toMatchObject({ code: 'R3001' })
    expect(asked).toEqual([])
  })
})
