import type { Fault } from '../kernel/index.ts'
import { type Locator, pathOnly } from '../text/index.ts'
import type { DecisionAgent, DecisionContext, Workflow } from '../kinds/workflow/index.ts'
import type { Effects } from '../kinds/workflow/check/verify.ts'
import { MISSING, PURE, type RunnableAgent } from './agent.ts'
import { chosenAgents, type ChosenAgent, type OperatorAgents, unknownAgent } from './chosen-agent.ts'
import { checkSpecs, type ModelFindings } from './check-specs.ts'
import { faults } from './faults.ts'
import { specFlow } from './spec-flow.ts'
import type { Models } from '../models/index.ts'
import { modelAgent } from './model.ts'
import { personAgent } from './person.ts'
import { rulesAgent } from './rules.ts'
import { toolAgent, type ToolSettings } from './tool.ts'

export interface DispatchSettings extends ToolSettings, OperatorAgents {
  /** The models that the agent `model` asks. */
  readonly models: Models
  /** Further agents by name. An agent with the name of a built-in one replaces it. */
  readonly agents?: Readonly<Record<string, RunnableAgent | DecisionAgent>> | undefined
}

/** The agent of a runtime. It calls the other agents by name. */
export interface Dispatcher extends RunnableAgent {
  traits: NonNullable<RunnableAgent['traits']>
  prepare: NonNullable<RunnableAgent['prepare']>
  /** Returns the agent at a node and the place that named it. */
  chosenAgent(context: DecisionContext): ChosenAgent
  /**
   * Returns the mistakes in the specs of a workflow that are visible before a run. `locate` finds their places in the text.
   * Without `models`, names of models are not checked.
   */
  check(workflow: Workflow, locate?: Locator, models?: ModelFindings): readonly Fault[]
  /** Returns the reads and writes of the agent at a node, read from its spec; undefined if they are unknown. */
  effects: Effects
  names(): readonly string[]
}

/**
 * Returns an agent that decides with the agent named for a node: by the node (`spec.agent`), by the workflow (`metadata.agent`),
 * by the operator (`--agent NODE=NAME`, then `--agent NAME`), or by the attributes of the spec (`tool`, `ask`, `prompt`; else
 * rules). A name for a whole workflow or run only chooses the decider: the node still calls its `tool` or asks its `ask`, unless
 * the name belongs to an agent of the host. If an agent does not handle a node, the next one in this order decides.
 */
export function dispatch(settings: DispatchSettings): Dispatcher {
  const agents = new Map<string, RunnableAgent>([
    ['rules', rulesAgent],
    ['tool', toolAgent(settings)],
    ['person', personAgent],
    ['model', modelAgent(settings.models, settings.tools)],
    ...Object.entries(settings.agents ?? {}),
  ])
  const find = (context: DecisionContext): { chosenAgent: ChosenAgent; agent: RunnableAgent } => {
    for (const chosenAgent of chosenAgents(settings, context.workflow, context.node)) {
      const agent = agents.get(chosenAgent.name)
      if (agent === undefined) throw unknownAgent(chosenAgent, context.node, [...agents.keys()])
      if (agent.handles?.(context) !== false) return { chosenAgent, agent }
    }
    throw faults.make('R2101', `no agent decides at ${context.node.id}`, { path: context.node.id })
  }
  return {
    async resolve(context, call) {
      const { chosenAgent: appointed, agent } = find(context)
      const decision = await agent.resolve(context, call)
      return { by: appointed.name, ...decision }
    },
    async prepare(context, call) {
      const { chosenAgent: appointed, agent } = find(context)
      const decision = await (agent.prepare === undefined ? agent.resolve(context, call) : agent.prepare(context, call))
      return { by: appointed.name, ...decision }
    },
    traits(context, place) {
      try {
        return find(context).agent.traits?.(context, place) ?? PURE
      } catch {
        return MISSING
      }
    },
    chosenAgent: (context) => find(context).chosenAgent,
    check: (workflow, locate = pathOnly, models = () => []) =>
      checkSpecs(workflow, { settings, names: [...agents.keys()], locate, models }),
    effects: (workflow, node, leaving) => specFlow(settings, (name) => Object.hasOwn(settings.agents ?? {}, name), workflow, node, leaving),
    names: () => [...agents.keys()],
  }
}
