import { type AgentCall, dispatch, type Dispatcher, scriptedAgent } from './agents/index.ts'
import { canonicalJson, type Fault, type Json, type JsonObject } from './kernel/index.ts'
import type { Locate } from './text/index.ts'
import type { Tools } from './tools/index.ts'
import type { DecisionCall, RunnableAgent } from './workflow/index.ts'
import type { DecisionAgent, Workflow } from './workflow/types.ts'

/** Who decides where a program does not say. Kept with the run, so a resume needs no flag. */
export interface AgentChoice {
  /** An agent by name, for all nodes. */
  readonly default?: string
  /** The same for single nodes, by `node` or `workflow/node`. */
  readonly perNode?: Readonly<Record<string, string>>
  /** Decisions as data, for the agent called `script`. */
  readonly script?: JsonObject
}

interface AgentSettings {
  readonly tools: Tools
  readonly agents: Readonly<Record<string, DecisionAgent>>
  readonly workdir: string
  readonly choice: (run: string) => AgentChoice
  readonly runFolder: (run: string) => string
  readonly allows: (run: string, capability: string) => boolean
}

/** The agent of all runs, and what it says of a workflow before it runs. */
interface RuntimeAgent extends RunnableAgent {
  inspect(workflow: Workflow, locate: Locate): readonly Fault[]
}

/** The agent of all runs of a process: for each run the one that its own choice makes. */
export function agentFor(settings: AgentSettings): RuntimeAgent {
  const made = new Map<string, Dispatcher>()
  const of = (run: string): Dispatcher => {
    const choice = settings.choice(run)
    // A script hands out its decisions in order, so each run has its own.
    const key = choice.script === undefined ? canonicalJson(choice as Json) : run
    const known = made.get(key)
    if (known !== undefined) return known
    const agents = choice.script === undefined ? settings.agents : { ...settings.agents, script: scriptedAgent(choice.script) }
    const agent = dispatch({
      tools: settings.tools,
      workdir: settings.workdir,
      allows: settings.allows,
      agents,
      default: choice.default,
      perNode: choice.perNode,
    })
    made.set(key, agent)
    return agent
  }
  return {
    inspect: (workflow, locate) => of('').check(workflow, locate),
    resolve: (context, call) => of(call?.run ?? '').resolve(context, call === undefined ? undefined : withFolder(call, settings.runFolder)),
    traits: (context, call) => of(call.run).traits(context, { run: call.run, runFolder: settings.runFolder(call.run) }),
  }
}

function withFolder(call: DecisionCall, runFolder: (run: string) => string): AgentCall {
  return {
    run: call.run,
    runFolder: runFolder(call.run),
    key: call.key,
    get signal() {
      return call.signal
    },
    part: (delta) => call.part(delta),
  }
}
