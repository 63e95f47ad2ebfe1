import type { Fault } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import { FUNCTION, type Locator, objectWith, options, recordOf } from '../../../text/index.ts'
import type { RunnableAgent } from '../step/port.ts'
import type { DecisionAgent, GuardRegistry, Workflow } from '../types/index.ts'
import type { Effects } from '../check/verify.ts'

/** What a host adds to workflows. */
export interface WorkflowOptions {
  /** Functions for guards that stand by name. */
  readonly guards?: GuardRegistry
  /** Agents by name, beside the built-in ones. */
  readonly agents?: Readonly<Record<string, DecisionAgent>>
}

/** The form of the options. */
export const HOST_OPTIONS = options({ guards: recordOf(FUNCTION), agents: recordOf(objectWith('an agent', 'resolve')) })

/** The agent of all runs, and what it says of a workflow before it runs. */
export interface InspectingAgent extends RunnableAgent {
  /** `models`: what is wrong with the name of a model; absent: names of models are not checked. */
  inspect(workflow: Workflow, locate: Locator, models?: (name: string) => readonly Fault[]): readonly Fault[]
  /** What those who decide at a node read and write, for proofs before a run. */
  readonly effects: Effects
}

/** Makes the agent that decides at the nodes of workflows, also in simulated runs. */
export type MakeDeciders = (world: KindWorld, agents: Readonly<Record<string, DecisionAgent>>) => InspectingAgent
