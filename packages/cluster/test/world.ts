import { onTestFinished } from 'vitest'
import {
  type Host,
  type Lease,
  type Message,
  type OpenWait,
  type RunStatus,
  type Store,
  systemHost,
  type Worker,
} from 'reflex-runtime/kernel'
import { openPostgres } from 'reflex-runtime/store'
import { batchOf, messageOf, rowOf, workerOf } from '../../reflex/src/testing/store-suite/world.ts'
import type { PostgresServer } from '../../reflex/test/store/postgres-server.ts'
import type { Cluster, ClusterWorker, TurnOutcome, WorkerParts } from 'reflex-runtime/store'
import { openCluster } from '../src/index.ts'

/** Milliseconds: leases are long enough for a machine eight times as slow. */
const LEASE_MS = 8000
export const CAN = ['kind:note@1']

/** A wait of a run at rest. */
export function waitFor(name: string, more: Partial<OpenWait> = {}): OpenWait {
  return { id: 2, type: 'message', name, number: 0, since: 1, path: 'start', frame: 1, ...more }
}

export interface Rest {
  readonly status?: RunStatus
  readonly due?: number
  readonly waits?: readonly OpenWait[]
}

/** A store, its cluster, and runs that are only rows and records: what a turn does with them is the case of a test. */
export class ClusterWorld {
  readonly server: PostgresServer
  readonly address: string
  readonly schema: string
  readonly store: Store
  readonly cluster: Cluster
  readonly host: Host
  /** The process that starts runs. */
  readonly starter: Worker = workerOf('starter')
  /** The turns so far: the run, and the last record when it began. */
  readonly turns: string[] = []
  readonly #troubles: string[] = []

  private constructor(server: PostgresServer, address: string, store: Store, cluster: Cluster, host: Host) {
    this.server = server
    this.address = address
    this.schema = new URL(address).searchParams.get('schema') ?? ''
    this.store = store
    this.cluster = cluster
    this.host = host
  }

  static async at(server: PostgresServer, host: Host = systemHost, address = server.address()): Promise<ClusterWorld> {
    const store = openPostgres(address)
    await store.hello(workerOf('starter'), Date.now(), 600_000)
    const cluster = await openCluster(address, { host })
    const world = new ClusterWorld(server, address, store, cluster, host)
    onTestFinished(async () => {
      await cluster.close()
      await store.close()
    })
    return world
  }

  /** What workers reported, without the notes of DBOS. */
  get troubles(): readonly string[] {
    return this.#troubles.filter((text) => !text.startsWith('R5107'))
  }

  /** Joins as the worker of this process. It drains with the test. */
  async join(carry: (run: string) => Promise<TurnOutcome>, more: Partial<WorkerParts> = {}): Promise<ClusterWorker> {
    const worker = await this.cluster.work({
      worker: workerOf('one'),
      leaseMs: LEASE_MS,
      can: CAN,
      slots: 8,
      limitCalls: () => undefined,
      limitTurns: () => undefined,
      onTrouble: (fault) => this.#troubles.push(`${fault.code} ${fault.message}`),
      ...more,
      carry: (run) => {
        this.turns.push(run)
        return carry(run)
      },
    })
    onTestFinished(() => worker.drain())
    return worker
  }

  /** Creates a run with one record, and releases it as a process does that has begun it. */
  async start(id: string, rest: Rest = {}): Promise<void> {
    const lease = await this.store.create({ ...rowOf(id), program: ['note:release', 'note', 1, 'a'.repeat(64)] }, this.starter)
    if (lease === 'taken') throw new Error(`${id} is there already`)
    await this.rest(lease, 1, rest)
  }

  /** Commits one record, after which the run is at rest as given, and releases it unless it is kept. */
  async rest(lease: Lease, first: number, { status = 'running', due, waits = [] }: Rest = {}, releases = true): Promise<void> {
    const refused = await this.store.commit([batchOf(lease, first, { row: { status, updated: Date.now(), due: due ?? null, waits } })])
    if (refused.length > 0) throw new Error(`the store refused ${refused.join(', ')}`)
    if (releases) await this.store.release(lease)
  }

  /** A carrier that takes the messages of a run, adds a record, and leaves the run as given. */
  carrying(rest: (run: string) => Rest = () => ({ status: 'completed' }), as: Worker = workerOf('one')) {
    let hello: Promise<unknown> | undefined
    return async (run: string): Promise<TurnOutcome> => {
      hello ??= Promise.resolve(this.store.hello(as, Date.now(), 600_000))
      await hello
      const claim = await this.store.claim(run, as, Date.now())
      if (!('lease' in claim)) return { did: 'held' }
      const taken = (await this.store.inbox(run)).map(({ row }) => row)
      const { status = 'running', due, waits = [] } = rest(run)
      const row = { status, updated: Date.now(), due: due ?? null, waits }
      await this.store.commit([batchOf(claim.lease, claim.row.last + 1, { taken, row })])
      await this.store.release(claim.lease)
      return { did: 'rested' }
    }
  }

  async post(run: string, id: string, more: Partial<Message> = {}): Promise<void> {
    await this.store.post(run, messageOf(id, more))
  }

  /** Lets another worker appear that takes nothing: only its heartbeat is there. */
  async addWorker(
    id: string,
    can: readonly string[],
    more: { seen?: number; ttl?: number; version?: string; slots?: number } = {},
  ): Promise<void> {
    const { seen = Date.now(), ttl = 600_000, version = `version of ${id}`, slots = 8 } = more
    await this.sql(
      `insert into ${this.schema}_cluster.worker (id, version, can, slots, began, seen, ttl) values ($1, $2, $3, $4, $5, $5, $6)`,
      [id, version, [...can], slots, seen, ttl],
    )
  }

  sql<Row = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.server.sql<Row>(text, values)
  }

  /** The state of a run's turn; undefined if it has none. */
  async state(run: string): Promise<string | undefined> {
    const [row] = await this.sql<{ state: string }>(`select state from ${this.schema}_cluster.turn where id = $1`, [run])
    return row?.state
  }

  async last(run: string): Promise<number | undefined> {
    return (await this.store.read(run, 0))?.row.last
  }

  async status(run: string): Promise<RunStatus | undefined> {
    return (await this.store.read(run, 0))?.row.status
  }
}

/** Resolves when something holds. What never holds ends by the limit of the test. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
