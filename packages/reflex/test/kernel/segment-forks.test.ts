import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { join } from 'node:path'
import { isFault } from '../../src/kernel/journal/fault.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Runtime } from '../../src/kernel/run/runtime.ts'
import { dumpState } from '../../src/kernel/state/snapshot.ts'
import type { State } from '../../src/kernel/state/state.ts'
import { memoryStore, openPostgres, openSqlite } from '../../src/store/index.ts'
import { PostgresServer, postgresPrograms } from '../store/postgres-server.ts'
import { folder } from '../store/processes.ts'
import { codeOf, containing, Doors, kindOf, type Step, type World, worldOf } from './world.ts'

const STORES = [
  ['memory', () => memoryStore()],
  ['SQLite', () => openSqlite(join(folder(), 'reflex.db'))],
] as const

/** Adds what it is told, asks about 7, pays 9 by an effect that leaves, and ends with 0. */
const step: Step = (x, input) => {
  if (input?.[0] === 'message') {
    const amount = Number(input[2])
    x.set('sum', Number(x.get('sum') ?? 0) + amount)
    if (amount === 7) x.wait('answer', 'sure')
    if (amount === 9) x.request('pay', [amount])
    if (amount === 0) return x.done(x.get('sum') ?? null)
    if (amount < 0) return x.fail({ code: 'R2012', verdict: 'fail', message: 'negative' })
  } else if (input !== undefined) return x.set(input[0], input[2] ?? null)
  return void x.wait('message', 'amount')
}

/** A run that was told these amounts; a segment has four records or more. */
async function told(amounts: readonly number[], store = memoryStore()) {
  const doors = new Doors()
  const world = worldOf([kindOf('sums', step, { endless: 4 })], { store, ports: { pay: doors.port(true, 'keyed') } })
  onTestFinished(async () => {
    await world.runtime.close()
    await store.close()
  })
  const run = await world.start('sums', { id: 'otter' })
  for (const amount of amounts) await run.message('amount', amount)
  await world.host.drain(5)
  return { world, run, store, doors }
}

function shape({ start: _, ...state }: ReturnType<typeof dumpState>): object {
  return state
}

function stateOf(state: State): object {
  return shape(dumpState(state, () => false))
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

async function requireReplay(runtime: Runtime, id: string): Promise<void> {
  const { records, opening, state } = await runtime.history(id)
  const again = replay(records, runtime.programs, opening())
  expect(again.difference).toBeUndefined()
  expect(dumpState(again.state, () => false)).toEqual(dumpState(state, () => false))
}

async function segmentsOf({ store }: World, run: string): Promise<string[]> {
  return (await store.segments(run)).map(({ first, last, opens }) => `${opens}: ${first}-${last}`)
}

const TEN = [1, 2, 3, 4, 5, 6, 8, 10, 11, 12]

describe.each(STORES)('a fork of a run with segments, in %s', (_name, open) => {
  it('begins with the snapshot that opens the segment, and copies only the records of it', async () => {
    const { world, store } = await told(TEN, open())
    expect(await segmentsOf(world, 'otter')).toEqual(['0: 1-5', '5: 6-10', '10: 11-15'])
    const { state } = await world.runtime.fork('otter', { at: 8, id: 'crane', actor: 'ana' })
    expect(await segmentsOf(world, 'crane')).toEqual(['5: 6-9'])
    expect((await store.segment('crane', 1))?.snapshot?.chain).toBe((await store.segments('otter'))[0]?.chain)
    expect(state.start).toMatchObject({ run: 'crane', fork: ['otter', 8] })
    const crane = await world.runtime.peek('crane')
    expect(crane.state.start).toEqual(state.start)
    expect(stateOf((await world.runtime.peek('crane', 8)).state)).toEqual(stateOf((await world.runtime.peek('otter', 8)).state))
    await requireReplay(world.runtime, 'crane')

    const run = await world.runtime.resume('crane')
    for (const amount of [100, 100, 0]) await run.message('amount', amount)
    await run.idle()
    expect(run.state.ended?.value).toBe(1 + 2 + 3 + 4 + 5 + 200)
    await requireReplay(world.runtime, 'crane')
    const later = world.host.now() + 1e9
    expect((await store.sweep({ now: later, before: later })).runs).toEqual(['crane'])
  })

  it('at a seal copies no record, and before the first seal all of them', async () => {
    const { world } = await told(TEN, open())
    await world.runtime.fork('otter', { at: 10, id: 'crane' })
    expect(await segmentsOf(world, 'crane')).toEqual(['10: 11-11'])
    await world.runtime.fork('otter', { id: 'heron' })
    expect(await segmentsOf(world, 'heron')).toEqual(['15: 16-16'])
    await world.runtime.fork('otter', { at: 4, id: 'egret' })
    expect(await segmentsOf(world, 'egret')).toEqual(['0: 1-5'])
    for (const [id, at] of [
      ['crane', 10],
      ['heron', 15],
      ['egret', 4],
    ] as const) {
      await requireReplay(world.runtime, id)
      expect(stateOf((await world.runtime.peek(id, at)).state)).toEqual(stateOf((await world.runtime.peek('otter', at)).state))
    }
  })

  it('that was created and never stored leaves its name to the same fork', async () => {
    const { world, store } = await told(TEN, open())
    const commit = vi.spyOn(store, 'commit').mockImplementationOnce(() => {
      throw new Error('the disk')
    })
    await expect(world.runtime.fork('otter', { at: 8, id: 'crane' })).rejects.toThrow('the disk')
    commit.mockRestore()
    expect(await store.runs({ prefix: 'crane' })).toEqual([])
    expect(await codeOf(world.runtime.fork('otter', { at: 12, id: 'crane' }))).toBe('R5007')
    expect(await codeOf(world.start('sums', { id: 'crane' }).then(async (run) => run.idle()))).toBe('R5007')
    await world.runtime.fork('otter', { at: 8, id: 'crane' })
    await requireReplay(world.runtime, 'crane')
  })

  it('inside a segment that is gone is refused with its archive, and works at the seal that ends it', async () => {
    const { world, store } = await told(TEN, open())
    for (const number of [1, 2, 3]) await store.pack('otter', number)
    await store.forget('otter', 2, 'f00d')
    for (const at of [1, 8])
      expect(await faultOf(world.runtime.fork('otter', { at, id: 'crane' }))).toMatchObject({ code: 'R5054', message: containing('f00d') })
    expect(await store.runs({ prefix: 'crane' })).toEqual([])
    for (const [at, id] of [
      [10, 'crane'],
      [13, 'heron'],
    ] as const) {
      await world.runtime.fork('otter', { at, id })
      await requireReplay(world.runtime, id)
    }
    await store.forget('otter', 3, 'cafe')
    await world.runtime.fork('otter', { id: 'egret' })
    await requireReplay(world.runtime, 'egret')
    expect(await faultOf(world.runtime.fork('otter', { at: 13 }))).toMatchObject({ code: 'R5054', message: containing('cafe') })
  })

  it('can be forked itself, from the record with which it begins', async () => {
    const { world } = await told(TEN, open())
    await world.runtime.fork('otter', { at: 8, id: 'crane' })
    for (const at of [5, 7, 9]) {
      await world.runtime.fork('crane', { at, id: `heron${at}` })
      await requireReplay(world.runtime, `heron${at}`)
      expect((await world.runtime.peek(`heron${at}`)).state.start).toMatchObject({ fork: ['crane', at] })
    }
    expect(await segmentsOf(world, 'heron7')).toEqual(['5: 6-8'])
    const heron = await world.runtime.resume('heron7')
    await heron.message('amount', 0)
    await heron.idle()
    expect(heron.state.ended?.value).toBe(1 + 2 + 3 + 4)
    expect(await faultOf(world.runtime.fork('crane', { at: 4 }))).toMatchObject({
      code: 'R2132',
      message: containing('crane was forked after record 4'),
      fix: 'reflex fork otter@4',
    })
    expect(await codeOf(world.runtime.fork('crane', { at: 10 }))).toBe('R2021')
  })
})

describe.skipIf('missing' in postgresPrograms())('in Postgres', { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('a run is sealed, and forked in a segment, at a seal, and after one that is gone', async () => {
    const { world, store, run: teller } = await told(TEN, openPostgres(server.address()))
    await teller.idle()
    expect(await segmentsOf(world, 'otter')).toEqual(['0: 1-5', '5: 6-10', '10: 11-15'])
    await requireReplay(world.runtime, 'otter')
    for (const [at, id, segments] of [
      [8, 'crane', ['5: 6-9']],
      [10, 'heron', ['10: 11-11']],
    ] as const) {
      await world.runtime.fork('otter', { at, id })
      expect(await segmentsOf(world, id)).toEqual(segments)
      await requireReplay(world.runtime, id)
    }
    for (const number of [1, 2]) await store.pack('otter', number)
    await store.forget('otter', 2, 'f00d')
    expect(await codeOf(world.runtime.fork('otter', { at: 8 }))).toBe('R5054')
    await world.runtime.fork('otter', { at: 13, id: 'egret' })
    await requireReplay(world.runtime, 'egret')
    const run = await world.runtime.resume('egret')
    for (const amount of [100, 0]) await run.message('amount', amount)
    await run.idle()
    expect(run.state.ended?.value).toBe(1 + 2 + 3 + 4 + 5 + 6 + 8 + 10 + 11 + 100)
  })
})

describe('the points at which a run with segments can be forked', () => {
  it('are found in the segments before and after an effect that leaves', async () => {
    const { world, run, doors } = await told([1, 9, 2, 3, 4, 5])
    expect(await segmentsOf(world, 'otter')).toEqual(['0: 1-5', '5: 6-10'])
    expect(await faultOf(world.runtime.fork('otter', { at: 8 }))).toMatchObject({ code: 'R2060', data: { before: 3 } })
    doors.door().settle('paid')
    await world.host.drain(5)
    await run.message('amount', 7)
    expect(await faultOf(world.runtime.fork('otter', { at: 8 }))).toMatchObject({
      code: 'R2060',
      message: containing('the nearest points are otter@3 and otter@11'),
    })
    expect(doors.open.map(({ key }) => key)).toEqual(['otter:4'])
  })

  it('of an ended run are found from its last segment back', async () => {
    const { world, doors } = await told([1, 9, 3, 4, -1])
    expect((await world.store.runs())[0]?.status).toBe('failed')
    expect(await segmentsOf(world, 'otter')).toEqual(['0: 1-5', '5: 6-8'])
    expect(doors.open).toHaveLength(1)
    expect(await world.runtime.forkPoint('otter')).toBe('otter@3')
    expect(await faultOf(world.runtime.fork('otter'))).toMatchObject({ code: 'R2061', data: { before: 3 } })
    await world.store.pack('otter', 1)
    await world.store.forget('otter', 1, 'f00d')
    expect(await world.runtime.forkPoint('otter')).toBeUndefined()
  })
})

describe('a question that was closed', () => {
  it('is found from the last segment back to the one that opened it', async () => {
    const { run, store } = await told([7, 1, 2, 3])
    const [question] = [...run.state.waits.values()].filter(({ type }) => type === 'answer')
    const id = question?.id ?? ''
    const n = await run.answer(id, 'yes', 'ana')
    for (const amount of [4, 5, 6, 7, 8, 9, 10]) await run.message('amount', amount)
    const segment = vi.spyOn(store, 'segment')
    const journal = vi.spyOn(store, 'journal')
    expect(await faultOf(run.answer(id, 'no'))).toMatchObject({
      code: 'R2002',
      message: containing(`ana was first, with yes; record ${n} closed it`),
      data: { closed: n },
    })
    expect(await faultOf(run.answer('nothing', 'no'))).toMatchObject({ code: 'R2002', message: containing('has no open question nothing') })
    expect(segment.mock.calls.map(([, number]) => number)).toEqual([4, 3, 2, 4])
    expect(journal).not.toHaveBeenCalled()
  })

  it('in a segment that is gone is refused without its record', async () => {
    const { run, store } = await told([7, 1, 2, 3])
    const [question] = [...run.state.waits.values()].filter(({ type }) => type === 'answer')
    await run.answer(question?.id ?? '', 'yes', 'ana')
    for (const amount of [4, 5, 6, 7, 8, 9, 10]) await run.message('amount', amount)
    for (const number of [1, 2]) await store.pack('otter', number)
    await store.forget('otter', 2, 'f00d')
    const fault = await faultOf(run.answer(question?.id ?? '', 'no'))
    expect(fault).toMatchObject({ code: 'R2002', data: undefined })
  })
})
