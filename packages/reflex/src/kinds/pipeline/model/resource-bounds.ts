import { type Attributes, integerOf, numberOf, textOf } from '../dot/graph.ts'
import { durationOf } from '../language/duration.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { CanonicalType } from './resolution.ts'
import { PRESETS } from './retry-presets.ts'
import type { ResourceBounds } from './typed.ts'

/** Types for which a retry cannot change the result: the graph's retry settings do not apply to them (reference pipeline 3.5). */
const PURE: ReadonlySet<string> = new Set(['start', 'exit', 'branch', 'gate', 'transform', 'fan_in'])

/** The limits of the nodes of one pipeline. */
export class NodeBounds {
  /** The number of retries and of attempts that the graph states for nodes that state none. */
  readonly #retries: number | undefined
  readonly #attempts: number | undefined

  constructor(graph: Attributes) {
    this.#retries = integerOf(graph, 'default_max_retries') ?? integerOf(graph, 'default_max_retry')
    this.#attempts = presetAttempts(graph)
  }

  /** Returns the limits of a node. The number of attempts comes from the graph if the node states none. Limits that neither states are absent. */
  of(canonical: CanonicalType, { ownRetries }: OperationFacts, attributes: Attributes): ResourceBounds {
    const isShared = ownRetries !== true && !PURE.has(canonical)
    const retries = atLeastZero(integerOf(attributes, 'max_retries') ?? (isShared ? this.#retries : undefined))
    const timeout = durationOf(attributes, 'timeout')
    const attempts = retries === undefined ? (presetAttempts(attributes) ?? (isShared ? this.#attempts : undefined)) : retries + 1
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
}

function presetAttempts(attributes: Attributes): number | undefined {
  const name = textOf(attributes, 'retry_policy')?.trim() ?? ''
  return Object.hasOwn(PRESETS, name) ? PRESETS[name]?.attempts : undefined
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value)
}
