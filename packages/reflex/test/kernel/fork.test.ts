import { describe, expect, it } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Kind } from '../../src/kernel/step/kind.ts'
import type { Port } from '../../src/kernel/ports/port.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Runtime } from '../../src/kernel/run/runtime.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { join } from 'node:path'
import { memoryStore, openStore } from '../../src/store/index.ts'
import { folder } from '../store/processes.ts'
import { codeOf, containing, Doors, kindOf, worldOf } from './world.ts'

/** Pays, then asks under a deadline, then draws a number. */
const payer: Kind = kindOf('payer', (x, input) => {
  if (input === undefined) {
    x.request('look')
    return
  }
  const step = x.position ?? 'look'
  if (step === 'look') {
    x.go('pay')
    x.set('looked', input[2] ?? null)
    x.request('pay', { amount: 5 })
  } else if (step === 'pay') {
    x.go('ask')
    x.set('paid', input[2] ?? null)
    x.wait('answer', 'go', { due: x.now + 60_000 })
  } else x.done([input[0], input[2] ?? null, x.uuid(), x.get('extra') ?? null])
})

const portsOf = (paid: string[]): Readonly<Record<string, Port>> => ({
  look: { leaves: false, repeat: 'free', perform: ({ key }) => `looked at ${key.slice(key.indexOf(':'))}` },
  pay: {
    leaves: true,
    repeat: 'keyed',
    perform: ({ key }) => {
      paid.push(key)
      return 'paid'
    },
  },
})

async function ranTo(store = memoryStore(), id = 'otter') {
  const paid: string[] = []
  const world = worldOf([payer], { ports: portsOf(paid), store })
  const run = await world.start('payer', { id })
  await run.idle()
  return { world, run, store, paid }
}

async function recordsOf(runtime: Runtime, id: string): Promise<readonly unknown[]> {
  return (await runtime.history(id)).records
}

async function faultOf(promise: Promise<unknown>): Promise<object> {
  try {
    await promise
  } catch (thrown) {
    if (isFault(thrown)) return { code: thrown.code, message: thrown.message, data: thrown.data, fix: thrown.fix }
    throw thrown
  }
  throw new Error('nothing was thrown')
}

describe('a fork', () => {
  it('shares the records of its source, remembers it, and performs nothing until it is resumed', async () => {
    const { world, run, paid } = await ranTo()
    const forked = await world.runtime.fork('otter', { at: 4, id: 'crane', actor: 'ana' })
    expect(forked).toMatchObject({ id: 'crane', from: ['otter', 4], settled: 2 })
    const [first, ...records] = (await world.runtime.history('crane')).records
    expect(first?.more?.start).toMatchObject({ run: 'crane', fork: ['otter', 4], seed: run.state.start?.seed })
    expect(records.slice(0, 3)).toEqual((await recordsOf(world.runtime, 'otter')).slice(1, 4))
    expect(records[3]).toMatchObject({ input: ['kernel', 'fork', { by: 'ana' }] })
    expect((await world.store.runs({ prefix: 'crane' }))[0]).toMatchObject({ status: 'suspended', due: null, last: 5, owner: null })
    await world.host.advance(3_600_000)
    expect(await world.store.due(world.host.now())).not.toContain('crane')
    expect(paid).toEqual(['otter:3'])
    expect(run.state.ended).toBeDefined()
  })

  it('goes on once it is resumed, and who told it to stands in its journal', async () => {
    const { world, run, paid } = await ranTo()
    await world.runtime.fork('otter', { id: 'crane' })
    const crane = await world.runtime.resume('crane', { actor: 'ben' })
    await crane.idle()
    expect(await world.store.due(world.host.now() + 60_001)).toContain('crane')
    await Promise.all([crane.answer('4w', 'yes'), run.answer('4w', 'yes')])
    await Promise.all([crane.idle(), run.idle()])
    const [value, other] = [crane.state.ended?.value, run.state.ended?.value] as string[][]
    expect(value?.slice(0, 2)).toEqual(other?.slice(0, 2))
    expect(value?.[2], 'a draw of its own').not.toBe(other?.[2])
    const { records } = await world.runtime.history('crane')
    expect(records[5]).toMatchObject({ input: ['kernel', 'resume', { by: 'ben' }] })
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    expect(paid).toEqual(['otter:3'])
  })

  it('performs what was in flight and leaves nothing under a key of its own', async () => {
    const { world, paid } = await ranTo()
    await world.runtime.fork('otter', { at: 2, id: 'crane' })
    const crane = await world.runtime.resume('crane')
    await crane.idle()
    expect(crane.state.root.reader().get('looked')).toBe('looked at :2')
    expect(paid).toEqual(['otter:3', 'crane:5'])
  })

  it('inside an effect that leaves is refused, with the nearest points', async () => {
    const { world } = await ranTo()
    expect(await faultOf(world.runtime.fork('otter', { at: 3, id: 'crane' }))).toEqual({
      code: 'R2060',
      message: containing('the nearest points are otter@2 and otter@4'),
      data: { before: 2, after: 4 },
      fix: 'reflex fork otter@2',
    })
    expect(await world.store.runs({ prefix: 'crane' })).toEqual([])
    expect(await codeOf(world.runtime.fork('otter', { at: 9 }))).toBe('R2021')
    expect(await codeOf(world.runtime.fork('nobody'))).toBe('R2016')
  })

  it('of a run that has ended begins before the end', async () => {
    const { world, run } = await ranTo()
    await run.answer('4w', 'no')
    await run.idle()
    expect(await faultOf(world.runtime.fork('otter'))).toMatchObject({ code: 'R2061', data: { before: 4 } })
    await world.runtime.fork('otter', { at: 4, id: 'crane' })
    const crane = await world.runtime.resume('crane')
    await crane.answer('4w', 'yes')
    await crane.idle()
    expect(crane.state.ended?.value).toMatchObject({ 1: 'yes' })
  })

  it('writes to the board of the root, as far as that allows', async () => {
    const { world } = await ranTo()
    const { state } = await world.runtime.fork('otter', { id: 'crane', set: { extra: { of: 'mine' } } })
    expect(state.root.reader().get('extra')).toEqual({ of: 'mine' })
    const unwritable = { extra: new Date(0) as unknown as string }
    expect(await codeOf(world.runtime.fork('otter', { id: 'heron', set: unwritable }))).toBe('R2004')
    expect(await world.store.runs({ prefix: 'heron' })).toEqual([])
    const { records } = await world.runtime.history('crane')
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('settles what is decided for it, and nothing is performed for that', async () => {
    const { world, paid } = await ranTo()
    const { state } = await world.runtime.fork('otter', {
      at: 3,
      id: 'crane',
      decide: ({ state: { root } }) => [root, ['ok', 3, 'believed']],
    })
    expect([state.root.reader().get('paid'), [...state.waits.keys()], paid]).toEqual(['believed', ['5w'], ['otter:3']])
    const { records } = await world.runtime.history('crane')
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('can be forked itself', async () => {
    const { world } = await ranTo()
    await world.runtime.fork('otter', { at: 4, id: 'crane', set: { extra: 1 } })
    await world.runtime.fork('crane', { id: 'heron', set: { extra: 2 } })
    const heron = await world.runtime.resume('heron')
    expect(heron.state.start).toMatchObject({ run: 'heron', fork: ['crane', 5] })
    await heron.answer('4w', 'yes')
    await heron.idle()
    expect(heron.state.ended?.value).toMatchObject({ 3: 2 })
    const { records } = await world.runtime.history('heron')
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('needs nothing of whoever holds its source', async () => {
    const doors = new Doors()
    const store = memoryStore()
    const slow = kindOf('slow', (x, input) => (input === undefined ? void x.request('door') : x.done(input[2])))
    const one = worldOf([slow], { ports: { door: doors.port() }, store })
    const run = await one.start('slow', { id: 'otter' })
    run.requestCommit()
    await one.host.drain(5)
    const other = worldOf([slow], { ports: { door: doors.port() }, store })
    other.runtime.programs.add('slow', 'main', {})
    await other.runtime.fork('otter', { at: 2, id: 'crane' })
    const crane = await other.runtime.resume('crane')
    expect(doors.open.map(({ key }) => key)).toEqual(['otter:2', 'crane:2'])
    doors.door(1).settle('forked')
    doors.door(0).settle('first')
    await Promise.all([crane.idle(), run.idle()])
    expect([run.state.ended?.value, crane.state.ended?.value]).toEqual(['first', 'forked'])
  })

  it('of a run whose program is gone is refused, and nothing is made', async () => {
    const { store, world } = await ranTo()
    await world.runtime.close()
    const { runtime } = worldOf([payer], { ports: portsOf([]), store: without(store) })
    expect(await codeOf(runtime.fork('otter', { id: 'crane' }))).toBe('R5006')
    expect(await store.runs({ prefix: 'crane' })).toEqual([])
  })

  it('keeps its source, and lives on by itself', async () => {
    const store = openStore(join(folder(), 'a.db'))
    const { world, run } = await ranTo(store)
    await run.answer('4w', 'no')
    await run.idle()
    await world.runtime.fork('otter', { at: 4, id: 'crane' })
    const later = world.host.now() + 1e9
    expect((await store.sweep({ now: later, before: later })).runs).toEqual([])
    const crane = await world.runtime.resume('crane')
    await crane.answer('4w', 'yes')
    await crane.idle()
    expect([...(await store.sweep({ now: later, before: later + 1e9 })).runs].sort()).toEqual(['crane', 'otter'])
    await store.close()
  })

  it('of a long run is stored in parts, with a snapshot, and can be read at each of its records', async () => {
    const counter = kindOf('counter', (x) => {
      const n = Number(x.position ?? 0) + 1
      x.go(n)
      x.set('n', n)
      if (n < 3_000) x.again()
      else if (n === 3_000) x.wait('answer', 'enough')
      else x.done(n)
    })
    const { runtime, store, start } = worldOf([counter])
    const run = await start('counter', { id: 'otter' })
    await run.idle()
    await runtime.fork('otter', { at: 2_500, id: 'crane' })
    expect((await store.journal('crane')).map(({ first, count }) => [first, count])).toEqual([
      [1, 1000],
      [1001, 1000],
      [2001, 501],
    ])
    expect((await store.read('crane'))?.snapshot?.at).toBe(2_501)
    expect((await runtime.peek('crane', 1_700)).state.root.position).toBe((await runtime.peek('otter', 1_700)).state.root.position)
    const crane = await runtime.resume('crane')
    await crane.idle()
    expect(crane.state.root.position).toBe(3_000)
  })
})

/** A store that has lost its programs. */
function without(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === 'program' ? () => undefined : Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
