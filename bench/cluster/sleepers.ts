import type { Reflex } from '../../packages/reflex/src/app/reflex.ts'
import { firstSum, nextSum } from '../../packages/reflex/src/store/checksums.ts'
import type { RunColumns } from '../../packages/reflex/src/store/columns.ts'
import { sumOfRun } from '../../packages/reflex/src/store/rows.ts'
import type { PostgresServer } from '../../packages/reflex/test/store/postgres-server.ts'

const DAY_MS = 86_400_000
/** The runs that one statement adds. */
const ADDED = 10_000

/** A batch of the run that is copied. */
interface BatchRow {
  readonly first: number
  readonly count: number
  readonly version: number
  readonly body: string
}

/**
 * Adds runs that are due in a day or later, each with its journal and the turn that it has had. They are copies of a run that sleeps, with
 * names, times and checksums of their own. A worker must be there.
 */
export async function addSleepers(server: PostgresServer, reflex: Reflex, schema: string, count: number): Promise<void> {
  const { programs } = reflex.runtime
  await programs.load('tree')
  const root = { id: 'nap', type: 'wait', params: { wait_ms: DAY_MS }, children: [] }
  ;(await reflex.start(programs.add('tree', 'day', { format: 1, id: 'day', root }), { id: 'asleep' })).close()
  const rests = async (): Promise<boolean> =>
    (await server.sql(`select from ${schema}_cluster.turn where id = 'asleep' and state = 'rests'`)).length > 0
  while (!(await rests())) await new Promise((resolve) => setTimeout(resolve, 100))
  const [row] = await server.sql<RunColumns>(`select * from ${schema}.run where id = 'asleep'`)
  const batches = await server.sql<BatchRow>(
    `select first::float8 as first, count::float8 as count, version::float8 as version, body from ${schema}.journal
      where run = (select seq from ${schema}.run where id = 'asleep') order by first`,
  )
  if (row === undefined) throw new Error('the run that sleeps is gone')
  for (let i = 0; i < count; i += ADDED)
    await addCopies(
      server,
      schema,
      { row, batches },
      Array.from({ length: Math.min(ADDED, count - i) }, (_, n) => i + n + 1),
    )
  await server.sql('analyze')
}

interface Sleeper {
  readonly row: RunColumns
  readonly batches: readonly BatchRow[]
}

async function addCopies(server: PostgresServer, schema: string, { row, batches }: Sleeper, numbers: readonly number[]): Promise<void> {
  const copies = numbers.map((number) => {
    const [id, due] = [`asleep-${number}`, Number(row.due) + number]
    const sums: number[] = []
    let chain = firstSum(id)
    for (const batch of batches) sums.push((chain = nextSum(chain, batch)))
    return { id, due, chain, sums, sum: sumOfRun({ ...row, id, due }, chain) }
  })
  const columns = 'trace, program, status, token, last, started, updated, waits, value, used'
  const keys = [copies.map(({ id }) => id), copies.map(({ due }) => due), copies.map(({ chain }) => chain), copies.map(({ sum }) => sum)]
  await server.sql(
    `insert into ${schema}.run (id, due, chain, sum, ${columns}) select given.id, given.due, given.chain, given.sum, ${columns.replaceAll(/\w+/g, 'run.$&')}
      from ${schema}.run, unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as given (id, due, chain, sum) where run.id = 'asleep'`,
    keys,
  )
  for (const [i, { first, count, version, body }] of batches.entries())
    await server.sql(
      `insert into ${schema}.journal (run, first, count, version, sum, body) select run.seq, $3, $4, $5, given.sum, $6
        from unnest($1::text[], $2::bigint[]) as given (id, sum) join ${schema}.run on run.id = given.id`,
      [keys[0], copies.map(({ sums }) => sums[i]), first, count, version, body],
    )
  const turn = 'queue, tenant, priority, needs, number, version, last'
  await server.sql(
    `insert into ${schema}_cluster.turn (run, id, ${turn}) select run.seq, run.id, ${turn.replaceAll(/\w+/g, 'turn.$&')}
      from ${schema}.run, ${schema}_cluster.turn where turn.id = 'asleep' and run.id = any($1)`,
    [keys[0]],
  )
}
