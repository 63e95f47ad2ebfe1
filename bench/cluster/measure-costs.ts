/**
 * What durable steps and turns cost a Postgres server and a worker: transactions, bytes of log and of tables, and processor time.
 * These are counts and processor time, not durations, so they hold on a busy machine. The processor time of the server needs `/proc`.
 */
import { readFileSync } from 'node:fs'
import { Pool } from 'pg'
import { openPostgres } from '../../packages/reflex/src/store/index.ts'
import { postgresPrograms, PostgresServer } from '../../packages/reflex/test/store/postgres-server.ts'
import { Counting } from '../counting.ts'
import type { Line } from '../measure.ts'

/** The ticks of a second in the statistics of a process on Linux. */
const TICKS = 100

/** Sums since the start of a server and of this process. */
interface Reading {
  readonly transactions: number
  readonly walBytes: number
  readonly tableBytes: number
  readonly serverMs: number
  readonly workerMs: number
}

const SUMS = `select pg_stat_force_next_flush()::text as flushed,
  (select xact_commit from pg_stat_database where datname = current_database())::float8 as transactions,
  pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
  (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relnamespace = 'reflex'::regnamespace)::float8 as tables,
  (select array_agg(pid) from pg_stat_activity) as pids`

async function read(pool: Pool): Promise<Reading> {
  const own = process.cpuUsage()
  const { rows } = await pool.query<{ transactions: number; wal: number; tables: number; pids: number[] }>(SUMS)
  const [sums] = rows
  if (sums === undefined) throw new Error('the server returned no sums')
  const ticks = sums.pids.map((pid) => ticksOf(pid)).reduce((sum, one) => sum + one, 0)
  return {
    transactions: sums.transactions,
    walBytes: sums.wal,
    tableBytes: sums.tables,
    serverMs: (ticks * 1000) / TICKS,
    workerMs: (own.user + own.system) / 1000,
  }
}

/** The processor time of a process in ticks; zero where the system has no `/proc`, and for a process that has ended. */
function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

/** The difference of two readings, divided by a count. */
function difference(to: Reading, from: Reading, count: number): Reading {
  const of = (key: keyof Reading): number => (to[key] - from[key]) / count
  return {
    transactions: of('transactions'),
    walBytes: of('walBytes'),
    tableBytes: of('tableBytes'),
    serverMs: of('serverMs'),
    workerMs: of('workerMs'),
  }
}

/** Prints what one step of a run costs, and what a run costs beside its steps. */
export async function clusterCosts(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('costs in Postgres', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const address = server.address({ schema: 'reflex' })
  const [store, pool] = [openPostgres(address), new Pool({ connectionString: address, max: 1 })]
  const counting = new Counting('leaving', store)
  const cost = async (runs: number, steps: number): Promise<Reading> => {
    const from = await read(pool)
    await counting.runs(runs, steps).round()
    return difference(await read(pool), from, runs)
  }
  try {
    await counting.runs(20, 50).round()
    for (const runs of [1, 10, 100]) {
      const [short, long] = [await repeated(200 / runs, () => cost(runs, 2)), await repeated(Math.ceil(60 / runs), () => cost(runs, 102))]
      printed(line, `${runs} at once, a step`, difference(long, short, 100))
      printed(line, `${runs} at once, a run of two steps`, short)
    }
  } finally {
    await counting.close()
    await store.close()
    await pool.end()
    await server.stop()
  }
}

/** The mean of several readings. */
async function repeated(times: number, cost: () => Promise<Reading>): Promise<Reading> {
  const readings: Reading[] = []
  while (readings.length < times) readings.push(await cost())
  const mean = (key: keyof Reading): number => readings.reduce((sum, reading) => sum + reading[key], 0) / readings.length
  return {
    transactions: mean('transactions'),
    walBytes: mean('walBytes'),
    tableBytes: mean('tableBytes'),
    serverMs: mean('serverMs'),
    workerMs: mean('workerMs'),
  }
}

function printed(line: Line, name: string, { transactions, walBytes, tableBytes, serverMs, workerMs }: Reading): void {
  const bytes = `log ${walBytes.toFixed(0)} B, tables ${tableBytes.toFixed(0)} B`
  line(name, `${transactions.toFixed(2)} commits`, `${bytes}; server ${serverMs.toFixed(3)} ms, worker ${workerMs.toFixed(3)} ms`)
}
