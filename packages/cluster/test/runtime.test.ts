import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from 'reflex-runtime'
import { joinCluster } from '../../reflex/src/app/cluster/work.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`the runtime over a cluster on a real server${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  /** A process that belongs to the cluster of a store. */
  function member(store: string, workdir: string): Reflex {
    const reflex = new Reflex({ store, workdir, cluster: true })
    onTestFinished(() => reflex.close())
    return reflex
  }

  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'reflex-cluster-'))
    onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 10 }))
    writeFileSync(join(made, 'ask.dot'), ASKS)
    return made
  }

  test('a run is started by one process, carried on by a worker, answered through its handle, and followed to its end', async () => {
    const [store, workdir] = [server.address(), folder()]
    const starter = member(store, workdir)
    const worker = member(store, workdir)
    const joined = await joinCluster(worker, { slots: 4 }).catch((t: unknown) => {
      console.log('CAUSE', (t as Error).cause, JSON.stringify(t))
      throw t
    })
    onTestFinished(() => joined.leave())
    const marks: string[] = []
    const handle = await starter.start(join(workdir, 'ask.dot'), {
      id: 'otter',
      tenant: 'acme',
      prepare: (made) => void made.onLine(({ event }) => marks.push(event.mark)),
    })
    expect(starter.runtime.openRuns.size).toBe(0)
    await handle.idle({ until: 'people' })
    const [question] = handle.questions
    if (question === undefined) throw new Error('no question')
    await handle.answer(question, 'yes', 'ben')
    await handle.idle({ until: 'end' })
    expect(handle.status).toBe('completed')
    expect(marks).toEqual(expect.arrayContaining(['ask', 'answer']))
    const facts = await (await starter.cluster()).facts()
    expect(facts.workers).toMatchObject([{ id: worker.runtime.worker.id, isAlive: true, slots: 4, can: joined.can }])
    expect(facts).toMatchObject({ missing: [], stuck: [] })
  })

  test('a queue that does not exist is refused, and a run is posted its answer by another member', async () => {
    const [store, workdir] = [server.address(), folder()]
    const starter = member(store, workdir)
    await expect(starter.start(join(workdir, 'ask.dot'), { id: 'newt', queue: 'slow' })).rejects.toMatchObject({ code: 'R5106' })
    await (await starter.cluster()).setQueue('slow', { slots: 2 })
    const handle = await starter.start(join(workdir, 'ask.dot'), { id: 'lark', queue: 'slow' })
    const joined = await joinCluster(member(store, workdir))
    onTestFinished(() => joined.leave())
    await handle.idle({ until: 'people' })
    expect((await member(store, workdir).answer('lark', 'yes')).handle).toBeUndefined()
    await handle.idle({ until: 'end' })
    expect(handle.status).toBe('completed')
  })
})
