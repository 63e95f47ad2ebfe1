import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/kernel/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { Doors } from '../kernel/world.ts'
import { LEASE, type Life, PLACES } from './workers.ts'

const message = (id: string, more: Partial<Message>): Message => ({ id, type: 'message', to: 't', body: null, at: 0, ...more })

/** A run that its process leaves as it rests. */
async function left(life: Life, id: string, source: object): Promise<void> {
  const handle = await life.reflex.start(life.program('waits', source), { id })
  await handle.run.idle()
  handle.close()
}

/** How many runs a process holds. */
const held = ({ reflex }: Life): number => reflex.runtime.openRuns.size

describe.each(PLACES)('a worker over runs %s', (_, place) => {
  test('carries on a run whose time has come, and lets go of it', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'otter', { times: [60_000, 90_000], many: 2 })
    const began = host.now()
    const { words } = life.works()
    await host.advance(59_000)
    expect(words()).toEqual([])
    await host.advance(1_600)
    expect(words()).toEqual(['took otter', 'left otter suspended 1'])
    expect(held(life)).toBe(0)
    await host.advance(30_000)
    expect(words().slice(2)).toEqual(['took otter', 'left otter completed 1'])
    const { row, value } = await life.reflex.trace('otter').then(({ row }) => ({ row, value: row.value }))
    expect(value).toEqual(['timer 2w', 'timer 2w1'])
    expect(row.updated - began).toBeLessThanOrEqual(90_500)
  })

  test('takes an answer that was left in the inbox, once', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'otter', { questions: ['a', 'b'], many: 2 })
    const { words } = life.works()
    await host.advance(1_000)
    await life.reflex.answer('otter/q2', 'yes', { run: false, by: 'bea' })
    await host.advance(60_000)
    expect(words()).toEqual(['took otter', 'left otter suspended 1'])
    expect((await life.reflex.question('otter')).id).toBe('otter/q1')
  })

  test('takes a message that is waited for, and is not kept busy by one that nobody waits for', async () => {
    const host = virtualHost()
    const life = place().live(host)
    const { store } = life.reflex
    await left(life, 'otter', { topics: ['t'], questions: ['a'], many: 2 })
    await store.post('otter', message('m1', { to: 'nobody waits' }))
    const { words } = life.works()
    await host.advance(60_000)
    expect(words()).toEqual([])
    await store.post('otter', message('m2', { body: 'hello' }))
    await host.advance(60_000)
    expect(words()).toEqual(['took otter', 'left otter suspended 1'])
    expect((await store.inbox('otter')).map(({ id }) => id)).toEqual(['m1'])
  })

  test('takes answers and cancellations also while an effect is under way', async () => {
    const host = virtualHost()
    const doors = new Doors()
    const life = place().live(host, { door: doors.port() })
    const run = await life.reflex.start(life.program('acts', { port: 'door' }), { id: 'otter' })
    await host.drain()
    await run.run.leave()
    const { words } = life.works()
    await host.advance(1_000)
    expect(words()).toEqual(['took otter'])
    await life.reflex.store.post('otter', message('c1', { type: 'cancel', to: '', body: 'enough' }))
    await host.advance(1_000)
    expect(doors.door().signal.aborted).toBe(true)
    expect(words().at(-1)).toMatch(/^left otter cancelled/)
  })

  test('shares the runs with others: each is carried on by one of them, and no answer is lost', async () => {
    const host = virtualHost()
    const shared = place()
    const lives = [1, 2, 3].map(() => shared.live(host, {}, process.pid))
    const [first] = lives
    if (first === undefined) throw new Error('no life')
    const ids = Array.from({ length: 40 }, (_, i) => `run-${i}`)
    for (const id of ids) await left(first, id, { questions: ['a', 'b'], many: 2 })
    const workers = lives.map((life) => life.works({ maxRuns: 5 }))
    for (const question of ['q1', 'q2']) {
      for (const id of ids) await first.reflex.answer(`${id}/${question}`, question, { run: false })
      await host.advance(10_000)
    }
    const done = workers.flatMap(({ words }) => words()).filter((word) => /^left .* [1-9]\d*$/.test(word))
    expect(done.length).toBe(80)
    expect(new Set(done).size).toBe(80)
    for (const row of await first.reflex.runs()) expect(row).toMatchObject({ status: 'completed', value: ['answer 2w', 'answer 2w1'] })
    expect(workers.flatMap(({ events }) => events).filter(({ did }) => did === 'failed')).toEqual([])
    expect(lives.map(held)).toEqual([0, 0, 0])
  })

  test('takes over within two lease times what a process left that died, under the same key; one that only slept is told so', async () => {
    const host = virtualHost()
    const shared = place()
    const doors = new Doors()
    const slept = shared.live(host, { door: doors.port(true, 'keyed') })
    const other = shared.live(host, { door: doors.port(true, 'keyed') })
    const run = await slept.reflex.start(slept.program('acts', { port: 'door' }), { id: 'otter' })
    await host.drain()
    await run.run.leave()
    const sleeper = slept.works()
    await host.advance(1_000)
    expect(sleeper.words()).toEqual(['took otter'])
    const heir = other.works()
    await host.advance(3 * LEASE)
    expect(heir.words()).toEqual([])

    slept.cable.cut = true
    const died = host.now()
    while (heir.words().length === 0) await host.advance(100)
    expect(host.now() - died).toBeLessThanOrEqual(2 * LEASE)
    expect(new Set(doors.open.map(({ key }) => key))).toEqual(new Set(['otter:2']))
    const [, mine, theirs] = doors.open

    slept.cable.cut = false
    mine?.settle('late')
    await host.advance(1_000)
    expect(sleeper.words().slice(-1)).toEqual(['failed otter R5002'])
    theirs?.settle('in time')
    await host.advance(1_000)
    expect(heir.words()).toEqual(['took otter', 'left otter completed 1'])
    expect((await other.reflex.find('otter')).value).toBe('in time')
  })

  test('tells once in a while of a run that cannot be opened, leaves it is, and goes on once it can be', async () => {
    const host = virtualHost()
    const shared = place()
    await left(shared.live(host), 'otter', { times: [1_000] })
    const life = shared.live(host)
    const before = await life.reflex.find('otter')
    life.cable.lost = true
    const { words } = life.works()
    await host.advance(120_000)
    expect(new Set(words())).toEqual(new Set(['failed otter R5006']))
    expect(words().length).toBeLessThan(10)
    expect(await life.reflex.find('otter')).toEqual(before)
    life.cable.lost = false
    await host.advance(30_500)
    expect(words().slice(-2)).toEqual(['took otter', 'left otter completed 1'])
  })

  test('outlives a store that is away for a while', async () => {
    const host = virtualHost()
    const doors = new Doors()
    const life = place().live(host, { door: doors.port() })
    const run = await life.reflex.start(life.program('acts', { port: 'door' }), { id: 'otter' })
    await host.drain()
    await run.run.leave()
    await left(life, 'newt', { times: [10_000] })
    const { words } = life.works()
    await host.advance(1_000)
    life.cable.cut = true
    doors.door().settle('nobody hears it')
    await host.advance(120_000)
    const failed = words().filter((word) => word.startsWith('failed'))
    expect(new Set(failed)).toEqual(new Set(['failed otter R5005', 'failed the store R9002']))
    expect(failed.length).toBeLessThan(10)
    life.cable.cut = false
    await host.advance(LEASE + 30_000)
    expect(await life.reflex.find('newt')).toMatchObject({ status: 'completed' })
    doors.door().settle('heard')
    await host.advance(1_000)
    expect(await life.reflex.find('otter')).toMatchObject({ status: 'completed', value: 'heard' })
  })

  test('told to end in the middle of effects, it leaves its runs to whoever comes', async () => {
    const host = virtualHost()
    const shared = place()
    const doors = new Doors()
    const life = shared.live(host, { door: doors.port(true, 'keyed'), ask: doors.port(true, 'ask') })
    for (const port of ['door', 'ask']) {
      const run = await life.reflex.start(life.program('acts', { port }), { id: port })
      await host.drain()
      if (port === 'door') await run.run.leave()
    }
    const { words, stop } = life.works()
    await host.advance(1_000)
    expect(words()).toEqual(['took door'])
    await stop()
    expect(words()).toEqual(['took door', 'left door running 0'])
    expect(doors.door().signal.aborted).toBe(true)
    expect(await life.reflex.find('door')).toMatchObject({ status: 'running', owner: null })
    expect([...life.reflex.runtime.openRuns.keys()]).toEqual(['ask'])

    const next = shared.live(host, { door: doors.port(true, 'keyed') }).works()
    await host.advance(1_000)
    expect(next.words()).toEqual(['took door'])
    expect(doors.open.map(({ key }) => key)).toEqual(['door:2', 'ask:2', 'door:2', 'door:2'])
  })

  test('told to end with a time of grace, it lets effects under way end, and gives up what takes longer', async () => {
    const host = virtualHost()
    const shared = place()
    const doors = new Doors()
    const life = shared.live(host, { door: doors.port(true, 'keyed') })
    for (const id of ['quick', 'slow']) {
      const run = await life.reflex.start(life.program('acts', { port: 'door' }), { id })
      await host.drain()
      await run.run.leave()
    }
    const { words, stop } = life.works({ grace: 5_000 })
    await host.advance(1_000)
    const stopped = stop()
    await host.drain()
    const [quick, slow] = ['quick:2', 'slow:2'].map((key) => doors.open.findLast((door) => door.key === key))
    await host.advance(3_000)
    expect(slow?.signal.aborted).toBe(false)
    quick?.settle('in time')
    await host.drain()
    await host.advance(1_000)
    expect(words().slice(2)).toEqual(['left quick completed 1'])
    await host.advance(1_000)
    await stopped
    expect(slow?.signal.aborted).toBe(true)
    expect(words().slice(3)).toEqual(['left slow running 0'])
    expect(await life.reflex.find('slow')).toMatchObject({ status: 'running', owner: null })
  })

  test('with `once` it ends when nothing is due, also when something cannot be done', async () => {
    const host = virtualHost()
    const shared = place()
    const life = shared.live(host)
    await left(life, 'otter', { times: [1_000, 2_000], many: 2 })
    await left(life, 'newt', { questions: ['a'] })
    await life.reflex.answer('newt', 'yes', { run: false })
    const first = life.works({ once: true })
    await first.ended
    expect(first.words()).toEqual(['took newt', 'left newt completed 1'])
    await host.advance(5_000)
    const second = life.works({ once: true })
    await second.ended
    expect(second.words()).toEqual(['took otter', 'left otter completed 2'])

    await left(life, 'tern', { times: [1_000] })
    await host.advance(5_000)
    const strange = shared.live(host)
    strange.cable.lost = true
    const third = strange.works({ once: true })
    await third.ended
    expect(third.words()).toEqual(['failed tern R5006'])
    strange.cable.cut = true
    const fourth = strange.works({ once: true })
    await fourth.ended
    expect(fourth.words()).toEqual(['failed the store R9002'])
  })

  test('leaves alone what its own process holds, and brings it what it was told', async () => {
    const host = virtualHost()
    const life = place().live(host)
    const run = await life.reflex.run(life.program('waits', { questions: ['a', 'b'], times: [5_000], many: 3 }), { id: 'otter' })
    const { words } = life.works()
    await host.advance(6_000)
    await life.reflex.answer('otter/q1', 'yes', { run: false })
    await host.advance(1_000)
    expect(words()).toEqual([])
    expect(run.get('met')).toEqual(['timer 2w2', 'answer 2w'])
    expect(held(life)).toBe(1)
  })

  test('holds a run that is due again within seconds, and lets go of it once it is not', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'otter', { times: [50, 100, 150, 4_000, 60_000], many: 5 })
    const { words } = life.works()
    await host.advance(3_000)
    expect([words(), held(life)]).toEqual([['took otter'], 1])
    await host.advance(2_000)
    expect([words(), held(life)]).toEqual([['took otter', 'left otter suspended 4'], 0])
    await host.advance(60_000)
    expect(words().slice(2)).toEqual(['took otter', 'left otter completed 1'])
  })

  test('lets go of a run until the next time of its timer, also if the step on it was skipped', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'otter', { every: 60_000, questions: ['a'] })
    const { words } = life.works()
    await host.advance(59_000)
    expect(words()).toEqual([])
    await host.advance(30_000)
    expect([words(), held(life)]).toEqual([['took otter', 'left otter suspended 1'], 0])
    await host.advance(60_000)
    expect(words().slice(2)).toEqual(['took otter', 'left otter suspended 1'])
  })

  test('gives the place of a run that it only holds to one that is due', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'holds', { times: [100, 4_000, 60_000], many: 3 })
    await left(life, 'otter', { times: [1_000], many: 1 })
    const { words } = life.works({ maxRuns: 1 })
    await host.advance(600)
    expect(words()).toEqual(['took holds'])
    await host.advance(2_000)
    expect(words()).toEqual(['took holds', 'left holds suspended 1', 'took otter', 'left otter completed 1'])
    await host.advance(60_000)
    expect(words().at(-1)).toBe('left holds completed 1')
  })

  test('told to end with a time of grace, it does not wait for a run that it only holds', async () => {
    const host = virtualHost()
    const life = place().live(host)
    await left(life, 'otter', { times: [100, 4_000], many: 2 })
    const { words, stop } = life.works({ grace: 60_000 })
    await host.advance(600)
    await stop()
    expect([words(), held(life)]).toEqual([['took otter', 'left otter suspended 1'], 0])
  })

  test('carries no more runs at a time than it may', async () => {
    const host = virtualHost()
    const doors = new Doors()
    const life = place().live(host, { door: doors.port() })
    for (let i = 0; i < 7; i++) {
      const run = await life.reflex.start(life.program('acts', { port: 'door' }), { id: `run-${i}` })
      await host.drain()
      await run.run.leave()
    }
    const before = doors.open.length
    const { words } = life.works({ maxRuns: 3 })
    await host.advance(2_000)
    expect(doors.open.length - before).toBe(3)
    for (let i = before; i < before + 7; i++) {
      doors.door(i).settle(i)
      await host.drain()
      expect(held(life)).toBeLessThanOrEqual(3)
    }
    await host.advance(2_000)
    expect(words().filter((word) => word.includes('completed')).length).toBe(7)
  })
})

test('lost races do not delay the next times of a run', async () => {
  const host = virtualHost()
  const [place] = PLACES.map(([, make]) => make())
  if (place === undefined) throw new Error('no place')
  const life = place.live(host)
  const times = Array.from({ length: 20 }, (_, i) => 10_000 + i * 1_300)
  await left(life, 'otter', { times, many: times.length })
  const { store, runtime } = life.reflex
  const slow = place.live(host)
  // Its list is old: twice of three times another worker has seen to the run since.
  let looks = 0
  slow.cable.due = async (now) => (looks++ % 3 === 0 ? store.due(now) : ['otter'])
  const { words } = slow.works()
  await host.advance(60_000)
  const records = await runtime.journal('otter')
  let time = 0
  const late: number[] = []
  for (const { elapsed, input } of records) {
    time += elapsed
    if (input?.[0] === 'timer') late.push(time - (times[late.length] ?? 0))
  }
  expect(late).toHaveLength(times.length)
  expect(Math.max(...late)).toBeLessThanOrEqual(2_000)
  expect(words().some((word) => word === 'left otter suspended 0')).toBe(true)
})
