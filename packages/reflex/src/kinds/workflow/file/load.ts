import { type Fault, faultData } from '../../../kernel/index.ts'
import { checkArguments, readJson, pathOnly, type Locator } from '../../../text/index.ts'
import { LOAD_OPTIONS } from '../model/argument-forms.ts'
import { buildWorkflow, shapeFindings } from './read-workflow.ts'
import type { LoadWorkflowOptions, Workflow } from '../types/index.ts'
import { refusal, WorkflowValidationError } from '../check/validation-error.ts'

/**
 * Returns the workflow of a JSON text, which may have comments and trailing commas, or of a parsed value.
 * Throws `WorkflowValidationError`: `SCHEMA_VIOLATION` if the text or its shape is wrong, with all mistakes in `details.errors`;
 * `UNKNOWN_GUARD_REFERENCE` if `guards` lacks a function. `register` checks the structure. `$schema` is dropped; the specs of a
 * parsed value are used, not copied (reference workflow 11, D14).
 */
export function loadWorkflow(input: string | object, options: LoadWorkflowOptions = {}): Workflow {
  checkArguments('loadWorkflow', { options: [options, LOAD_OPTIONS] })
  const { value, locate } = typeof input === 'string' ? parse(input, options) : { value: input, locate: pathOnly }
  const shape = shapeFindings(value, locate)
  if (shape.length > 0) throw violation(idOf(value), 'Schema validation failed', shape)
  const { workflow, findings } = buildWorkflow(value, options.guards, locate)
  const [first] = findings
  if (first !== undefined) throw refusal(workflow.id, first)
  return workflow
}

function parse(text: string, options: LoadWorkflowOptions): { value: unknown; locate: Locator } {
  const json = readJson(text, options.file, { rule: 'SCHEMA_VIOLATION' })
  const errors = json.findings.filter((finding) => finding.severity === 'error')
  if (errors.length > 0) throw violation(undefined, 'Invalid JSON', errors)
  return { value: json.value, locate: (path, at) => json.details(path, at) }
}

function violation(workflowId: string | undefined, what: string, findings: readonly Fault[]): WorkflowValidationError {
  const [first] = findings
  if (first === undefined) throw new TypeError('a violation has a finding')
  const lines = findings.map((finding) =>
    finding.path === undefined || finding.message.includes(finding.path) ? finding.message : `${finding.path}: ${finding.message}`,
  )
  const errors = findings.map(faultData)
  return new WorkflowValidationError('SCHEMA_VIOLATION', workflowId ?? '<unknown>', `${what}: ${lines.join('; ')}`, { errors }, first)
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return undefined
  const { id } = value as { id: unknown }
  return typeof id === 'string' ? id : undefined
}
