import { type Fault, faultData, isFault, copyJson } from '../../../kernel/index.ts'
import { checkArguments, quote } from '../../../text/index.ts'
import { SERIALIZE_OPTIONS, WORKFLOW } from '../model/argument-forms.ts'
import { schemaSource } from '../model/board-schemas/board-schemas.ts'
import { faults } from '../model/faults.ts'
import { guardForm } from '../guards/guard-forms.ts'
import { shapeFindings } from './read-workflow.ts'
import type { Edge, GuardNameMap, Node, SerializeWorkflowOptions, Workflow } from '../types/index.ts'
import { WorkflowValidationError } from '../check/validation-error.ts'

/**
 * Returns a workflow as JSON text, indented by two spaces, that `loadWorkflow` reads back as an equal workflow.
 * A guard that is a function is written by name: that of `guardNames`, else its own. Throws `WorkflowValidationError`
 * `SCHEMA_VIOLATION` for a value that could not be loaded again: a function without a name, a guard value that is missing, a
 * list or an object, a function or date in a spec (reference workflow 11, D10), a validator that JSON Schema cannot express.
 */
export function serializeWorkflow(workflow: Workflow, options: SerializeWorkflowOptions = {}): string {
  checkArguments('serializeWorkflow', { workflow: [workflow, WORKFLOW], options: [options, SERIALIZE_OPTIONS] })
  const file = {
    id: workflow.id,
    version: workflow.version,
    entry: workflow.entry,
    nodes: Object.fromEntries(Object.entries(workflow.nodes).map(([key, node]) => [key, writeNode(node)])),
    edges: workflow.edges.map((edge) => writeEdge(edge, workflow.id, options.guardNames)),
    board: writeBoard(workflow),
    metadata: workflow.metadata,
  }
  const json = toJson(file, workflow.id)
  const [first] = shapeFindings(json)
  if (first !== undefined) throw serializationRefusal(workflow, first)
  return JSON.stringify(json, null, 2)
}

function writeNode({ id, spec, description, invokes, inputs, outputs }: Node): Record<string, unknown> {
  return { id, spec, description, invokes, inputs, outputs }
}

/** Returns the board with validators as JSON Schema. */
function writeBoard({ id, board }: Workflow): Record<string, unknown> | undefined {
  if (board === undefined) return undefined
  const written = Object.entries(board).map(([key, schema]) => {
    const source = schemaSource(schema)
    if ('schema' in source) return [key, source.schema] as const
    const message = `the schema of ${quote(key)} cannot be written as JSON Schema: ${source.reason}`
    throw serializationError(id, faults.make('R1056', message, { rule: 'SCHEMA_VIOLATION', fix: 'write a JSON Schema' }), { key })
  })
  return Object.fromEntries(written)
}

function writeEdge({ id, from, to, event, guard }: Edge, workflowId: string, names: GuardNameMap | undefined): Record<string, unknown> {
  if (guard === undefined) return { id, from, to, event }
  const written = guardForm(guard)?.write(guard, names) ?? { type: guard.type }
  if (guard.type !== 'custom' || written.name !== undefined) return { id, from, to, event, guard: written }
  const message = `edge ${quote(id)} has a guard that is a function without a name`
  const fix = 'give the guard a name, or put its function into `guardNames`'
  throw serializationError(workflowId, faults.make('R1056', message, { rule: 'SCHEMA_VIOLATION', fix, data: { edgeId: id } }), {
    edgeId: id,
  })
}

function toJson(value: unknown, workflowId: string): unknown {
  try {
    return copyJson(value, 'workflow')
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    const details = { rule: 'SCHEMA_VIOLATION', path: thrown.path, fix: thrown.fix, cause: thrown }
    throw serializationError(workflowId, faults.make('R1056', thrown.message, details), { errors: [faultData(thrown)] })
  }
}

function serializationRefusal(workflow: Workflow, found: Fault): WorkflowValidationError {
  const index = /^edges\[(\d+)\]/.exec(found.path ?? '')?.[1]
  const edge = index === undefined ? undefined : workflow.edges[Number(index)]
  const details = { rule: 'SCHEMA_VIOLATION', path: found.path, fix: found.fix, cause: found }
  const finding = faults.make('R1056', found.message, details)
  return serializationError(workflow.id, finding, { ...(edge === undefined ? {} : { edgeId: edge.id }), errors: [faultData(found)] })
}

function serializationError(workflowId: string, finding: Fault, details: Readonly<Record<string, unknown>>): WorkflowValidationError {
  const message = `Workflow '${workflowId}' cannot be written as JSON: ${finding.message}`
  return new WorkflowValidationError('SCHEMA_VIOLATION', workflowId, message, details, finding)
}
