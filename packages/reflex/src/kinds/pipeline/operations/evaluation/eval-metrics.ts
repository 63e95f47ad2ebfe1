import { mean, passAtK, percentile } from './scores.ts'
import type { SampleResult } from './eval-results.ts'

/** Metrics of results, each in [0, 1] (reference pipeline 4.3.6, aggregate). */
export const METRICS: ReadonlyMap<string, (results: readonly SampleResult[], k: number) => number> = new Map([
  ['accuracy', (results: readonly SampleResult[]) => mean(results.map(({ passed }) => (passed ? 1 : 0)))],
  ['mean_score', (results: readonly SampleResult[]) => mean(results.map(({ scores }) => mean(scores.map(({ score }) => score))))],
  ['pass_at_k', passAtKOf],
])

/** Returns the mean over samples of pass@k; the attempts at a sample have the same id. */
function passAtKOf(results: readonly SampleResult[], k: number): number {
  const attempts = new Map<string, { n: number; good: number }>()
  for (const { id, passed } of results) {
    const counts = attempts.get(id) ?? { n: 0, good: 0 }
    attempts.set(id, { n: counts.n + 1, good: counts.good + (passed ? 1 : 0) })
  }
  return mean([...attempts.values()].map(({ n, good }) => passAtK(n, good, k)))
}

/** The durations of samples in milliseconds; null if no sample has one. */
export interface Timing {
  readonly avg: number | null
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Returns the durations from `duration_ms` in the metadata of results: a run never reads a clock. */
export function timingOf(results: readonly SampleResult[]): Timing {
  const times = results.flatMap(({ metadata }) => (typeof metadata['duration_ms'] === 'number' ? [metadata['duration_ms']] : []))
  const at = (share: number): number | null => percentile(times, share) ?? null
  return { avg: times.length === 0 ? null : mean(times), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
