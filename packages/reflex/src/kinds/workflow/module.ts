import type { Fault } from '../../kernel/journal/fault.ts'
import type { KindModule, KindWorld } from '../../programs/kind-module.ts'
import type { NoRunOptions } from '../../programs/run-options.ts'
import { FUNCTION, type Locator, objectWith, options, recordOf } from '../../text/index.ts'
import type { CompiledWorkflow } from './compile.ts'
import { faults } from './faults.ts'
import { workflowKind } from './kind.ts'
import { workflowLanguage } from './language.ts'
import { decisionPort, type RunnableAgent } from './port.ts'
import { proofFaults } from './proof/faults.ts'
import { workflowReader } from './reader.ts'
import { runFaults } from './run-faults.ts'
import { loadStoredWorkflow } from './runtime.ts'
import type { DecisionAgent, GuardRegistry, Workflow } from './types.ts'
import type { Effects } from './verify.ts'
import { workflowView } from './view.ts'

/** What a host adds to workflows. */
export interface WorkflowOptions {
  /** Functions for guards that stand by name. */
  readonly guards?: GuardRegistry
  /** Agents by name, beside the built-in ones. */
  readonly agents?: Readonly<Record<string, DecisionAgent>>
}

/** The agent of all runs, and what it says of a workflow before it runs. */
export interface InspectingAgent extends RunnableAgent {
  /** `models`: what is wrong with the name of a model; absent: names of models are not checked. */
  inspect(workflow: Workflow, locate: Locator, models?: (name: string) => readonly Fault[]): readonly Fault[]
  /** What those who decide at a node read and write, for proofs before a run. */
  readonly effects: Effects
}

/** Makes the agent that decides at the nodes of workflows, also in simulated runs. */
export type MakeDeciders = (world: KindWorld, agents: Readonly<Record<string, DecisionAgent>>) => InspectingAgent

/** The kind of workflows; its agents come from the room above. */
export function workflowModule(makeDeciders: MakeDeciders): KindModule<'workflow', WorkflowOptions, CompiledWorkflow, NoRunOptions> {
  return {
    name: 'workflow',
    language: workflowLanguage,
    view: workflowView,
    faults: [faults, proofFaults, runFaults],
    hostOptions: options({ guards: recordOf(FUNCTION), agents: recordOf(objectWith('an agent', 'resolve')) }),
    make(world, { guards = {}, agents = {} } = {}) {
      const agent = makeDeciders(world, agents)
      return {
        kind: workflowKind({ load: (source) => loadStoredWorkflow(source, guards) }),
        reader: workflowReader({
          guards,
          // A run may be simulated or recorded: only `validate` asks about names of models.
          inspect: (workflow, locate, depth) => agent.inspect(workflow, locate, depth === 'errors' ? undefined : world.modelFindings),
          effects: agent.effects,
        }),
        ports: { decide: decisionPort(agent, { canPrepare: true }) },
        uses: ['decide'],
      }
    },
  }
}
