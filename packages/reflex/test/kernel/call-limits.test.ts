import { describe, expect, it, test } from 'vitest'
import { dumpState, type Json, type Kind, loadState, type Port, replay, State, type StoredState } from '../../src/kernel/index.ts'
import type { CallLimits } from '../../src/kernel/journal/usage.ts'
import { kindSuite } from '../../src/testing/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { Doors, worldOf } from './world.ts'

interface Loop {
  readonly rounds: number
  readonly port?: string
  readonly limits?: CallLimits
  readonly calls?: string
  readonly given?: CallLimits
  readonly spawns?: boolean
  readonly closes?: boolean
}

/** Calls or spawns its callee with limits, or enters a node in each round, with one effect of its port. */
const loop: Kind<Loop> = {
  name: 'loop',
  rev: 1,
  compile: (source) => source as unknown as Loop,
  calls: ({ calls }) => (calls === undefined ? [] : [calls]),
  limits: ({ limits }) => limits,
  isClosing: ({ closes }) => closes === true,
  node: (_, position) => (position === undefined ? undefined : typeof position === 'number' ? `round${position}` : 'calling'),
  step(x, input) {
    const { rounds, port, calls, given } = x.def
    if (input?.[0] === 'ret' || input?.[0] === 'end') return x.done([input[2], input[3] ?? null])
    if (input?.[0] === 'err') return x.fail(input[2] as never)
    const at = Number(x.position ?? 0)
    if (calls !== undefined) {
      x.go('calls')
      if (x.def.spawns === true) return void x.spawn(calls, { sees: 'nothing', ...(given === undefined ? {} : { limits: given }) })
      return void x.call(calls, given === undefined ? {} : { limits: given })
    }
    if (at === rounds) return x.done(at)
    x.go(at + 1)
    x.enter()
    if (port === undefined) x.again()
    else x.request(port)
  },
}

const model: Port = { leaves: false, repeat: 'free', costs: true, perform: () => ({}), used: () => ({ tokens: 10, cost: 0.5, calls: 1 }) }

async function ran(programs: Readonly<Record<string, Loop>>, ports: Readonly<Record<string, Port>> = { model }) {
  const store = memoryStore()
  const world = worldOf([loop], { ports, store })
  const added = Object.entries(programs).map(([id, source]) => world.runtime.programs.add('loop', id, source as unknown as Json))
  const [root] = added
  if (root === undefined) throw new Error('no program')
  const run = await world.runtime.start(root, { id: 'otter' })
  return { world, run }
}

/** The result of a callee with limits. */
async function limited(given: CallLimits, callee: Loop, more: Partial<Loop> = {}): Promise<unknown> {
  const { world, run } = await ran({ main: { rounds: 0, calls: 'loop:callee', given, ...more }, callee })
  await run.idle()
  const { records } = await world.runtime.history('otter')
  expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  return run.state.ended?.value
}

const refused = (message: string): unknown => ['failed', expect.objectContaining({ code: 'R2109', message }) as unknown]

describe('the limits of a call', () => {
  it.each<[CallLimits, string]>([
    [{ tokens: 20 }, '20 of 20 tokens'],
    [{ cost: 1 }, '1 of 1 US dollars'],
    [{ calls: 2 }, '2 of 2 calls'],
    [{ steps: 2 }, '2 of 2 steps'],
    [{ tokens: 0 }, '0 of 0 tokens'],
    [{ tokens: Number.NaN }, '0 of 0 tokens'],
    [{ calls: -1 }, '0 of 0 calls'],
  ])('%j end the callee, and name the caller', async (given, used) => {
    const message = `budget exceeded: ${used}, which loop:main at calling gives to loop:callee`
    expect(await limited(given, { rounds: 9, port: 'model' })).toEqual(refused(message))
    expect(await limited(given, { rounds: 9, port: 'model' }, { spawns: true })).toEqual(refused(message))
  })

  it.each<[unknown, string]>([
    [{ time: '5' }, 'time must be a number'],
    [{ tokens: 10, cost: null }, 'cost must be a number'],
    ['x', 'they must be an object'],
    [null, 'they must be an object'],
  ])('%j are refused, and the fault names the program', async (given, why) => {
    for (const spawns of [false, true]) {
      const { world, run } = await ran({ main: { rounds: 0, calls: 'loop:callee', given: given as never, spawns }, callee: { rounds: 1 } })
      await run.idle()
      const message = expect.stringContaining(`cannot call loop:callee with these limits: ${why}`) as string
      expect(run.state.ended).toMatchObject({ status: 'failed', value: { code: 'R9001', message } })
      await world.runtime.close()
    }
  })

  it('let the callee do exactly as much', async () => {
    expect(await limited({ tokens: 20, calls: 2, steps: 2 }, { rounds: 2, port: 'model' })).toEqual(['done', 2])
    expect(await limited({ steps: 5, tokens: Number.POSITIVE_INFINITY }, { rounds: 5 })).toEqual(['done', 5])
  })

  it('end a callee that performs nothing by its steps', async () => {
    const message = 'budget exceeded: 3 of 3 steps, which loop:main at calling gives to loop:callee'
    expect(await limited({ steps: 3 }, { rounds: Number.MAX_SAFE_INTEGER })).toEqual(refused(message))
  })

  it('hold for what the callee calls', async () => {
    const callee: Loop = { rounds: 0, calls: 'loop:inner' }
    const { run } = await ran({
      main: { rounds: 0, calls: 'loop:callee', given: { calls: 1 } },
      callee,
      inner: { rounds: 3, port: 'model' },
    })
    await run.idle()
    const message = 'budget exceeded: 1 of 1 calls, which loop:main at calling gives to loop:callee'
    expect(run.state.ended?.value).toEqual(['done', refused(message)])
  })

  it('count time while something is in progress', async () => {
    const doors = new Doors()
    const programs = { main: { rounds: 0, calls: 'loop:callee', given: { time: 1_000 } }, callee: { rounds: 9, port: 'door' } }
    const { world, run } = await ran(programs, { door: doors.port() })
    await world.host.drain()
    await world.host.advance(1_000)
    doors.door().settle(1)
    await run.idle()
    expect(run.state.ended?.value).toEqual(refused('budget exceeded: 1000 of 1000 ms, which loop:main at calling gives to loop:callee'))
  })

  it('are kept by snapshots, and by a process that continues the run', async () => {
    const doors = new Doors()
    const programs = { main: { rounds: 0, calls: 'loop:callee', given: { calls: 1 } }, callee: { rounds: 9, port: 'door' } }
    const paid = { ...doors.port(), costs: true, used: () => ({ calls: 1 }) }
    const { world, run } = await ran(programs, { door: paid })
    await world.host.drain()
    const { records } = await world.runtime.history('otter')
    const folded = new State()
    for (const record of records) folded.apply(record)
    const text = JSON.stringify(dumpState(folded, () => true))
    const loaded = loadState(JSON.parse(text) as StoredState)
    expect([JSON.stringify(dumpState(loaded, () => true)), loaded.hasCallLimits]).toEqual([text, true])
    await run.leave()
    const heirs = new Doors()
    const next = worldOf([loop], { ports: { door: { ...heirs.port(), costs: true, used: () => ({ calls: 1 }) } }, store: world.store })
    const again = await next.runtime.resume('otter')
    await next.host.drain()
    heirs.door().settle(1)
    await again.idle()
    expect(again.state.ended?.value).toEqual(refused('budget exceeded: 1 of 1 calls, which loop:main at calling gives to loop:callee'))
  })

  it('let calls beside one another begin only as far as they cover them', async () => {
    const doors = new Doors()
    const wide: Kind = {
      name: 'wide',
      rev: 1,
      compile: () => ({}),
      step(x, input) {
        if (input === undefined && x.frame.link === undefined) x.call('wide:main', { limits: { calls: 2 } })
        else if (input === undefined) for (let i = 0; i < 3; i++) x.request('door')
        else if (input[0] === 'ret') x.done(input[3])
        else if (input[0] === 'ok' || input[0] === 'err') {
          x.set(`e${input[1]}`, input[0])
          if (x.pendingEffects().length === 1) x.done(x.frame.reader().snapshot())
        }
      },
    }
    const world = worldOf([wide], { ports: { door: { ...doors.port(), costs: true, used: () => ({ calls: 1 }) } } })
    const run = await world.start('wide')
    await world.host.drain()
    expect(doors.open.length).toBe(2)
    doors.door(0).settle(1)
    doors.door(1).settle(1)
    await run.idle()
    expect([doors.open.length, Object.values(run.state.ended?.value as object)]).toEqual([2, ['ok', 'ok']])
  })
})

describe('the limit of steps that a program states', () => {
  it('ends it at the next node, also without effects', async () => {
    const { run, world } = await ran({ main: { rounds: 9, limits: { steps: 4 } } })
    await run.idle()
    expect(run.state.ended).toMatchObject({ status: 'failed', value: { code: 'R3021', message: 'budget exceeded: 4 of 4 steps' } })
    expect(run.state.root.steps).toBe(4)
    const { records } = await world.runtime.history('otter')
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('lets the last node perform its effects', async () => {
    const { run } = await ran({ main: { rounds: 2, port: 'model', limits: { steps: 2 } } })
    await run.idle()
    expect(run.state.ended).toEqual({ status: 'done', value: 2 })
  })

  it('lets a program close', async () => {
    const { run } = await ran({ main: { rounds: 3, closes: true, limits: { steps: 1 } } })
    await run.idle()
    expect(run.state.ended?.status).toBe('done')
  })
})

describe('the kind suite of a callee that reaches a limit', () => {
  const suite = kindSuite({
    name: 'limited',
    kinds: [loop],
    programs: [
      { kind: 'loop', id: 'main', source: { rounds: 0, calls: 'loop:callee', given: { calls: 2 } } },
      { kind: 'loop', id: 'callee', source: { rounds: 9, port: 'model' } },
    ],
    ports: () => ({ model }),
  })
  for (const { name, run } of suite.filter(({ name: it }) => !it.includes('progress'))) test(name, run)
})
