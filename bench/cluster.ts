import { DBOSClient } from '@dbos-inc/dbos-sdk'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCluster } from 'reflex-runtime-cluster'
import { Reflex } from '../packages/reflex/src/app/reflex.ts'
import { systemHost } from '../packages/reflex/src/kernel/index.ts'
import { workflow } from '../packages/reflex/src/kinds/workflow/index.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import { Crew } from './cluster/crew.ts'
import { EFFECTS, noteTool, THREE_STEPS } from './cluster/steps-program.ts'
import type { WorkerOrder } from './cluster/worker-child.ts'
import { type Line, median } from './measure.ts'

/** Runs of a round. */
const RUNS = 1000
const SLEEPING = 1_000_000
/** Milliseconds for which an idle worker is watched, and between two runs that become due. */
const IDLE_MS = 10_000
const BETWEEN_MS = 100
const DUE = 100

/** Waits for a message, then has one effect. */
const WAITS = workflow({
  id: 'waits',
  entry: 'ask',
  nodes: { ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } }, go: { spec: { tool: 'note', args: { step: 'go' } } } },
  edges: [{ id: 'a', from: 'ask', to: 'go', event: 'YES' }],
})

/**
 * Turns and effects of a cluster by its workers, beside the engine alone and workers without a cluster on the same server; the delay of
 * what becomes due; and what idle workers and sleeping runs cost.
 */
export async function cluster(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('a cluster on Postgres', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-cluster-'))
  try {
    line('a cluster on Postgres', `${availableParallelism()} cores`, 'they carry the server, the workers and this process together')
    for (const workers of [1, 2, 4]) {
      for (const as of ['cluster', 'worker', 'dbos'] as const) {
        const ms = await throughput(server, folder, workers, as)
        const name = { cluster: 'cluster', worker: '  reflex worker', dbos: '  DBOS alone' }[as]
        const turns = `${((RUNS * 1000) / ms).toFixed(0)} turns/s`
        line(`${name}, ${workers} worker${workers === 1 ? '' : 's'}`, turns, `${((RUNS * EFFECTS * 1000) / ms).toFixed(0)} effects/s`)
      }
    }
    await delays(server, folder, line)
    await idle(server, folder, line)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the milliseconds in which workers carry all runs of a round to their ends. */
async function throughput(server: PostgresServer, folder: string, workers: number, as: WorkerOrder['as']): Promise<number> {
  const crew = new Crew(folder)
  if (as === 'dbos') return engineAlone(server, crew, workers)
  const address = server.address()
  const reflex = new Reflex({ store: address, cluster: true, workdir: folder, tools: [noteTool(crew.world)] })
  const opened = await openCluster(address, { host: systemHost })
  await opened.setQueue('default', { paused: true })
  for (let i = 0; i < RUNS; i += 50)
    await Promise.all(Array.from({ length: 50 }, async (_, j) => (await reflex.start(THREE_STEPS, { id: `run-${i + j}` })).close()))
  await crew.hire(workers, { as, address })
  const from = performance.now()
  crew.tell()
  await opened.setQueue('default', { paused: false })
  await crew.until(RUNS * EFFECTS)
  const ms = performance.now() - from
  await crew.end()
  await opened.close()
  await reflex.close()
  return ms
}

async function engineAlone(server: PostgresServer, crew: Crew, workers: number): Promise<number> {
  const url = new URL(server.address())
  url.search = ''
  await server.sql('drop schema if exists floor cascade')
  await crew.hire(1, { as: 'dbos', address: url.href })
  if (workers > 1) await crew.hire(workers - 1, { as: 'dbos', address: url.href })
  const client = await DBOSClient.create({ systemDatabaseUrl: url.href, systemDatabaseSchemaName: 'floor', applicationName: 'floor' })
  for (let i = 0; i < RUNS; i++) {
    const run = `run-${i}`
    await client.enqueue({ queueName: 'floor', workflowName: 'three', workflowID: run, queuePartitionKey: run, appVersion: '1' }, run)
  }
  const from = performance.now()
  crew.tell()
  await crew.until(RUNS * EFFECTS)
  const ms = performance.now() - from
  await crew.end()
  await client.destroy()
  return ms
}

/** From the answer to the effect that follows it, with two workers. */
async function delays(server: PostgresServer, folder: string, line: Line): Promise<void> {
  const crew = new Crew(folder)
  const address = server.address()
  const reflex = new Reflex({ store: address, cluster: true, workdir: folder, tools: [noteTool(crew.world)] })
  await crew.hire(2, { as: 'cluster', address })
  crew.tell()
  const names = Array.from({ length: DUE }, (_, i) => `run-${i}`)
  for (const id of names) (await reflex.start(WAITS, { id })).close()
  while ((await reflex.inbox()).length < DUE) await new Promise((resolve) => setTimeout(resolve, 200))
  const due = new Map<string, number>()
  for (const { id, run } of await reflex.inbox()) {
    due.set(run, Date.now())
    await reflex.answer(id, 'YES', { run: false })
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
  await crew.until(DUE)
  const lines = crew.lines.map((text) => JSON.parse(text) as { run: string; at: number })
  const taken = lines.map(({ run, at }) => at - (due.get(run) ?? at)).sort((a, b) => a - b)
  line('  from an answer to the effect after it', `${median(taken)} ms`, `p99 ${taken[Math.floor(taken.length * 0.99)]} ms, two workers`)
  await crew.end()
  await reflex.close()
}

/** Prints the commits of the server for an idle worker and the time of a tick, without runs and with a million sleeping runs. */
async function idle(server: PostgresServer, folder: string, line: Line): Promise<void> {
  const crew = new Crew(folder)
  const address = server.address()
  const schema = new URL(address).searchParams.get('schema') ?? ''
  const reflex = new Reflex({ store: address, cluster: true, workdir: folder, tools: [noteTool(crew.world)] })
  await crew.hire(2, { as: 'cluster', address })
  crew.tell()
  const watch = async (what: string): Promise<void> => {
    const commits = async () => Number((await server.sql<{ n: string }>('select sum(xact_commit) as n from pg_stat_database'))[0]?.n ?? 0)
    const before = await commits()
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
    const each = ((await commits()) - before) / 2 / (IDLE_MS / 1000)
    const [tick] = await server.sql<{ 'QUERY PLAN': string }>(
      `explain (analyze, summary) select ${schema}_cluster.tick(${schema}_cluster.now_ms(), false)`,
    )
    const text = tick?.['QUERY PLAN'] ?? ''
    line(`  an idle worker, ${what}`, `${each.toFixed(0)} commits/s`, `a tick takes ${/time=[\d.]+\.\.([\d.]+)/.exec(text)?.[1] ?? '?'} ms`)
  }
  await watch('no runs')
  ;(await reflex.start(WAITS, { id: 'first' })).close()
  while ((await reflex.inbox()).length < 1) await new Promise((resolve) => setTimeout(resolve, 200))
  const columns = 'trace, program, status, token, last, chain, sum, started, updated, waits, value, used'
  await server.sql(
    `insert into ${schema}.run (id, due, ${columns}) select 'sleeping-' || i, $1::bigint + i, ${columns} from ${schema}.run, generate_series(1, ${SLEEPING}) i where id = 'first'`,
    [Date.now() + 86_400_000],
  )
  await server.sql('analyze')
  await watch('a million runs asleep')
  await crew.end()
  await reflex.close()
}
