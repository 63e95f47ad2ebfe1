import { agentFor, modelsByRun, type RuntimeAgent } from './run-agents.ts'
import { type Host, type Kind, ledgerPort, type Port, type Redactor, type Store } from '../kernel/index.ts'
import { isProgram } from './formats.ts'
import { labelledDecisions } from './labelled-decisions.ts'
import { modelPort, type Models } from '../models/index.ts'
import type { ReflexOptions } from './options.ts'
import { pipelineParts, routingOf } from '../kinds/pipeline/face/assemble.ts'
import { requestOfCall } from '../kinds/pipeline/contract/conversation.ts'
import type { WrittenLabels } from '../kinds/pipeline/operations/memory/written-labels.ts'
import type { OperatorPolicy, RunSettings } from '../policy/index.ts'
import { simulatedAgents, simulatedModels } from './simulating.ts'
import { suggest } from '../text/index.ts'
import { SimulatedTools, type Tools } from '../tools/index.ts'
import { decisionPort, jsonSchemaIssues } from '../kinds/workflow/runtime.ts'

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
  /** Labels of what runs have written. */
  readonly labels: WrittenLabels
  /** Folders that Reflex keeps for itself. */
  readonly reserved: readonly string[]
}

/** What runs meet. */
interface World {
  /** Who decides in workflows. */
  readonly agent: RuntimeAgent
  readonly pipelines: Kind
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
}

/** What runs meet when they act. Each port says what it does in a simulated run; models, agents and tools are chosen by the run. */
export function worldOf(parts: WorldParts): World {
  const { options, host, store, workdir, policy, tools, models, redact, labels, reserved } = parts
  const { agents = {}, middleware = new Map() } = options
  const deciders = {
    real: { tools, models, agents },
    simulated: {
      tools: new SimulatedTools(tools),
      models: simulatedModels({ host, guess: suggest, check: jsonSchemaIssues }),
      agents: simulatedAgents(agents),
    },
    redact,
  }
  const agent = agentFor({
    ...deciders,
    workdir,
    allows: (call, capability, exactly) => call !== undefined && policy.judgeCall(call, capability, exactly).allowed,
    denies: (call, capability) => call === undefined || policy.denies(call, capability),
  })
  const modelsOf = modelsByRun(deciders)
  const pipelines = pipelineParts({
    handlers: options.handlers,
    operations: options.operations,
    actions: options.actions,
    services: options.services,
    routing: routingOf(options),
    hooks: options.hooks,
    toolHooks: options.toolHooks,
    summarise: options.summarise,
    allowDisableMiddleware: options.allowDisableMiddleware,
    store,
    middleware,
    ...(options.alwaysMiddleware === undefined ? {} : { always: options.alwaysMiddleware }),
    policy,
    tools,
    labels,
    isProgram,
    reserved,
    now: () => host.now(),
  })
  const house = { labels, isProgram, hidden: reserved, now: () => host.now() }
  return {
    agent,
    pipelines: pipelines.kind,
    ports: {
      decide: labelledDecisions(decisionPort(agent, { canPrepare: true }), house),
      model: modelPort(({ settings }) => modelsOf(settings), requestOfCall),
      ledger: ledgerPort(store, host),
      ...pipelines.ports,
    },
  }
}
