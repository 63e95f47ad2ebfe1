import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { Workers } from './processes.ts'
import { ClusterTables } from './tables.ts'
import { CAN, ClusterWorld, until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const GPU = [...CAN, 'has:gpu']

describe.skipIf('missing' in programs)(`what is left behind in a cluster${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  /** Two workers of one version, of which only the first serves the queue `gpu`, and one of another version that serves it. */
  async function twoQueues(): Promise<ClusterTables> {
    const tables = await ClusterTables.at(server)
    await tables.world.cluster.setQueue('gpu', {})
    await tables.addWorker('a', 8)
    await tables.addWorker('b', 8)
    await tables.addWorker('c', 1)
    await tables.ask(
      `update own.worker set version = 'v', queues = case id when 'a' then '{gpu}'::text[] else '{default}' end where id <> 'c'`,
    )
    await tables.addRuns('otter-', 1)
    await tables.ask(`update own.place set queue = 'gpu'`)
    await tables.start('otter-1')
    expect(await versionOf(tables)).toBe('v')
    return tables
  }

  const versionOf = async (tables: ClusterTables): Promise<string | undefined> =>
    (await tables.ask<{ version: string }>(`select version from own.turn where id = 'otter-1' and state = 'admitted'`))[0]?.version

  const die = (tables: ClusterTables, worker: string) => tables.ask('update own.worker set seen = 1 where id = $1', [worker])

  it('an admitted turn goes to another version if those of its own do not serve its queue, or drain', async () => {
    const dead = await twoQueues()
    await die(dead, 'a')
    await dead.tick()
    expect(await versionOf(dead)).toBe('version of c')
    const draining = await twoQueues()
    await draining.ask(`update own.worker set drains = true where id = 'a'`)
    await draining.tick()
    expect(await versionOf(draining)).toBe('version of c')
  })

  it('a turn of a dead worker is taken over in its queue only, and its death is counted also if it is handed on', async () => {
    const tables = await twoQueues()
    await tables.begin('otter-1', 'a')
    const turn = 'select id, number from own.turn'
    const recoverable = `select queue from own.recoverable(array(select id from (${turn}) as t), array(select number from (${turn}) as t))`
    expect(await tables.ask(recoverable)).toEqual([{ queue: 'gpu' }])
    await die(tables, 'a')
    expect(await tables.ask(recoverable)).toEqual([])
    await tables.tick()
    expect(await tables.ask(`select state, version, crashes from own.turn`)).toEqual([
      { state: 'admitted', version: 'version of c', crashes: 1 },
    ])
    await tables.begin('otter-1', 'c')
    await tables.ask('update own.turn set crashes = 9')
    await die(tables, 'c')
    await tables.tick()
    expect((await tables.world.cluster.facts()).stuck).toMatchObject([{ run: 'otter-1', crashes: 10, fault: { code: 'R5108' } }])
  })

  it('nobody takes the turn of a worker that lives, and one that begins it again has not died', async () => {
    const tables = await twoQueues()
    await tables.begin('otter-1', 'a')
    await tables.begin('otter-1', 'a')
    await tables.begin('otter-1', 'b')
    expect(await tables.ask('select worker, crashes from own.turn')).toEqual([{ worker: 'a', crashes: 0 }])
  })

  it('a turn behind very many of its tenant that wait for a busy worker is begun by one that is free', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addWorker('gpu', 1, GPU)
    await tables.addWorker('cpu', 2, [...CAN, 'has:cpu'])
    await tables.addRuns('gpu-', 150, '', ['has:gpu'])
    await tables.addRuns('cpu-', 2, '', ['has:cpu'])
    await tables.ask(`update own.queue set paused = true`)
    for (const prefix of ['gpu-', 'cpu-'])
      await tables.ask(`select own.make_due(seq, own.now_ms()) from store.run where id ^@ $1`, [prefix])
    await tables.ask(`update own.queue set paused = false`)
    await tables.tick()
    expect((await tables.underWay()).sort()).toEqual(['cpu-1', 'cpu-2', 'gpu-1'])
  })

  it('a run that ends outside of the cluster waits for no worker any more', async () => {
    const world = await ClusterWorld.at(server)
    await world.start('otter')
    expect([await world.state('otter'), (await world.cluster.facts()).missingCount]).toEqual(['waits', 1])
    await world.carrying()('otter')
    expect([await world.status('otter'), await world.state('otter')]).toEqual(['completed', undefined])
    expect((await world.cluster.facts()).missingCount).toBe(0)
  })

  it('a turn that was handed to workers that are gone, and that its own worker ended, is over in DBOS too', async () => {
    const world = await ClusterWorld.at(server)
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const carry = world.carrying()
    await world.join(async (run) => {
      await opened
      return carry(run)
    })
    await world.start('otter')
    await until(async () => (await world.state('otter')) === 'begun')
    const table = `${world.schema}_dbos.workflow_status`
    await world.sql(`update ${table} set status = 'ENQUEUED', application_version = 'gone', executor_id = null, owner_xid = null`)
    open()
    await until(async () => (await world.sql<{ status: string }>(`select status from ${table}`))[0]?.status === 'CANCELLED')
    expect(await world.status('otter')).toBe('completed')
  })

  it('a turn that cannot be begun, because the database fails, is begun once it works', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    const [begin, away] = [`${world.schema}_cluster.begin_turn`, 'begin_turn_away']
    await world.sql(`alter function ${begin} rename to ${away}`)
    await world.start('otter')
    const workflow = async (): Promise<string | undefined> =>
      (await world.sql<{ status: string }>(`select status from ${world.schema}_dbos.workflow_status`))[0]?.status
    await until(async () => (await workflow()) === 'PENDING')
    await world.sql(`alter function ${world.schema}_cluster.${away} rename to begin_turn`)
    await until(async () => (await workflow()) === 'SUCCESS')
    expect([await world.status('otter'), world.turns]).toEqual(['completed', ['otter']])
  })

  it('a turn whose workflow has ended in DBOS is handed to another worker, unless its worker lives', async () => {
    const tables = await twoQueues()
    const end = (status: string) => tables.ask(`update ${tables.world.schema}_dbos.workflow_status set status = $1`, [status])
    const lost = () => tables.ask<{ id: string }>('select id from own.lost()')
    expect(await lost()).toEqual([])
    await end('ERROR')
    expect(await lost()).toEqual([{ id: 'otter-1' }])
    await tables.begin('otter-1', 'a')
    await end('SUCCESS')
    expect(await lost()).toEqual([])
    await die(tables, 'a')
    expect(await lost()).toEqual([{ id: 'otter-1' }])
  })

  it('an admitted turn that DBOS does not have is begun', async () => {
    const world = await ClusterWorld.at(server)
    await world.cluster.setQueue('default', { paused: true })
    await world.start('otter')
    await world.join(world.carrying())
    await world.sql(
      `update ${world.schema}_cluster.turn set state = 'admitted', version = (select version from ${world.schema}_cluster.worker)`,
    )
    await world.cluster.setQueue('default', { paused: false })
    await until(async () => (await world.status('otter')) === 'completed')
    expect(world.turns).toEqual(['otter'])
  })

  it('a run may have the name of one that was deleted', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    const numbers = new Set<string>()
    for (let life = 0; life < 3; life++) {
      await world.start('otter')
      await until(async () => (await world.status('otter')) === 'completed')
      for (const { id } of await world.sql<{ id: string }>(`select workflow_uuid as id from ${world.schema}_dbos.workflow_status`))
        numbers.add(id)
      await world.sql(`delete from ${world.schema}.run where id = 'otter'`)
    }
    expect(numbers.size).toBe(3)
  })

  it('turns that fail and are tried again are listed with what ends them', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addWorker('a', 1)
    await tables.addRuns('otter-', 1)
    const fault = { code: 'R5061', verdict: 'retry', message: 'the store of the tool is away' }
    await tables.start('otter-1')
    for (let i = 0; i < 4; i++) {
      expect((await tables.world.cluster.facts()).retryingCount).toBe(i < 3 ? 0 : 1)
      await tables.begin('otter-1', 'a')
      await tables.ask(`select own.end_turn(id, number, 'a', 'again', '{}', $1) from own.turn`, [JSON.stringify(fault)])
      await tables.ask(`update own.turn set not_before = 0`)
      await tables.ask(`select own.admit_next('default', '', own.now_ms(), 1)`)
    }
    expect((await tables.world.cluster.facts()).retrying).toEqual([{ run: 'otter-1', tries: 4, fault }])
  })

  it('a run whose module of tools is not on a machine is listed, and continues once it is', async () => {
    const address = server.address()
    const workers = new Workers({ address, leaseMs: 8000, toolMs: 0, tools: false })
    const reflex = new Reflex({ store: address, cluster: true, workdir: workers.folder })
    onTestFinished(async () => {
      workers.end()
      await reflex.close()
    })
    const module = join(workers.folder, 'pay.mjs')
    const text = `export const pay = { name: 'pay', description: 'Pays.', repeat: 'free', leaves: false, needs: () => [], run: () => ({}) }`
    writeFileSync(module, text)
    const program = workflow({ id: 'pays', entry: 'a', nodes: { a: { spec: { tool: 'pay', args: {} } } }, edges: [] })
    const handle = await reflex.start(program, { id: 'otter', tools: [module], trust: 'trusted' })
    rmSync(module)
    await workers.start()
    const cluster = await reflex.cluster()
    await until(async () => (await cluster.facts()).retryingCount === 1)
    expect((await cluster.facts()).retrying).toMatchObject([{ run: 'otter', fault: { code: 'R1026' } }])
    writeFileSync(module, text)
    await handle.idle({ until: 'end' })
    expect([handle.status, (await cluster.facts()).retryingCount]).toEqual(['completed', 0])
  })
})
