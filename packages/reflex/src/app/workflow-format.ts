import type { Program } from '../kernel/index.ts'
import type { ProgramFormat, ReadProgram } from './program-format.ts'
import { formatJson, pathOnly } from '../text/index.ts'
import { parseInputs } from '../kinds/workflow/board-schemas/inputs.ts'
import { calledWorkflows } from '../kinds/workflow/define.ts'
import { type CompiledWorkflow, compileWorkflow, programRefs, workflowSource } from '../kinds/workflow/compile.ts'
import { locateInWorkflow } from '../kinds/workflow/locate.ts'
import { frozenCopy } from '../kinds/workflow/frozen-copy.ts'
import { readWorkflow, shapeFindings } from '../kinds/workflow/read-workflow.ts'
import type { Workflow } from '../kinds/workflow/types.ts'
import { validateWorkflow } from '../kinds/workflow/validate.ts'
import { errorFindings, verificationFindings } from '../kinds/workflow/verify.ts'

/** Workflows in JSON with comments, and as objects in modules. */
export const workflowFormat: ProgramFormat = {
  kind: 'workflow',
  endings: ['.workflow.json', '.workflow.jsonc', '.workflow.ts', '.workflow.js', '.workflow.mjs'],
  read(text, file, { guards, inspect, effects, lookup, names, proofs }) {
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
      proofs,
      ...(lookup === undefined ? {} : { lookup: called, hasProgram: (id) => found(id) !== undefined }),
      ...(names === undefined ? {} : { names: () => names('workflow') }),
    })
    const { workflow, findings, locate, validParts } = read
    const inspected = workflow ?? validParts
    const specFindings = inspected === undefined ? [] : (inspect?.(inspected, locate ?? pathOnly, proofs) ?? [])
    const all = [...findings, ...specFindings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    return { ...(workflow === undefined ? {} : { program: workflowProgram(workflow) }), findings: all }
  },
  accept(value, _, options) {
    if (!isWorkflow(value)) return undefined
    const called = calledWorkflows(value)
    const findings = [...called, value].flatMap((workflow) => validateWorkflow(workflow))
    if (findings.some(({ severity }) => severity === 'error')) return { findings }
    const find = (id: string): Workflow | undefined => called.find((workflow) => workflow.id === id)
    const prove = options?.proofs === 'errors' ? errorFindings : verificationFindings
    const proofs = options === undefined ? [] : prove(value, find, undefined, options.effects)
    const inspected = options?.proofs === 'all' ? [...called, value] : []
    const specFindings = inspected.flatMap((workflow) => options?.inspect?.(workflow, pathOnly, options.proofs) ?? [])
    const all = [...findings, ...proofs, ...specFindings]
    return proofs.some(({ severity }) => severity === 'error') ? { findings: all } : { program: workflowProgram(value), findings: all }
  },
  acceptInputs: (def, input, texts) => parseInputs(def as CompiledWorkflow, input, texts),
  format: formatJson,
  locate: locateInWorkflow,
}

/** A workflow in memory as a program, with those that it calls as objects. */
function workflowProgram(workflow: Workflow): ReadProgram {
  return { ...oneProgram(workflow), callees: calledWorkflows(workflow).map(oneProgram) }
}

function oneProgram(definition: Workflow): ReadProgram {
  const workflow = frozenCopy(definition)
  const { source, local: named } = workflowSource(workflow)
  // What another process could not load again is not data either: values in TypeScript that the JSON form does not know.
  const local = named ?? shapeFindings(source)[0]?.message
  return { id: workflow.id, version: workflow.version, source, def: compileWorkflow(workflow), local }
}

/** Whether a value has the shape of a workflow, well enough to be checked as one. */
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
