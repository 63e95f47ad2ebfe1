import { expect, test, vi } from 'vitest'
import { decodeBatch } from '../../src/kernel/journal/codec.ts'
import type { Rec } from '../../src/kernel/journal/record.ts'
import type { Kind } from '../../src/kernel/step/kind.ts'
import { dumpState, loadState, type StoredState } from '../../src/kernel/state/snapshot.ts'
import { State } from '../../src/kernel/state/state.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { beat } from './probes/beat.ts'
import { net } from './probes/net.ts'
import { Doors, kindOf, messageOf, type Step, type World, worldOf } from './world.ts'

const TICK = 50

/** The same kind, with segments of so many records. */
function sealing<Def>(kind: Kind<Def>, endless: number): Kind<Def> {
  return { ...kind, endless }
}

/** The segments of a run as `first-last`, the open one with a plus. */
async function shapes(store: Store, run = 'otter'): Promise<string[]> {
  return (await store.segments(run)).map(({ first, last, sealed }) => `${first}-${last}${sealed ? '' : '+'}`)
}

/** Folds each segment from the snapshot that opens it, and checks that the next one opens with exactly that state. */
async function foldSegments(store: Store, run = 'otter'): Promise<State> {
  let state = new State()
  for (const { number, opens } of await store.segments(run)) {
    const stored = await store.segment(run, number)
    const dumped = stored?.snapshot === undefined ? undefined : (JSON.parse(stored.snapshot.body) as StoredState)
    expect(dumped === undefined ? 0 : stored?.snapshot?.at).toBe(opens)
    if (dumped !== undefined) {
      expect(dumped).toEqual(dumpState(state, () => false))
      state = loadState(dumped)
    }
    for (const { version, body } of stored?.batches ?? []) for (const record of decodeBatch(version, body, () => '')) state.apply(record)
  }
  return state
}

function isSeal({ input }: Rec): boolean {
  return input?.[0] === 'kernel' && input[1] === 'seal'
}

async function beats({ host }: World, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await host.advance(TICK)
}

const TREE = { id: 'otter', source: { leaves: 6, changing: 2, everyMs: TICK } }

test('a run of an endless kind is sealed at rest, and each segment folds alone', async () => {
  const world = worldOf([sealing(beat, 5)])
  const run = await world.start('beat', TREE)
  await beats(world, 17)
  await run.idle()
  expect(await shapes(world.store)).toEqual(['1-6', '7-12', '13-18', '19-22+'])
  const records = await world.runtime.journal('otter')
  expect(records.flatMap((record, i) => (isSeal(record) ? [i + 1] : []))).toEqual([6, 12, 18])
  expect(records.filter(isSeal).map(({ frame, elapsed }) => [frame, elapsed])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ])
  expect(dumpState(await foldSegments(world.store), () => false)).toEqual(dumpState(run.state, () => false))
  const whole = new State()
  for (const record of records) whole.apply(record)
  expect(dumpState(whole, () => false)).toEqual(dumpState(run.state, () => false))
  await world.runtime.close()
})

test('a seal changes only the number of the state', () => {
  const { state, seal } = atSeal()
  const before = dumpState(state, () => true)
  state.apply(seal)
  expect(dumpState(state, () => true)).toEqual({ ...before, n: before.n + 1, sealed: before.n + 1 })
})

function atSeal(): { readonly state: State; readonly seal: Rec } {
  const empty = { elapsed: 0, writes: undefined, position: undefined, requests: undefined, more: undefined } as const
  const state = new State()
  const start = { v: 3, run: 'otter', trace: '0', seed: '1', at: 0, pins: [['a:a', 'a', 1, '0']] } as const
  state.apply({ ...empty, frame: 0, input: ['kernel', 'start'], more: { start } })
  state.apply({ ...empty, frame: 0, input: undefined, requests: [['read']], writes: ['key', 1], more: { wait: [['answer', 'q']] } })
  return { state, seal: { ...empty, frame: 0, input: ['kernel', 'seal'] } }
}

test('a process that resumes a run reads its last segment only, and seals after the same number of records', async () => {
  const store = memoryStore()
  const first = worldOf([sealing(beat, 5)], { store })
  await first.start('beat', TREE)
  await beats(first, 12)
  await first.runtime.close()
  expect(await shapes(store)).toEqual(['1-6', '7-12', '13-16+'])
  const read = vi.spyOn(store, 'read')
  const journal = vi.spyOn(store, 'journal')
  const second = worldOf([sealing(beat, 5)], { store, at: first.host.now() })
  const run = await second.runtime.resume('otter')
  expect(journal).not.toHaveBeenCalled()
  expect(read.mock.results.map(({ value }) => (value as { snapshot: { at: number } }).snapshot.at)).toEqual([12])
  await beats(second, 3)
  await run.idle()
  expect(await shapes(store)).toEqual(['1-6', '7-12', '13-18', '19-20+'])
  await foldSegments(store)
  await second.runtime.close()
})

test('effects in flight and open waits stay over a seal, and are met in a later segment', async () => {
  const doors = new Doors()
  const step: Step = (x, input) => {
    if (input === undefined) {
      x.request('door', ['kept'])
      x.wait('answer', 'question')
    } else if (input[0] === 'ok' || input[0] === 'answer') x.set(input[0], input[2])
    if (input === undefined || input[0] === 'timer') x.timer(TICK)
    if (x.has('ok') && x.has('answer')) x.done(null)
  }
  const world = worldOf([kindOf('keeps', step, { endless: 4 })], { ports: { door: doors.port(true, 'keyed') } })
  const run = await world.start('keeps', { id: 'otter' })
  await beats(world, 9)
  expect((await shapes(world.store)).length).toBeGreaterThan(2)
  await foldSegments(world.store)
  doors.door(0).settle('arrived')
  const [question] = [...run.state.waits.values()].filter(({ type }) => type === 'answer')
  await run.answer(question?.id ?? 0, 'yes')
  await run.idle({ until: 'end' })
  expect(run.state.root.reader().snapshot()).toMatchObject({ ok: 'arrived', answer: 'yes' })
  await world.runtime.close()
})

test('a run that never rests is sealed between two inputs once its segment has twice its size', async () => {
  const counts = kindOf('counts', (x, input) => {
    x.set('events', Number(x.get('events') ?? -1) + 1)
    if (input?.[0] !== 'message') x.wait('message', 'event', { stays: true })
  })
  const world = worldOf([sealing(counts, 10)])
  const run = await world.start('counts', { id: 'otter' })
  await run.idle()
  for (let i = 0; i < 100; i++)
    await world.store.post('otter', { id: `m${i}`, type: 'message', to: 'event', body: { amount: i }, at: world.host.now() })
  await run.pull()
  await run.idle()
  expect(run.state.root.reader().get('events')).toBe(100)
  const segments = await world.store.segments('otter')
  expect(segments.filter(({ sealed }) => sealed).map(({ first, last }) => last - first + 1)).toEqual([21, 21, 21, 21, 21])
  await foldSegments(world.store)
  await world.runtime.close()
})

test('a run without a store, an idle fork, and a run that ends or is cancelled are not sealed', async () => {
  const bare = worldOf([sealing(beat, 5)], { store: 'none' })
  const unstored = await bare.start('beat', TREE)
  await beats(bare, 20)
  expect(unstored.records.some(isSeal)).toBe(false)

  const world = worldOf([
    sealing(beat, 5),
    sealing(
      kindOf('ends', (x) => x.done(null)),
      1,
    ),
  ])
  const ended = await world.start('ends', { id: 'ends' })
  await ended.idle()
  const run = await world.start('beat', TREE)
  await beats(world, 2)
  await world.runtime.fork('otter', { id: 'fork' })
  await run.cancel('enough')
  await run.idle()
  for (const id of ['ends', 'otter', 'fork']) expect((await world.runtime.journal(id)).some(isSeal), id).toBe(false)
  await world.runtime.close()
})

test('a run whose state is too large for a text goes on without a seal, and is sealed once it fits', async () => {
  const world = worldOf([sealing(beat, 5)])
  const run = await world.start('beat', TREE)
  const stringify = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    if (typeof value === 'object' && value !== null && 'frames' in value) throw new RangeError('Invalid string length')
    return original(value)
  })
  await beats(world, 12)
  stringify.mockRestore()
  await beats(world, 4)
  await run.idle()
  expect(await shapes(world.store)).toEqual(['1-16', '17-19+'])
  await foldSegments(world.store)
  await world.runtime.close()
})

const original = JSON.stringify

test('a message is known by its id in the segment that took it and in the next one', async () => {
  const world = worldOf([sealing(net, 4)])
  const run = await world.start('net', { id: 'otter', source: { topic: 'event', nodes: 2 } })
  await run.idle()
  const send = async (id: string) => run.message('event', { amount: 1 }, { id })
  const told: boolean[] = []
  for (let i = 0; i < 8; i++) {
    await send(`m${i}`)
    await run.idle()
    told.push(await send('m0'))
  }
  expect(told.slice(0, 4)).toEqual([false, false, false, false])
  expect(told).toContain(true)
  await world.runtime.close()
})

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a kind cannot have segments of %d records: R2131', (endless) => {
  expect(messageOf(() => worldOf([sealing(beat, endless)]))).toContain(`segments of ${endless} records`)
})
