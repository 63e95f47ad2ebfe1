import type { FaultData, JsonObject } from '../../../kernel/index.ts'
import {
  CATEGORIES,
  ERROR_FACTS,
  type ErrorCategory,
  type ErrorSeverity,
  errorCode,
  type EventSeverity,
  type Recovery,
} from './error-table.ts'

/** An error of a tree as data, in the form of the reference (6.1). */
export interface TreeErrorData {
  readonly code: string
  readonly category: ErrorCategory
  readonly severity: ErrorSeverity
  readonly message: string
  readonly context: JsonObject
  readonly recovery: Recovery
  /** The event that reports the error; null if none does. */
  readonly emit_event: string | null
}

/** An event of a tree before it has an id and a time. */
export interface TreeEvent {
  readonly type: string
  readonly severity: EventSeverity
  readonly priority?: 'high'
  readonly payload: JsonObject
}

/**
 * Returns a fault as the error object of the reference; undefined for a fault that has no E code. `context` adds what the thrower did not
 * know, such as `node_id`, `node_path`, `tree_id`, `tick_count` and `timestamp`.
 */
export function treeError(fault: FaultData, context: JsonObject = {}): TreeErrorData | undefined {
  const code = errorCode(fault)
  if (code === undefined) return undefined
  const { severity = 'error', recovery = { action: 'abort' }, event } = ERROR_FACTS[code] ?? {}
  const category = CATEGORIES[Number(code[1]) - 1] ?? 'tree'
  const isManual = recovery.action === 'manual' && fault.fix !== undefined
  return {
    code,
    category,
    severity,
    message: fault.message,
    context: { ...sourceLocation(fault), ...fault.data, ...context },
    recovery: isManual ? { ...recovery, manual_steps: [fault.fix] } : recovery,
    emit_event: event ?? null,
  }
}

/** Returns the text of an error: `[E1001] message`. A fault without an E code has its own code. */
export function treeErrorText(fault: FaultData): string {
  return `[${errorCode(fault) ?? fault.code}] ${fault.message}`
}

/** Returns the event that reports a fault; undefined for a fault without an E code and for E5004, which is intended. */
export function faultEvent(fault: FaultData, context: JsonObject = {}): TreeEvent | undefined {
  const error = treeError(fault, context)
  if (error === undefined || error.emit_event === null) return undefined
  const { eventSeverity = error.severity, priority, alias, payload } = ERROR_FACTS[error.code] ?? {}
  return {
    type: error.emit_event,
    severity: eventSeverity,
    ...(priority === undefined ? {} : { priority }),
    payload: {
      error_code: error.code,
      error_message: error.message,
      ...payload,
      ...error.context,
      ...(alias === undefined ? {} : { alias }),
    },
  }
}

function sourceLocation({ file, line }: FaultData): JsonObject {
  if (file === undefined) return {}
  return { source_location: line === undefined ? file : `${file}:${line}` }
}
