import * as fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type InboxMessage, type Input, type Json, type Message, replay, type Run, type Store } from '../../src/kernel/index.ts'
import { memoryStore, openSqlite } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { textOf } from './probes/text.ts'
import { codeOf, failure, kindOf, type Step, worldOf } from './world.ts'

type Taken = (Input & readonly ['messages', ...unknown[]])[2]

const had = (run: Run): Json => run.state.root.reader().get('had') ?? []
const bodies = (messages: Taken) => messages.map(([, body]) => textOf(body))

/** Takes the messages of its topics. A body that ends with a full stop is the last of its step. */
const takes: Step = (x, input) => {
  const { topics = ['event'], ...options } = x.def as { topics?: string[]; most?: number; bytes?: number }
  if (input === undefined) {
    for (const topic of topics) x.wait('message', topic, { stays: true, most: 256, ...options })
    return void x.wait('answer', 'q')
  }
  const add = (what: Json) => x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), what])
  if (input[0] !== 'messages') return add(input[0])
  const last = input[2].findIndex(([, body]) => textOf(body).endsWith('.'))
  if (last >= 0) x.took(last + 1)
  return add(bodies(last < 0 ? input[2] : input[2].slice(0, last + 1)))
}
const KINDS = [kindOf('takes', takes)]

const message = (id: string, to = 'event', more: Partial<Message> = {}): Message => ({ id, type: 'message', to, body: id, at: 0, ...more })

/** A run that another process has sent messages while nothing had it. */
async function withMessages(messages: readonly Message[], options: { source?: Json; store?: Store; at?: number } = {}) {
  const { store = memoryStore(), source = {}, at = 0 } = options
  const first = worldOf(KINDS, { store })
  const run = await first.start('takes', { id: 'otter', source })
  await run.idle()
  await run.leave()
  for (const one of messages) await store.post('otter', one)
  const world = worldOf(KINDS, { store, at: first.host.now() + at })
  const again = await world.runtime.resume('otter')
  await again.idle()
  return { ...world, store, run: again }
}

describe.each<readonly [string, () => Store]>([
  ['in memory', () => memoryStore()],
  ['in SQLite', () => openSqlite(join(newFolder(), 'reflex.db'))],
])('a wait that takes many, %s', (_, open) => {
  test('gets the messages that are there in one input, with their ids and authors', async () => {
    const { run, runtime, store } = await withMessages([message('a'), message('b', 'event', { by: 'ann' }), message('c')], {
      store: open(),
    })
    expect(had(run)).toEqual([['a', 'b', 'c']])
    const { records } = await runtime.history('otter')
    expect(records.at(-1)?.input).toEqual([
      'messages',
      '2w',
      [
        ['a', 'a'],
        ['b', 'b', 'ann'],
        ['c', 'c'],
      ],
    ])
    expect([await store.inbox('otter'), await store.post('otter', message('b'))]).toEqual([[], false])
    await runtime.close()
  })

  test('gets those that its step leaves again, in order, and the record has only those that it took', async () => {
    const { run, runtime, store, host } = await withMessages([], { store: open() })
    const ids = ['a', 'b.', 'c', 'd.', 'e']
    for (const id of ids) await store.post('otter', message(id))
    await host.advance(1_000)
    await run.idle()
    expect(had(run)).toEqual([['a', 'b.'], ['c', 'd.'], ['e']])
    const { records } = await runtime.history('otter')
    expect(records.flatMap(({ input }) => (input?.[0] === 'messages' ? [bodies(input[2])] : []))).toEqual(had(run))
    expect(replay(records, runtime.programs).difference).toBeUndefined()
    expect(await store.inbox('otter')).toEqual([])
    await runtime.close()
  })

  test('leaves in the inbox what its step has not taken, if it takes no more', async () => {
    const once: Step = (x, input) => {
      if (input?.[0] !== 'messages') return void [x.wait('message', 'event', { most: 10 }), x.wait('answer', 'q')]
      x.took(2)
      return x.set('had', bodies(input[2]).slice(0, 2))
    }
    const store = open()
    const first = worldOf([kindOf('once', once)], { store })
    const run = await first.start('once', { id: 'otter' })
    await run.idle()
    for (const id of ['a', 'b', 'c', 'd']) await store.post('otter', message(id))
    await run.pull()
    await run.idle()
    expect([had(run), (await store.inbox('otter')).map(({ id }) => id), run.state.waits.size]).toEqual([['a', 'b'], ['c', 'd'], 1])
    await first.runtime.close()
  })
})

test('a list ends after the most messages or characters of the wait; one message is always taken', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const few = await withMessages(
    ids.map((id) => message(id)),
    { source: { most: 2 } },
  )
  expect(had(few.run)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  const long = 'x'.repeat(20)
  const small = await withMessages([message('a'), message('b'), message(long), message('c')], { source: { bytes: 8 } })
  expect(had(small.run)).toEqual([['a', 'b'], [long], ['c']])
  await Promise.all([few.runtime.close(), small.runtime.close()])
})

test('answers keep their place among messages, and topics their own order', async () => {
  const answer = message('2w2', '2w2', { type: 'answer', body: 'yes' })
  const rows = [message('a1', 'a'), message('b1', 'b'), message('a2', 'a'), answer, message('a3', 'a'), message('b2', 'b')]
  const { run, runtime } = await withMessages(rows, { source: { topics: ['a', 'b'] } })
  expect(had(run)).toEqual([['a1', 'a2'], ['b1'], 'answer', ['a3'], ['b2']])
  await runtime.close()
})

test('a list ends before a time that was due when the next message came', async () => {
  const ticks: Step = (x, input) => {
    if (input === undefined) return void [x.wait('message', 'event', { stays: true, most: 10 }), x.wait('timer', 'tick', { every: 50 })]
    return x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), input[0] === 'messages' ? bodies(input[2]) : 'tick'])
  }
  const store = memoryStore()
  const first = worldOf([kindOf('ticks', ticks)], { store })
  await (await first.start('ticks', { id: 'otter' })).leave()
  const now = first.host.now()
  for (const [id, ms] of Object.entries({ a: 10, b: 20, c: 60, d: 70 })) await store.post('otter', message(id, 'event', { at: now + ms }))
  const second = worldOf([kindOf('ticks', ticks)], { store, at: now + 80 })
  const run = await second.runtime.resume('otter')
  expect(had(run)).toEqual([['a', 'b'], 'tick', ['c', 'd']])
  await second.runtime.close()
})

test('messages to the frame and messages to the topic come in one list, in their order', async () => {
  const { run, runtime } = await withMessages([message('a'), message('b', 'event@0'), message('c'), message('d', 'event@9f')])
  expect(had(run)).toEqual([['a', 'b', 'c']])
  await runtime.close()
})

test('a frame gets no message to a topic for which another frame waits first', async () => {
  const child: Step = (x, input) => {
    if (x.args === 'child') return input?.[0] === 'messages' ? x.done(bodies(input[2])) : void x.wait('message', 'event', { most: 10 })
    if (input === undefined) {
      x.spawn(null, { args: 'child' })
      return void x.wait('message', 'event', { most: 10 })
    }
    const add = (key: string, what: Json) => x.set(key, what)
    if (input[0] === 'messages') return add('own', bodies(input[2]))
    return input[0] === 'end' ? x.done([x.get('own') ?? null, x.strandResult(input[1])?.value ?? null]) : undefined
  }
  const store = memoryStore()
  const { start, runtime } = worldOf([kindOf('child', child)], { store })
  const run = await start('child', { id: 'otter' })
  await run.idle()
  for (const one of [message('a', 'event@2s'), message('b'), message('c', 'event@2s')]) await store.post('otter', one)
  await run.pull()
  await run.idle()
  expect(run.state.ended?.value).toEqual([['b'], ['a', 'c']])
  await runtime.close()
})

test('messages of the own process go straight in, as lists of one', async () => {
  const { start, runtime, store } = worldOf(KINDS)
  const run = await start('takes', { id: 'otter' })
  await run.idle()
  for (const body of ['a', 'b.', 'c']) await run.message('event', body, { id: body })
  expect([had(run), await store.inbox('otter')]).toEqual([[['a'], ['b.'], ['c']], []])
  expect(await run.message('event', 'again', { id: 'a' })).toBe(false)
  await runtime.close()
})

test('messages that the own process sends in one moment go in together, and those that the step leaves come next', async () => {
  const { start, runtime, store } = worldOf(KINDS)
  const run = await start('takes', { id: 'otter', source: { most: 3 } })
  await run.idle()
  const ids = ['a', 'b', 'c', 'd', 'e.', 'f', 'g']
  const sent = await Promise.all([...ids.map((id) => run.message('event', id, { id })), run.message('event', 'again', { id: 'a' })])
  expect(sent).toEqual([...ids.map(() => true), false])
  expect([had(run), await store.inbox('otter')]).toEqual([
    [
      ['a', 'b', 'c'],
      ['d', 'e.'],
      ['f', 'g'],
    ],
    [],
  ])
  expect(await store.post('otter', message('g'))).toBe(false)
  await runtime.close()
})

test('a message that is sent while others wait for their turn does not overtake them', async () => {
  const { start, runtime } = worldOf(KINDS)
  const run = await start('takes', { id: 'otter', source: { topics: ['a', 'b'] } })
  await run.idle()
  run.block((next) => !('port' in next) && next.input?.[0] === 'messages')
  const sent = [run.message('a', 'a1.'), run.message('a', 'a2'), run.message('b', 'b1')]
  await Promise.resolve()
  sent.push(run.message('a', 'a3'))
  run.block(undefined)
  while (run.release());
  await Promise.all(sent)
  await run.idle()
  expect((had(run) as string[][]).flat().filter((one) => one.startsWith('a'))).toEqual(['a1.', 'a2', 'a3'])
  expect((had(run) as string[][]).flat()).toContain('b1')
  await runtime.close()
})

test('a list that is held by a breakpoint keeps its order, and what its step leaves comes next', async () => {
  const { start, runtime, store } = worldOf(KINDS)
  const run = await start('takes', { id: 'otter' })
  await run.idle()
  run.block((next) => !('port' in next) && next.input?.[0] === 'messages')
  for (const id of ['a', 'b.', 'c']) await store.post('otter', message(id))
  await run.pull()
  void run.message('event', 'd')
  await run.answer('2w1', 'yes')
  expect(had(run)).toEqual(['answer'])
  expect(run.release()).toBe(true)
  expect(had(run)).toEqual(['answer', ['a', 'b.']])
  run.block(undefined)
  while (run.release());
  await run.idle()
  expect((had(run) as Json[]).flat()).toEqual(['answer', 'a', 'b.', 'c', 'd'])
  await runtime.close()
})

test('a bound of the inbox counts the messages that a step has left', async () => {
  const first: Step = (x, input) => {
    if (input?.[0] !== 'messages') return void [x.wait('message', 'event', { most: 10 }), x.wait('answer', 'q')]
    return x.took(1)
  }
  const { start, runtime, store } = worldOf([kindOf('first', first)])
  const run = await start('first', { id: 'otter' })
  await run.idle()
  for (const id of ['a', 'b', 'c']) await store.post('otter', message(id), { most: 3 })
  await run.pull()
  await run.idle()
  expect(await store.post('otter', message('d'), { most: 3 })).toBe(true)
  expect(await codeOf((async () => store.post('otter', message('e'), { most: 3 }))())).toBe('R2130')
  await runtime.close()
})

test.each([0, 3, 1.5])('a step that says that it took %s of two messages fails', async (count) => {
  const counts: Step = (x, input) => (input === undefined ? void x.wait('message', 'event', { most: 10 }) : x.took(count))
  const { start, runtime, store } = worldOf([kindOf('counts', counts)])
  const run = await start('counts', { id: 'otter' })
  await run.idle()
  for (const id of ['a', 'b']) await store.post('otter', message(id))
  await run.pull()
  await run.idle()
  expect(failure(run)).toMatchObject({
    code: 'R9001',
    message: expect.stringContaining(`took ${count} messages, and the step has 2`) as string,
  })
  await runtime.close()
})

test('a replay finds a step whose decision depends on the messages that it has left', async () => {
  const half: Step = (x, input) => {
    if (input?.[0] !== 'messages') return void [x.wait('message', 'event', { most: 10 }), x.wait('answer', 'q')]
    x.set('of', input[2].length)
    return x.took(1)
  }
  const { start, runtime, store } = worldOf([kindOf('half', half)])
  const run = await start('half', { id: 'otter' })
  await run.idle()
  for (const id of ['a', 'b']) await store.post('otter', message(id))
  await run.pull()
  await run.idle()
  expect(replay((await runtime.history('otter')).records, runtime.programs).difference?.record).toBe(3)
  await runtime.close()
})

test('a source that sends faster than the run takes waits for room', async () => {
  const { start, runtime, host } = worldOf([kindOf('slow', slow)])
  const run = await start('slow', { id: 'otter' })
  await run.idle()
  let sent = 0
  const feed = (async () => {
    for (; sent < 40; sent++) {
      await run.room('event', 8)
      await run.message('event', sent)
    }
  })()
  await host.drain(40)
  expect(sent).toBe(8)
  for (let i = 0; i < 40; i++) await host.advance(50)
  await feed
  await run.room('event', 1)
  expect([sent, had(run)]).toEqual([40, Array.from({ length: 40 }, (_, i) => i)])
  expect(run.durable).toBe(run.state.n)
  await run.cancel()
  await run.room('event', 1)
  await runtime.close()
})

/** Takes up to three messages every 50 ms. */
const slow: Step = (x, input) => {
  if (input?.[0] === 'messages') return x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), ...input[2].map(([, body]) => body)])
  if (input === undefined) return void x.wait('timer', 'tick', { every: 50 })
  return void x.wait('message', 'event', { most: 3 })
}

/** Messages are sent by this process one after another, by this process at once, or by another one; the last two send five. */
type Act = { readonly send: 'own' | 'burst' | 'other'; readonly topic: 'a' | 'b'; readonly last: boolean } | 'pull' | 'restart'

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ send: fc.constantFrom('own', 'burst', 'other'), topic: fc.constantFrom('a', 'b'), last: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.constant('pull' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { minLength: 4, maxLength: 14 },
)

/** The store of one life of the process, which nothing reaches after it. */
function storeOf(life: { readonly isOver: boolean }, store: Store): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...given: never[]): unknown => {
        if (life.isOver) throw new Error('the process is dead')
        return Reflect.apply<Store, never[], unknown>(member as never, target, given)
      }
    },
  })
}

/** Plays the acts, with a crash after the record of this number. Returns what the run has taken of each topic, and its records. */
async function play(script: readonly Act[], most: number, crashAt: number) {
  const store = memoryStore()
  let life = { isOver: false }
  let world = worldOf(KINDS, { store: storeOf(life, store) })
  let run = await world.start('takes', { id: 'otter', source: { topics: ['a', 'b'], most } })
  const crash = () =>
    run.observe(({ n }) => {
      if (n !== crashAt) return
      life.isOver = true
      run.close()
    })
  const reopen = async () => {
    life = { isOver: false }
    world = worldOf(KINDS, { store: storeOf(life, store), at: world.host.now() + 60_000 })
    run = await world.runtime.resume('otter')
  }
  const isClosed = () => world.runtime.openRuns.get('otter') !== run
  crash()
  await run.idle()
  if (isClosed()) await reopen()
  const sent: Record<string, string[]> = { a: [], b: [] }
  for (const [i, act] of script.entries()) {
    if (act === 'pull') await run.pull().catch(() => undefined)
    else if (act === 'restart') {
      await run.leave()
      await reopen()
      crash()
    } else {
      const bodies = Array.from({ length: act.send === 'own' ? 1 : 5 }, (_, k) => `${act.topic}${i}-${k}${act.last && k === 1 ? '.' : ''}`)
      sent[act.topic]?.push(...bodies)
      // Messages of two processes have the order in which the one that holds the run reads them.
      if (act.send !== 'other') await run.pull().catch(() => undefined)
      if (isClosed()) await reopen()
      if (act.send === 'other') for (const body of bodies) await store.post('otter', message(body, act.topic))
      else await Promise.all(bodies.map((body) => run.message(act.topic, body, { id: body }).catch(() => undefined)))
      // Nobody knows what became of a message to a process that has died: it is sent again.
      if (isClosed()) {
        await reopen()
        for (const body of bodies) await run.message(act.topic, body, { id: body })
      }
    }
    if (isClosed()) await reopen()
  }
  await run.pull()
  await run.idle()
  if (isClosed()) await reopen()
  await run.idle()
  const { records } = await world.runtime.history('otter')
  const left: readonly InboxMessage[] = await store.inbox('otter')
  const difference = replay(records, world.runtime.programs).difference
  const taken = (had(run) as Json[]).flat().map(textOf)
  await world.runtime.close()
  return {
    sent,
    left,
    difference,
    n: records.length,
    taken: { a: taken.filter((one) => one.startsWith('a')), b: taken.filter((one) => one.startsWith('b')) },
  }
}

test('no message is lost, taken twice or out of the order of its topic, wherever the process dies', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.integer({ min: 1, max: 4 }), async (script, most) => {
      const { n } = await play(script, most, 0)
      for (let crashAt = 0; crashAt <= n; crashAt++) {
        const { sent, taken, left, difference } = await play(script, most, crashAt)
        expect({ crashAt, taken, left, difference }).toEqual({ crashAt, taken: sent, left: [], difference: undefined })
      }
    }),
    { numRuns: 40 },
  )
})
