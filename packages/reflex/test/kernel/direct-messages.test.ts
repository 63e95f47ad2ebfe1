import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message, Run, Store } from '../../src/kernel/index.ts'
import { memoryStore, openSqlite } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { codeOf, kindOf, type Step, worldOf } from './world.ts'

/** Collects events for ever. */
const collects: Step = (x, input) => {
  if (input?.[0] === 'message') x.set('had', [...((x.get('had') as string[] | undefined) ?? []), input[2]])
  x.wait('message', 'event')
}
const KINDS = [kindOf('collects', collects)]

const had = (run: Run) => run.state.root.reader().get('had') ?? []
const message = (id: string, body: string): Message => ({ id, type: 'message', to: 'event', body, at: 0 })

/** A store that counts its calls; `late` lets some of them answer later, as a server does. */
function watched(inner: Store, late: readonly (keyof Store)[] = []): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = []
  const store: Store = new Proxy(inner, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...given: never[]) => {
        calls.push(name)
        const answer = Reflect.apply<Store, never[], unknown>(member as never, target, given)
        return late.includes(name) ? new Promise((resolve) => setImmediate(() => resolve(answer))) : answer
      }
    },
  })
  return { store, calls }
}

const PLACES: readonly (readonly [string, () => Store])[] = [
  ['in memory', () => memoryStore()],
  ['in SQLite', () => openSqlite(join(newFolder(), 'reflex.db'))],
]

describe.each(PLACES)('a message of the process that holds the run, %s', (_, open) => {
  test('goes straight to the wait that takes it: one commit, and no post', async () => {
    const { store, calls } = watched(open())
    const { start, runtime } = worldOf(KINDS, { store })
    const run = await start('collects')
    await run.idle()
    calls.length = 0
    expect(await run.message('event', 'a')).toBe(true)
    expect(calls).toEqual(['commit'])
    expect(await run.message('event', 'b', { id: 'm1' })).toBe(true)
    expect(calls.slice(1)).toEqual(['posted', 'commit'])
    expect([had(run), run.durable]).toEqual([['a', 'b'], run.state.n])
    await runtime.close()
  })

  test('is taken once, however often and by whom it is sent, also after a restart', async () => {
    const store = open()
    const first = worldOf(KINDS, { store })
    const run = await first.start('collects', { id: 'otter' })
    await run.idle()
    const sent = [run.message('event', 'a', { id: 'm1' }), run.message('event', 'again', { id: 'm1' })]
    expect(await Promise.all(sent)).toEqual([true, false])
    expect(await run.message('event', 'again', { id: 'm1' })).toBe(false)
    expect(await store.post('otter', message('m1', 'again'))).toBe(false)
    await run.leave()
    const second = worldOf(KINDS, { store })
    second.runtime.programs.add('collects', 'main', {})
    const again = await second.runtime.resume('otter')
    expect(await again.message('event', 'again', { id: 'm1' })).toBe(false)
    await again.idle()
    expect([had(again), await store.inbox('otter')]).toEqual([['a'], []])
    await second.runtime.close()
  })

  test.each([[[]], [['posted', 'commit', 'inbox', 'post']]] as const)(
    'is taken once when another process posts one of its id at the same moment, with the late answers %j',
    async (late) => {
      const inner = open()
      const { store } = watched(inner, late)
      const { start, runtime, host } = worldOf(KINDS, { store })
      const run = await start('collects')
      await run.idle()
      for (let gap = 0; gap < 6; gap++) {
        const sending = run.message('event', `own ${gap}`, { id: `m${gap}` })
        for (let turn = 0; turn < gap; turn++) await host.drain(1)
        await inner.post(run.id, message(`m${gap}`, `other ${gap}`))
        await Promise.all([sending, run.pull(), run.pull()])
        await host.advance(1_000)
        await run.idle()
        expect([gap, (had(run) as string[]).length, await inner.inbox(run.id)]).toEqual([gap, gap + 1, []])
      }
      await runtime.close()
    },
  )
})

test('messages that are sent together keep their order, whether a wait takes them or they wait', async () => {
  const { store } = watched(memoryStore(), ['posted', 'commit', 'inbox', 'post'])
  const { start, runtime } = worldOf(KINDS, { store })
  const run = await start('collects')
  await run.idle()
  const bodies = Array.from({ length: 20 }, (_, i) => `m${i}`)
  await Promise.all(bodies.map((body, i) => run.message('event', body, i % 3 === 0 ? { id: body } : {})))
  await run.idle()
  expect(had(run)).toEqual(bodies)
  await runtime.close()
})

test('a message to a run that another process has taken meanwhile is left for that process', async () => {
  const store = memoryStore()
  const first = worldOf(KINDS, { store })
  const run = await first.start('collects', { id: 'otter' })
  await run.idle()
  const second = worldOf(KINDS, { store, at: first.host.now() + 60_000 })
  second.runtime.programs.add('collects', 'main', {})
  const heir = await second.runtime.resume('otter')
  expect(await run.message('event', 'a')).toBe(true)
  expect(await codeOf(run.message('event', 'b'))).toBe('R5002')
  await heir.pull()
  expect(had(heir)).toEqual(['a'])
  await second.runtime.close()
})

test('a message that the store refuses is not taken for known, and neither is one of its id that is sent beside it', async () => {
  const inner = memoryStore()
  const fails = { posted: true, commit: false }
  const store: Store = new Proxy(inner, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...given: never[]) => {
        if ((name === 'posted' || name === 'commit') && fails[name]) throw new Error('the disk is full')
        return Reflect.apply<Store, never[], unknown>(member as never, target, given)
      }
    },
  })
  const { start, runtime } = worldOf(KINDS, { store })
  const run = await start('collects', { id: 'otter' })
  await run.idle()
  expect(await codeOf(run.message('event', 'a', { id: 'm1' }))).toContain('the disk is full')
  fails.posted = false
  expect(await run.message('event', 'a', { id: 'm1' })).toBe(true)
  fails.commit = true
  const both = [run.message('event', 'b', { id: 'm2' }), run.message('event', 'b', { id: 'm2' })]
  expect(await Promise.all(both.map(codeOf))).toEqual(['R5005', 'R5005'])
  fails.commit = false
  const again = await runtime.resume('otter')
  expect(await again.message('event', 'b', { id: 'm2' })).toBe(true)
  expect(had(again)).toEqual(['a', 'b'])
  await runtime.close()
})
