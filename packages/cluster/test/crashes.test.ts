import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerOf } from '../../reflex/src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { ClusterWorld } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`a turn whose workers die${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  /** Lets workers begin the turn one after the other, each of which leaves so many records and dies. Returns how many did. */
  async function deathsOf(world: ClusterWorld, records: number, most: number): Promise<number> {
    await world.start('otter')
    // No worker is there, so nothing admits it, and DBOS has no tables.
    await world.sql(`update ${world.schema}_cluster.turn set state = 'admitted'`)
    for (let died = 0; ; died++) {
      const worker = workerOf(`worker-${died}`)
      const own = `${world.schema}_cluster`
      const text = `select ${own}.begin_turn(id, number, $1) as queue from ${own}.turn where id = 'otter'`
      const [row] = await world.sql<{ queue: string | null }>(text, [worker.id])
      if (row?.queue !== 'default' || died === most) return died
      await world.store.hello(worker, Date.now(), 600_000)
      const claim = await world.store.claim('otter', worker, Date.now())
      if (!('lease' in claim)) throw new Error('the run is held')
      for (let i = 1; i < records; i++) await world.rest(claim.lease, claim.row.last + i, {}, false)
      await world.rest(claim.lease, claim.row.last + records)
    }
  }

  it('is set aside after ten, also if each of them records that it tries again', async () => {
    const world = await ClusterWorld.at(server)
    expect(await deathsOf(world, 1, 20)).toBe(10)
    expect(await world.cluster.facts()).toMatchObject({ crashing: [], crashingCount: 0 })
    expect((await world.cluster.facts()).stuck).toMatchObject([{ run: 'otter', crashes: 10, fault: { code: 'R5108' } }])
  })

  it('is listed with the number of deaths and its worker before it is set aside', async () => {
    const world = await ClusterWorld.at(server)
    expect(await deathsOf(world, 1, 3)).toBe(3)
    expect(await world.cluster.facts()).toMatchObject({
      crashing: [{ run: 'otter', crashes: 3, worker: workerOf('worker-3').id }],
      crashingCount: 1,
      stuckCount: 0,
    })
  })

  it('is not set aside while it makes progress', async () => {
    const world = await ClusterWorld.at(server)
    expect(await deathsOf(world, 20, 12)).toBe(12)
    expect((await world.cluster.facts()).stuckCount).toBe(0)
  })
})
