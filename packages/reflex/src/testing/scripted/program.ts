import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { programFaults } from '../../programs/faults.ts'
import { BUILT_IN } from '../../app/kinds.ts'
import { isModule } from '../../programs/kinds.ts'
import type { Program } from '../../kernel/index.ts'
import { calledWorkflows } from '../../kinds/workflow/model/define.ts'
import type { CompiledWorkflow } from '../../kinds/workflow/model/compile.ts'
import type { Workflow } from '../../kinds/workflow/index.ts'
import type { Reflex } from '../../app/reflex.ts'

/** A program under test: an object of any kind, the text of a pipeline, or a file. */
export type Testable = string | URL | object

/** Returns the file of a program under test; undefined if it is not a file. */
export function fileOf(what: Testable): string | undefined {
  if (what instanceof URL) return fileURLToPath(what)
  if (typeof what !== 'string') return undefined
  return existsSync(what) || BUILT_IN.ofText(what) === undefined ? what : undefined
}

/** True if the tools of a script must be known before a file is read. A module brings its own tools. */
export function takesTools(file: string | undefined): boolean {
  return file !== undefined && !isModule(file)
}

/**
 * Adds the program of a value to a `Reflex` and returns it. Rejects with the first error of the program, and `R1021` for a value that is not a
 * program.
 */
export async function programOf(reflex: Reflex, what: Testable): Promise<Program> {
  const accepted = await reflex.library.accept(what)
  if (accepted !== undefined) return accepted
  throw programFaults.make('R1021', 'the value to test is not a program', {
    fix: 'give a workflow, a graph or a text of a pipeline, or a file',
  })
}

/** Returns the workflow objects of a value: itself and the workflow objects that it calls; undefined for any other value. */
export function workflowsOf(what: Testable): readonly Workflow[] | undefined {
  if (typeof what !== 'object' || !('nodes' in what) || !('entry' in what)) return undefined
  const workflow = what as Workflow
  return [workflow, ...calledWorkflows(workflow)]
}

/** Returns the workflows among the given programs. */
export function workflowsIn(programs: readonly Program[]): readonly Workflow[] {
  return programs.flatMap(({ kind, def }) => (kind === 'workflow' ? [(def as CompiledWorkflow).workflow] : []))
}
