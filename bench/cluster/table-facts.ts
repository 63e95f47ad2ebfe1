import type { PostgresServer } from '../../packages/reflex/test/store/postgres-server.ts'

/** The state of one table, and sums since it was made. */
export interface TableFacts {
  readonly name: string
  readonly tableBytes: number
  readonly indexBytes: number
  readonly live: number
  readonly dead: number
  readonly inserted: number
  readonly updated: number
  readonly updatedInPlace: number
  readonly deleted: number
  readonly vacuums: number
  /** Milliseconds of autovacuum; 0 on servers before Postgres 18, which do not count them. */
  readonly vacuumMs: number
}

const FACTS = `select schemaname || '.' || relname as name, pg_table_size(relid)::float8 as "tableBytes", pg_indexes_size(relid)::float8 as "indexBytes",
  n_live_tup::float8 as live, n_dead_tup::float8 as dead, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated,
  n_tup_hot_upd::float8 as "updatedInPlace", n_tup_del::float8 as deleted, autovacuum_count::float8 as vacuums,
  coalesce((to_jsonb(pg_stat_user_tables) ->> 'total_autovacuum_time')::float8, 0) as "vacuumMs"
  from pg_stat_user_tables where schemaname = any($1) and n_tup_ins + n_tup_upd + n_tup_del > 0 order by name`

/** Returns the facts of the tables of some schemas in which something was written, by name. */
export async function tableFacts(server: PostgresServer, schemas: readonly string[]): Promise<ReadonlyMap<string, TableFacts>> {
  const rows = await server.sql<TableFacts>(FACTS, [[...schemas]])
  return new Map(rows.map((row) => [row.name, row]))
}
