import { Client } from 'pg'
import type { Lease, Store, Worker } from '../packages/reflex/src/kernel/index.ts'
import { openPostgres } from '../packages/reflex/src/store/index.ts'
import { batchOf, leaseOf, messageOf, rowChange, rowOf } from '../packages/reflex/src/testing/store-suite/world.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import { STORED_STEP } from './counting.ts'
import type { Line } from './measure.ts'

const SECONDS = 60
/** Runs that sleep the whole time, and those of which each gets a turn again and again. */
const ASLEEP = 100_000
const AWAKE = 2000
/** The turns at the same time, and the records of a turn. */
const AT_ONCE = 16
const RECORDS = 4
const TTL = 3_600_000
const TABLES = ['run', 'journal', 'inbox', 'worker', 'snapshot']

/** The seconds of the load: those after `--seconds`. */
function seconds(): number {
  const at = process.argv.indexOf('--seconds')
  return at < 0 ? SECONDS : Number(process.argv[at + 1])
}

/** One process that gives each of its runs turn after turn: claimed, some records, a message that it takes, asleep until a time, released. */
class Turns {
  readonly #store: Store
  readonly #worker: Worker
  readonly #last = new Map<string, number>()
  commits = 0

  constructor(store: Store, worker: Worker) {
    this.#store = store
    this.#worker = worker
  }

  async begin(): Promise<void> {
    await this.#store.hello(this.#worker, Date.now(), TTL)
    for (let n = 0; n < AWAKE; n++) {
      const lease = (await this.#store.create(rowOf(`awake-${n}`), this.#worker)) as Lease
      await this.#sleep(lease, `awake-${n}`, 1, [])
    }
  }

  async turn(run: string): Promise<void> {
    const [store, last] = [this.#store, this.#last.get(run) ?? 0]
    await store.post(run, messageOf(`m${last}`, { at: Date.now() }))
    const lease = leaseOf(await store.claim(run, this.#worker, Date.now()))
    const taken = (await store.inbox(run)).map(({ row }) => row)
    for (let record = 1; record < RECORDS; record++) await this.#commit(lease, last + record, rowChange({ updated: Date.now() }), [])
    await this.#sleep(lease, run, last + RECORDS, taken)
  }

  async #sleep(lease: Lease, run: string, record: number, taken: readonly number[]): Promise<void> {
    const now = Date.now()
    await this.#commit(lease, record, rowChange({ status: 'suspended', updated: now, due: now + 86_400_000 + record }), taken)
    await this.#store.release(lease)
    this.#last.set(run, record)
  }

  async #commit(lease: Lease, record: number, row: ReturnType<typeof rowChange>, taken: readonly number[]): Promise<void> {
    await this.#store.commit([batchOf(lease, record, { body: `[${STORED_STEP}]`, row, taken })])
    this.commits++
  }
}

interface TableFacts {
  readonly relname: string
  readonly bytes: string
  readonly dead: string
  readonly updates: string
  readonly hot: string
  readonly vacuums: string
}

const FACTS = `select relname, pg_total_relation_size(relid)::text as bytes, n_dead_tup::text as dead, n_tup_upd::text as updates,
  n_tup_hot_upd::text as hot, autovacuum_count::text as vacuums from pg_stat_user_tables where schemaname = 'vacuum' and relname = any($1)`

/** What a load of some minutes leaves behind in the tables: bytes, dead rows, updates in place, and log for each commit. */
export async function vacuum(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('vacuum of Postgres', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const address = server.address({ schema: 'vacuum' })
  const [store, client] = [openPostgres(address), new Client({ connectionString: address })]
  try {
    await client.connect()
    const turns = new Turns(store, { id: 'bench', host: 'bench', pid: process.pid })
    await turns.begin()
    await client.query(`insert into vacuum.run (id, trace, program, status, token, last, chain, sum, started, updated, due, waits)
      select 'asleep-' || n, 'asleep-' || n, '["p","k",1,"h"]', 'suspended', 2, 1, 0, 0, n, n, 4000000000000 + n, '[]' from generate_series(1, ${ASLEEP}) as n`)
    await load(line, turns, client)
    for (const { relname, bytes, dead, updates, hot, vacuums } of (await client.query<TableFacts>(FACTS, [TABLES])).rows) {
      const share = Number(updates) === 0 ? '' : `${((100 * Number(hot)) / Number(updates)).toFixed(0)} % of ${updates} updates in place, `
      line(`  ${relname}`, `${(Number(bytes) / 1e6).toFixed(1)} MB`, `${share}${dead} dead rows, autovacuum ran ${vacuums} times`)
    }
  } finally {
    await client.end()
    await store.close()
    await server.stop()
  }
}

async function load(line: Line, turns: Turns, client: Client): Promise<void> {
  const until = Date.now() + seconds() * 1000
  const written = async () => Number((await client.query<{ at: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as at`)).rows[0]?.at)
  const [before, begun] = [await written(), turns.commits]
  const most = { dead: 0 }
  let next = 0
  const one = async () => {
    while (Date.now() < until) await turns.turn(`awake-${next++ % AWAKE}`)
  }
  const watch = setInterval(() => {
    void client.query<TableFacts>(FACTS, [['run']]).then(({ rows }) => (most.dead = Math.max(most.dead, Number(rows[0]?.dead))))
  }, 1000)
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  clearInterval(watch)
  const commits = turns.commits - begun
  line(
    `turns in ${seconds()} s, ${ASLEEP} runs asleep`,
    `${(commits / RECORDS / seconds()).toFixed(0)} turns/s`,
    `${commits} commits of a record`,
  )
  line(
    '  bytes of log for each commit',
    (((await written()) - before) / commits).toFixed(0),
    'with its share of claims, messages and releases',
  )
  line('  most dead rows of runs at a time', String(most.dead), '')
}
