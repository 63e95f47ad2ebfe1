import { canonicalJson, type Json, type Redactor, type Traits } from '../kernel/index.ts'
import type { InspectingAgent, MakeDeciders } from '../kinds/workflow/face/host-options.ts'
import type { DecisionAgent, DecisionContext } from '../kinds/workflow/index.ts'
import type { Models } from '../models/index.ts'
import type { AgentChoice, RunSettings } from '../policy/index.ts'
import { modelsFor } from '../runs/run-models.ts'
import type { Tools } from '../tools/index.ts'
import type { AgentCall, RunnableAgent } from './agent.ts'
import { dispatch, type Dispatcher } from './dispatch.ts'
import { scriptedAgent } from './scripted.ts'
import type { ToolSettings } from './tool.ts'
import { modelsNamed } from './models-named.ts'
import { toolsNamed } from './tools-named.ts'

/** The tools, models and agents that decide in a run: the real ones, or those of a simulated run. */
interface Deciders {
  readonly tools: Tools
  readonly models: Models
  readonly agents: Readonly<Record<string, DecisionAgent>>
}

interface AgentSettings extends Pick<ToolSettings, 'workdir' | 'allows' | 'denies'> {
  readonly real: Deciders
  readonly simulated: Deciders
  /** Takes secrets out of replies. */
  readonly redact: Redactor
}

/** The agent of all runs, and what it says of a workflow before it runs. */
interface RuntimeAgent extends Pick<InspectingAgent, 'inspect' | 'effects' | 'tools' | 'models'>, RunnableAgent {
  traits(context: DecisionContext, call: AgentCall): Traits
}

/** The settings of a run that say who decides in it. */
type DecidingSettings = Pick<RunSettings, 'agent' | 'simulated'>

const NOBODY_CHOSEN: DecidingSettings = { simulated: false }

/** The agents of workflows: rules, tools, models, people, those of the host. */
export const decisionAgents: MakeDeciders = ({ workdir, policy, redact, tools, models, simulated }, agents) =>
  agentFor({
    real: { tools, models, agents },
    simulated: { ...simulated, agents: simulatedAgents(agents) },
    redact,
    workdir,
    allows: (call, capability, exactly) => call !== undefined && policy.judgeCall(call, capability, exactly).allowed,
    denies: (call, capability) => call === undefined || policy.denies(call, capability),
  })

/** The agent of all runs of a process: for each run the one that its own choice makes. */
function agentFor(settings: AgentSettings): RuntimeAgent {
  const shared = new Map<string, Dispatcher>()
  // A script and a recording hand out what they have in order, so each run has its own, for as long as it is open here.
  const own = new WeakMap<DecidingSettings, Dispatcher>()
  const of = (run: DecidingSettings = NOBODY_CHOSEN): Dispatcher => {
    const known = own.get(run)
    if (known !== undefined) return known
    const { agent: choice = {}, simulated } = run
    const ordered = choice.script !== undefined || choice.recorded !== undefined
    const key = canonicalJson([simulated, choice as Json])
    const made = (ordered ? undefined : shared.get(key)) ?? dispatcherFor(choice, settings, simulated)
    if (!ordered) shared.set(key, made)
    own.set(run, made)
    return made
  }
  return {
    inspect: (workflow, locate, models) => of().check(workflow, locate, models),
    tools: toolsNamed,
    models: (workflow, { agent = {} }) => modelsNamed(workflow, agent, Object.keys(settings.real.agents)),
    effects: (workflow, node, leaving) => of().effects(workflow, node, leaving),
    resolve: (context, call) => of(call?.settings).resolve(context, call),
    prepare: (context, call) => of(call.settings).prepare(context, call),
    traits: (context, call) => of(call.settings).traits(context, call),
  }
}

function dispatcherFor(choice: AgentChoice, settings: AgentSettings, simulated: boolean): Dispatcher {
  const { workdir, allows, denies, redact } = settings
  const { tools, models, agents } = simulated ? settings.simulated : settings.real
  return dispatch({
    tools,
    models: modelsFor(choice, models, redact),
    workdir,
    allows,
    denies,
    agents: choice.script === undefined ? agents : { ...agents, script: scriptedAgent(choice.script) },
    default: choice.default,
    perNode: choice.perNode,
  })
}

/** Agents of the host: each takes the first way that is open, and calls nothing. */
function simulatedAgents(agents: Readonly<Record<string, DecisionAgent>>): Readonly<Record<string, RunnableAgent>> {
  const agent: RunnableAgent = {
    async resolve({ validEdges }) {
      const [edge] = validEdges
      return edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id }
    },
  }
  return Object.fromEntries(Object.keys(agents).map((name) => [name, agent]))
}
