import type { Budgets } from './budgets.ts'
import { agentFor, type AgentChoice, modelsByRun, type RuntimeAgent } from './run-agents.ts'
import { type Host, type Kind, ledgerPort, type Port, type Redactor, type Store } from '../kernel/index.ts'
import type { RunSettings } from './run-settings.ts'
import { isProgram } from './formats.ts'
import { labelledDecisions } from './labelled-decisions.ts'
import { modelPort, type Models } from '../models/index.ts'
import type { ReflexOptions } from './options.ts'
import { pipelineParts, routingOf } from '../kinds/pipeline/face/assemble.ts'
import { requestOfCall } from '../kinds/pipeline/contract/conversation.ts'
import type { WrittenLabels } from '../kinds/pipeline/operations/memory/written-labels.ts'
import type { OperatorPolicy } from '../policy/index.ts'
import { SimulatedTools, simulatedAgents, simulatedModels, simulatedPorts } from './simulating.ts'
import { suggest } from '../text/index.ts'
import type { Tools } from '../tools/index.ts'
import { decisionPort, jsonSchemaIssues } from '../kinds/workflow/runtime.ts'

/** What the parts ask of the runs that they serve. */
export interface RunFacts {
  settings(run: string): RunSettings | undefined
  runFolder(run: string): string
}

interface WorldParts {
  readonly options: ReflexOptions
  readonly host: Host
  readonly store: Store
  readonly workdir: string
  readonly policy: OperatorPolicy
  readonly tools: Tools
  readonly models: Models
  /** Takes secrets out of replies of models. */
  readonly redact: Redactor
  readonly facts: RunFacts
  /** What a run that an operator's budget bounds has used up so far. */
  readonly usageOf: Budgets['usageOf']
  /** Labels of what runs have written. */
  readonly labels: WrittenLabels
  /** Folders that Reflex keeps for itself. */
  readonly reserved: readonly string[]
  /** The run that a run of this process was forked from. */
  readonly sourceOf: (run: string) => string | undefined
}

/** What runs meet. */
interface World {
  /** Who decides in workflows. */
  readonly agent: RuntimeAgent
  readonly pipelines: Kind
  readonly ports: Readonly<Record<string, Port>>
}

/** What runs meet when they act: the world, or for those that were started so, a pretended one (`app/simulating.ts`). */
export function worldOf(parts: WorldParts): World {
  const { options, host, store, workdir, policy, tools, models, redact, facts, usageOf, labels, reserved, sourceOf } = parts
  const choice = (run: string): AgentChoice => facts.settings(run)?.agent ?? {}
  const isSimulated = (run: string): boolean => facts.settings(run)?.simulate === true
  const runFolder = (run: string): string => facts.runFolder(run)
  const allows = (run: string, capability: string, exactly?: boolean): boolean => policy.allows(run, capability, exactly)
  const denies = (run: string, capability: string): boolean => policy.denies(run, capability)
  const shared = { choice, workdir, runFolder, allows, denies, redact }
  const { agents = {}, middleware = new Map() } = options
  const agent = agentFor({ ...shared, tools, models, agents })
  const toolsInSimulation = new SimulatedTools(tools)
  const modelsInSimulation = simulatedModels({ host, guess: suggest, check: jsonSchemaIssues })
  const agentInSimulation = agentFor({ ...shared, tools: toolsInSimulation, models: modelsInSimulation, agents: simulatedAgents(agents) })
  const pipelines = pipelineParts({
    handlers: options.handlers,
    actions: options.actions,
    services: options.services,
    routing: (run) => routingOf({ ...routingOf(options), ...facts.settings(run)?.routing }),
    hooks: options.hooks,
    toolHooks: options.toolHooks,
    summarise: options.summarise,
    allowDisableMiddleware: options.allowDisableMiddleware,
    store,
    middleware,
    ...(options.alwaysMiddleware === undefined ? {} : { always: options.alwaysMiddleware }),
    policy,
    tools,
    toolsOf: (run) => (isSimulated(run) ? toolsInSimulation : tools),
    workdir,
    runFolder,
    limits: (run) => facts.settings(run)?.limits ?? {},
    agent: (run) => facts.settings(run)?.agentId,
    spent: usageOf,
    labels,
    isProgram,
    reserved,
    sourceOf,
    now: () => host.now(),
  })
  const folders = (run: string): readonly string[] => [workdir, runFolder(run)]
  const labelledTools = {
    labels,
    isReal: (run: string) => !isSimulated(run),
    folders,
    isProgram,
    hidden: reserved,
    sourceOf,
    now: () => host.now(),
  }
  const ports = {
    decide: labelledDecisions(decisionPort(agent, { canPrepare: true }), labelledTools),
    model: modelPort(modelsByRun({ models, redact }, choice), requestOfCall),
    ledger: ledgerPort(store, host),
    ...pipelines.ports,
  }
  // What only looks, and the tools, which are chosen by the run, serve both.
  const simulated = {
    ...pickPorts(ports, 'charter', 'tool', 'offers', 'ledger'),
    // Middleware of a host is its code, which is not called.
    middleware: silentPort,
    decide: decisionPort(agentInSimulation, { canPrepare: true }),
    model: modelPort(modelsByRun({ models: modelsInSimulation, redact }, choice), requestOfCall),
  }
  return { agent, pipelines: pipelines.kind, ports: simulatedPorts(ports, simulated, isSimulated) }
}

/** A port that answers with nothing. */
const silentPort: Port = { leaves: false, repeat: 'free', perform: () => Promise.resolve(null) }

function pickPorts(ports: Readonly<Record<string, Port>>, ...names: readonly string[]): Readonly<Record<string, Port>> {
  return Object.fromEntries(Object.entries(ports).filter(([name]) => names.includes(name)))
}
