import { major } from 'semver'
import type { GateSnapshot } from '../model/decision.ts'
import type { ExecutionStatus } from '../model/plan-result.ts'

/** An execution of a skill in a project and environment, for its statistics. */
export interface PastExecution {
  readonly version: string
  /** ISO 8601. */
  readonly finished_at: string
  readonly status: ExecutionStatus
}

/** Executions and milliseconds that count, and failures in a row after which a skill is quarantined (reference skill 1.9, 1.24). */
const [MOST_RUNS, LONGEST_MS, MOST_FAILURES] = [20, 30 * 24 * 3_600_000, 3]
/** Nothing was executed: it says nothing about the plan. */
const NOT_EXECUTED: readonly ExecutionStatus[] = ['noop', 'denied', 'clarify']

/**
 * Returns the statistics of a skill for its score: of the last 20 executions of the same major version, at most 30 days old, those that
 * succeeded. `executions` are those of one id, the oldest first.
 */
export function recentStats(executions: readonly PastExecution[], version: string, now: string): GateSnapshot['stats'] {
  const from = Date.parse(now) - LONGEST_MS
  const counted = executed(executions, version).filter(({ finished_at }) => Date.parse(finished_at) >= from)
  const last = counted.slice(-MOST_RUNS)
  return { successes: last.filter(({ status }) => status === 'ok').length, runs: last.length }
}

/**
 * Returns true if a skill must be quarantined: its last three executions have failed, in whole or in part. A score cannot stop such a skill,
 * because the labels and keywords of a text can outweigh every failure.
 */
export function isFailing(executions: readonly PastExecution[], version: string): boolean {
  const last = executed(executions, version).slice(-MOST_FAILURES)
  return last.length === MOST_FAILURES && last.every(({ status }) => status !== 'ok')
}

function executed(executions: readonly PastExecution[], version: string): readonly PastExecution[] {
  const wanted = majorOf(version)
  return executions.filter((one) => !NOT_EXECUTED.includes(one.status) && majorOf(one.version) === wanted)
}

function majorOf(version: string): number | undefined {
  try {
    return major(version)
  } catch {
    return undefined
  }
}
