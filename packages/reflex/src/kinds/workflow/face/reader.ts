import type { Fault, Program } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadProgram, ReadResult } from '../../../programs/language.ts'
import { type Locator, pathOnly } from '../../../text/index.ts'
import { parseInputs } from '../model/board-schemas/inputs.ts'
import { type CompiledWorkflow, compileWorkflow, programRefs, workflowSource } from '../model/compile.ts'
import { calledWorkflows } from '../model/define.ts'
import { frozenCopy } from '../model/frozen-copy.ts'
import { readWorkflow, shapeFindings } from '../file/read-workflow.ts'
import type { GuardRegistry, Workflow } from '../types/index.ts'
import { validateWorkflow } from '../check/validate.ts'
import { type Effects, errorFindings, verificationFindings } from '../check/verify.ts'

/** The options of a host for reading workflows. */
export interface WorkflowReaderOptions {
  readonly guards?: GuardRegistry | undefined
  /** Returns the findings of the agents about their nodes; about models only with the depth of all proofs. */
  readonly inspect?: (workflow: Workflow, locate: Locator, depth?: ReadContext['depth']) => readonly Fault[]
  /** The reads and writes of agents at nodes, for proofs. */
  readonly effects?: Effects | undefined
  /** Returns the names of the tools that the nodes of a workflow call. */
  readonly tools?: (workflow: Workflow) => readonly string[]
}

/** Reads workflows from text, and as objects of modules. */
export function workflowReader(options: WorkflowReaderOptions = {}): Reader<CompiledWorkflow> {
  return {
    read: (text, file, context) => readText(text, file, context, options),
    accept: (value, _, context) => (isWorkflow(value) ? readObject(value, context, options) : undefined),
    tools: ({ workflow }) => options.tools?.(workflow) ?? [],
    inputs: parseInputs,
  }
}

function readText(
  text: string,
  file: string,
  { lookup, names, depth }: ReadContext,
  { guards = {}, inspect, effects }: WorkflowReaderOptions,
): ReadResult {
  const found = (id: string): Program | undefined => {
    for (const name of programRefs(id)) {
      const program = lookup?.(name)
      if (program !== undefined) return program
    }
    return undefined
  }
  const called = (id: string): Workflow | undefined => (found(id)?.def as CompiledWorkflow | undefined)?.workflow
  const read = readWorkflow(text, file, {
    guards,
    effects,
    proofs: depth,
    ...(lookup === undefined ? {} : { lookup: called, hasProgram: (id) => found(id) !== undefined }),
    ...(names === undefined ? {} : { names: () => names('workflow') }),
  })
  const { workflow, findings, locate, validParts } = read
  const inspected = workflow ?? validParts
  const specFindings = inspected === undefined ? [] : (inspect?.(inspected, locate ?? pathOnly, depth) ?? [])
  const all = [...findings, ...specFindings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  return { ...(workflow === undefined ? {} : { program: workflowProgram(workflow) }), findings: all }
}

function readObject(value: Workflow, context: ReadContext | undefined, { inspect, effects }: WorkflowReaderOptions): ReadResult {
  const called = calledWorkflows(value)
  const findings = [...called, value].flatMap((workflow) => validateWorkflow(workflow))
  if (findings.some(({ severity }) => severity === 'error')) return { findings }
  const find = (id: string): Workflow | undefined => called.find((workflow) => workflow.id === id)
  const prove = context?.depth === 'errors' ? errorFindings : verificationFindings
  const proofs = context === undefined ? [] : prove(value, find, undefined, effects)
  const inspected = context?.depth === 'all' ? [...called, value] : []
  const specFindings = inspected.flatMap((workflow) => inspect?.(workflow, pathOnly, context?.depth) ?? [])
  const all = [...findings, ...proofs, ...specFindings]
  return proofs.some(({ severity }) => severity === 'error') ? { findings: all } : { program: workflowProgram(value), findings: all }
}

/** A workflow in memory as a program, with those that it calls as objects. */
function workflowProgram(workflow: Workflow): ReadProgram {
  return { ...oneProgram(workflow), callees: calledWorkflows(workflow).map(oneProgram) }
}

function oneProgram(definition: Workflow): ReadProgram {
  const workflow = frozenCopy(definition)
  const { source, local: named } = workflowSource(workflow)
  // A value that the JSON form does not know cannot be loaded by another process, so the program is local.
  const local = named ?? shapeFindings(source)[0]?.message
  return { id: workflow.id, version: workflow.version, source, def: compileWorkflow(workflow), local }
}

/** True if a value has the shape of a workflow, enough to be checked as one. */
function isWorkflow(value: unknown): value is Workflow {
  return (
    typeof value === 'object' &&
    value !== null &&
    'entry' in value &&
    'nodes' in value &&
    'edges' in value &&
    Array.isArray(value.edges) &&
    typeof value.nodes === 'object' &&
    value.nodes !== null
  )
}
