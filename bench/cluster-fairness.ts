import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCluster } from 'reflex-runtime-cluster'
import { Reflex } from '../packages/reflex/src/app/reflex.ts'
import { systemHost } from '../packages/reflex/src/kernel/index.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import { Crew } from './cluster/crew.ts'
import { noteTool, THREE_STEPS } from './cluster/steps-program.ts'
import type { Line } from './measure.ts'

/** Due runs of one tenant: those that are carried on, and those that only wait behind them, which are rows without records. */
const CARRIED = 600
const DUE = Number(process.env['REFLEX_BENCH_DUE'] ?? 10_000)
/** The other tenants; milliseconds between two starts of theirs, and the number of starts. */
const OTHERS = 9
const BETWEEN_MS = 150
const STARTS = 120
/** Slots of a worker, and milliseconds of each of the three effects of a turn. */
const SLOTS = 16
const EFFECT_MS = 300

/**
 * Measures the delay of other tenants, from the release of a started run to its first effect, while very many runs of one tenant are due.
 * `REFLEX_BENCH_DUE=100000` sets how many.
 */
export async function clusterFairness(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('fairness of a cluster', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-fairness-'))
  try {
    line(
      `one tenant with ${DUE} due runs`,
      `${availableParallelism()} cores`,
      'they carry the server, the workers and this process together',
    )
    for (const workers of [1, 4]) await delays(server, folder, workers, line)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function delays(server: PostgresServer, folder: string, workers: number, line: Line): Promise<void> {
  const crew = new Crew(folder)
  const address = server.address()
  const reflex = new Reflex({ store: address, cluster: true, workdir: folder, tools: [noteTool(crew.world)] })
  const cluster = await openCluster(address, { host: systemHost })
  await cluster.setQueue('default', { paused: true })
  const start = async (id: string, tenant: string): Promise<void> => {
    ;(await reflex.start(THREE_STEPS, { id, tenant })).close()
  }
  for (let i = 0; i < CARRIED; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => start(`big-${i + j}`, 'big')))
  await addWaiting(server, address, DUE - CARRIED)
  await crew.hire(workers, { as: 'cluster', address, slots: SLOTS, effectMs: EFFECT_MS })
  crew.tell()
  await cluster.setQueue('default', { paused: false })
  await crew.until(SLOTS)
  const released = new Map<string, number>()
  for (let i = 0; i < STARTS; i++) {
    const run = `small-${i}`
    const next = new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
    await start(run, `small-${i % OTHERS}`)
    released.set(run, Date.now())
    await next
  }
  const begun = new Map<string, number>()
  while (begun.size < STARTS) {
    for (const { run, at } of crew.lines.map((text) => JSON.parse(text) as { run: string; at: number }))
      if (released.has(run)) begun.set(run, Math.min(at, begun.get(run) ?? at))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const admitted = await server.sql<{ run: string; at: number }>(
    `select split_part(workflow_uuid, ':', 1) as run, created_at::float8 as at from ${schemaOf(address)}_dbos.workflow_status
      where workflow_uuid like 'small-%'`,
  )
  const since = (times: readonly (readonly [string, number])[]): string => {
    const ms = times.map(([run, at]) => Math.max(0, at - (released.get(run) ?? at))).sort((a, b) => a - b)
    return [0.5, 0.99, 1].map((share) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]).join(', ')
  }
  const big = new Set(crew.lines.map((text) => (JSON.parse(text) as { run: string }).run)).size - STARTS
  line(
    `  others, ${workers} worker${workers === 1 ? '' : 's'} of ${SLOTS} slots`,
    `${since([...begun])} ms`,
    `p50, p99 and most; to be admitted: ${since(admitted.map(({ run, at }) => [run, at]))} ms; ${big} runs of the big one began`,
  )
  // The rest would go on for hours.
  await cluster.setQueue('default', { paused: true })
  await crew.end()
  await cluster.close()
  await reflex.close()
}

/** Adds runs of the big tenant that wait behind the others. They have no records, so nobody could carry them on. */
async function addWaiting(server: PostgresServer, address: string, count: number): Promise<void> {
  const schema = schemaOf(address)
  const columns = 'trace, program, status, token, last, chain, sum, started, updated, waits, value, used'
  await server.sql(
    `insert into ${schema}.run (id, ${columns}) select 'waiting-' || i, ${columns} from ${schema}.run, generate_series(1, ${count}) i where id = 'big-0'`,
  )
  await server.sql(
    `insert into ${schema}_cluster.turn (run, id, queue, tenant, priority, needs, number, state, since)
      select run.seq, run.id, queue, tenant, priority, needs, 1, 'waits', since + 1000000 from ${schema}.run, ${schema}_cluster.turn
      where run.id like 'waiting-%' and turn.id = 'big-0'`,
  )
  await server.sql('analyze')
}

function schemaOf(address: string): string {
  return new URL(address).searchParams.get('schema') ?? ''
}
