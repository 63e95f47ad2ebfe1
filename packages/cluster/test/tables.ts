import { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { batchOf, rowOf, workerOf } from '../../reflex/src/testing/store-suite/world.ts'
import type { PostgresServer } from '../../reflex/test/store/postgres-server.ts'
import { CAN, ClusterWorld } from './world.ts'

/** The tables of a cluster without a process that takes turns: a test begins and ends them itself, by the functions that workers call. */
export class ClusterTables {
  readonly world: ClusterWorld
  readonly #pool: Pool

  private constructor(world: ClusterWorld) {
    this.world = world
    this.#pool = new Pool({ connectionString: world.address, max: 8, options: '-c synchronous_commit=off' })
  }

  /** Creates them. The tables of DBOS are those that a worker made before it left. */
  static async at(server: PostgresServer): Promise<ClusterTables> {
    const world = await ClusterWorld.at(server)
    const tables = new ClusterTables(world)
    onTestFinished(() => tables.#pool.end())
    await (await world.join(world.carrying())).drain()
    const lease = await world.store.create({ ...rowOf('first'), program: ['note:release', 'note', 1, 'a'.repeat(64)] }, world.starter)
    if (lease === 'taken') throw new Error('the run is there already')
    await world.store.commit([batchOf(lease, 1, { row: { status: 'suspended', updated: Date.now(), due: null, waits: [] } })])
    await world.store.release(lease)
    return tables
  }

  /** Performs a statement in which `store.` and `own.` are the schemas. */
  async ask<Row = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { schema } = this.world
    return (await this.#pool.query(text.replaceAll(/\bstore\./g, `${schema}.`).replaceAll(/\bown\./g, `${schema}_cluster.`), [...values]))
      .rows as Row[]
  }

  /** Inserts runs at rest: copies of one with a record. */
  async addRuns(prefix: string, count: number, tenant = '', needs: readonly string[] = []): Promise<void> {
    const columns = 'trace, program, status, token, last, chain, sum, started, updated, waits, value, used'
    await this.ask(
      `with made as (insert into store.run (id, ${columns}) select $1 || i, ${columns} from store.run, generate_series(1, $2::integer) i
        where id = 'first' returning id)
      insert into own.place (run, queue, tenant, priority, needs, at) select id, 'default', $3, 0, $4, own.now_ms() from made`,
      [prefix, count, tenant, [...needs]],
    )
  }

  /** Adds a worker of which only the heartbeat is there. */
  async addWorker(id: string, slots: number, can: readonly string[] = CAN): Promise<void> {
    await this.world.addWorker(id, can, { slots })
  }

  /** Makes runs due, each in a transaction of its own. */
  async start(...runs: readonly string[]): Promise<void> {
    for (const run of runs) await this.ask('select own.make_due(seq, own.now_ms()) from store.run where id = $1', [run])
  }

  /** Begins the turn of a run that was admitted, and ends it. */
  async perform(run: string, worker = workerOf('one').id): Promise<void> {
    await this.begin(run, worker)
    await this.end(run, worker)
  }

  async begin(run: string, worker: string): Promise<void> {
    await this.ask('select own.begin_turn(id, number, $2) from own.turn where id = $1', [run, worker])
  }

  async end(run: string, worker: string): Promise<void> {
    await this.ask(`select own.end_turn(id, number, $2, 'rested', '{}', null) from own.turn where id = $1`, [run, worker])
  }

  /** Does one bite of a tick, and hands back what no worker can take any more. */
  async tick(whole = false): Promise<void> {
    const [row] = await this.ask<{ tick: { strand: readonly (readonly [string, number])[] } | null }>(
      'select own.tick(own.now_ms(), $1) as tick',
      [whole],
    )
    const stranded = row?.tick?.strand ?? []
    await this.ask('select own.strand($1, $2)', [stranded.map(([run]) => run), stranded.map(([, number]) => number)])
  }

  async state(run: string): Promise<string | undefined> {
    return (await this.ask<{ state: string }>('select state from own.turn where id = $1', [run]))[0]?.state
  }

  /** The runs whose turns are admitted or begun, in the order of their admission. */
  async underWay(tenant?: string): Promise<string[]> {
    const rows = await this.ask<{ id: string }>(
      `select id from own.turn where state in ('admitted', 'begun') and ($1::text is null or tenant = $1) order by run`,
      [tenant ?? null],
    )
    return rows.map(({ id }) => id)
  }
}
