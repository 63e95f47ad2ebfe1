import type { Json, JsonObject } from '../../../kernel/index.ts'
import { ERROR_FACTS, type EventSeverity } from '../board/error-table.ts'

/** The urgency of an event, for those who handle it. */
export type EventPriority = 'low' | 'normal' | 'high' | 'critical'

/** An event on the bus (reference tree 6.4). */
export interface BusEvent {
  readonly id: string
  readonly type: string
  /** The name of the tree, or of the part of the host that has published it. */
  readonly source: string
  readonly severity: EventSeverity
  readonly priority: EventPriority
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly payload: JsonObject
  readonly dedupe_key?: string
}

/** What a publisher states about an event. The rest follows from its type. */
export interface EventOptions {
  readonly source?: string
  readonly severity?: EventSeverity
  readonly priority?: EventPriority
  readonly dedupeKey?: string
}

export type EventPayload = { readonly [key: string]: Json }

/** The severities that neither an error nor `info` gives, by type. */
const SEVERITIES: ReadonlyMap<string, EventSeverity> = new Map([
  ...Object.values(ERROR_FACTS).flatMap(({ event, eventSeverity, severity = 'error' }): [string, EventSeverity][] =>
    event === undefined ? [] : [[event, eventSeverity ?? severity]],
  ),
  ['tree.tick.start', 'debug'],
  ['node.tick', 'debug'],
  ['llm.request.start', 'debug'],
  ['tool.execute.start', 'debug'],
  ['tree.watchdog.warning', 'warning'],
  ['blackboard.size.warning', 'warning'],
  ['handler.conflict.warning', 'warning'],
  ['tree.failed', 'error'],
  ['llm.timeout', 'error'],
  ['llm.budget.exceeded', 'error'],
  ['tool.execute.error', 'error'],
])

/** Returns the severity of an event by its type. */
export function severityOf(type: string): EventSeverity {
  return SEVERITIES.get(type) ?? 'info'
}

/** Returns the priority of an event by its type and severity: errors of scripts are urgent (reference tree C10). */
export function priorityOf(type: string, severity: EventSeverity): EventPriority {
  if (severity === 'critical') return 'critical'
  return type === 'script.error' ? 'high' : 'normal'
}
