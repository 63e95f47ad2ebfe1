import { type Attributes, integerOf, isOn, numberOf, textOf } from '../dot/graph.ts'
import type { TypedNode } from '../model/typed.ts'
import type { CanonicalType } from '../model/resolution.ts'
import { durationOf } from '../language/duration.ts'
import { PRESETS, type RetryPolicy } from '../model/retry-presets.ts'
import type { Outcome } from './outcome.ts'

/** The default delays for a number of retries without a preset. */
const PLAIN: RetryPolicy = { attempts: 1, initialDelay: 200, factor: 2, maxDelay: 60_000, jitter: true }

/** Types for which a retry cannot change the result: the graph's retry settings do not apply to them. */
const PURE: ReadonlySet<CanonicalType> = new Set(['start', 'exit', 'branch', 'gate', 'transform', 'fan_in'])

/**
 * Returns the retry policy of a node. The first that exists: its own count, the graph's count, its own preset, the graph's
 * preset, one attempt.
 */
export function retryPolicy(node: TypedNode, graph: Attributes): RetryPolicy {
  const own = node.node.attributes
  const shared: Attributes = PURE.has(node.canonical) || node.rawType === 'accumulator' ? new Map() : graph
  const preset = presetOf(own) ?? presetOf(shared)
  const retries = integerOf(own, 'max_retries') ?? integerOf(shared, 'default_max_retries') ?? integerOf(shared, 'default_max_retry')
  const base = preset ?? PLAIN
  const attempts = retries === undefined ? base.attempts : Math.max(0, retries) + 1
  return {
    attempts,
    initialDelay: firstDuration(own, 'initial_delay', 'retry_initial_delay_ms') ?? base.initialDelay,
    factor: numberOf(own, 'factor') ?? numberOf(own, 'retry_backoff_factor') ?? base.factor,
    maxDelay: firstDuration(own, 'max_delay', 'retry_max_delay_ms') ?? base.maxDelay,
    jitter: own.has('jitter') ? isOn(own, 'jitter') : own.has('retry_jitter') ? isOn(own, 'retry_jitter') : base.jitter,
  }
}

/**
 * Returns the delay before the k-th retry in milliseconds, k from 1; `random` returns numbers in [0, 1). Jitter is applied
 * after the maximum.
 */
export function delayBefore(k: number, { initialDelay, factor, maxDelay, jitter }: RetryPolicy, random: () => number): number {
  const raw = Math.min(initialDelay * factor ** (k - 1), maxDelay)
  const delay = Number.isFinite(raw) && raw > 0 ? raw : 0
  return Math.round(jitter ? delay * (0.5 + random()) : delay)
}

/** True if another attempt may follow a failed one. */
export function mayRetry({ status, retryable }: Outcome): boolean {
  return (status === 'retry' || status === 'fail') && retryable !== false
}

/** Returns the outcome of a node after its last attempt (reference pipeline 3.5, decision table). */
export function exhaustedOutcome(outcome: Outcome, allowPartial: boolean): Outcome {
  if (outcome.status !== 'retry' && outcome.status !== 'fail') return outcome
  if (allowPartial) {
    const notes = outcome.notes === undefined ? 'retries exhausted' : `${outcome.notes}; retries exhausted`
    return { ...outcome, status: 'partial_success', notes }
  }
  if (outcome.status === 'fail') return outcome
  const { failure_reason: own } = outcome
  return { ...outcome, status: 'fail', failure_reason: own === undefined ? 'max retries exceeded' : `max retries exceeded: ${own}` }
}

const AUTO = 'auto-status: handler completed without writing status'

/** Applies `auto_status`: a failure counts as success, unless the stage itself reported it (reference pipeline 3.6). */
export function autoStatus(outcome: Outcome): Outcome {
  if (outcome.status !== 'fail' && outcome.status !== 'retry') return outcome
  const { context_updates } = outcome
  return { status: 'success', notes: AUTO, ...(context_updates === undefined ? {} : { context_updates }) }
}

const TRANSIENT = /time(d )?\s?out|network|connection|rate.?limit|\b429\b|\b5\d\d\b|server error/i
const PERMANENT = /\b40[013]\b|validation|configuration|unauthori[sz]ed|forbidden/i

/** True if a thrown message describes a temporary problem. Unknown messages do not count (reference pipeline 3.5). */
export function isTransient(message: string): boolean {
  return TRANSIENT.test(message) && !PERMANENT.test(message)
}

function presetOf(attributes: Attributes): RetryPolicy | undefined {
  const name = textOf(attributes, 'retry_policy')?.trim()
  return name === undefined ? undefined : Object.hasOwn(PRESETS, name) ? PRESETS[name] : PRESETS['none']
}

function firstDuration(attributes: Attributes, ...keys: readonly string[]): number | undefined {
  return keys.map((key) => durationOf(attributes, key)).find((found) => found !== undefined)
}
