import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { joinCluster } from '../../reflex/src/app/cluster/work.ts'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { Workers } from './processes.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

const ONCE = workflow({ id: 'once', entry: 'one', nodes: { one: { spec: { tool: 'note', args: { step: 'one' } } } }, edges: [] })
const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })

describe.skipIf('missing' in programs)(`clusters and their schemas${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  function hire(address: string): { readonly workers: Workers; readonly reflex: Reflex } {
    const workers = new Workers({ address, leaseMs: 8000, toolMs: 0, tools: true })
    const reflex = new Reflex({ store: address, cluster: true, workdir: workers.folder, tools: [note] })
    onTestFinished(async () => {
      workers.end()
      await reflex.close()
    })
    return { workers, reflex }
  }

  const count = async (reflex: Reflex): Promise<number> => (await reflex.store.runs({ status: ['completed'] })).length

  it('in two schemas of one database share nothing: runs of equal names, queues and workers are those of each', async () => {
    const places = [hire(server.address()), hire(server.address())]
    for (const { workers, reflex } of places) {
      await workers.start()
      await Promise.all(['otter', 'newt', 'lark'].map(async (id) => (await reflex.start(ONCE, { id })).close()))
    }
    const [first, second] = places.map(({ reflex }) => reflex)
    if (first === undefined || second === undefined) throw new Error('a place is missing')
    await (await first.cluster()).setQueue('default', { paused: true })
    await (await first.cluster()).setQueue('slow', {})
    await until(async () => (await Promise.all(places.map(({ reflex }) => count(reflex)))).join() === '3,3')
    const crane = await second.start(ONCE, { id: 'crane' })
    crane.close()
    await until(async () => (await count(second)) === 4)
    await expect(second.start(ONCE, { id: 'wren', queue: 'slow' })).rejects.toMatchObject({ code: 'R5106' })
    for (const { workers, reflex } of places) {
      const { workers: members, queues } = await (await reflex.cluster()).facts()
      expect(members).toHaveLength(1)
      expect(queues.map(({ name, paused }) => `${name} ${paused}`)).toEqual(
        reflex === first ? ['default true', 'slow false'] : ['default false'],
      )
      expect(new Set(workers.lines.map(({ pid }) => pid))).toEqual(new Set([workers.children[0]?.pid]))
    }
  })

  it('of two deployments in one schema are one cluster, in which every worker takes every run that it can', async () => {
    const schema = 'shared'
    const places = [hire(server.address({ schema })), hire(server.address({ schema }))]
    await places[0]?.workers.start()
    await places[1]?.workers.start({ moreTools: ['new'] })
    for (const [i, { reflex }] of places.entries())
      await Promise.all(Array.from({ length: 4 }, async (_, j) => (await reflex.start(ONCE, { id: `run-${i}-${j}` })).close()))
    const [first] = places
    if (first === undefined) throw new Error('a place is missing')
    await until(async () => (await count(first.reflex)) === 8)
    expect(places.flatMap(({ workers }) => workers.lines).filter(({ did }) => did === 'ended')).toHaveLength(8)
    const { workers } = await (await first.reflex.cluster()).facts()
    expect(new Set(workers.map(({ version }) => version)).size).toBe(2)
  })

  it.each([
    ['a newer layout', (own: string) => `update ${own}.header set layout = 1000`, 'R5103'],
    ['tables of something else', (own: string) => `update ${own}.header set application = 'other'`, 'R5102'],
  ])('with %s take no worker and no run, and stay as they are', async (_, change, code) => {
    const address = server.address()
    const own = `${new URL(address).searchParams.get('schema')}_cluster`
    const { reflex: before } = hire(address)
    await before.cluster()
    await server.sql(change(own))
    const { reflex } = hire(address)
    await expect(joinCluster(reflex)).rejects.toMatchObject({ code })
    await expect(reflex.start(ONCE, { id: 'otter' })).rejects.toMatchObject({ code })
    expect(await reflex.store.runs({})).toEqual([])
    expect(await server.sql(`select from ${own}.worker`)).toEqual([])
  })
})
