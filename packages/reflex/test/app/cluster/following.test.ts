import { expect, test } from 'vitest'
import type { CommitWatch, Json, Store } from '../../../src/kernel/index.ts'
import { clusterPlace } from './places.ts'

test('a run is started by one process, carried on by a worker, and followed by the first', async () => {
  const { process, worker, until, fake, asks } = clusterPlace()
  const starter = process('starter')
  await worker('one')
  const lines: string[] = []
  const handle = await starter.start(asks, { id: 'otter', prepare: (made) => void made.onLine(({ event }) => lines.push(event.mark)) })
  expect(handle.isFollowed).toBe(true)
  expect(starter.runtime.openRuns.size).toBe(0)
  await until(handle.idle())
  expect(handle.status).toBe('suspended')
  const [question] = handle.questions
  expect(question).toMatchObject({ id: 'otter/q1', path: 'gate' })
  if (question === undefined) throw new Error('no question')
  const record = await until(handle.answer(question, question.question.options?.[0]?.value ?? 'yes', 'ben'))
  await until(handle.idle())
  expect(handle.status).toBe('completed')
  const journal: Json[] = []
  for (const { input } of await starter.runtime.journal('otter')) journal.push((input ?? null) as unknown as Json)
  expect(journal[record - 1]).toMatchObject(['answer', expect.anything(), expect.anything(), 'ben'])
  expect(lines).toContain('ask')
  expect(lines).toContain('answer')
  expect(new Set(fake.turns.map(([, by, { did }]) => `${by} ${did}`))).toEqual(new Set(['one rested']))
})

test('a stored run is followed from its newest record by a process that did not start it, which can cancel it and opens nothing', async () => {
  const { process, worker, until, asks } = clusterPlace()
  await worker('one')
  const started = await process('starter').start(asks, { id: 'otter' })
  await until(started.idle())
  const other = process('other')
  const lines: string[] = []
  const handle = await other.follow('otter', { prepare: (made) => void made.onLine(({ event }) => lines.push(event.mark)) })
  expect(handle).toMatchObject({ id: 'otter', isFollowed: true, status: 'suspended', value: undefined, questions: [{ id: 'otter/q1' }] })
  expect(lines).toEqual([])
  // No wait takes it: it stays in the inbox of the run.
  expect(await until(handle.run.message('news', 'hello'))).toBe(true)
  const record = await until(handle.run.cancel('not needed', 'ben'))
  await until(handle.idle({ until: 'end' }))
  expect(handle.status).toBe('cancelled')
  expect(lines.length).toBeGreaterThan(0)
  expect(record).toBeLessThanOrEqual(handle.run.durable)
  await until(started.idle({ until: 'end' }))
  expect(started.status).toBe('cancelled')
  await expect(handle.run.cancel()).rejects.toMatchObject({ code: 'R2001' })
  expect(other.runtime.openRuns.size).toBe(0)
})

test('a followed run takes no command, and says what reaches the process that holds it; after close it is no longer followed', async () => {
  const { process, worker, until, asks } = clusterPlace()
  await worker('one')
  const handle = await process('starter').start(asks, { id: 'otter' })
  await until(handle.idle())
  await expect(handle.run.command(0, 'go')).rejects.toMatchObject({
    code: 'R5001',
    fix: expect.stringContaining('send a message') as string,
  })
  handle.close()
  const [question] = handle.questions
  if (question === undefined) throw new Error('no question')
  await expect(handle.answer(question, 'yes')).rejects.toMatchObject({ code: 'R2017' })
  expect(handle.status).toBe('suspended')
})

/** A store that announces commits when the test says so. */
function announcing(store: Store): { readonly store: Store; readonly announce: (runs: ReadonlySet<string> | undefined) => void } {
  const watches = new Set<(runs: ReadonlySet<string> | undefined) => void>()
  const follow: Store['follow'] = (changed): CommitWatch => {
    watches.add(changed)
    return { announces: true, add: () => undefined, delete: () => undefined, stop: () => void watches.delete(changed) }
  }
  const own = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'follow') return follow
      if (name === 'close') return () => undefined
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { store: own, announce: (runs) => watches.forEach((changed) => changed(runs)) }
}

test('records are seen when their commit is announced, and one whose announcement was lost is found by asking', async () => {
  const { process, worker, fake, host, store, asks } = clusterPlace()
  const { store: own, announce } = announcing(store)
  await worker('one')
  const handle = await process('starter', { store: own }).start(asks, { id: 'otter' })
  await fake.settle()
  expect(handle.status).toBe('running')
  announce(new Set(['newt']))
  await host.drain(20)
  expect(handle.status).toBe('running')
  announce(new Set(['otter']))
  await host.drain(20)
  expect(handle.status).toBe('suspended')
  await store.post('otter', { id: 'm1', type: 'answer', to: handle.questions[0]?.wait ?? '', body: 'yes', by: 'ben', at: host.now() })
  await fake.settle()
  expect(handle.status).toBe('suspended')
  await host.advance(5000)
  expect(handle.status).toBe('completed')
})

test('an announcement that names no run has the store asked which have changed', async () => {
  const { process, worker, fake, host, store, asks } = clusterPlace()
  const { store: own, announce } = announcing(store)
  await worker('one')
  const handle = await process('starter', { store: own }).start(asks, { id: 'otter' })
  await fake.settle()
  announce(undefined)
  await host.drain(20)
  expect(handle.status).toBe('suspended')
})
