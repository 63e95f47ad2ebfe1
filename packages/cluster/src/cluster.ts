import type { Host } from 'reflex-runtime/kernel'
import {
  clusterFaults,
  isCallQueue,
  noQueue,
  openPostgres,
  parsePostgresAddress,
  type PostgresAddress,
  type Cluster,
  type ClusterFacts,
  type ClusterOptions,
  type ClusterWorker,
  type QueueFacts,
  type QueueLimits,
  type RunPlace,
  type TurnFacts,
  type WorkerParts,
} from 'reflex-runtime/store'
import { connect, type Connection } from './connection.ts'
import { Engine } from './engine.ts'
import { clusterFactsOf, turnFactsOf } from './facts.ts'
import { queueFacts, removeQueue, setQueue } from './queues.ts'
import { DEFAULT_QUEUE, engineSchema, type Names, namesOf } from './sql/names.ts'
import { layoutOf, prepareSchema } from './sql/schema.ts'
import { join } from './worker.ts'

/** The longest name of a schema to which `_cluster` can be added. */
const LONGEST_SCHEMA = 55

/**
 * Opens the cluster of a store in Postgres, and creates its schema next to that of the store if it is missing. Throws `R5061` for an address that cannot be read, and `R5101` to `R5103`.
 */
export async function openCluster(address: string, { host }: ClusterOptions): Promise<Cluster> {
  const parsed = parsePostgresAddress(address)
  return opened(parsed, async (connection, names) => {
    await ensureStore(connection, names, address)
    const engine = await Engine.open(connection, engineSchema(parsed.schema))
    await prepareSchema(connection, names)
    return new PostgresCluster({ connection, names, schema: parsed.schema, engine, host })
  })
}

/** The store creates its tables when it is first used: a worker may be the first process of all. */
async function ensureStore({ query }: Connection, { store }: Names, address: string): Promise<void> {
  const [row] = await query<{ found: boolean }>('select to_regclass($1) is not null as found', [`${store}.run`])
  if (row?.found === true) return
  const opened = openPostgres(address)
  try {
    await opened.runs({ limit: 1 })
  } finally {
    await opened.close()
  }
}

/** Returns the cluster of a store if it has one, and changes nothing. Throws as `openCluster`. */
export async function findCluster(address: string, options: ClusterOptions): Promise<Cluster | undefined> {
  const layout = await opened(parsePostgresAddress(address), async (connection, names) => {
    const layout = await layoutOf(connection, names)
    await connection.close()
    return layout
  })
  return layout === 0 ? undefined : openCluster(address, options)
}

async function opened<T>(parsed: PostgresAddress, use: (connection: Connection, names: Names) => Promise<T>): Promise<T> {
  const { schema } = parsed
  if (schema.length > LONGEST_SCHEMA)
    throw clusterFaults.make('R5102', `the name of the schema ${schema} is too long for a cluster`, {
      fix: `name a schema of at most ${LONGEST_SCHEMA} characters with ?schema=NAME`,
    })
  const connection = await connect(parsed)
  try {
    return await use(connection, namesOf(schema))
  } catch (thrown) {
    await connection.close()
    throw thrown
  }
}

interface Parts {
  readonly connection: Connection
  readonly names: Names
  readonly schema: string
  readonly engine: Engine
  readonly host: Host
}

class PostgresCluster implements Cluster {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  work(parts: WorkerParts): Promise<ClusterWorker> {
    return join(this.#parts, parts)
  }

  async enlist(run: string, { queue = DEFAULT_QUEUE, tenant = '', priority = 0, needs = [] }: RunPlace): Promise<void> {
    const { connection, names } = this.#parts
    const rows = await connection.query(
      `insert into ${names.own}.place (run, queue, tenant, priority, needs, at) select $1, name, $3, $4, $5, ${names.own}.now_ms()
        from ${names.own}.queue where name = $2 and position(':' in name) = 0
        on conflict (run) do update set queue = excluded.queue, tenant = excluded.tenant, priority = excluded.priority,
          needs = excluded.needs, at = excluded.at
        returning run`,
      [run, queue, tenant, priority, [...needs]],
    )
    if (rows.length > 0) return
    throw noQueue(
      queue,
      (await this.queues()).map(({ name }) => name).filter((name) => !isCallQueue(name)),
    )
  }

  queues(): Promise<readonly QueueFacts[]> {
    return queueFacts(this.#parts)
  }

  setQueue(name: string, limits: QueueLimits): Promise<QueueFacts> {
    return setQueue(this.#parts, name, limits)
  }

  async removeQueue(name: string): Promise<void> {
    const { connection, names, engine } = this.#parts
    await removeQueue(this.#parts, name)
    // The first worker creates the tables of DBOS.
    const [row] = await connection.query<{ found: boolean }>('select to_regclass($1) is not null as found', [`${names.engine}.queues`])
    if (row?.found === true) await engine.removeQueue(name)
  }

  async retry(run: string): Promise<boolean> {
    const { connection, names } = this.#parts
    const rows = await connection.query(
      `select ${names.own}.make_due(run, ${names.own}.now_ms()) from ${names.own}.turn where id = $1 and state = 'stuck'`,
      [run],
    )
    return rows.length > 0
  }

  async resume(run: string): Promise<boolean> {
    const { connection, names } = this.#parts
    const rows = await connection.query(
      `select ${names.own}.make_due(seq, ${names.own}.now_ms()) from ${names.store}.run where id = $1 and status in ('running', 'suspended')`,
      [run],
    )
    return rows.length > 0
  }

  facts(): Promise<ClusterFacts> {
    return clusterFactsOf(this.#parts)
  }

  turn(run: string): Promise<TurnFacts | undefined> {
    return turnFactsOf(this.#parts, run)
  }

  async close(): Promise<void> {
    await this.#parts.engine.close()
    await this.#parts.connection.close()
  }
}
