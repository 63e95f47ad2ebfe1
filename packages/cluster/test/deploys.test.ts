import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from 'reflex-runtime'
import { isFault, systemHost } from 'reflex-runtime/kernel'
import { joinCluster } from '../../reflex/src/app/cluster/work.ts'
import { DEPLOYS, wake } from '../../reflex/test/app/cluster/deploys.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { findCluster, openCluster } from '../src/index.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

/** One program of each kind. All ways to lack something are tried without a server. */
const ONE_OF_EACH = [
  'a workflow with a tool',
  'a pipeline with a handler',
  'a tree with a function',
  'a graph with a primitive',
  'a skill with a function and a fact',
]

/** A folder, and a function that opens processes of one cluster in it, with options of their own. They are closed with the test. */
function openPlace(server: PostgresServer): { workdir: string; process: (options: object) => Reflex } {
  const [store, workdir] = [server.address(), mkdtempSync(join(tmpdir(), 'reflex-cluster-'))]
  onTestFinished(() => rmSync(workdir, { recursive: true, force: true, maxRetries: 10 }))
  const process = (options: object): Reflex => {
    const reflex = new Reflex({ store, workdir, cluster: true, ...options })
    onTestFinished(() => reflex.close())
    return reflex
  }
  return { workdir, process }
}

describe.skipIf('missing' in programs)(`deploys over runs that sleep, on a real server${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it.each(DEPLOYS.filter(({ name }) => ONE_OF_EACH.includes(name)))(
    '$name: a worker without it does not touch the run, which is listed with what is missing until one has it',
    async (deploy) => {
      const { workdir, process } = openPlace(server)
      const starter = process(deploy.has)
      const old = await joinCluster(process(deploy.has))
      const handle = await starter.start(deploy.write(workdir), { id: 'otter', trust: 'trusted', ...deploy.start })
      await until(async () => (await starter.store.read('otter', 0))?.row.status === 'suspended')
      await old.leave()
      const before = JSON.stringify(await starter.store.journal('otter'))
      const without = await joinCluster(process(deploy.lacks))
      await wake(deploy, starter, 'otter')
      const cluster = await starter.cluster()
      const listed = async () => (await cluster.facts()).missing
      await until(async () => (await listed()).some(({ lacks }) => deploy.words.every((word) => lacks.some((one) => one.startsWith(word)))))
      expect(await listed()).toMatchObject([{ run: 'otter', queue: 'default' }])
      expect(JSON.stringify(await starter.store.journal('otter'))).toBe(before)
      await without.leave()
      // A newer worker has more, and is another version: it takes what it can.
      const newer = await joinCluster(process(deploy.has), { has: ['new'] })
      onTestFinished(() => newer.leave())
      await until(async () => (await starter.store.read('otter', 0))?.row.status === 'completed')
      expect(await cluster.facts()).toMatchObject({ missing: [], stuck: [] })
      handle.close()
    },
  )

  it('a function without a version meets every version, also after a worker with another version has refused the run', async () => {
    const { workdir, process } = openPlace(server)
    const deploy = DEPLOYS.find(({ name }) => name === 'a workflow with a guard in a version')
    if (deploy === undefined) throw new Error('the program is gone')
    const other = await joinCluster(process(deploy.lacks))
    const starter = process({ ...deploy.has })
    const handle = await starter.start(deploy.write(workdir), { id: 'otter', trust: 'trusted' })
    const cluster = await starter.cluster()
    await until(async () => (await cluster.facts()).missingCount === 1)
    expect((await cluster.facts()).missing).toMatchObject([{ run: 'otter', lacks: ['function:workflow/open@2'] }])
    await other.leave()
    const open = await joinCluster(process({ workflow: { guards: { open: () => true } } }))
    onTestFinished(() => open.leave())
    await until(async () => (await starter.store.read('otter', 0))?.row.status === 'suspended')
    await wake(deploy, starter, 'otter')
    await until(async () => (await starter.store.read('otter', 0))?.row.status === 'completed')
    expect(await cluster.facts()).toMatchObject({ missing: [], stuck: [] })
    handle.close()
  })

  it('a model with a fallback: a worker that has only the fallback takes the run, also after one without models has refused it', async () => {
    const { workdir, process } = openPlace(server)
    const say = { id: 'say', spec: { prompt: 'Say it.', writes: 'said', model: 'shed', fallback: ['house'] } }
    const file = join(workdir, 'say.workflow.json')
    writeFileSync(file, JSON.stringify({ id: 'say', entry: 'say', nodes: { say }, edges: [] }))
    const poor = await joinCluster(process({}))
    const starter = process({})
    const handle = await starter.start(file, { id: 'otter' })
    const cluster = await starter.cluster()
    await until(async () => (await cluster.facts()).missingCount === 1)
    expect((await cluster.facts()).missing).toMatchObject([{ run: 'otter', lacks: ['model:server or model:own/shed or model:own/house'] }])
    await poor.leave()
    const house = {
      name: 'house',
      generate: async () => ({ text: 'It.', model: 'house', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }),
    }
    const able = await joinCluster(process({ models: { house } }))
    onTestFinished(() => able.leave())
    await until(async () => (await starter.store.read('otter', 0))?.row.status === 'completed')
    expect(await cluster.facts()).toMatchObject({ missing: [], stuck: [] })
    handle.close()
  })

  it('a store without a cluster is left as it is, and what is not one is refused', async () => {
    const schema = 'found'
    const address = server.address({ schema })
    const host = systemHost
    const codeOf = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'done',
        (thrown: unknown) => (isFault(thrown) ? thrown.code : thrown),
      )
    expect(await findCluster(address, { host })).toBeUndefined()
    const schemas = `select nspname from pg_namespace where nspname like 'found%'`
    expect(await server.sql(schemas)).toEqual([])
    await (await openCluster(address, { host })).close()
    const found = await findCluster(address, { host })
    expect(await found?.queues()).toMatchObject([{ name: 'default' }])
    await found?.close()
    await server.sql('update found_cluster.header set layout = 1000')
    expect(await codeOf(findCluster(address, { host }))).toBe('R5103')
    await server.sql('create schema other_cluster; create table other_cluster.things (id int)')
    expect(await codeOf(findCluster(server.address({ schema: 'other' }), { host }))).toBe('R5102')
    expect(await codeOf(findCluster(server.address({ schema: 'long'.repeat(14) }), { host }))).toBe('R5102')
  })
})
