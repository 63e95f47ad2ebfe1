import { type ClusterFacts, isCallQueue } from '../store/index.ts'
import type { ServeMetrics } from './metrics.ts'

/** Sets the gauges of a cluster: its workers, the turns and calls of its queues, and the runs that nobody takes. `now`: milliseconds since the epoch. */
export function measureCluster(facts: ClusterFacts, metrics: ServeMetrics, now: number): void {
  const { workers, slots, turns, calls, waiting, waitingLag } = metrics
  for (const metric of [workers, slots, turns, calls, waiting, waitingLag]) metric.clear()
  for (const { isAlive, version, slots: count } of facts.workers) {
    if (!isAlive) continue
    workers.add(1, { version })
    slots.add(count, { version })
  }
  for (const { name: queue, ...counts } of facts.queues) {
    // Workers are added for turns, not for calls.
    const metric = isCallQueue(queue) ? calls : turns
    for (const state of ['waiting', 'admitted', 'begun'] as const) metric.set(counts[state], { queue, state })
  }
  for (const { queue, tenant, waiting: count, oldest } of facts.waiting) {
    waiting.set(count, { queue, tenant })
    waitingLag.set(Math.max(0, now - oldest) / 1000, { queue, tenant })
  }
  metrics.missing.set(facts.missingCount)
  metrics.lacking.clear()
  for (const { lacks } of facts.missing) for (const word of lacks) metrics.lacking.add(1, { word })
  metrics.stuck.set(facts.stuckCount)
  metrics.crashing.set(facts.crashingCount)
  metrics.retrying.set(facts.retryingCount)
}
