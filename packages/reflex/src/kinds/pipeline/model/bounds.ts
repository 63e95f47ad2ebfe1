import { type Attributes, integerOf, numberOf, textOf } from '../dot/graph.ts'
import type { OperationFacts } from './operation-facts.ts'
import { PRESETS } from './retry-presets.ts'
import { durationOf } from '../language/duration.ts'
import type { ResourceBounds } from './typed.ts'
import type { Resolution } from './resolution.ts'

/** Types that repeating cannot help: what the graph says of retries is not meant for them (reference pipeline 3.5). */
const PURE: ReadonlySet<string> = new Set(['start', 'exit', 'branch', 'gate', 'transform', 'fan_in'])

/** The limits that a node states, and how often the graph lets it try where it does not say; what nobody states is absent. */
export function boundsOf(
  { canonical }: Resolution,
  { ownRetries }: OperationFacts,
  attributes: Attributes,
  graph: Attributes,
): ResourceBounds {
  const shared: Attributes = PURE.has(canonical) || ownRetries === true ? new Map() : graph
  const retries = atLeastZero(
    integerOf(attributes, 'max_retries') ?? integerOf(shared, 'default_max_retries') ?? integerOf(shared, 'default_max_retry'),
  )
  const timeout = durationOf(attributes, 'timeout')
  const attempts = retries === undefined ? (presetAttempts(attributes) ?? presetAttempts(shared)) : retries + 1
  const concurrency = atLeastZero(integerOf(attributes, 'max_parallel') ?? integerOf(attributes, 'max_concurrency'))
  const tokens = atLeastZero(integerOf(attributes, 'max_tokens'))
  const cost = atLeastZero(numberOf(attributes, 'max_cost'))
  const bounds: { -readonly [limit in keyof ResourceBounds]: number } = {}
  if (timeout !== undefined) bounds.timeout = timeout
  if (attempts !== undefined) bounds.attempts = attempts
  if (concurrency !== undefined) bounds.concurrency = concurrency
  if (tokens !== undefined) bounds.tokens = tokens
  if (cost !== undefined) bounds.cost = cost
  return bounds
}

function presetAttempts(attributes: Attributes): number | undefined {
  const name = textOf(attributes, 'retry_policy')?.trim() ?? ''
  return Object.hasOwn(PRESETS, name) ? PRESETS[name]?.attempts : undefined
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value)
}
