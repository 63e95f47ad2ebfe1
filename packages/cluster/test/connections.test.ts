import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Client } from 'pg'
import { systemHost } from 'reflex-runtime/kernel'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { pgbouncer, Pooler } from '../../reflex/test/store/pgbouncer.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { findCluster, openCluster } from '../src/index.ts'
import { Workers } from './processes.ts'
import { ClusterWorld, until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const withoutPooler = pgbouncer === undefined ? ' (skipped: pgbouncer is not installed)' : ''
/** The connections of a worker that docs/scaling.md states: seven of the store, four of the cluster. */
const MOST = 11
const AT_ONCE = 64

/** A question, and a call of a tool after it. */
const ASKS = workflow({
  id: 'asks',
  entry: 'ask',
  nodes: { ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } }, one: { spec: { tool: 'note', args: { step: 'one' } } } },
  edges: [{ id: 'yes', from: 'ask', to: 'one', event: 'YES' }],
})

describe.skipIf('missing' in programs)(`the connections of a worker${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  const connections = async (): Promise<number> =>
    (await server.sql(`select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`)).length

  it('are at most eleven while it works on 64 turns', async () => {
    const world = await ClusterWorld.at(server)
    const counts: number[] = []
    let atOnce = 0
    let most = 0
    const carry = world.carrying()
    await world.join(
      async (run) => {
        most = Math.max(most, ++atOnce)
        await until(() => most >= AT_ONCE)
        const outcome = await carry(run)
        atOnce--
        return outcome
      },
      { slots: AT_ONCE },
    )
    const names = Array.from({ length: AT_ONCE }, (_, i) => `run-${i}`)
    await Promise.all(names.map((name) => world.start(name)))
    const isEnded = async (): Promise<boolean> => {
      counts.push(await connections())
      return (await world.store.runs({ status: ['completed'] })).length === AT_ONCE
    }
    await until(isEnded)
    expect(most).toBe(AT_ONCE)
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST)
  })

  it('may be lost while it joins: it fails with R5101, the process continues and joins later', async () => {
    const world = await ClusterWorld.at(server)
    // Another worker is starting DBOS.
    const other = new Client({ connectionString: world.address })
    await other.connect()
    await other.query(`select pg_advisory_lock(hashtext('reflex cluster launch'), hashtext('"${world.schema}_cluster"'))`)
    const joined = world.join(world.carrying()).catch((thrown: unknown) => thrown)
    await until(
      async () =>
        (
          await world.sql(`select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'reflex-cluster' and state = 'idle in transaction'`)
        ).length > 0,
    )
    expect(await joined).toMatchObject({ code: 'R5101' })
    await other.end()
    await world.join(world.carrying())
    await world.start('otter-1')
    await until(async () => (await world.status('otter-1')) === 'completed')
  })

  it('read what is committed, whatever the default of the database is', async () => {
    const own = await PostgresServer.start()
    onTestFinished(() => own.stop())
    await own.sql("alter database postgres set default_transaction_isolation = 'serializable'")
    const world = await ClusterWorld.at(own)
    await world.sql(`create function level() returns trigger language plpgsql as $$ begin
      insert into level values (current_setting('transaction_isolation')); return null; end $$`)
    await world.sql('create table level (name text)')
    await world.sql(`create trigger level after insert or update on ${world.schema}_cluster.worker for each row execute function level()`)
    await world.join(world.carrying())
    expect(await world.sql('select distinct name from level')).toEqual([{ name: 'read committed' }])
  })

  describe.skipIf(pgbouncer === undefined)(`through PgBouncer${withoutPooler}`, () => {
    const poolerIn = async (mode: string): Promise<Pooler> => {
      const pooler = await Pooler.start(pgbouncer ?? '', server.port, mode)
      onTestFinished(() => pooler.stop())
      return pooler
    }

    it('work in session mode: a run is due and carried on', async () => {
      const { port } = await poolerIn('session')
      const world = await ClusterWorld.at(server, systemHost, server.address({ port, schema: 'through_pooler' }))
      await world.join(world.carrying())
      await world.start('otter-1')
      await until(async () => (await world.status('otter-1')) === 'completed')
      expect(world.troubles).toEqual([])
    })

    it('carry an answer in session mode to the worker of another process', async () => {
      const { port } = await poolerIn('session')
      const address = server.address({ port, schema: 'answered' })
      const workers = new Workers({ address, leaseMs: 8000, toolMs: 0, tools: true })
      onTestFinished(() => workers.end())
      const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
      const reflex = new Reflex({ store: address, cluster: true, workdir: workers.folder, tools: [note] })
      onTestFinished(() => reflex.close())
      await workers.start()
      const handle = await reflex.start(ASKS, { id: 'otter' })
      await handle.idle({ until: 'people' })
      const { handle: opened } = await reflex.answer('otter', 'YES')
      await handle.idle({ until: 'end' })
      expect({ opened, status: handle.status, did: workers.lines.map(({ did }) => did) }).toEqual({
        opened: undefined,
        status: 'completed',
        did: ['begun', 'ended'],
      })
      expect(workers.said.join('')).not.toMatch(/R51|R50/)
    })

    it.each(['transaction', 'statement'])('are refused in %s mode before anything is written, also without a store', async (mode) => {
      const { port } = await poolerIn(mode)
      const schema = `refused_${mode}`
      const address = server.address({ port, schema })
      for (const open of [openCluster, findCluster])
        await expect(open(address, { host: systemHost })).rejects.toMatchObject({
          code: 'R5074',
          fix: expect.stringContaining('pool_mode = session') as string,
        })
      expect(await server.sql('select from pg_namespace where starts_with(nspname, $1)', [schema])).toEqual([])
    })
  })
})

describe.skipIf('missing' in programs)(`the secrets of workers${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it.each([
    ['differ', 'b1', ['R5111 the secret of worker one differs from that of other']],
    ['are equal', 'a1', []],
    ['are unknown', undefined, []],
  ])('that %s', async (_, fingerprint, troubles) => {
    const world = await ClusterWorld.at(server)
    await world.addWorker('other', ['kind:note@1'])
    await world.sql(`update ${world.schema}_cluster.worker set fingerprint = 'a1'`)
    await world.join(world.carrying(), fingerprint === undefined ? {} : { fingerprint })
    expect(world.troubles).toEqual(troubles)
    expect((await world.cluster.facts()).workers).toMatchObject([{ fingerprint: 'a1' }, { id: 'one', fingerprint: fingerprint ?? null }])
  })
})
