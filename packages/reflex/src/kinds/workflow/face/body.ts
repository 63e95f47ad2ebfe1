import type { KindBody } from '../../../programs/kind-module.ts'
import { type CompiledWorkflow, DECIDE } from '../model/compile.ts'
import { workflowKind } from '../step/kind.ts'
import { workflowParts } from './host-parts.ts'
import { labelledDecisions } from './labelled-decisions.ts'
import { workflowLanguage } from './language.ts'
import type { MakeDeciders, WorkflowOptions } from './host-options.ts'
import { decisionPort } from '../step/port.ts'
import { workflowReader } from './reader.ts'
import { loadStoredWorkflow } from './runtime.ts'
import { workflowView } from './view.ts'

/** The parts of the kind that workflows and their runs need. */
export function workflowBody(makeDeciders: MakeDeciders): KindBody<WorkflowOptions, CompiledWorkflow> {
  return {
    language: workflowLanguage,
    view: workflowView,
    make(world, { guards = {}, agents = {} } = {}) {
      const agent = makeDeciders(world, agents)
      const { labels, isProgram, reserved, host } = world
      const files = { labels, isProgram, hidden: reserved, now: () => host.now() }
      return {
        kind: workflowKind({ load: (source) => loadStoredWorkflow(source, guards) }),
        reader: {
          ...workflowReader({
            guards,
            // A run may be simulated or recorded: only `validate` asks about names of models.
            inspect: (workflow, locate, depth) => agent.inspect(workflow, locate, depth === 'errors' ? undefined : world.modelFindings),
            effects: agent.effects,
            tools: (workflow) => agent.tools(workflow),
          }),
          hostParts: workflowParts({ guards, agents }),
          models: ({ workflow }, settings) => agent.models(workflow, settings),
        },
        ports: { [DECIDE]: labelledDecisions(decisionPort(agent, { canPrepare: true }), files) },
      }
    },
  }
}
