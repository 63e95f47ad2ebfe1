import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFault } from 'reflex-runtime/kernel'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { openCluster } from '../src/index.ts'
import { CAN, ClusterWorld, until, waitFor } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown.code
    throw thrown
  }
  return 'nothing is thrown'
}

describe.skipIf('missing' in programs)(`the turns of a cluster${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('gives a run that was begun and released a turn, and forgets it when the run has ended', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    await world.start('otter-1')
    await until(async () => (await world.status('otter-1')) === 'completed')
    await until(async () => (await world.state('otter-1')) === undefined)
    expect(world.turns).toEqual(['otter-1'])
    expect(world.troubles).toEqual([])
  })

  it('finds what was due before there was a cluster', async () => {
    const world = await ClusterWorld.at(server)
    await world.start('otter-1', { status: 'suspended', due: Date.now() - 5 })
    await world.start('otter-2', { status: 'suspended', waits: [waitFor('event')] })
    await world.start('otter-3')
    await world.start('otter-4', { status: 'suspended', waits: [waitFor('event')] })
    await world.post('otter-4', 'm', { type: 'message', to: 'event' })
    await world.sql(`delete from ${world.schema}_cluster.turn`)
    await world.join(world.carrying())
    await until(() => world.turns.length >= 3)
    expect(world.turns.sort()).toEqual(['otter-1', 'otter-3', 'otter-4'])
  })

  it('gives a run at rest a turn for an answer, for a message that it waits for, and for a due time', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    await world.start('answered', { status: 'suspended', waits: [waitFor('review', { type: 'answer', number: 1 })] })
    await world.start('told', { status: 'suspended', waits: [waitFor('event')] })
    await world.start('timed', { status: 'suspended', due: Date.now() + 300, waits: [waitFor('timer', { type: 'timer' })] })
    expect(world.turns).toEqual([])
    await world.post('answered', 'a', { type: 'answer', to: '2' })
    await world.post('told', 'm', { type: 'message', to: 'event' })
    await until(() => world.turns.length >= 3)
    expect(world.turns.sort()).toEqual(['answered', 'timed', 'told'])
  })

  it('gives one turn for a message that nobody waits for, and not one after another', async () => {
    const world = await ClusterWorld.at(server)
    const rests = async (run: string) => {
      const claim = await world.store.claim(run, world.starter, Date.now())
      if ('lease' in claim) await world.store.release(claim.lease)
      return { did: 'rested' } as const
    }
    await world.join(rests)
    await world.start('otter-1', { status: 'suspended', waits: [waitFor('event')] })
    await world.post('otter-1', 'm', { type: 'message', to: 'other' })
    await until(async () => world.turns.length === 1 && (await world.state('otter-1')) === 'rests')
    await world.start('otter-2')
    await until(() => world.turns.length >= 2)
    expect(world.turns[0]).toBe('otter-1')
    expect(world.turns.filter((run) => run === 'otter-1')).toEqual(['otter-1'])
  })

  it('gives a run another turn for what came while one was under way', async () => {
    const world = await ClusterWorld.at(server)
    const carry = world.carrying(() => ({ status: 'suspended', waits: [waitFor('event')] }))
    let posted: Promise<void> | undefined
    await world.join(async (run) => {
      const outcome = await carry(run)
      // After the inbox was read, and before the turn ends.
      posted ??= world.post(run, 'late', { type: 'message', to: 'event' })
      await posted
      return outcome
    })
    await world.start('otter-1')
    await until(async () => (await world.store.inbox('otter-1')).length === 0 && (await world.last('otter-1')) === 3)
    await until(async () => (await world.state('otter-1')) === 'rests')
    expect(world.turns).toEqual(['otter-1', 'otter-1'])
  })

  it('leaves a run alone that another process holds, and takes it when that process lets go', async () => {
    const world = await ClusterWorld.at(server)
    await world.start('otter-1', { status: 'suspended', waits: [waitFor('event')] })
    const claim = await world.store.claim('otter-1', world.starter, Date.now())
    if (!('lease' in claim)) throw new Error('the run is held')
    await world.join(world.carrying())
    await world.post('otter-1', 'm', { type: 'message', to: 'event' })
    await until(async () => world.turns.length === 1 && (await world.state('otter-1')) === 'rests')
    expect(await world.last('otter-1')).toBe(1)
    await world.store.release(claim.lease)
    await until(async () => (await world.status('otter-1')) === 'completed')
  })

  it('takes a run over whose process has died', async () => {
    const world = await ClusterWorld.at(server)
    await world.start('otter-1', { status: 'suspended', due: Date.now() + 400, waits: [waitFor('timer', { type: 'timer' })] })
    const gone = { ...world.starter, id: 'gone' }
    await world.store.hello(gone, Date.now(), 200)
    await world.store.claim('otter-1', gone, Date.now())
    await world.join(world.carrying())
    await until(async () => (await world.status('otter-1')) === 'completed')
  })

  it('lists a run that no worker can take, and gives it to the first one that can', async () => {
    const world = await ClusterWorld.at(server)
    await world.addWorker('old', ['kind:note@1', 'tool:refund'], { ttl: 700 })
    await world.join(async () => ({ did: 'lacks', needs: ['tool:refund', 'tool:ship'] }))
    await world.start('otter-1')
    await until(async () => (await world.cluster.facts()).missingCount === 1)
    const [missing] = (await world.cluster.facts()).missing
    expect(missing).toMatchObject({ run: 'otter-1' })
    await until(async () => (await world.cluster.facts()).missing[0]?.lacks.length === 2)
    await world.addWorker('new', ['kind:note@1', 'tool:refund', 'tool:ship', 'tool:more'])
    await until(async () => (await world.cluster.facts()).missingCount === 0)
    await until(async () => (await world.state('otter-1')) === 'admitted')
    const [row] = await world.sql(`select version from ${world.schema}_cluster.turn`)
    expect(row).toEqual({ version: 'version of new' })
  })

  it('gives a run to a worker with any of several words, and lists all of them while nobody has one', async () => {
    const world = await ClusterWorld.at(server)
    const models = 'model:anthropic or model:openai'
    await world.join(async () => ({ did: 'lacks', needs: [models, 'tool:ship'] }))
    await world.start('otter-1')
    await until(async () => (await world.cluster.facts()).missingCount === 1)
    await world.addWorker('ships', [...CAN, 'tool:ship'])
    await until(async () => (await world.cluster.facts()).missing[0]?.lacks.join() === models)
    await world.addWorker('asks', [...CAN, 'model:openai'])
    await world.addWorker('both', [...CAN, 'model:openai', 'tool:ship'])
    await until(async () => (await world.state('otter-1')) === 'admitted')
    expect(await world.sql(`select version from ${world.schema}_cluster.turn`)).toEqual([{ version: 'version of both' }])
    expect(await world.cluster.facts()).toMatchObject({ missing: [], stuck: [] })
  })

  it('leaves a run alone after ten refusals for words that its workers state, and says which', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(async () => ({ did: 'lacks', needs: CAN }))
    await world.start('otter-1')
    await until(async () => (await world.sql(`select from ${world.schema}_cluster.turn where tries > 0 and not_before > 0`)).length === 1)
    await world.sql(`update ${world.schema}_cluster.turn set tries = 9`)
    await until(async () => (await world.cluster.facts()).stuckCount === 1)
    const message = 'workers that state kind:note@1 have refused run otter-1 because they lack it'
    expect((await world.cluster.facts()).stuck[0]).toMatchObject({ run: 'otter-1', fault: { code: 'R5109', message } })
  })

  it('hands what was admitted for a version that is gone to another version', async () => {
    const world = await ClusterWorld.at(server)
    await (await world.join(world.carrying())).drain()
    await world.addWorker('old', CAN, { ttl: 1500 })
    await world.start('otter-1')
    expect(await world.state('otter-1')).toBe('admitted')
    await world.join(world.carrying(), { can: [...CAN, 'kind:note@2'] })
    await until(async () => (await world.status('otter-1')) === 'completed')
    expect(world.turns).toEqual(['otter-1'])
  })

  it('leaves a run alone after ten turns that did nothing, says why, and tries again after an input or when it is told to', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(async () => ({ did: 'rested' }))
    await world.start('otter-1')
    await world.sql(`update ${world.schema}_cluster.turn set tries = 9`)
    await until(async () => (await world.cluster.facts()).stuckCount === 1)
    expect((await world.cluster.facts()).stuck[0]).toMatchObject({ run: 'otter-1', fault: { code: 'R5109' } })
    const before = world.turns.length
    await world.post('otter-1', 'm', { type: 'message', to: 'event' })
    await until(() => world.turns.length > before)
    await world.sql(`update ${world.schema}_cluster.turn set state = 'stuck'`)
    expect(await world.cluster.retry('otter-1')).toBe(true)
    expect(await world.cluster.retry('otter-2')).toBe(false)
  })

  it('shows the fault of a turn that failed', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(async () => {
      throw new Error('no memory')
    })
    await world.start('otter-1')
    await until(async () => (await world.cluster.facts()).stuckCount === 1)
    expect((await world.cluster.facts()).stuck[0]?.fault.message).toBe('no memory')
  })

  describe('refuses', () => {
    it('a second worker in one process', async () => {
      const world = await ClusterWorld.at(server)
      const worker = await world.join(world.carrying())
      expect(await codeOf(() => world.join(world.carrying()))).toBe('R5104')
      await worker.drain()
      await world.join(world.carrying())
    })

    it('a worker whose clock is an hour off', async () => {
      const world = await ClusterWorld.at(server)
      const host = { ...world.host, now: () => world.host.now() - 3_600_000 }
      const cluster = await openCluster(world.address, { host })
      const parts = {
        worker: world.starter,
        leaseMs: 15_000,
        can: CAN,
        slots: 1,
        limitCalls: () => undefined,
        limitTurns: () => undefined,
        carry: world.carrying(),
        onTrouble: () => undefined,
      }
      expect(await codeOf(() => cluster.work(parts))).toBe('R5105')
      await cluster.close()
    })

    it('a schema of a newer release, and one with other tables', async () => {
      const world = await ClusterWorld.at(server)
      await world.sql(`update ${world.schema}_cluster.header set layout = 1000`)
      expect(await codeOf(() => openCluster(world.address, { host: world.host }))).toBe('R5103')
      const other = server.address({ schema: 'foreign' })
      await world.sql('create schema foreign_cluster; create table foreign_cluster.things (id int)')
      expect(await codeOf(() => openCluster(other, { host: world.host }))).toBe('R5102')
    })
  })
})
