import { type Fault, describeFault, type Json, type JsonObject, isList } from '../../../kernel/index.ts'
import type { ValidationErrorCode } from '../types/index.ts'

/**
 * A refusal of a workflow by the registry, the loader or the serializer (reference workflow 7, 10, 11).
 * `code` is the code of the seed, and `finding` the same failure as a fault: its R-code, place, frame and fix. `String(error)`
 * is the text that the command prints.
 */
export class WorkflowValidationError extends Error {
  override readonly name: string = 'WorkflowValidationError'
  readonly code: ValidationErrorCode
  readonly workflowId: string
  readonly details: Readonly<Record<string, unknown>>
  readonly finding: Fault

  constructor(code: ValidationErrorCode, workflowId: string, message: string, details: Readonly<Record<string, unknown>>, finding: Fault) {
    super(message)
    this.code = code
    this.workflowId = workflowId
    this.details = details
    this.finding = finding
  }

  get verdict(): Fault['verdict'] {
    return this.finding.verdict
  }

  get path(): string | undefined {
    return this.finding.path
  }

  get fix(): string | undefined {
    return this.finding.fix
  }

  override toString(): string {
    return describeFault(this.finding)
  }
}

/** Returns the error for a finding about the structure of a workflow. Its details are the data of the finding. */
export function refusal(workflowId: string, finding: Fault): WorkflowValidationError {
  const code = finding.rule as ValidationErrorCode
  const details = finding.data ?? {}
  return new WorkflowValidationError(code, workflowId, `Workflow '${workflowId}'${REASONS[code](details, finding)}`, details, finding)
}

/** The texts that users of the original may match on (reference workflow 10). */
const REASONS: Readonly<Record<ValidationErrorCode, (details: JsonObject, finding: Fault) => string>> = {
  DUPLICATE_WORKFLOW_ID: () => ' is already registered',
  WORKFLOW_NOT_FOUND: () => ' is not registered',
  EMPTY_WORKFLOW: () => ' has no nodes',
  INVALID_ENTRY_NODE: ({ entry }) => ` declares entry node '${text(entry)}' which does not exist in nodes`,
  NODE_ID_MISMATCH: ({ key, nodeId }) => `: node dict key '${text(key)}' does not match node.id '${text(nodeId)}'`,
  NO_TERMINAL_NODES: () => ' has no terminal nodes (every node has outgoing edges)',
  CYCLE_DETECTED: ({ nodesInCycle }) =>
    ` contains a cycle involving nodes: ${isList(nodesInCycle) ? nodesInCycle.map(text).join(', ') : ''}`,
  UNKNOWN_GUARD_REFERENCE: ({ edgeId, guardName }) => `: edge '${text(edgeId)}' references unknown guard '${text(guardName)}'`,
  SCHEMA_VIOLATION: (_details, finding) => `: ${finding.message}`,
  INVALID_EDGE({ edgeId, field, nodeId }) {
    if (field === 'id') return `: edge id '${text(edgeId)}' is used by more than one edge`
    return `: edge '${text(edgeId)}' references non-existent ${field === 'from' ? 'source' : 'target'} node '${text(nodeId)}'`
  },
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
