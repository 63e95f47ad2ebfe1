import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { faults } from '../../runs/faults.ts'
import { acceptValue, addPrograms, isModule } from '../../app/formats.ts'
import type { Program } from '../../kernel/index.ts'
import { calledWorkflows } from '../../kinds/workflow/define.ts'
import type { CompiledWorkflow } from '../../kinds/workflow/compile.ts'
import type { Workflow } from '../../kinds/workflow/types.ts'
import type { Reflex } from '../../app/reflex.ts'

/** A program as a test has it: an object of any kind, the text of a pipeline, or a file. */
export type Testable = string | URL | object

/** The file of what is to be tested, if it is one. */
export function fileOf(what: Testable): string | undefined {
  if (what instanceof URL) return fileURLToPath(what)
  if (typeof what !== 'string') return undefined
  return existsSync(what) || acceptValue(what) === undefined ? what : undefined
}

/** Whether what a script gives can be known to the file when it is read: a module brings its own tools along. */
export function takesTools(file: string | undefined): boolean {
  return file !== undefined && !isModule(file)
}

/** The program of a value, known to a `Reflex`. Throws the first error that it has, `R1021` for what is no program. */
export function programOf(reflex: Reflex, what: Testable): Program {
  const accepted = acceptValue(what, reflex.library.readOptions())
  if (accepted !== undefined) return addPrograms(reflex.runtime.programs, accepted.kind, accepted.program)
  throw faults.make('R1021', 'what is to be tested is no program', { fix: 'give a workflow, a graph or a text of a pipeline, or a file' })
}

/** The workflow objects of a value: itself, and those that it calls as objects. None for anything else. */
export function workflowsOf(what: Testable): readonly Workflow[] | undefined {
  if (typeof what !== 'object' || !('nodes' in what) || !('entry' in what)) return undefined
  const workflow = what as Workflow
  return [workflow, ...calledWorkflows(workflow)]
}

/** The workflows that a program and what it calls hold. */
export function workflowsIn(programs: readonly Program[]): readonly Workflow[] {
  return programs.flatMap(({ kind, def }) => (kind === 'workflow' ? [(def as CompiledWorkflow).workflow] : []))
}
