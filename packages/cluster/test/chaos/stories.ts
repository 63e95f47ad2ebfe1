import type { Reflex } from '../../../reflex/src/app/reflex.ts'
import type { PostgresServer } from '../../../reflex/test/store/postgres-server.ts'
import type { WorldLine } from '../processes.ts'
import type { Loss } from './fleet.ts'
import type { Batch, Story } from './judge.ts'
import type { Plan } from './plan.ts'

/** A store with a cluster, read past the runtime. */
export interface StoredWorld {
  readonly server: PostgresServer
  readonly schema: string
}

/** The facts about the runs that the driver knows. */
export interface KnownFacts {
  readonly lines: readonly WorldLine[]
  readonly losses: readonly Loss[]
  /** The times at which runs were started, by run. */
  readonly started: ReadonlyMap<string, number>
  readonly planOf: (run: string) => Plan
}

/** Keeps the times at which turns begin, which the cluster forgets when a run has ended. */
export async function watchTurns({ server, schema }: StoredWorld): Promise<void> {
  const own = `${schema}_cluster`
  await server.sql(`create table ${own}.begun (run text not null, at bigint not null);
    create function ${own}.keep_begun() returns trigger language plpgsql as $$
    begin insert into ${own}.begun values (new.id, ${own}.now_ms()); return null; end $$;
    create trigger keep_begun after update on ${own}.turn for each row
      when (new.state = 'begun' and not new.again) execute function ${own}.keep_begun()`)
}

/** Returns the turns that are left although their runs have ended. */
export async function leftOver({ server, schema }: StoredWorld): Promise<string[]> {
  const rows = await server.sql<{ id: string; state: string }>(
    `select turn.id, state from ${schema}_cluster.turn left join ${schema}.run on run.seq = turn.run
      where state in ('admitted', 'begun', 'waits') and (run.seq is null or run.status not in ('running', 'suspended'))`,
  )
  return rows.map(({ id, state }) => `${id} has ended, and its turn ${state}`)
}

/** Returns what the database has of a run that did not end, as JSON. */
export async function stateOf({ server, schema }: StoredWorld, run: string): Promise<string> {
  const [row] = await server.sql(
    `select run.status, run.owner, run.last, run.due, run.waits, to_json(turn) as turn from ${schema}.run
      left join ${schema}_cluster.turn on turn.run = run.seq where run.id = $1`,
    [run],
  )
  const inbox = await server.sql(
    `select i.* from ${schema}.inbox i join ${schema}.run on run.seq = i.run where run.id = $1 and i.taken is null`,
    [run],
  )
  return JSON.stringify({ row, inbox })
}

/** Reads the journals of all runs, with the times of their commits, of their turns, and of what was posted. */
export async function readStories(
  { server, schema, reflex }: StoredWorld & { readonly reflex: Reflex },
  facts: KnownFacts,
): Promise<Story[]> {
  const [rows, batches, begun, posts] = await Promise.all([
    server.sql<{ id: string; status: string }>(`select id, status from ${schema}.run`),
    server.sql<Batch & { run: string }>(
      `select run.id as run, first::int as first, count::int as count,
        (extract(epoch from pg_xact_commit_timestamp(journal.xmin)) * 1000)::float8 as at
        from ${schema}.journal join ${schema}.run on run.seq = journal.run order by journal.run, first`,
    ),
    server.sql<{ run: string; at: number }>(`select run, at::float8 as at from ${schema}_cluster.begun order by at`),
    server.sql<{ run: string; at: number; record: number }>(
      `select run.id as run, at::float8 as at, taken::int as record from ${schema}.inbox i join ${schema}.run on run.seq = i.run
        where taken is not null`,
    ),
  ])
  const [batchesOf, begunOf, postsOf] = [byRun(batches), byRun(begun), byRun(posts)]
  const [lossesOf, linesOf] = [byRun(facts.losses), byRun(facts.lines)]
  const stories: Story[] = []
  for (const { id, status } of rows)
    stories.push({
      id,
      status,
      plan: facts.planOf(id),
      lines: linesOf.get(id) ?? [],
      records: await reflex.runtime.journal(id),
      batches: batchesOf.get(id) ?? [],
      begun: (begunOf.get(id) ?? []).map(({ at }) => at),
      lost: (lossesOf.get(id) ?? []).map(({ at }) => at),
      due: [
        { what: 'start', at: facts.started.get(id) ?? Number.POSITIVE_INFINITY },
        ...(postsOf.get(id) ?? []).map(({ at, record }) => ({ what: 'input', at, record })),
        ...(lossesOf.get(id) ?? []).filter(({ wasUnderWay }) => wasUnderWay).map(({ at }) => ({ what: 'loss', at })),
      ],
    })
  return stories
}

function byRun<Row extends { readonly run: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  return Map.groupBy(rows, ({ run }) => run)
}
