import { faults } from '../model/faults.ts'

/** The severity of an error of a tree. */
export type ErrorSeverity = 'warning' | 'error' | 'critical'
export type EventSeverity = 'debug' | 'info' | ErrorSeverity

/** The advice in an error. Only nodes that say so, such as Retry, follow it by themselves. */
export interface Recovery {
  readonly action: 'retry' | 'abort' | 'skip' | 'escalate' | 'manual'
  readonly max_retries?: number
  readonly backoff_ms?: number
  readonly escalate_to?: string
  readonly manual_steps?: readonly string[]
}

/** The facts of an E code. Default: severity `error`, recovery `abort`, an event of the same severity. */
export interface ErrorFacts {
  readonly severity?: ErrorSeverity
  readonly recovery?: Recovery
  /** Absent: no event. */
  readonly event?: string
  readonly eventSeverity?: EventSeverity
  readonly priority?: 'high'
  /** The name of the event in documents that differ from the seed. */
  readonly alias?: string
  /** What the payload of the event has besides the data of the error. */
  readonly payload?: Readonly<Record<string, string>>
}

const SKIP: Recovery = { action: 'skip' }

/** The 33 codes (reference tree 6.2). */
export const ERROR_FACTS: Readonly<Record<string, ErrorFacts>> = {
  E1001: { event: 'blackboard.key.unregistered' },
  E1002: { event: 'blackboard.validation.failed' },
  E1003: { event: 'blackboard.key.reserved' },
  E1004: { event: 'blackboard.size.exceeded' },
  E1005: {
    severity: 'critical',
    recovery: { action: 'abort', escalate_to: 'tree.critical.error' },
    event: 'blackboard.scope.corrupted',
  },
  E2001: { event: 'node.contract.missing_input' },
  E2002: { severity: 'warning', recovery: SKIP, event: 'node.contract.violation', payload: { violation_type: 'undeclared_read' } },
  E2003: { severity: 'warning', recovery: SKIP, event: 'node.contract.violation', payload: { violation_type: 'undeclared_write' } },
  E2004: { event: 'node.id.invalid' },
  E2005: { event: 'node.id.duplicate' },
  E2006: { event: 'node.type.mismatch' },
  E3001: { event: 'tree.not_found' },
  E3002: { event: 'tree.circular_reference' },
  E3003: { severity: 'critical', event: 'tree.watchdog.timeout' },
  E3004: { severity: 'warning', recovery: { action: 'retry' }, event: 'tree.budget.exceeded' },
  E3005: { recovery: { action: 'manual' }, event: 'tree.reload.failed' },
  E3006: { severity: 'warning', event: 'tree.cancelled' },
  E4001: { event: 'loader.file.not_found' },
  E4002: { event: 'loader.definition.invalid' },
  E4003: { event: 'loader.function.not_found' },
  E4004: { event: 'loader.subtree.not_found' },
  E5001: { event: 'script.syntax.error' },
  E5002: { event: 'script.error', priority: 'high', alias: 'script.runtime.error' },
  E5003: { event: 'script.timeout' },
  E5004: { severity: 'warning', recovery: SKIP },
  E6001: { recovery: { action: 'retry', max_retries: 2, backoff_ms: 1000 }, event: 'async.timeout' },
  E6002: { severity: 'warning', event: 'async.cancelled' },
  E6003: { recovery: { action: 'retry', max_retries: 3, backoff_ms: 2000 }, event: 'llm.api.error' },
  E7001: { severity: 'critical', event: 'security.sandbox.violation' },
  E7002: { severity: 'critical', event: 'security.path.traversal' },
  E7003: { severity: 'warning', recovery: { action: 'retry', max_retries: 1, backoff_ms: 1000 }, event: 'security.rate.exceeded' },
  E8001: { event: 'tree.parallel.conflict', eventSeverity: 'warning', alias: 'parallel.merge.conflict' },
  E8002: { event: 'parallel.merge.type_mismatch' },
}

/** The categories, by the first digit of the code from 1. */
export const CATEGORIES = ['blackboard', 'node', 'tree', 'loader', 'script', 'async', 'security', 'merge'] as const
export type ErrorCategory = (typeof CATEGORIES)[number]

/** The E codes by the codes of the catalogue. */
const E_CODES: ReadonlyMap<string, string> = new Map(
  Object.entries(faults.entries).flatMap(([code, { rules = [] }]) => rules.map((rule) => [code, rule.replace(/^tree /, '')] as const)),
)

/** Returns the E code of a fault, which faults of the kernel have as their rule; undefined if it has none. */
export function errorCode({ code, rule }: { readonly code: string; readonly rule?: string | undefined }): string | undefined {
  return rule !== undefined && Object.hasOwn(ERROR_FACTS, rule) ? rule : E_CODES.get(code)
}
