import { basename } from 'node:path'
import { type AgentCall, dispatch, type Dispatcher, type RunnableAgent, scriptedAgent, type ToolSettings } from '../agents/index.ts'
import { canonicalJson, type Json, type Redactor, type Traits } from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { type ModelRequest, type Models, recordedModels, redactedModels } from '../models/index.ts'
import type { Tools } from '../tools/index.ts'
import type { AgentChoice, RunSettings } from '../policy/index.ts'
import { jsonSchemaIssues } from '../kinds/workflow/runtime.ts'
import type { InspectingAgent } from '../kinds/workflow/module.ts'
import type { DecisionAgent, DecisionContext } from '../kinds/workflow/types.ts'

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
interface RuntimeAgent extends Pick<InspectingAgent, 'inspect' | 'effects'>, RunnableAgent {
  traits(context: DecisionContext, call: AgentCall): Traits
}

/** The settings of a run that say who decides in it. */
type DecidingSettings = Pick<RunSettings, 'agent' | 'simulated'>

const NOBODY_CHOSEN: DecidingSettings = { simulated: false }

/** The agent of all runs of a process: for each run the one that its own choice makes. */
export function agentFor(settings: AgentSettings): RuntimeAgent {
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

/** The models of a run: those of the process, or what its choice puts in their place. A recording is handed out in order. */
export function modelsByRun({
  real,
  simulated,
  redact,
}: Pick<AgentSettings, 'redact'> & Readonly<Record<'real' | 'simulated', Pick<Deciders, 'models'>>>): (run: DecidingSettings) => Models {
  const own = new WeakMap<DecidingSettings, Models>()
  return (run) => {
    const known = own.get(run) ?? modelsFor(run.agent ?? {}, (run.simulated ? simulated : real).models, redact)
    own.set(run, known)
    return known
  }
}

/** Throws for a recording that cannot be read or understood, before a run depends on it: `R1021`, `R1024`, `R4021`. */
export function checkRecording(file: string): void {
  recordedModels(readText(file), basename(file), jsonSchemaIssues)
}

/** What a run asks for replies: a recording, or the models, its own first where nothing else is named. */
function modelsFor(choice: AgentChoice, models: Models, redact: Redactor): Models {
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
