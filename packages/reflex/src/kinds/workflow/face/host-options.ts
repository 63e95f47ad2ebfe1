import type { Fault } from '../../../kernel/index.ts'
import type { NamingSettings } from '../../../programs/host-parts.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { AskedModel } from '../../../programs/language.ts'
import { anyOf, FUNCTION, listOf, type Locator, objectWith, options, recordOf, shape, TEXT } from '../../../text/index.ts'
import type { RunnableAgent } from '../step/port.ts'
import type { DecisionAgent, GuardRegistry, Workflow } from '../types/index.ts'
import type { Effects } from '../check/verify.ts'

/** The extensions of a host for workflows. */
export interface WorkflowOptions {
  /** Functions of guards, by name: one function, or several versions. */
  readonly guards?: GuardRegistry
  /** Agents by name, in addition to the built-in ones. */
  readonly agents?: Readonly<Record<string, DecisionAgent>>
}

const VERSION = shape('a version of a guard', { version: TEXT, evaluate: FUNCTION })
const GUARD = anyOf(FUNCTION, VERSION, listOf(VERSION))

/** The form of the options. */
export const HOST_OPTIONS = options({ guards: recordOf(GUARD), agents: recordOf(objectWith('an agent', 'resolve')) })

/** The agent of all runs, with its checks of a workflow before a run. */
export interface InspectingAgent extends RunnableAgent {
  /** Returns the findings about a workflow. `models` checks the name of a model; absent: names of models are not checked. */
  inspect(workflow: Workflow, locate: Locator, models?: (name: string) => readonly Fault[]): readonly Fault[]
  /** Returns the names of the tools that the nodes of a workflow call or offer, as they are written. */
  tools(workflow: Workflow): readonly string[]
  /** Returns the models that the nodes of a workflow ask in a run with these settings. */
  models(workflow: Workflow, settings: NamingSettings): readonly AskedModel[]
  /** The reads and writes of agents at nodes, for proofs before a run. */
  readonly effects: Effects
}

/** Makes the agent that decides at the nodes of workflows, also in simulated runs. */
export type MakeDeciders = (world: KindWorld, agents: Readonly<Record<string, DecisionAgent>>) => InspectingAgent
