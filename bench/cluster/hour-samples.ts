import type { PostgresServer } from '../../packages/reflex/test/store/postgres-server.ts'
import type { Crew } from './crew.ts'
import type { LoadDelays, PacedLoad } from './paced-load.ts'
import { childrenOf, processFacts } from './process-facts.ts'
import { type TableFacts, tableFacts } from './table-facts.ts'

/** The state of a server and its workers at one moment of a load. */
export interface HourSample {
  /** Milliseconds since the load began. */
  readonly at: number
  readonly tables: ReadonlyMap<string, TableFacts>
  readonly logBytes: number
  readonly wholePages: number
  readonly commits: number
  readonly serverMs: number
  readonly workerMs: number
  /** The memory of the largest worker. */
  readonly workerBytes: number
  readonly effects: number
  /** The delays since the sample before. */
  readonly delays: LoadDelays
}

const SUMS = `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as "logBytes", (select wal_fpi from pg_stat_wal)::float8 as "wholePages",
  (select sum(xact_commit) from pg_stat_database)::float8 as commits, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as server`

/** Takes samples of a server, its workers and their load. */
export class HourSampler {
  readonly #server: PostgresServer
  readonly #schema: string
  readonly #crew: Crew
  readonly #load: PacedLoad

  constructor(server: PostgresServer, address: string, crew: Crew, load: PacedLoad) {
    this.#server = server
    this.#schema = new URL(address).searchParams.get('schema') ?? ''
    this.#crew = crew
    this.#load = load
  }

  async sample(at: number): Promise<HourSample> {
    const schema = this.#schema
    const tables = await tableFacts(this.#server, [schema, `${schema}_cluster`, `${schema}_dbos`])
    const [sums] = await this.#server.sql<{ logBytes: number; wholePages: number; commits: number; server: number }>(SUMS)
    if (sums === undefined) throw new Error('the server returned no sums')
    const { server, ...counts } = sums
    const workers = this.#crew.pids.map(processFacts)
    const delays = this.#load.delays()
    return {
      at,
      tables,
      ...counts,
      serverMs: [server, ...childrenOf(server)].reduce((sum, pid) => sum + processFacts(pid).ms, 0),
      workerMs: workers.reduce((sum, { ms }) => sum + ms, 0),
      workerBytes: Math.max(...workers.map(({ bytes }) => bytes)),
      effects: this.#load.effects,
      delays,
    }
  }

  /** Returns the sizes and dead rows of the tables that change, in one line. */
  brief({ tables, delays }: HourSample): string {
    const shown = ['run', '_cluster.turn', '_dbos.workflow_status'].map((table) => {
      const facts = tables.get(`${this.#schema}${table.startsWith('_') ? '' : '.'}${table}`)
      return facts === undefined ? '' : `${table} ${megabytes(facts.tableBytes + facts.indexBytes)}, ${facts.dead} dead`
    })
    return `${shown.join('; ')}; answers ${delays.answers.at(0.5)}/${delays.answers.at(0.99)} ms`
  }
}

/** Returns bytes as people read them. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
