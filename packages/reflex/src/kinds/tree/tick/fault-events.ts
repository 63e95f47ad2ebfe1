import type { JsonObject } from '../../../kernel/index.ts'
import { ERROR_FACTS, errorCode } from '../board/error-table.ts'
import type { Failure } from './failures.ts'
import type { TreeEvent } from './ticking.ts'

/**
 * Returns the events of failures with an E code: each code has one, except for failures that are intended (reference tree 6.2). A node that has
 * reported its failure itself has none.
 */
export function faultEvents(failures: readonly Failure[], reported: readonly TreeEvent[]): TreeEvent[] {
  return failures.flatMap((failure) => {
    const { node, fault } = failure
    const code = fault === undefined ? undefined : errorCode(fault)
    const event = code === undefined ? undefined : ERROR_FACTS[code]?.event
    if (code === undefined || event === undefined) return []
    // A cancellation is one event for all that it stops.
    const isReported = ([type, { node_id, parallel_node_id }]: TreeEvent): boolean =>
      type === event && (type === 'tree.cancelled' || [node_id, parallel_node_id].includes(node.id))
    if (reported.some(isReported)) return []
    return [[event, payloadOf(failure, code)]]
  })
}

function payloadOf({ node, fault, reason }: Failure, code: string): JsonObject {
  const { severity = 'error', eventSeverity = severity, priority, alias, payload } = ERROR_FACTS[code] ?? {}
  return {
    node_id: node.id,
    node_path: node.path,
    error_code: code,
    error_message: reason,
    severity: eventSeverity,
    ...(priority === undefined ? {} : { priority }),
    ...(alias === undefined ? {} : { alias }),
    ...(fault?.line === undefined ? {} : { line: fault.line }),
    ...payload,
    ...fault?.data,
  }
}
