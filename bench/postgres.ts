import { Pool } from 'pg'
import { openPostgres } from '../packages/reflex/src/store/index.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import { Counting, STORED_STEP } from './counting.ts'
import { alternate, type Contestant, type Line, perSecond, timed, timesAsFast } from './measure.ts'

/** One prepared statement, which is one transaction, for each step; ten connections, as a pool of `pg` has them. */
async function raw(pool: Pool, runs: number, steps: number): Promise<Contestant> {
  await pool.query('create table if not exists steps (run text, step int, body text, primary key (run, step))')
  let round = 0
  return {
    name: 'raw pg',
    round() {
      round++
      const one = async (run: number) => {
        for (let step = 0; step < steps; step++)
          await pool.query({
            name: 'step',
            text: 'insert into steps values ($1, $2, $3)',
            values: [`${runs}:${round}:${run}`, step, STORED_STEP],
          })
      }
      return timed(() => Promise.all(Array.from({ length: runs }, (_, run) => one(run))))
    },
  }
}

/** Durable steps a second in a server of our own, beside a raw client that makes a transaction of each step. */
export async function postgres(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('steps in Postgres', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const [store, pool] = [openPostgres(server.address()), new Pool({ connectionString: server.address() })]
  const counting = new Counting('leaving', store)
  try {
    for (const [runs, steps] of [
      [1, 200],
      [10, 100],
      [100, 30],
    ] as const) {
      const [own, floor] = await alternate([counting.runs(runs, steps), await raw(pool, runs, steps)], runs * steps, 8)
      if (own === undefined || floor === undefined) continue
      line(`Postgres, ${runs} at once, an effect each step`, perSecond(own.ns), `raw pg: ${perSecond(floor.ns)}`)
      line('  speed of raw pg', timesAsFast(own, floor).toFixed(2), '')
    }
  } finally {
    await counting.close()
    await store.close()
    await pool.end()
    await server.stop()
  }
}
