import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/kernel/ports/store.ts'
import { faults } from '../../src/kernel/journal/faults.ts'
import { memoryStore } from '../../src/store/index.ts'
import { codeOf, kindOf, type Step, type World, worldOf } from './world.ts'

const LEASE = 6_000
const asks: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(input[2]))

/** A process on a machine of its own: nobody else can see whether it lives, but for its heartbeat. */
function processOn(machine: string, store: Store): World {
  return worldOf([kindOf('asks', asks)], { store, worker: { id: machine, host: machine, pid: 1 }, leaseMs: LEASE })
}

/** The store as one process sees it: some of its calls fail, before or after they take place. */
function failing(store: Store, calls: Partial<Record<'commit' | 'release' | 'claim' | 'create', 'before' | 'after'>>): Store {
  const full = () => faults.make('R5005', 'no room left')
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name]
      if (typeof method !== 'function') return method
      return (...args: never[]) => {
        const when = name in calls ? calls[name as keyof typeof calls] : undefined
        if (when === 'before') throw full()
        const answer: unknown = Reflect.apply(method as (...all: never[]) => unknown, target, args)
        if (when === 'after') throw full()
        return answer
      }
    },
  })
}

describe('a run that a living process does not carry any more', () => {
  it('is given up once the store can be written again', async () => {
    const store = memoryStore()
    const calls: Parameters<typeof failing>[1] = {}
    const first = processOn('first', failing(store, calls))
    const run = await first.start('asks')
    await run.idle()
    calls.commit = 'before'
    calls.release = 'before'
    expect(await codeOf(run.answer('2w', 1))).toBe('R5005')
    delete calls.commit
    delete calls.release
    const other = processOn('other', store)
    expect(await codeOf(other.runtime.resume(run.id))).toBe('R5001')
    await first.host.advance(LEASE)
    const again = await other.runtime.resume(run.id)
    await again.answer('2w', 'heard')
    expect(again.state.ended?.value).toBe('heard')
  })

  it.each(['claim', 'create'] as const)('is given up where nobody could tell whether it was taken: %s', async (call) => {
    const store = memoryStore()
    const before = processOn('before', store)
    const run = await before.start('asks')
    await run.idle()
    await before.runtime.close()
    const calls: Parameters<typeof failing>[1] = { [call]: 'after' }
    const first = processOn('first', failing(store, calls))
    const id = call === 'claim' ? run.id : 'named'
    expect(await codeOf(call === 'claim' ? first.runtime.resume(id) : first.start('asks', { id }))).toBe('R5005')
    delete calls[call]
    await first.host.advance(LEASE)
    const other = processOn('other', store)
    const taken = call === 'claim' ? await other.runtime.resume(id) : await other.start('asks', { id })
    await taken.idle()
    expect((await store.runs({ prefix: id })).map(({ status, owner }) => [status, owner?.id])).toEqual([['suspended', 'other']])
  })

  it('is not taken away from the process itself, which has opened it again', async () => {
    const store = memoryStore()
    const calls: Parameters<typeof failing>[1] = { create: 'after' }
    const first = processOn('first', failing(store, calls))
    expect(await codeOf(first.start('asks', { id: 'named' }))).toBe('R5005')
    delete calls.create
    const run = await first.start('asks', { id: 'named' })
    await first.host.advance(2 * LEASE)
    expect(await run.answer('2w', 1)).toBe(3)
  })

  it('is given up before its process has closed, however slow the store is', async () => {
    const store = memoryStore()
    let slow: (() => void) | undefined
    const release = store.release.bind(store)
    store.release = (lease) =>
      new Promise<void>((resolve) => {
        slow = () => resolve(release(lease))
      })
    const first = processOn('first', store)
    const run = await first.start('asks')
    await run.idle()
    run.close()
    let closed = false
    const closing = first.runtime.close().then(() => {
      closed = true
    })
    await first.host.drain()
    expect(closed).toBe(false)
    slow?.()
    await closing
    expect((await store.read(run.id))?.row.owner).toBeNull()
  })
})

describe('the row of a run that rests', () => {
  it('says so, although its inbox was being read when its last records became durable', async () => {
    const store = memoryStore()
    const inbox = store.inbox.bind(store)
    store.inbox = async (run) => {
      await new Promise((resolve) => setImmediate(resolve))
      return inbox(run)
    }
    const waits: Step = (x) => void x.wait('message', 'topic')
    const world = worldOf([kindOf('waits', waits)], { store })
    const run = await world.start('waits')
    await run.idle()
    expect((await store.runs())[0]?.status).toBe('suspended')
  })
})
