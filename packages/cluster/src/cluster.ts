import type { FaultData, Host } from 'reflex-runtime/kernel'
import {
  checkQueueName,
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
  type CrashingFacts,
  type MissingFacts,
  type QueueFacts,
  type QueueLimits,
  type RunPlace,
  type StuckFacts,
  type WaitingFacts,
  type WorkerFacts,
  type WorkerParts,
} from 'reflex-runtime/store'
import { connect, type Connection } from './connection.ts'
import { Engine } from './engine.ts'
import { isAble } from './sql/able.ts'
import { DEFAULT_QUEUE, engineSchema, type Names, namesOf } from './sql/names.ts'
import { layoutOf, prepareSchema } from './sql/schema.ts'
import { join } from './worker.ts'

/** The most entries of a list of facts. */
const LISTED = 100
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
    const { connection, names } = this.#parts
    return connection.query<QueueFacts>(
      `select name, slots, tenant_slots as "tenantSlots", coalesce(share, 0.8)::float8 as share,
        case when most is null then null else json_build_object('most', most, 'per', per) end as rate,
        case when tenant_most is null then null else json_build_object('most', tenant_most, 'per', tenant_per) end as "tenantRate", paused,
        (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'waits')
          + (select coalesce(sum(waiting), 0)::float8 from ${names.own}.line where queue = name) as waiting,
        (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'admitted') as admitted,
        (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'begun')
          + (select count(*)::float8 from ${names.own}.call where queue = name) as begun
        from ${names.own}.queue order by name`,
    )
  }

  async setQueue(name: string, limits: QueueLimits): Promise<QueueFacts> {
    checkQueueName(name)
    checkLimits(name, limits)
    const { connection, names } = this.#parts
    const changes = changesOf(limits)
    await connection.query(`insert into ${names.own}.queue (name) values ($1) on conflict do nothing`, [name])
    const columns = Object.keys(changes).map((column, i) => `${column} = $${i + 2}`)
    if (columns.length > 0)
      await connection.query(`update ${names.own}.queue set ${columns.join(', ')} where name = $1`, [name, ...Object.values(changes)])
    return (await this.queues()).find((queue) => queue.name === name) as QueueFacts
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

  async facts(): Promise<ClusterFacts> {
    const [workers, queues, waiting, missing, stuck, crashing] = await Promise.all([
      this.#workers(),
      this.queues(),
      this.#waiting(),
      this.#missing(),
      this.#stuck(),
      this.#crashing(),
    ])
    return { workers, queues, waiting, ...missing, ...stuck, ...crashing }
  }

  #workers(): Promise<readonly WorkerFacts[]> {
    const { connection, names } = this.#parts
    return connection.query<WorkerFacts>(
      `select id, version, can, queues, fingerprint, slots, began::float8 as began, seen::float8 as seen, seen + ttl > ${names.own}.now_ms() as "isAlive",
        drains, (select count(*)::float8 from ${names.own}.turn where worker = worker.id and state = 'begun') as turns
        from ${names.own}.worker where seen > 0 order by began`,
    )
  }

  #waiting(): Promise<readonly WaitingFacts[]> {
    const { connection, names } = this.#parts
    return connection.query<WaitingFacts>(
      `select queue, tenant, count(*)::float8 as waiting, min(since)::float8 as oldest from ${names.own}.turn where state = 'waits'
        group by queue, tenant order by min(since) limit ${LISTED}`,
    )
  }

  /** A turn that waits although its queue is not paused, and that no living worker has the words for. */
  async #missing(): Promise<{ readonly missing: readonly MissingFacts[]; readonly missingCount: number }> {
    const { connection, names } = this.#parts
    const rows = await connection.query<MissingFacts & { count: number }>(
      `with alive as (select can, open, queues from ${names.own}.worker where seen + ttl > ${names.own}.now_ms() and not drains)
      select id as run, queue, since::float8 as since, count(*) over ()::float8 as count,
        coalesce((select ${names.own}.lacking(needs, can) as lacks from alive order by cardinality(${names.own}.lacking(needs, can)) limit 1), needs) as lacks
        from ${names.own}.turn where state = 'waits'
          and not exists (select from alive where ${isAble(names.own, 'needs')} and (queues is null or turn.queue = any(queues)))
        order by since limit ${LISTED}`,
    )
    return { missing: rows.map(({ run, queue, lacks, since }) => ({ run, queue, lacks, since })), missingCount: rows[0]?.count ?? 0 }
  }

  async #stuck(): Promise<{ readonly stuck: readonly StuckFacts[]; readonly stuckCount: number }> {
    const { connection, names } = this.#parts
    const rows = await connection.query<{ run: string; crashes: number; fault: string; since: number; count: number }>(
      `select id as run, crashes, fault, since::float8 as since, count(*) over ()::float8 as count
        from ${names.own}.turn where state = 'stuck' order by since limit ${LISTED}`,
    )
    const stuck = rows.map(({ run, crashes, fault, since }) => ({ run, crashes, since, fault: faultOf(run, fault) }))
    return { stuck, stuckCount: rows[0]?.count ?? 0 }
  }

  /** Turns that have ended workers and are tried again: the heartbeats of a cluster whose workers are restarted at once show nothing of it. */
  async #crashing(): Promise<{ readonly crashing: readonly CrashingFacts[]; readonly crashingCount: number }> {
    const { connection, names } = this.#parts
    const rows = await connection.query<CrashingFacts & { count: number }>(
      `select id as run, crashes, worker, count(*) over ()::float8 as count
        from ${names.own}.turn where crashes > 1 and state <> 'stuck' order by crashes desc, id limit ${LISTED}`,
    )
    return { crashing: rows.map(({ run, crashes, worker }) => ({ run, crashes, worker })), crashingCount: rows[0]?.count ?? 0 }
  }

  async close(): Promise<void> {
    await this.#parts.engine.close()
    await this.#parts.connection.close()
  }
}

/** The database knows only the code of what the cluster itself found; what a worker reported is whole. */
function faultOf(run: string, text: string): FaultData {
  const { code, message, verdict, tries, crashes } = JSON.parse(text) as Partial<FaultData> & { tries?: number; crashes?: number }
  if (message !== undefined && verdict !== undefined && code !== undefined) return { code, verdict, message }
  const fault =
    code === 'R5108'
      ? clusterFaults.make('R5108', `${crashes} workers in a row died in the turn of run ${run}`, { fix: `reflex resume ${run}` })
      : clusterFaults.make('R5109', `${tries} turns in a row of run ${run} did nothing`, { fix: `reflex resume ${run}` })
  return { code: fault.code, verdict: fault.verdict, message: fault.message }
}

function changesOf({ slots, tenantSlots, share, rate, tenantRate, paused }: QueueLimits): Record<string, unknown> {
  return {
    ...(slots === undefined ? {} : { slots }),
    ...(tenantSlots === undefined ? {} : { tenant_slots: tenantSlots }),
    ...(share === undefined ? {} : { share }),
    ...(rate === undefined ? {} : { most: rate?.most ?? null, per: rate?.per ?? null, tokens: null, refilled: null }),
    ...(tenantRate === undefined ? {} : { tenant_most: tenantRate?.most ?? null, tenant_per: tenantRate?.per ?? null }),
    ...(paused === undefined ? {} : { paused }),
  }
}

function checkLimits(name: string, { slots, tenantSlots, share, rate, tenantRate }: QueueLimits): void {
  for (const [word, count] of [
    ['slots', slots],
    ['tenant slots', tenantSlots],
    ['rate', rate?.most],
    ['period of the rate', rate?.per],
    ['rate of a tenant', tenantRate?.most],
    ['period of the rate of a tenant', tenantRate?.per],
  ] as const) {
    if (count === undefined || count === null || (Number.isInteger(count) && count > 0 && count <= 1_000_000_000)) continue
    throw refused(`the ${word} of queue ${name} is ${count}`, 'write a whole number from 1')
  }
  if (share !== undefined && share !== null && !(share > 0 && share <= 1))
    throw refused(`the share of queue ${name} is ${share}`, 'write a number above 0 and up to 1')
}

function refused(message: string, fix: string): Error {
  return clusterFaults.make('R5110', message, { fix })
}
