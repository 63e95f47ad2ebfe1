import { describe, expect, test } from 'vitest'
import { type Json, loadState, replay, type Rec, type Run, State, type StoredState } from '../../src/kernel/index.ts'
import { dumpState } from '../../src/kernel/state/snapshot.ts'
import { memoryStore } from '../../src/store/index.ts'
import { failure, kindOf, type Step, worldOf } from './world.ts'

const had = (run: Run): Json => run.state.root.reader().get('had') ?? []
const note = (x: Parameters<Step>[0], what: Json) => x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), what])
const fold = (records: readonly Rec[]): State => {
  const state = new State()
  for (const record of records) state.apply(record)
  return state
}
const dump = (state: State) => JSON.stringify(dumpState(state, () => false))

/** Takes messages, one at a time, until it is told to stop. */
const takes: Step = (x, input) => {
  if (input === undefined) return void [x.wait('message', 'event', { stays: true }), x.wait('answer', 'q')]
  if (input[0] !== 'message') return undefined
  if (input[2] === 'stop') return x.done(x.get('had'))
  if (input[2] === 'drop') return x.drop(input[1])
  return note(x, input[2])
}

/** Ticks every 50 ms, and notes the time of each tick since its start. */
const ticks: Step = (x, input) => {
  if (input === undefined) {
    x.go(x.now)
    x.wait('message', 'event', { stays: true })
    return void x.wait('timer', 'tick', { every: 50 })
  }
  return note(x, input[0] === 'timer' ? x.now - Number(x.position) : input[0])
}

describe('a wait for messages that stays', () => {
  test('takes every message without a new wait in the record', async () => {
    const { start, runtime } = worldOf([kindOf('takes', takes)])
    const run = await start('takes', { id: 'otter' })
    for (const body of ['a', 'b', 'c']) await run.message('event', body)
    expect([had(run), [...run.state.waits.keys()]]).toEqual([
      ['a', 'b', 'c'],
      ['2w', '2w1'],
    ])
    const { records } = await runtime.history('otter')
    expect(records.slice(2).map(({ input, more }) => [input?.[1], more])).toEqual(Array.from({ length: 3 }, () => ['2w', undefined]))
    await run.message('event', 'stop')
    expect(run.state.ended?.value).toEqual(['a', 'b', 'c'])
    await runtime.close()
  })

  test('ends when it is dropped; later messages wait in the inbox', async () => {
    const { start, runtime, store } = worldOf([kindOf('takes', takes)])
    const run = await start('takes', { id: 'otter' })
    await run.message('event', 'a')
    await run.message('event', 'drop')
    await run.message('event', 'late')
    expect([had(run), [...run.state.waits.keys()]]).toEqual([['a'], ['2w1']])
    expect((await store.inbox('otter')).map(({ body }) => body)).toEqual(['late'])
    await runtime.close()
  })

  test('keeps its place among the waits after a restart and in a snapshot', async () => {
    const store = memoryStore()
    const first = worldOf([kindOf('ticks', ticks)], { store })
    const run = await first.start('ticks', { id: 'otter' })
    await run.message('event', 'a')
    await first.host.advance(60)
    await run.leave()
    const second = worldOf([kindOf('ticks', ticks)], { store, at: first.host.now() })
    const again = await second.runtime.resume('otter')
    await again.message('event', 'b')
    expect(had(again)).toEqual(['message', 50, 'message'])
    const { records, state } = await second.runtime.history('otter')
    expect(dump(state)).toBe(dump(fold(records)))
    for (let n = 1; n <= records.length; n++) {
      const part = fold(records.slice(0, n))
      expect(dump(loadState(JSON.parse(dump(part)) as StoredState))).toBe(dump(part))
    }
    await second.runtime.close()
  })
})

describe('a timer with every', () => {
  test('fires at the multiples of its time, and lists show the next one', async () => {
    const { start, host, runtime, store } = worldOf([kindOf('ticks', ticks)])
    const run = await start('ticks', { id: 'otter' })
    const began = host.now()
    for (let i = 0; i < 4; i++) await host.advance(50)
    expect(had(run)).toEqual([50, 100, 150, 200])
    await run.idle()
    const [row] = await store.runs({ prefix: 'otter' })
    const [, timer] = row?.waits ?? []
    expect([row?.due, timer?.due, timer?.every]).toEqual([began + 250, began + 250, 50])
    await runtime.close()
  })

  test('fires once for all times that a pause has missed, and then at its multiples again', async () => {
    const store = memoryStore()
    const first = worldOf([kindOf('ticks', ticks)], { store })
    const run = await first.start('ticks', { id: 'otter' })
    await first.host.advance(50)
    await run.leave()
    const second = worldOf([kindOf('ticks', ticks)], { store, at: first.host.now() + 1_020 })
    const again = await second.runtime.resume('otter')
    expect(had(again)).toEqual([50, 1_070])
    await second.host.advance(29)
    expect(had(again)).toEqual([50, 1_070])
    await second.host.advance(1)
    expect(had(again)).toEqual([50, 1_070, 1_100])
    await second.runtime.close()
  })

  test('that is held by a breakpoint fires once when it is released', async () => {
    const { start, host, runtime } = worldOf([kindOf('ticks', ticks)])
    const run = await start('ticks')
    run.block((next) => !('port' in next) && next.input?.[0] === 'timer')
    await host.advance(220)
    expect(had(run)).toEqual([])
    expect([run.release(), run.release()]).toEqual([true, false])
    expect(had(run)).toEqual([220])
    run.block(undefined)
    await host.advance(80)
    expect(had(run)).toEqual([220, 250, 300])
    await runtime.close()
  })

  test('comes before a message that was sent after its time', async () => {
    const store = memoryStore()
    const first = worldOf([kindOf('ticks', ticks)], { store })
    const run = await first.start('ticks', { id: 'otter' })
    await run.leave()
    const now = first.host.now()
    await store.post('otter', { id: 'm1', type: 'message', to: 'event', body: 1, at: now + 10 })
    await store.post('otter', { id: 'm2', type: 'message', to: 'event', body: 2, at: now + 60 })
    const second = worldOf([kindOf('ticks', ticks)], { store, at: now + 70 })
    expect(had(await second.runtime.resume('otter'))).toEqual(['message', 70, 'message'])
    await second.runtime.close()
  })

  test.each([
    ['a question that stays', (x: Parameters<Step>[0]) => x.wait('answer', 'q', { stays: true }), 'only waits for messages'],
    ['a message every second', (x: Parameters<Step>[0]) => x.wait('message', 'q', { every: 1_000 }), 'only timers have "every"'],
    ['no time at all', (x: Parameters<Step>[0]) => x.wait('timer', 'q', { every: 0 }), 'every must be a whole number above 0'],
    [
      'longer than time',
      (x: Parameters<Step>[0]) => x.wait('timer', 'q', { every: 8.64e15 + 1 }),
      'every must be at most 8640000000000000',
    ],
    ['no due time', (x: Parameters<Step>[0]) => x.wait('timer', 'q', { due: Number.NaN, every: 5 }), 'due is NaN'],
    ['a text as due time', (x: Parameters<Step>[0]) => x.wait('answer', 'q', { due: '5' as never }), 'due is 5'],
    ['a question without end', (x: Parameters<Step>[0]) => x.wait('answer', 'q', { due: Infinity }), 'due is Infinity'],
    ['due before time', (x: Parameters<Step>[0]) => x.wait('message', 'q', { due: -1e300 }), 'due is -1e+300'],
    ['due after time', (x: Parameters<Step>[0]) => x.timer(8.64e15), 'it must be a time in milliseconds'],
    ['half a message', (x: Parameters<Step>[0]) => x.wait('message', 'q', { most: 1.5 }), 'most must be a whole number above 0'],
    ['bytes of one message', (x: Parameters<Step>[0]) => x.wait('message', 'q', { bytes: 10 }), '"bytes" needs "most"'],
  ])('is refused as %s', async (_, open, why) => {
    const { start, runtime } = worldOf([kindOf('opens', (x) => void open(x))])
    const run = await start('opens')
    await run.idle()
    expect(failure(run)).toMatchObject({ code: 'R9001', message: expect.stringContaining(why) as string })
    await runtime.close()
  })
})

/** Ticks every 50 ms; a tick on which no message has come since the last one is skipped. */
const idles: Step = (x, input) => {
  if (input === undefined) {
    x.wait('message', 'event', { stays: true })
    x.go([x.now, 0])
    return void x.wait('timer', 'tick', { every: 50 })
  }
  const [began = 0, waiting = 0] = x.position as number[]
  if (input[0] === 'message') return x.go([began, waiting + 1])
  if (waiting === 0) return x.skip()
  x.go([began, 0])
  return note(x, [x.now - began, waiting])
}

describe('a skipped step', () => {
  test('leaves no record and no commit, and its time counts with the next record', async () => {
    let commits = 0
    const inner = memoryStore()
    const store = new Proxy(inner, {
      get: (target, name: keyof typeof inner) => {
        if (name === 'commit') return (batches: Parameters<typeof inner.commit>[0]) => (commits++, target.commit(batches))
        const member = target[name]
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })
    const { start, host, runtime } = worldOf([kindOf('idles', idles)], { store })
    const run = await start('idles', { id: 'otter' })
    await run.idle()
    const [n, before] = [run.state.n, commits]
    for (let i = 0; i < 200; i++) await host.advance(50)
    expect([run.state.n, commits]).toEqual([n, before])
    await run.message('event', 1)
    await host.advance(50)
    expect(had(run)).toEqual([[10_050, 1]])
    await run.idle()
    const { records, state } = await runtime.history('otter')
    expect([records.length, state.time - (state.start?.at ?? 0)]).toEqual([n + 2, 10_050])
    expect(replay(records, runtime.programs).difference).toBeUndefined()
    await runtime.close()
  })

  test('counts on the meter', async () => {
    const step: Step = (x, input) => {
      if (input === undefined) return void [x.go(x.now), x.wait('timer', 'tick', { every: 50 })]
      return x.now - Number(x.position) < 5_000 ? x.skip() : x.done(x.meter.run.time)
    }
    const { start, host, runtime } = worldOf([kindOf('counts', step)])
    const run = await start('counts')
    for (let i = 0; i < 100; i++) await host.advance(50)
    expect([run.state.n, run.state.ended?.value, run.state.meter.time]).toEqual([3, 5_000, 5_000])
    await runtime.close()
  })

  test('moves the time in the store when the process leaves the run, so that no worker opens it at once', async () => {
    const store = memoryStore()
    const first = worldOf([kindOf('idles', idles)], { store })
    const run = await first.start('idles', { id: 'otter' })
    const { n } = run.state
    await first.host.advance(1_010)
    await run.leave()
    expect(run.state.n).toBe(n + 1)
    const now = first.host.now()
    expect([await store.due(now), await store.due(now + 40)]).toEqual([[], ['otter']])
    const second = worldOf([kindOf('idles', idles)], { store, at: now })
    const again = await second.runtime.resume('otter')
    await second.host.advance(100)
    expect(again.state.n).toBe(n + 1)
    const { records } = await second.runtime.history('otter')
    expect([records.at(-1)?.input?.slice(0, 2), replay(records, second.runtime.programs).difference]).toEqual([
      ['kernel', 'skipped'],
      undefined,
    ])
    await second.runtime.close()
  })

  test('that comes again after a crash is skipped again', async () => {
    const store = memoryStore()
    const first = worldOf([kindOf('idles', idles)], { store })
    const run = await first.start('idles', { id: 'otter' })
    await run.idle()
    const { n } = run.state
    await first.host.advance(1_010)
    run.close()
    const second = worldOf([kindOf('idles', idles)], { store, at: first.host.now() })
    const again = await second.runtime.resume('otter')
    await second.host.advance(100)
    expect(again.state.n).toBe(n)
    await second.runtime.close()
  })

  test.each<[string, Step]>([
    ['that has written', (x) => x.set('key', 1)],
    ['that has moved', (x) => x.go('there')],
    ['that has requested', (x) => void x.request('out')],
    ['that has opened a wait', (x) => void x.timer(10)],
    ['that has noted', (x) => x.note('seen')],
    ['that has drawn', (x) => void x.random()],
  ])('%s fails', async (_, act) => {
    const step: Step = (x, input) => {
      if (input?.[0] !== 'timer') return void x.wait('timer', 'tick', { every: 50 })
      act(x, input)
      return x.skip()
    }
    const { start, host, runtime } = worldOf([kindOf('skips', step)])
    const run = await start('skips')
    await host.advance(50)
    expect(failure(run)).toMatchObject({ code: 'R9001', message: expect.stringContaining('has changed or drawn something') as string })
    await runtime.close()
  })

  test('fails on anything else than a timer that stays', async () => {
    const step: Step = (x, input) => (input === undefined ? void x.timer(50) : x.skip())
    const { start, host, runtime } = worldOf([kindOf('skips', step)])
    const run = await start('skips')
    await host.advance(50)
    expect(failure(run).message).toContain('not on a timer with "every"')
    await runtime.close()
  })
})
