import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { ModelMessage } from '../../../models/index.ts'

/** The status of an execution of a node (seed pipeline 4.3). */
export type Status = 'success' | 'partial_success' | 'retry' | 'fail' | 'skipped'

export const STATUSES: readonly Status[] = ['success', 'partial_success', 'retry', 'fail', 'skipped']

/** The messages of one execution of a node: the question, tool calls and their results, the answer. */
export interface Turn {
  readonly thread: string
  readonly messages: readonly ModelMessage[]
}

/**
 * The outcome of an execution of a node. The names are those of the seed, because the same object is in checkpoints, status
 * files and records.
 */
export interface Outcome {
  readonly status: Status
  readonly preferred_label?: string
  readonly suggested_next_ids?: readonly string[]
  readonly context_updates?: JsonObject
  readonly notes?: string
  readonly failure_reason?: string
  /** `false`: a retry cannot help. */
  readonly retryable?: boolean
  /** The code of the failed effect. Absent if the stage itself reports the failure: `R2210`. */
  readonly code?: string
  /**
   * The next attempt gets the answers of this one: it asks the `last` question again, or continues with the `next` one. Absent:
   * the next attempt starts without answers.
   */
  readonly resume?: 'last' | 'next'
  /** The index of the edge that a person chose: taken regardless of its condition (reference pipeline 3.3, step 0h). */
  readonly edge?: number
  /** True if the stage itself wrote this status: `auto_status` does not change it (reference pipeline 3.6). */
  readonly written?: true
  /** True if middleware has stopped the chain: no setting changes the failure. */
  readonly halted?: true
  /** The join of a parallel node: the run continues there without an edge (reference pipeline 3.3, step 0). */
  readonly join?: string
  /** The messages to add to the conversation of the node (reference pipeline 6.5). */
  readonly turn?: Turn
  /** Data to store under the node's name outside the context; `null` removes an artifact (seed pipeline 7.5). */
  readonly artifacts?: JsonObject
}

export function success(context_updates?: JsonObject, more?: Partial<Outcome>): Outcome {
  return { status: 'success', ...(context_updates === undefined ? {} : { context_updates }), ...more }
}

/** Returns a failure that may be retried. */
export function failure(failure_reason: string, more?: Partial<Outcome>): Outcome {
  return { status: 'fail', failure_reason, ...more }
}

/** Returns a failure that a retry cannot change: a missing attribute, a missing input. */
export function refusal(failure_reason: string, more?: Partial<Outcome>): Outcome {
  return { status: 'fail', failure_reason, retryable: false, ...more }
}

/** Returns the reason why an outcome is not a success. */
export function reasonOf({ failure_reason, status }: Outcome): string {
  return failure_reason ?? `ended with ${status}`
}

/** True if a status counts as success for goal gates and branches (reference pipeline 3.7). */
export function isGood(status: Status | undefined): boolean {
  return status === 'success' || status === 'partial_success'
}

/**
 * Reads an outcome from a handler of a host, a status file or another implementation: accepts both spellings of names, and
 * statuses in any case. Undefined for a value that is not an outcome.
 */
export function readOutcome(value: unknown): Outcome | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const field = (...names: string[]): unknown =>
    names.map((name) => (value as Record<string, unknown>)[name]).find((found) => found !== undefined)
  const status = statusOf(field('status', 'outcome'))
  if (status === undefined) return undefined
  const label = textOf(field('preferred_label', 'preferred_next_label', 'preferredLabel'))
  const ids = field('suggested_next_ids', 'suggestedNextIds')
  const updates = field('context_updates', 'contextUpdates')
  const notes = textOf(field('notes'))
  const reason = textOf(field('failure_reason', 'failureReason'))
  return {
    status,
    ...(label === undefined ? {} : { preferred_label: label }),
    ...(Array.isArray(ids) ? { suggested_next_ids: ids.filter((id): id is string => typeof id === 'string') } : {}),
    ...(isPlain(updates) ? { context_updates: updates } : {}),
    ...(notes === undefined ? {} : { notes }),
    ...(reason === undefined ? {} : { failure_reason: reason }),
    ...(field('retryable') === false ? { retryable: false } : {}),
  }
}

const TEXT = ['a text', (value: unknown): boolean => typeof value === 'string'] as const

/** The fields of an outcome except its status, in every spelling, with the values that each allows. */
const FIELDS: readonly (readonly [names: readonly string[], allowed: string, fits: (value: unknown) => boolean])[] = [
  [['preferred_label', 'preferred_next_label', 'preferredLabel'], ...TEXT],
  [
    ['suggested_next_ids', 'suggestedNextIds'],
    'a list of node ids',
    (value) => Array.isArray(value) && value.every((id) => typeof id === 'string'),
  ],
  [['context_updates', 'contextUpdates'], 'an object', isPlain],
  [['notes'], ...TEXT],
  [['failure_reason', 'failureReason'], ...TEXT],
  [['retryable'], 'true or false', (value) => typeof value === 'boolean'],
]

/** Returns the field that is wrong and the values that it allows; undefined for a valid outcome. */
export function outcomeProblem(value: unknown): string | undefined {
  if (!isPlain(value)) return `an outcome must be an object with a status, not ${shown(value)}`
  const [name, status] = ['status', 'outcome'].map((key) => [key, value[key]] as const).find(([, found]) => found !== undefined) ?? []
  const allowed = STATUSES.join(', ')
  if (name === undefined) return `the field status is missing; it is one of ${allowed}`
  if (statusOf(status) === undefined) return `${name} is ${shown(status)}; it is one of ${allowed}`
  for (const [names, wanted, fits] of FIELDS) {
    const wrong = names.find((field) => value[field] !== undefined && value[field] !== null && !fits(value[field]))
    if (wrong !== undefined) return `${wrong} is ${shown(value[wrong])}; it is ${wanted}`
  }
  return undefined
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function statusOf(value: unknown): Status | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  return STATUSES.find((status) => status === word)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isPlain(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
