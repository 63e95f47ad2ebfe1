import { expect, test } from 'vitest'
import type { InboxMessage, Json, Message, Store } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { codeOf, kindOf, type Step, worldOf } from './world.ts'

/** Takes events and answers until it has had `enough` of them, and ends with what it took, in order. */
const collects: Step = (x, input) => {
  const enough = 6
  if (input === undefined) {
    x.wait('message', 'event')
    return void x.wait('answer', 'q')
  }
  if (input[0] !== 'message' && input[0] !== 'answer') return undefined
  const had = [...((x.get('had') as string[] | undefined) ?? []), input[2]]
  x.set('had', had)
  if (had.length === enough) return x.done(had)
  return void x.wait(input[0], input[0] === 'answer' ? 'q' : 'event')
}

const message = (id: string, to: string, type: Message['type'] = 'message'): Message => ({ id, type, to, body: id, at: 0 })

/** A store that notes the rows that its inbox has shown. */
function watchedStore(): { readonly store: Store; readonly shown: number[] } {
  const inner = memoryStore()
  const shown: number[] = []
  const store: Store = new Proxy(inner, {
    get: (target, name: keyof Store) => {
      if (name === 'inbox')
        return (run: string, after?: number, limit?: number) => {
          const rows = inner.inbox(run, after, limit) as readonly InboxMessage[]
          shown.push(...rows.map(({ row }) => row))
          return rows
        }
      const member = target[name]
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  return { store, shown }
}

test('a message is read once, however many others no wait takes', async () => {
  const { store, shown } = watchedStore()
  const { start, host, runtime } = worldOf([kindOf('collects', collects)], { store })
  const run = await start('collects')
  await run.idle()
  for (let i = 0; i < 4_000; i++) await store.post(run.id, message(`u${i}`, 'nobody waits'))
  for (let i = 0; i < 6; i++) await store.post(run.id, message(`m${i}`, 'event'))
  while (run.state.ended === undefined) await host.advance(10)
  await run.idle()
  expect(shown.length).toBe(4_006)
  expect(new Set(shown).size).toBe(4_006)
  expect(await store.inbox(run.id)).toHaveLength(4_000)
  await runtime.close()
})

test('answers keep their place among messages that wait, also for waits that open in between', async () => {
  const store = memoryStore()
  const first = worldOf([kindOf('collects', collects)], { store })
  const run = await first.start('collects', { id: 'otter' })
  await run.idle()
  await run.leave()
  for (const id of ['m1', 'm2', 'a1', 'm3', 'm4', 'm5'])
    await store.post('otter', id === 'a1' ? message(id, '2w1', 'answer') : message(id, 'event'))
  const second = worldOf([kindOf('collects', collects)], { store })
  second.runtime.programs.add('collects', 'main', {})
  const again = await second.runtime.resume('otter')
  await again.idle()
  expect(again.state.ended?.value).toEqual(['m1', 'm2', 'a1', 'm3', 'm4', 'm5'])
  await second.runtime.close()
})

/** Counts events and ticks; a tick every second. */
const ticks: Step = (x, input) => {
  if (input === undefined) {
    x.wait('message', 'event')
    return void x.timer(1_000)
  }
  const had = [...((x.get('had') as Json[] | undefined) ?? []), input[0] === 'message' ? input[2] : 'tick']
  x.set('had', had)
  return input[0] === 'message' ? void x.wait('message', 'event') : void x.timer(1_000_000)
}

test('a time that passed while nobody held the run comes between the messages before and after it, however many they are', async () => {
  const store = memoryStore()
  const first = worldOf([kindOf('ticks', ticks)], { store })
  const run = await first.start('ticks', { id: 'otter' })
  await run.idle()
  const began = first.host.now()
  await run.leave()
  const many = 1_500
  for (let i = 0; i < many; i++) await store.post('otter', { ...message('before', 'event'), id: `b${i}`, at: began + 500 })
  for (let i = 0; i < many; i++) await store.post('otter', { ...message('after', 'event'), id: `a${i}`, at: began + 1_500 })
  const second = worldOf([kindOf('ticks', ticks)], { store, at: began + 10_000 })
  second.runtime.programs.add('ticks', 'main', {})
  const again = await second.runtime.resume('otter')
  await again.idle()
  const had = again.state.root.reader().get('had') as string[]
  expect([had.length, had.indexOf('tick'), had[many - 1], had[many + 1]]).toEqual([2 * many + 1, many, 'before', 'after'])
  await second.runtime.close()
})

test.each(['with a store', 'without a store'])('a limit refuses or drops the messages that exceed it, %s', async (where) => {
  const { start, runtime } = worldOf([kindOf('collects', collects)], where === 'with a store' ? {} : { store: 'none' })
  const run = await start('collects')
  await run.idle()
  for (const id of ['m1', 'm2']) expect(await run.message('later', id, { id, limit: { most: 2 } })).toBe(true)
  expect(await codeOf(run.message('later', 'm3', { id: 'm3', limit: { most: 2 } }))).toBe('R2130')
  expect(await run.message('later', 'm3', { id: 'm3', limit: { most: 2, drop: true } })).toBe(false)
  for (let i = 0; i < 5; i++) expect(await run.message('event', i, { limit: { most: 1 } })).toBe(true)
  await run.idle()
  expect(run.state.root.reader().get('had')).toEqual([0, 1, 2, 3, 4])
  await runtime.close()
})

/** Spawns two strands that collect the same topic, and ends with what each took. */
const pair: Step = (x, input) => {
  if (x.args === 'strand') {
    if (input?.[0] === 'message') x.set('had', [...((x.get('had') as Json[] | undefined) ?? []), input[2]])
    if (input?.[2] === 'end') return x.done(x.get('had'))
    return void x.wait('message', 'event')
  }
  if (input === undefined) return [1, 2].forEach(() => x.spawn(null, { args: 'strand', sees: 'nothing' }))
  const results = [...(x.frame.strandResults?.values() ?? [])]
  if (results.every(({ status }) => status !== 'running')) x.done(results.map(({ value }) => value ?? null))
  return undefined
}

test.each(['with a store', 'without a store', 'after a restart'])('a message can name the frame that takes it, %s', async (where) => {
  const store = memoryStore()
  const world = worldOf([kindOf('pair', pair)], where === 'without a store' ? { store: 'none' } : { store })
  let run = await world.start('pair', { id: 'otter' })
  await run.idle()
  const [first, second] = [...run.state.waits.values()].map(({ frame }) => frame.id)
  if (where === 'after a restart') {
    await run.leave()
    for (const [i, to] of [`event@${second}`, 'event', 'event@nobody', `event@${second}`].entries())
      await store.post('otter', { ...message(['a', 'b', 'c', 'end'][i] ?? '', to), id: `m${i}` })
    run = await world.runtime.resume('otter')
  } else {
    await run.message('event', 'a', { frame: second ?? '' })
    await run.message('event', 'b')
    await run.message('event', 'c', { frame: 'nobody' })
    await run.message('event', 'end', { frame: second ?? '' })
  }
  await run.message('event', 'end', { frame: first ?? '' })
  await run.idle()
  expect(run.state.ended?.value).toEqual([
    ['b', 'end'],
    ['a', 'end'],
  ])
  await world.runtime.close()
})
