import type { Reflex } from '../app/reflex.ts'
import type { RunRow } from '../kernel/index.ts'
import { questionsOf } from '../runs/handle.ts'
import { measureCluster } from './measure-cluster.ts'
import type { ServeMetrics } from './metrics.ts'

/** Milliseconds for which the counts of a store are kept: they read every row. */
const KEPT_MS = 10_000
const measured = new WeakMap<ServeMetrics, { at: number; ready: Promise<void> }>()

/** Counts the runs of a store by status and kind, their open questions, their usage, and those that are due. */
export async function measureStore(reflex: Reflex, metrics: ServeMetrics): Promise<void> {
  const now = reflex.host.now()
  const known = measured.get(metrics)
  if (known !== undefined && now - known.at < KEPT_MS) return known.ready
  const ready = measure(reflex, metrics, now)
  measured.set(metrics, { at: now, ready })
  await ready.catch((thrown: unknown) => {
    measured.delete(metrics)
    throw thrown
  })
}

async function measure(reflex: Reflex, metrics: ServeMetrics, now: number): Promise<void> {
  const { store } = reflex
  if (reflex.clusterSettings !== undefined) measureCluster(await (await reflex.cluster()).facts(), metrics, now)
  const [rows, due] = [await store.runs(), new Set(await store.due(now))]
  for (const metric of [metrics.runs, metrics.tokens, metrics.cost]) metric.clear()
  let questions = 0
  let oldest = now
  for (const row of rows) {
    const kind = row.program[1]
    metrics.runs.add(1, { status: row.status, kind })
    metrics.tokens.add(row.used?.tokens ?? 0, { kind })
    metrics.cost.add(row.used?.cost ?? 0, { kind })
    if (row.status === 'running' || row.status === 'suspended') questions += questionsOf(row.id, row.waits).length
    if (due.has(row.id)) oldest = Math.min(oldest, dueSince(row))
  }
  metrics.questions.set(questions)
  metrics.due.set(due.size)
  metrics.dueLag.set((now - oldest) / 1000)
}

/** The time since which a run is due: that of its wait, or of its last change. */
function dueSince({ due, updated }: RunRow): number {
  return due ?? updated
}
