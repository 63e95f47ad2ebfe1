import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex, type WorkOptions } from '../../../src/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { newFolder } from '../folders.ts'
import { clusterPlace } from './places.ts'

describe('an application that works in a cluster', () => {
  test('joins with its queues, slots and words, carries a run on, and leaves when its signal aborts', async () => {
    const { process, until, fake, asks, store } = clusterPlace()
    const stop = new AbortController()
    const events: string[] = []
    const application = process('application', { cluster: { queues: ['default'], has: ['gpu'], slots: 3 } })
    const worked = application.work({ signal: stop.signal, onEvent: ({ did, run }) => void events.push(`${did} ${run}`) })
    await until(expect.poll(() => fake.workers.length).toBe(1))
    expect(fake.workers).toMatchObject([{ queues: ['default'], slots: 3, can: expect.arrayContaining(['has:gpu']) as string[] }])
    const handle = await process('starter').start(asks, { id: 'otter' })
    await until(handle.idle({ until: 'people' }))
    expect(events).toEqual(['took otter', 'left otter'])
    stop.abort()
    await until(worked)
    expect(fake.workers).toEqual([])
    expect((await store.read('otter', 0))?.row).toMatchObject({ owner: null, status: 'suspended' })
  })

  test('leaves when it is closed, and takes as many turns as it is told', async () => {
    const { process, until, fake } = clusterPlace()
    const application = process('application', { cluster: { slots: 3 } })
    const worked = application.work({ maxRuns: 5 })
    await until(expect.poll(() => fake.workers.length).toBe(1))
    expect(fake.workers[0]?.slots).toBe(5)
    await until(application.close())
    await worked
    expect(fake.workers).toEqual([])
  })

  test('says what has not ended if the dispatcher does not end', async () => {
    const { process, until, fake, host } = clusterPlace()
    fake.end = new Promise(() => undefined)
    const stop = new AbortController()
    const worked = process('application').work({ signal: stop.signal, grace: 5000 })
    let isOver = false
    void worked.catch(() => (isOver = true))
    const refused = expect(worked).rejects.toMatchObject({
      code: 'R5112',
      message: 'a worker has not ended 35 s after it was told to: the dispatcher in its process',
    })
    await until(expect.poll(() => fake.workers.length).toBe(1))
    stop.abort()
    await host.drain(20)
    await host.advance(34_999)
    expect(isOver).toBe(false)
    await host.advance(1)
    await refused
  })

  test('does not join for a queue that is not there, nor after its signal', async () => {
    const { process, fake } = clusterPlace()
    await expect(process('one', { cluster: { queues: ['slwo'] } }).work()).rejects.toMatchObject({ code: 'R5106' })
    await process('two').work({ signal: AbortSignal.abort() })
    expect(fake.addresses).toHaveLength(1)
  })
})

test.each([
  [{ signal: {} }, 'signal'],
  [{ grace: '5s' }, 'grace'],
  [{ maxRuns: 0 }, 'maxRuns'],
  [{ maxRuns: 0.5 }, 'maxRuns'],
  [{ onEvent: true }, 'onEvent'],
  [{ once: true }, 'once'],
])('work with %j is refused', async (options, word) => {
  const host = virtualHost()
  const workdir = newFolder()
  const surroundings = { host, worker: { id: 'one', host: 'test', pid: 1 }, cwd: workdir, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir, store: memoryStore(), surroundings })
  onTestFinished(() => reflex.close())
  await expect(reflex.work(options as WorkOptions)).rejects.toMatchObject({
    code: 'R1090',
    message: expect.stringContaining(word) as string,
  })
})
