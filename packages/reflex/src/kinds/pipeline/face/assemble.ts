import { type Call, type JsonObject, type Kind, type Port, type Store, systemHost } from '../../../kernel/index.ts'
import { actionPort, ActionRegistry, type HostActions } from '../operations/actions/registry.ts'
import { handlerPort, HandlerRegistry } from '../engine/custom.ts'
import { outsidePort } from '../engine/outside-label.ts'
import { operationsOf } from '../operations/built-in.ts'
import { createEngine, type EngineParts } from '../operations/make-engine.ts'
import type { Operation } from '../contract/define-operation.ts'
import type { Permissions, Routing } from '../contract/handler.ts'
import { pipelineKind } from './kind.ts'
import {
  declaredHooks,
  declaredRunHooks,
  hookPort,
  type RunHooks,
  summaryPort,
  type Summariser,
  toolHookPort,
  type ToolHooks,
} from '../engine/host-hooks.ts'
import { offersPort } from '../engine/offers.ts'
import { folderAt } from '../contract/paths.ts'
import { labelledTools } from '../../../programs/labelled-tools.ts'
import { refreshLabels, storeSeen } from '../../../programs/labelled-files.ts'
import { loadPipeline } from '../check/load.ts'
import { WrittenLabels } from '../../../policy/written-labels.ts'
import { servicePort } from './service-port.ts'
import type { PipelineServices } from '../contract/services.ts'
import { combine, DERIVED, TRUSTED } from '../../../policy/label.ts'
import { middlewarePort } from '../engine/asynchronous.ts'
import { calledPrograms } from './called-programs.ts'
import type { TypedGraph } from '../model/typed.ts'
import { isPipeline } from '../model/program-author.ts'
import { type JudgedCall, type OperatorPolicy, restrictedBy, type RunSettings } from '../../../policy/index.ts'
import { suggest } from '../../../text/index.ts'
import { toolPort, type Tools } from '../../../tools/index.ts'

/** The settings from which the kind and its ports are built. */
export interface PipelineSettings extends Omit<EngineParts, 'operations'> {
  /** Operations of the host, in addition to the built-in ones. */
  readonly operations?: readonly Operation[] | undefined
  /** Handlers of the host. Each has its own node type, and wins over a built-in handler of that type. */
  readonly handlers?: HandlerRegistry | undefined
  /** Actions of the host. Each wins over a built-in action of the same name. */
  readonly actions?: HostActions | undefined
  /** Services of the host. Without them, sessions and memory are stored in ledgers of the store. */
  readonly services?: PipelineServices | undefined
  readonly store?: Pick<Store, 'append' | 'ledger'> | undefined
  /** Labels of the files that runs wrote. Default: the labels in the store. */
  readonly labels?: WrittenLabels | undefined
  /** True if a program can be read from a file of this name. Default: true for pipelines. */
  readonly isProgram?: ((name: string) => boolean) | undefined
  /** Folders that are hidden from all commands. */
  readonly reserved?: readonly string[]
  /** Returns milliseconds since the epoch. Default: the clock of this machine. */
  readonly now?: (() => number) | undefined
  readonly policy: OperatorPolicy
  readonly tools: Tools
  /** Run around calls of tools when neither the node nor the graph has tool hooks. */
  readonly toolHooks?: ToolHooks | undefined
  /** Run around pipelines and nodes that have no hooks of their own. */
  readonly hooks?: RunHooks | undefined
  /** Writes the summary of earlier stages for models. Default: the built-in text. */
  readonly summarise?: Summariser | undefined
  /** Allows trusted authors to disable the mandatory middleware (reference pipeline 5.6). */
  readonly allowDisableMiddleware?: boolean | undefined
  /** The routing of runs whose settings do not state one. */
  readonly routing?: Routing | undefined
}

/** The kind `pipeline`, and ports that its handlers ask. */
export interface PipelineParts {
  readonly kind: Kind<TypedGraph>
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
}

/** Returns the kind with its own ports and with tools, for a runtime that has no tools of other kinds. */
export function pipelineWithTools(settings: PipelineSettings): PipelineParts {
  const { policy, tools, isProgram = isPipelineFile, reserved: hidden = [], labels = new WrittenLabels(settings.store) } = settings
  const { kind, ports } = pipelineParts({ ...settings, labels })
  const tool = toolPort<RunSettings>({
    tools,
    guess: suggest,
    place: (call) => ({
      workdir: call.settings.workdir,
      runFolder: runFolderOf(call),
      agentId: call.settings.agentId,
      restricted: restrictedBy(call.settings),
    }),
    allows: (call, capability, exactly) => policy.judgeCall(call, capability, exactly).allowed,
    denies: (call, capability) => policy.denies(call, capability),
  })
  const now = settings.now ?? ((): number => systemHost.now())
  const isOutside = (name: string): boolean => tools.find(name)?.outside === true
  return { kind, ports: { ...ports, tool: labelledTools(tool, { labels, isProgram, hidden, now, keepsLabels: isPipeline, isOutside }) } }
}

/** Returns the kind with the ports that it alone needs. */
export function pipelineParts(settings: PipelineSettings): PipelineParts {
  const { policy, tools, handlers = new HandlerRegistry(), operations, middleware, always } = settings
  const actions = new ActionRegistry(settings.actions)
  const { labels = new WrittenLabels(settings.store) } = settings
  const engine = createEngine({
    operations: operationsOf({ operations, custom: handlers.facts() }),
    ...(middleware === undefined ? {} : { middleware }),
    ...(always === undefined ? {} : { always }),
  })
  return {
    kind: pipelineKind({
      load: (source) => loadPipeline(source, operationsOf({ operations, custom: handlers.facts(), hostActions: new Set(actions.names()) })),
      calls: calledPrograms,
      engine,
      facts: hostFacts(settings, actions.names()),
    }),
    ports: {
      offers: offersPort<RunSettings>(tools, (call, capability) => policy.judgeAhead(call, capability).allowed),
      hook: hookPort(settings.hooks ?? {}),
      tool_hook: toolHookPort(settings.toolHooks ?? {}),
      ...(settings.summarise === undefined ? {} : { summary: summaryPort(settings.summarise) }),
      outside: outsidePort(async (call) => {
        const { run, forkedFrom } = call
        await refreshLabels(labels, call)
        if (isCalledByOther(call)) await storeSeen(labels, call, DERIVED)
        return combine(labels.ofReads(run), forkedFrom === undefined ? TRUSTED : labels.ofReads(forkedFrom))
      }),
      middleware: middlewarePort([...(middleware?.values() ?? []), ...(always ?? [])]),
      handler: handlerPort(handlers),
      action: actionPort(actions),
      service: servicePort(settings.services ?? {}, settings.store, labels),
    },
  }
}

function isPipelineFile(name: string): boolean {
  return /\.(dot|gv)$/.test(name)
}

/** True if a program of another kind called this pipeline. Such a caller does not track labels of results. */
function isCalledByOther(call: Call): boolean {
  const caller = call.frame.link?.caller
  return caller !== undefined && !isPipeline(call.definition(caller.pin))
}

/** Keeps only the values that are set: the run records them. */
export function routingOf({ onUnroutedFailure, deadEnd }: Routing = {}): Routing | undefined {
  const said = { ...(onUnroutedFailure === undefined ? {} : { onUnroutedFailure }), ...(deadEnd === undefined ? {} : { deadEnd }) }
  return Object.keys(said).length === 0 ? undefined : said
}

/** Returns the folder for a call. Each restart of the outermost pipeline uses a new folder. */
export function runFolderOf({ settings, frame }: JudgedCall): string {
  return frame === undefined ? settings.folder : folderAt(settings.folder, frame)
}

/** The functions of services that the nodes of a program name. */
function servicesOf({ search, eval: subjects = {} }: PipelineServices = {}): readonly string[] {
  return [...(search?.search === undefined ? [] : ['search.search']), ...Object.keys(subjects).map((name) => `eval.${name}`)]
}

/** The facts of a host that nodes read. They are recorded with the permissions, and a fork keeps them. */
function hostFacts(settings: PipelineSettings, actions: readonly string[]): JsonObject {
  const { routing, toolHooks, hooks, summarise, services, allowDisableMiddleware } = settings
  return {
    ...(allowDisableMiddleware === true ? { mayDisable: true } : {}),
    ...(routing === undefined || Object.keys(routing).length === 0 ? {} : { routing }),
    ...(toolHooks === undefined ? {} : { toolHooks: declaredHooks(toolHooks) }),
    ...(hooks === undefined ? {} : { hooks: declaredRunHooks(hooks) }),
    ...(summarise === undefined ? {} : { summarises: true }),
    ...(services?.consensus === undefined ? {} : { council: { checks: services.consensus.check !== undefined } }),
    actions,
    services: servicesOf(services),
  } satisfies { readonly [Fact in keyof Permissions]?: Permissions[Fact] | undefined } as unknown as JsonObject
}
