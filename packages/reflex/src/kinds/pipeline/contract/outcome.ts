import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { ModelMessage } from '../../../models/index.ts'

/** How an execution of a node ended (seed pipeline 4.3). */
export type Status = 'success' | 'partial_success' | 'retry' | 'fail' | 'skipped'

export const STATUSES: readonly Status[] = ['success', 'partial_success', 'retry', 'fail', 'skipped']

/** What was said in one execution of a node: the question, calls of tools and their results, the answer. */
export interface Turn {
  readonly thread: string
  readonly messages: readonly ModelMessage[]
}

/**
 * What an execution of a node came to. Names as the seed writes them, since the same object stands in checkpoints, status
 * files and records.
 */
export interface Outcome {
  readonly status: Status
  readonly preferred_label?: string
  readonly suggested_next_ids?: readonly string[]
  readonly context_updates?: JsonObject
  readonly notes?: string
  readonly failure_reason?: string
  /** A failure that trying again cannot help: `false`. */
  readonly retryable?: boolean
  /** The code of the effect that failed; absent where the stage itself says that it failed, which is `R2210`. */
  readonly code?: string
  /**
   * A further attempt has the answers of this one: it asks the `last` question again, or continues with the `next` one. Absent: the
   * attempt begins with none.
   */
  readonly resume?: 'last' | 'next'
  /** The edge that a person chose, by its index: taken whatever its condition says (reference pipeline 3.3, step 0h). */
  readonly edge?: number
  /** The stage itself wrote this status: nothing makes a success of it (reference pipeline 3.6). */
  readonly written?: true
  /** Middleware has halted the chain: nothing softens that. */
  readonly halted?: true
  /** Where the branches of a parallel node join: gone to without an edge (reference pipeline 3.3, step 0). */
  readonly join?: string
  /** What was said, for the conversation that the node goes on with (reference pipeline 6.5). */
  readonly turn?: Turn
  /** Data that is kept under the node's name beside the context; `null` takes a piece away (seed pipeline 7.5). */
  readonly artifacts?: JsonObject
}

export function success(context_updates?: JsonObject, more?: Partial<Outcome>): Outcome {
  return { status: 'success', ...(context_updates === undefined ? {} : { context_updates }), ...more }
}

/** A failure that may pass: retried where the node says so. */
export function failure(failure_reason: string, more?: Partial<Outcome>): Outcome {
  return { status: 'fail', failure_reason, ...more }
}

/** A failure that is the same each time: an attribute that is missing, an input that is not there. */
export function refusal(failure_reason: string, more?: Partial<Outcome>): Outcome {
  return { status: 'fail', failure_reason, retryable: false, ...more }
}

/** Why an outcome is no success, in words. */
export function reasonOf({ failure_reason, status }: Outcome): string {
  return failure_reason ?? `ended with ${status}`
}

/** Whether a stage counts as done: a goal gate is content, a branch is a success (reference pipeline 3.7). */
export function isGood(status: Status | undefined): boolean {
  return status === 'success' || status === 'partial_success'
}

/**
 * An outcome from what a handler of a host, a status file or another implementation gives: either spelling of a name,
 * statuses in any case. Undefined for what is none.
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

/** The fields of an outcome beside its status, in every spelling: what each allows. */
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

/** Returns the field that keeps a value from being an outcome, and what the field allows; undefined for an outcome. */
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
