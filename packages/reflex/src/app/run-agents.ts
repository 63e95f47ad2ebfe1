import { basename } from 'node:path'
import { type AgentCall, dispatch, type Dispatcher, type ModelFindings, scriptedAgent } from '../agents/index.ts'
import { canonicalJson, type Fault, type Json, type JsonObject, type Redactor } from '../kernel/index.ts'
import { readText } from './library.ts'
import { type ModelRequest, type Models, recordedModels, redactedModels } from '../models/index.ts'
import type { Locator } from '../text/index.ts'
import type { Tools } from '../tools/index.ts'
import type { DecisionCall, RunnableAgent } from '../kinds/workflow/index.ts'
import { jsonSchemaIssues } from '../kinds/workflow/runtime.ts'
import type { DecisionAgent, Workflow } from '../kinds/workflow/types.ts'
import type { Effects } from '../kinds/workflow/verify.ts'

/** Who decides where a program does not say. Kept with the run, so a resume needs no flag. */
export interface AgentChoice {
  /** An agent by name, for all nodes. */
  readonly default?: string
  /** The same for single nodes, by `node` or `workflow/node`. */
  readonly perNode?: Readonly<Record<string, string>>
  /** Decisions as data, for the agent called `script`. */
  readonly script?: JsonObject
  /** The model where no node names one: `provider:name`. */
  readonly model?: string
  /** A recording that answers in place of every model: its file, an absolute path. */
  readonly recorded?: string
}

interface AgentSettings {
  readonly tools: Tools
  readonly models: Models
  /** Takes secrets out of replies. */
  readonly redact: Redactor
  readonly agents: Readonly<Record<string, DecisionAgent>>
  readonly workdir: string
  readonly choice: (run: string) => AgentChoice
  readonly runFolder: (run: string) => string
  readonly allows: (run: string, capability: string, exactly?: boolean) => boolean
  readonly denies: (run: string, capability: string) => boolean
}

/** The agent of all runs, and what it says of a workflow before it runs. */
export interface RuntimeAgent extends RunnableAgent {
  inspect(workflow: Workflow, locate: Locator, models?: ModelFindings): readonly Fault[]
  /** What whoever decides at a node reads and writes, for proofs before a run. */
  effects: Effects
}

/** The agent of all runs of a process: for each run the one that its own choice makes. */
export function agentFor(settings: AgentSettings): RuntimeAgent {
  const shared = new Map<string, Dispatcher>()
  // A script and a recording hand out what they have in order, so each run has its own, for as long as it is open here.
  const ownDispatchers = new WeakMap<AgentChoice, Dispatcher>()
  const dispatcherFor = (run: string): Dispatcher => {
    const choice = settings.choice(run)
    const isOrdered = choice.script !== undefined || choice.recorded !== undefined
    const key = isOrdered ? '' : canonicalJson(choice as Json)
    const known = isOrdered ? ownDispatchers.get(choice) : shared.get(key)
    if (known !== undefined) return known
    const agents = choice.script === undefined ? settings.agents : { ...settings.agents, script: scriptedAgent(choice.script) }
    const agent = dispatch({
      tools: settings.tools,
      models: modelsFor(choice, settings),
      workdir: settings.workdir,
      allows: settings.allows,
      denies: settings.denies,
      agents,
      default: choice.default,
      perNode: choice.perNode,
    })
    if (isOrdered) ownDispatchers.set(choice, agent)
    else shared.set(key, agent)
    return agent
  }
  return {
    inspect: (workflow, locate, models) => dispatcherFor('').check(workflow, locate, models),
    effects: (workflow, node, leaving) => dispatcherFor('').effects(workflow, node, leaving),
    resolve: (context, call) =>
      dispatcherFor(call?.run ?? '').resolve(context, call === undefined ? undefined : withFolder(call, settings.runFolder)),
    prepare: (context, call) => dispatcherFor(call.run).prepare(context, withFolder(call, settings.runFolder)),
    traits: (context, call) =>
      dispatcherFor(call.run).traits(context, { run: call.run, runFolder: settings.runFolder(call.run), prepared: call.prepared }),
  }
}

type ModelSettings = Pick<AgentSettings, 'models' | 'redact'>

/** The models of a run: those of the process, or what its choice puts in their place. A recording is handed out in order. */
export function modelsByRun(settings: ModelSettings, choice: (run: string) => AgentChoice): (run: string) => Models {
  const ownDispatchers = new WeakMap<AgentChoice, Models>()
  return (run) => {
    const chosen = choice(run)
    if (chosen.recorded === undefined) return modelsFor(chosen, settings)
    const known = ownDispatchers.get(chosen) ?? modelsFor(chosen, settings)
    ownDispatchers.set(chosen, known)
    return known
  }
}

/** Throws for a recording that cannot be read or understood, before a run depends on it: `R1021`, `R1024`, `R4021`. */
export function checkRecording(file: string): void {
  recordedModels(readText(file), basename(file), jsonSchemaIssues)
}

/** What a run asks for replies: a recording, or the models, its own first where nothing else is named. */
function modelsFor(choice: AgentChoice, { models, redact }: ModelSettings): Models {
  return redactedModels(chosenModels(choice, models), redact)
}

function chosenModels({ model, recorded }: AgentChoice, models: Models): Models {
  if (recorded !== undefined) return recordedModels(readText(recorded), basename(recorded), jsonSchemaIssues)
  if (model === undefined) return models
  const withModel = (request: ModelRequest): ModelRequest => ({ ...request, model: request.model ?? model })
  return {
    configured: true,
    name: (request) => request?.model ?? model,
    price: (request) => models.price(withModel(request)),
    unpricedModels: (request) => models.unpricedModels(withModel(request)),
    generate: (request, call) => models.generate(withModel(request), call),
  }
}

function withFolder(call: DecisionCall, runFolder: (run: string) => string): AgentCall {
  return {
    run: call.run,
    runFolder: runFolder(call.run),
    key: call.key,
    prepared: call.prepared,
    get signal() {
      return call.signal
    },
    part: (delta, begins) => call.part(delta, begins),
  }
}
