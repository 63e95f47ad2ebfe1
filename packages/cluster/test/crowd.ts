import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import type { PostgresServer } from '../../reflex/test/store/postgres-server.ts'
import { openCluster } from '../src/index.ts'
import { Workers } from './processes.ts'

export interface ClusterCrowdOptions {
  readonly server: PostgresServer
  /** Runs that sleep all the time, besides those that become due. */
  readonly sleeping: number
  /** Runs that are answered while their queue is paused, and become due at once. */
  readonly due: number
  readonly workers: number
}

/** The result of a crowd: the runs that did not end, and the steps that were not performed exactly once. */
export interface ClusterCrowdResult {
  readonly wrong: readonly string[]
  /** Milliseconds from the end of the pause to the effect of each run that was due, sorted. */
  readonly delays: readonly number[]
}

const LEASE_MS = 15_000
/** Runs begun and answered at a time. */
const ABREAST = 32

/** Asks, then notes once. */
const ASKS = workflow({
  id: 'cluster-crowd',
  entry: 'ask',
  nodes: { ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } }, go: { spec: { tool: 'note', args: { step: 'go' } } } },
  edges: [{ id: 'a', from: 'ask', to: 'go', event: 'YES' }],
})

/** Answers many runs at once among a crowd that sleeps, and lets the workers of a cluster carry them on. */
export async function clusterCrowd({ server, sleeping, due, workers: count }: ClusterCrowdOptions): Promise<ClusterCrowdResult> {
  const address = server.address()
  const workers = new Workers({ address, leaseMs: LEASE_MS, toolMs: 0, tools: true })
  const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
  const reflex = new Reflex({ store: address, workdir: workers.folder, tools: [note] })
  try {
    const names = Array.from({ length: due }, (_, i) => `run-${i}`)
    await inParts(names, async (id) => (await reflex.run(ASKS, { id })).close())
    await sleep(server, address, sleeping)
    const cluster = await openCluster(address, { host: reflex.host })
    await Promise.all(Array.from({ length: count }, () => workers.start()))
    await cluster.setQueue('default', { paused: true })
    await inParts(names, async (id) => void (await reflex.answer(`${id}/q1`, 'YES', { run: false })))
    await cluster.setQueue('default', { paused: false })
    const from = Date.now()
    await cluster.close()
    while ((await completed(server, address)) < due) await new Promise((resolve) => setTimeout(resolve, 500))
    const ended = workers.lines.filter(({ did }) => did === 'ended')
    const times = new Map<string, number>()
    for (const { run } of ended) times.set(run, (times.get(run) ?? 0) + 1)
    const wrong = names.filter((name) => times.get(name) !== 1).map((name) => `${name} was noted ${times.get(name) ?? 0} times`)
    return { wrong, delays: ended.map(({ at }) => at - from).sort((a, b) => a - b) }
  } finally {
    workers.end()
    await reflex.close()
  }
}

async function inParts(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < names.length; i += ABREAST) await Promise.all(names.slice(i, i + ABREAST).map(work))
}

/** Counted by the server: to read 5,000 runs again and again would take a processor from the workers. */
async function completed(server: PostgresServer, address: string): Promise<number> {
  const [row] = await server.sql<{ n: number }>(`select count(*)::int as n from ${schemaOf(address)}.run where status = 'completed'`)
  return row?.n ?? 0
}

function schemaOf(address: string): string {
  return new URL(address).searchParams.get('schema') ?? ''
}

/** Adds runs that are due in a day or later. They have no records, so nobody could carry them on. */
async function sleep(server: PostgresServer, address: string, count: number): Promise<void> {
  const schema = schemaOf(address)
  const columns = 'trace, program, status, token, last, chain, sum, started, updated, waits, value, used'
  await server.sql(
    `insert into ${schema}.run (id, due, ${columns}) select 'sleeping-' || i, $1::bigint + i, ${columns}
      from ${schema}.run, generate_series(1, ${count}) i where id = 'run-0'`,
    [Date.now() + 86_400_000],
  )
  await server.sql('analyze')
}
