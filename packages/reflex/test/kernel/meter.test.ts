import { describe, expect, test } from 'vitest'
import {
  copyJson,
  decodeBatch,
  dumpState,
  encodeRecord,
  type Json,
  type Kind,
  loadState,
  type Port,
  type Rec,
  type RunFacts,
  Runtime,
  State,
  type StoredState,
} from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'

/** Each request uses what its arguments say; a reply may lie in any way. */
const paid: Port = {
  leaves: false,
  repeat: 'free',
  perform: ({ args }) => args ?? null,
  used: (result) => result as { readonly tokens?: number },
}

/** Spends, then calls the program of its arguments or spawns two strands, then asks, then ends. */
const spender: Kind<{
  readonly tokens: number
  readonly calls?: string
  readonly spawns?: true
  readonly asks?: true
  readonly limit?: number
}> = {
  name: 'spender',
  rev: 1,
  compile: (source) => source as { readonly tokens: number },
  calls: ({ calls }) => (calls === undefined ? [] : [calls]),
  limits: ({ limit }) => (limit === undefined ? undefined : { tokens: limit }),
  step(x, input) {
    const seen = x.meter
    const ends = (): void => x.done({ run: seen.run.tokens, own: seen.program(x.frame).tokens, steps: seen.run.steps })
    if (x.position === undefined) {
      x.enter()
      x.go('spend')
      x.request('paid', { tokens: x.def.tokens, calls: 1 })
    } else if (input?.[0] === 'ok' && x.def.calls !== undefined) x.call(x.def.calls)
    else if (input?.[0] === 'ok' && x.def.spawns === true && x.frame.link?.role !== 'strand') {
      x.go('fork')
      x.spawn(null)
      x.spawn(null)
    } else if (input?.[0] === 'ok' && x.def.asks === true) x.wait('answer', 'more?')
    else if (input?.[0] !== 'end' || (x.frame.strands?.size ?? 0) === 0) ends()
  },
}

async function ran(programs: Readonly<Record<string, object>>, name: string, options: { readonly by?: object } = {}) {
  const host = virtualHost()
  const store = memoryStore()
  const runtime = new Runtime({ kinds: [spender], ports: { paid }, host, store, worker: { id: 'w', host: 'test', pid: 0 } })
  for (const [id, source] of Object.entries(programs)) runtime.programs.add('spender', id, copyJson(source, 'source'), {})
  const program = runtime.programs.find(`spender:${name}`)
  if (program === undefined) throw new Error('no program')
  const run = await runtime.start(program, {
    id: 'otter',
    // A journal may be somebody else's: its limits may be nonsense.
    ...(options.by === undefined ? {} : { settings: copyJson(options.by, 'by') as unknown as RunFacts }),
  })
  await host.drain()
  return { run, runtime, host, store }
}

const folded = (records: readonly Rec[]): State => {
  const state = new State()
  for (const record of records) state.apply(record)
  return state
}

describe('the meter of a run', () => {
  test('counts what ports state, by run and by program: a program counts those that it called', async () => {
    const { run, runtime } = await ran({ outer: { tokens: 5, calls: 'spender:inner' }, inner: { tokens: 7 } }, 'outer')
    expect(run.state.ended?.value).toEqual({ run: 12, own: 12, steps: 2 })
    const records = await runtime.journal('otter')
    expect(records.flatMap(({ input }) => (input?.[0] === 'ret' ? [input[3]] : []))).toEqual([undefined])
    const inner = records.find(({ frame, more }) => frame !== 0 && more?.return !== undefined)
    expect(inner?.more?.return?.[1]).toEqual({ run: 12, own: 7, steps: 2 })
    expect(run.state.meter.run).toEqual({ tokens: 12, cost: 0, time: 0, steps: 2, calls: 2, unpriced: 0 })
  })

  test('strands of a program count for it while they run and once they have ended', async () => {
    const { run } = await ran({ wide: { tokens: 5, spawns: true } }, 'wide')
    expect(run.state.ended?.value).toEqual({ run: 15, own: 15, steps: 3 })
  })

  test('is the same live, folded from the journal, and loaded from a snapshot at every record', async () => {
    const { run, runtime } = await ran({ outer: { tokens: 5, calls: 'spender:inner' }, inner: { tokens: 7, spawns: true } }, 'outer')
    const records = await runtime.journal('otter')
    const whole = JSON.stringify(dumpState(run.state, () => true))
    expect(JSON.stringify(dumpState(folded(records), () => true))).toBe(whole)
    for (let at = 1; at <= records.length; at++) {
      const state = loadState(JSON.parse(JSON.stringify(dumpState(folded(records.slice(0, at)), () => true))) as StoredState)
      for (const record of records.slice(at)) state.apply(record)
      expect(state.meter.run).toEqual(run.state.meter.run)
    }
  })

  test('a snapshot of an earlier release, which has no meter, is not used: the journal is folded from its beginning', async () => {
    const { run, runtime, store } = await ran({ asks: { tokens: 5, asks: true } }, 'asks')
    const records = await runtime.journal('otter')
    const { meter: _, ...older } = dumpState(folded(records.slice(0, 3)), () => true)
    const read = store.read.bind(store)
    store.read = async (id) => {
      const stored = await read(id)
      return stored === undefined
        ? undefined
        : { ...stored, snapshot: { at: 3, body: JSON.stringify(older) }, batches: stored.batches.slice(-1) }
    }
    expect((await runtime.peek('otter')).state.meter.run).toEqual(run.state.meter.run)
  })

  test('counts no time while a run waits for people alone', async () => {
    const { run, host } = await ran({ asks: { tokens: 1, asks: true } }, 'asks')
    await host.advance(60_000)
    await run.answer([...run.state.waits.keys()][0] ?? '', 'yes')
    await host.drain()
    expect([run.state.time - (run.state.start?.at ?? 0), run.state.meter.run.time]).toEqual([60_000, 0])
  })

  test('has the limits of the start, and says which are used up', async () => {
    const { run } = await ran({ asks: { tokens: 9, asks: true } }, 'asks', {
      by: { limits: { tokens: 9, cost: -1, time: 'soon', steps: 5 } },
    })
    expect([run.state.meter.limits, run.state.meter.reached]).toEqual([{ tokens: 9, steps: 5 }, ['tokens']])
  })

  test('takes nothing back: amounts below 0, and what is no number, count as nothing', async () => {
    for (const tokens of [-5, Number.MAX_VALUE, 'many']) {
      const { run } = await ran({ odd: { tokens } }, 'odd')
      expect(run.state.meter.run.tokens).toBe(tokens === Number.MAX_VALUE ? Number.MAX_SAFE_INTEGER : 0)
    }
  })
})

test('a step is one bit of the head of its record, and costs no part', () => {
  const record: Rec = { frame: 0, elapsed: 0, input: undefined, writes: undefined, position: 'a', requests: [['p']], more: undefined }
  const [plain, step] = [encodeRecord(record).text, encodeRecord({ ...record, step: true }).text]
  expect([plain, step]).toEqual(['[48,"a",[["p"]]]', '[560,"a",[["p"]]]'])
  expect(decodeBatch(3, `[${plain},${step}]`, () => '').map((one) => one.step)).toEqual([undefined, true])
})

test.each<[string, Json]>([
  ['a list', ['ok', 1, 'x', []]],
  ['a number', ['err', 1, {}, 5]],
])('a usage that is %s makes no record', (_, input) => {
  expect(() => decodeBatch(3, JSON.stringify([[4, input]]), () => '')).toThrow(expect.objectContaining({ code: 'R5003' }))
})

test('a journal below format 3 counts by its results and positions, and needs no bit', () => {
  const start = { v: 2, run: 'r', trace: '', seed: '', at: 0, pins: [['w:a', 'w', 1, '']] as const, by: { limits: { tokens: 50 } } }
  const base = { frame: 0, elapsed: 0, input: undefined, writes: undefined, position: undefined, requests: undefined, more: undefined }
  const state = folded([
    { ...base, input: ['kernel', 'start'], more: { start } },
    { ...base, position: 'a', requests: [['decide']] },
    { ...base, input: ['ok', 2, ['to-b', 0, { used: { input: 30, output: 20, usd: 0.5 } }]], position: 'b', requests: [['decide']] },
    { ...base, input: ['hold', 3, 'engine:budget', {}], more: { wait: [['answer', 'engine:budget']], asks: 3 } },
    { ...base, elapsed: 100, input: ['answer', '4w', 'raise'], more: { repeat: 3 } },
    { ...base, elapsed: 10, input: ['err', 3, { code: 'R1', data: { used: { input: 1, output: 2 } } }], position: ['b', 1] },
  ])
  expect(state.meter.run).toEqual({ tokens: 53, cost: 0.5, time: 10, steps: 2, calls: 2, unpriced: 3 })
  expect(state.meter.limits).toEqual({ tokens: 100 })
})
