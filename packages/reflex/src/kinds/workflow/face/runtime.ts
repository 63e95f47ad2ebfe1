import type { Json } from '../../../kernel/index.ts'
import { loadWorkflow } from '../file/load.ts'
import type { GuardRegistry, Workflow } from '../types/index.ts'

export { workflowKind } from '../step/kind.ts'
export { decisionPort } from '../step/port.ts'

/** A workflow out of a store: its source as it was hashed, its guards' functions found again by their names. */
export function loadStoredWorkflow(source: Json, guards: GuardRegistry): Workflow {
  return loadWorkflow(source as object, { guards })
}
