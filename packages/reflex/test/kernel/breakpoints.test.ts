import { expect, test } from 'vitest'
import type { Json, Message, Run } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { textOf } from './probes/text.ts'
import { codeOf, kindOf, type Step, worldOf } from './world.ts'

type Next = Parameters<NonNullable<Parameters<Run['block']>[0]>>[0]

/** Ticks every 50 ms and takes messages on two topics. */
const ticks: Step = (x, input) => {
  const note = (what: Json) => x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), what])
  if (input === undefined) {
    x.timer(50)
    x.wait('message', 'a')
    return void x.wait('message', 'b')
  }
  if (input[0] === 'timer') {
    note('tick')
    return void x.timer(50)
  }
  if (input[0] !== 'message') return undefined
  note(input[2])
  return void x.wait('message', textOf(input[2]).charAt(0))
}

const isTick = (next: Next) => !('port' in next) && next.input?.[0] === 'timer'
const isMessage = (next: Next) => !('port' in next) && next.input?.[0] === 'message' && textOf(next.input[2]).startsWith('a')
const message = (id: string): Message => ({ id, type: 'message', to: id.charAt(0), body: id, at: 0 })

async function ticking(store = memoryStore()) {
  const world = worldOf([kindOf('ticks', ticks)], { store })
  const run = await world.start('ticks', { id: 'otter' })
  await run.idle()
  return { ...world, run, had: () => run.state.root.reader().get('had') ?? [] }
}

test('a tick is held when its time comes, and let through by hand, one at a time', async () => {
  const { run, host, had, runtime } = await ticking()
  run.block(isTick)
  await host.advance(1_000)
  expect([had(), run.status, run.atRest]).toEqual([[], 'suspended', true])
  expect(run.release()).toBe(true)
  expect(run.release()).toBe(false)
  expect(had()).toEqual(['tick'])
  await host.advance(1_000)
  expect(had()).toEqual(['tick'])
  run.block(undefined)
  while (run.release());
  await host.advance(100)
  expect(had()).toEqual(['tick', 'tick', 'tick', 'tick'])
  await runtime.close()
})

test('a time that is held wakes nobody', async () => {
  const { run, host, runtime } = await ticking()
  run.block(isTick)
  await host.advance(60)
  const times: number[] = []
  const at = host.at.bind(host)
  host.at = (time, callback, background) => (background === true || times.push(time), at(time, callback, background))
  await host.advance(10_000)
  expect(times).toEqual([])
  await runtime.close()
})

test('messages of a topic that is held keep their order, and others pass them', async () => {
  const { run, host, store, had, runtime } = await ticking()
  run.block(isMessage)
  void run.message('a', 'a1')
  await store.post('otter', message('a2'))
  await host.drain()
  void run.message('a', 'a3')
  await run.message('b', 'b1')
  await store.post('otter', message('b2'))
  await host.drain()
  expect(had()).toEqual(['b1', 'b2'])
  expect(run.release()).toBe(true)
  expect(had()).toEqual(['b1', 'b2', 'a1'])
  await host.drain()
  expect([run.release(), run.release(), run.release()]).toEqual([true, true, false])
  expect(had()).toEqual(['b1', 'b2', 'a1', 'a2', 'a3'])
  await run.idle()
  expect(await store.inbox('otter')).toEqual([])
  await runtime.close()
})

test('a cancellation passes what is held, and whoever sent a message that is held hears of it', async () => {
  const { run, host, store, runtime } = await ticking()
  run.block((next) => isTick(next) || isMessage(next))
  const sent = codeOf(run.message('a', 'a1'))
  await host.advance(100)
  await store.post('otter', { id: 'c1', type: 'cancel', to: '', body: 'enough', at: host.now() })
  await host.advance(1_000)
  expect([run.status, await sent]).toEqual(['cancelled', 'R2001'])
  await runtime.close()
})

test('what is held when a process leaves the run is taken by the next one', async () => {
  const store = memoryStore()
  const first = await ticking(store)
  first.run.block((next) => isTick(next) || isMessage(next))
  const sent = first.run.message('a', 'a1')
  await store.post('otter', message('a2'))
  await first.host.advance(60)
  await first.run.leave()
  expect(await sent).toBe(true)
  const second = worldOf([kindOf('ticks', ticks)], { store, at: first.host.now() })
  second.runtime.programs.add('ticks', 'main', {})
  const again = await second.runtime.resume('otter')
  await again.idle()
  expect(new Set(again.state.root.reader().get('had') as Json[])).toEqual(new Set(['a1', 'a2', 'tick']))
  await second.runtime.close()
})
