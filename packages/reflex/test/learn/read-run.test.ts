// proves: skill 158
import { describe, expect, it } from 'vitest'
import type { Json, Kind, Port, RunRow, Store } from '../../src/kernel/index.ts'
import type { CallSequence, RunRead, RunShape } from '../../src/learn/shapes/call-sequence.ts'
import { readRun } from '../../src/learn/shapes/read-run.ts'
import { readIn, shapeIn, shapeText } from '../../src/learn/shapes/shape-file.ts'
import { shapeFolder } from '../../src/learn/shapes/shape-folder.ts'
import { shapeName, type ShapeFiles, shapesInMemory, storedShapes, updateShapes } from '../../src/learn/shapes/update-shapes.ts'
import { kindOf, worldOf } from '../kernel/world.ts'
import { folder } from '../store/processes.ts'

/** What a test program does, one item after another; several in a list at once. */
type Script = readonly (readonly Json[])[]

/** A kind whose source is a script: each item is a list of `[port, args]` or `['call', program]`. It goes on once all have settled. */
function scripted(name: string): Kind<Json> {
  return kindOf(name, (x, input) => {
    const script = x.def as unknown as Script
    const at = typeof x.position === 'number' ? x.position : 0
    if (x.pendingEffects().some(({ id }) => id !== input?.[1])) return
    const step = script[at]
    if (step === undefined) {
      x.done({ status: 'ok' })
      return
    }
    x.go(at + 1)
    for (const one of step) {
      const [what, args = null] = one as readonly [string, Json?]
      if (what === 'call' && typeof args === 'string') x.call(args)
      else x.request(what, args)
    }
  })
}

const reply = { text: '', finish: 'tools', model: 'm', tries: 1, usage: { input: 100, output: 20 }, cost: 0.002 }

const PORTS: Readonly<Record<string, Port>> = {
  model: { leaves: false, repeat: 'free', perform: () => reply, used: () => ({ tokens: 120, cost: 0.002, calls: 1 }) },
  tool: {
    leaves: false,
    repeat: 'free',
    perform({ args }) {
      const { tool } = args as { readonly tool: string }
      if (tool === 'broken') throw new Error('it is broken')
      return tool === 'exit' ? { code: 1, stdout: '', stderr: 'no' } : { id: `of ${tool}` }
    },
  },
  other: { leaves: false, repeat: 'free', perform: () => null },
}

const tool = (name: string, args: Json = {}): Json => ['tool', { tool: name, args }]

interface Ran {
  readonly store: Store
  readonly row: RunRow
  readonly read: RunRead | undefined
}

async function ran(kinds: readonly Kind[], source: Json, args: Json = {}, skill: Json = []): Promise<Ran> {
  const world = worldOf(kinds, { ports: PORTS })
  if (kinds.length > 1) world.runtime.programs.add('skill', 'deploy', skill)
  const run = await world.start(kinds[0]?.name ?? '', { id: 'otter', source, args })
  await run.idle()
  const [row] = await world.store.runs()
  if (row === undefined) throw new Error('there is no run')
  return { store: world.store, row, read: await readRun(world.store, row) }
}

function first(read: RunRead | undefined): CallSequence {
  const [sequence] = read?.shape.sequences ?? []
  if (sequence === undefined) throw new Error('there are no calls')
  return sequence
}

describe('the shape of a run', () => {
  it('has the calls of tools in the order of their requests, with the replies that issued them', async () => {
    const script = [[['model', {}]], [tool('a', { x: 1 }), tool('b')], [['other', null]], [['model', {}]], [tool('exit')], [tool('broken')]]
    const { read } = await ran([scripted('any')], script, { goal: 'do it' })
    const sequence = first(read)
    expect(sequence).toMatchObject({
      strand: '0',
      symbols: ['a:(x:number)', 'b:()', 'exit:()', 'broken:()'],
      ok: [1, 1, 0, 0],
      group: [0, 0, 1, 1],
      texts: [[0, 'do it']],
    })
    expect(sequence.replies).toMatchObject([
      { usd: 0.002, tokens: 120 },
      { usd: 0.002, tokens: 120 },
    ])
    expect(read?.leaves[0]).toEqual({ tool: 'a', args: { x: 1 }, result: { id: 'of a' } })
    expect(read?.shape).toMatchObject({ run: 'otter', succeeded: false })
  })

  it('has a skill as one call, and nothing of what happens inside', async () => {
    const inner: Json = [[['model', {}]], [tool('hidden')]]
    const { read } = await ran([scripted('any'), scripted('skill')], [[tool('a')], [['call', 'skill:deploy']], [tool('b')]], {}, inner)
    expect(first(read)).toMatchObject({ symbols: ['a:()', 'skill:deploy', 'b:()'], ok: [1, 1, 1], group: [-1, -1, -1] })
    expect(JSON.stringify(read)).not.toContain('hidden')
  })

  it('has of a fork only the calls after it', async () => {
    const world = worldOf([scripted('any')], { ports: PORTS })
    const run = await world.start('any', { id: 'otter', source: [[tool('a')], [tool('b')], [tool('c')]] })
    await run.idle()
    await world.runtime.fork('otter', { at: 2, id: 'crane' })
    const crane = await world.runtime.resume('crane', {})
    await crane.idle()
    const [row] = await world.store.runs({ prefix: 'crane' })
    expect(row?.status).toBe('completed')
    const sequence = first(row === undefined ? undefined : await readRun(world.store, row))
    expect(sequence.symbols).toEqual(['b:()', 'c:()'])
  })

  it('is not made of a simulated run, and has the labels of a real one', async () => {
    const world = worldOf([scripted('any')], { ports: PORTS })
    const source: Json = [[tool('a')], [tool('b')]]
    const labelled = { actor: 'ana', simulated: false, labels: { env: 'staging', count: 3 } }
    for (const [id, settings] of [['otter', { actor: 'ana', simulated: true }] as const, ['crane', labelled] as const])
      await (await world.start('any', { id, source, settings })).idle()
    const files = shapesInMemory()
    expect(await updateShapes(world.store, files)).toMatchObject({ read: 2 })
    expect(await updateShapes(world.store, files)).toMatchObject({ read: 0, known: 2 })
    const shapes: RunShape[] = []
    for await (const { shape } of storedShapes(files)) shapes.push(shape)
    expect(shapes).toMatchObject([{ run: 'crane', labels: { env: 'staging' }, succeeded: true }])
    expect(shapes[0]?.labels).not.toHaveProperty('count')
  })

  it('has the answers of people and the facts of the blackboard, with the calls before them', async () => {
    const kind = kindOf('asks', (x, input) => {
      if (input === undefined) {
        x.set('ctx', { app: 'pay', Deep: 1, more: { tag: 'v1' } })
        x.request('tool', { tool: 'a' })
      } else if (input[0] === 'ok' && x.position !== 'asked') {
        x.go('asked')
        x.wait('answer', 'which')
      } else if (input[0] === 'answer') x.request('tool', { tool: 'b' })
      else x.done(null)
    })
    const world = worldOf([kind], { ports: PORTS })
    const run = await world.start('asks', { id: 'otter', args: { goal: 'tag pay' } })
    await run.idle()
    const [wait] = [...run.state.waits.keys()]
    await run.answer(String(wait), 'the second one')
    await run.idle()
    const [row] = await world.store.runs()
    expect(first(row === undefined ? undefined : await readRun(world.store, row))).toMatchObject({
      symbols: ['a:()', 'b:()'],
      texts: [
        [0, 'tag pay'],
        [1, 'the second one'],
      ],
      facts: [
        [0, 'ctx.app', 'pay'],
        [0, 'ctx.more.tag', 'v1'],
      ],
    })
  })

  it('survives its file, and no damaged file does', async () => {
    const { read } = await ran([scripted('any')], [[tool('a', { text: '‹secret 4f1c›', long: 'x'.repeat(5_000) })]])
    if (read === undefined) throw new Error('there is no shape')
    const text = shapeText(read)
    expect(readIn(text)).toEqual(JSON.parse(JSON.stringify(read)))
    expect(shapeText(readIn(text) ?? read)).toBe(text)
    expect(read.leaves[0]?.args).toMatchObject({ text: '‹secret 4f1c›', long: { $long: [5_000, expect.any(String)] } })
    for (const bad of [
      '',
      'x',
      text.slice(0, -9),
      text.replace('reflex-shape 1', 'reflex-shape 2'),
      text.replace('"ok":[', '"ok":[7,'),
      text.replace('"leaves":[0', '"leaves":[9'),
      text.replace('"texts":[', '"texts":[7'),
      text.replace('"labels":{', '"labels":{"env":1'),
    ])
      expect(readIn(bad), bad.slice(0, 40)).toBeUndefined()
    expect(shapeIn(`reflex-shape 1 0\n{"run":1}\n`)).toBeUndefined()
  })
})

describe('the files of shapes', () => {
  const places: readonly (readonly [string, () => ShapeFiles])[] = [
    ['memory', shapesInMemory],
    ['a folder', () => shapeFolder(folder())],
  ]
  it.each(places)('in %s are made once for a run, and again when they are gone', async (_, make) => {
    const { store, row } = await ran([scripted('any')], [[tool('a')], [tool('b')]])
    const files = make()
    expect(await updateShapes(store, files)).toEqual({ read: 1, known: 0, removed: 0, unreadable: [] })
    const name = shapeName(row)
    const text = await files.read(name)
    expect(await updateShapes(store, files)).toMatchObject({ read: 0, known: 1 })
    await files.write(name, 'damaged')
    await files.write(name.replace(/^.{4}/, '0000'), 'of a run that is gone')
    for await (const shape of storedShapes(files)) throw new Error(shape.shape.run)
    expect(await updateShapes(store, files)).toMatchObject({ read: 1, removed: 0 })
    expect(await files.read(name)).toBe(text)
  })

  it('name a run that cannot be read, and read the others', async () => {
    const { store } = await ran([scripted('any')], [[tool('a')]])
    const broken = { runs: () => store.runs(), segments: () => Promise.reject(new Error('the disk is gone')) } as unknown as Store
    expect(await updateShapes(broken, shapesInMemory())).toEqual({
      read: 0,
      known: 0,
      removed: 0,
      unreadable: [{ run: 'otter', reason: 'the disk is gone' }],
    })
  })
})
