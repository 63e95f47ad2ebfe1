import type { LazyKindModule } from '../../../programs/kind-module.ts'
import type { NoRunOptions } from '../../../programs/run-options.ts'
import type { CompiledWorkflow } from '../model/compile.ts'
import { faults } from '../model/faults.ts'
import { HOST_OPTIONS, type MakeDeciders, type WorkflowOptions } from './host-options.ts'
import { workflowNames } from './names.ts'
import { proofFaults } from '../proof/faults.ts'
import { runFaults } from '../step/run-faults.ts'
import type { Workflow } from '../types/index.ts'

/** The kind of workflows; its agents come from the room above, and are loaded with it. */
export function workflowModule(
  loadDeciders: () => Promise<MakeDeciders>,
): LazyKindModule<'workflow', WorkflowOptions, CompiledWorkflow, NoRunOptions, Workflow> {
  return {
    name: 'workflow',
    language: workflowNames,
    faults: [faults, proofFaults, runFaults],
    uses: ['tool'],
    hostOptions: HOST_OPTIONS,
    async load() {
      const [{ workflowBody }, makeDeciders] = await Promise.all([import('./body.ts'), loadDeciders()])
      return workflowBody(makeDeciders)
    },
  }
}
