import type { Json, JsonObject } from '../../kernel/journal/json.ts'
import { schemaIssues } from '../../text/json-schema/check.ts'
import { schemaFindings } from './board-schemas/schema-findings.ts'
import { loadWorkflow } from './load.ts'
import type { GuardRegistry, Workflow } from './types.ts'

export { workflowKind } from './kind.ts'
export { decisionPort } from './port.ts'

/** A workflow out of a store: its source as it was hashed, its guards' functions found again by their names. */
export function loadStoredWorkflow(source: Json, guards: GuardRegistry): Workflow {
  return loadWorkflow(source as object, { guards })
}

/** What keeps a value from fitting a JSON Schema, as boards judge it. Throws `R1059` for a schema that cannot be used. */
export function jsonSchemaIssues(schema: JsonObject, value: Json): ReturnType<typeof schemaIssues> {
  const [finding] = schemaFindings({ schema })
  if (finding !== undefined) throw finding
  return schemaIssues(schema, value)
}
