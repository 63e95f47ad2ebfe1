import type { KindModule, KindWorld } from '../../../programs/kind-module.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { anyOf, FLAG, FUNCTION, instanceOf, listOf, OBJECT, objectWith, oneOf, options, recordOf } from '../../../text/index.ts'
import { compileFaults } from '../model/faults.ts'
import { dotFaults } from '../dot/faults.ts'
import { lintFaults } from '../check/faults.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { languageFaults } from '../language/faults.ts'
import type { Operation } from '../contract/define-operation.ts'
import type { PipelineServices } from '../contract/services.ts'
import type { HostMiddleware } from '../engine/asynchronous.ts'
import type { HandlerRegistry } from '../engine/custom.ts'
import type { RunHooks, Summariser, ToolHooks } from '../engine/host-hooks.ts'
import { FolderWriter } from '../folder/folder-writer.ts'
import { openCheckpoint, resumeArgument } from '../folder/resume.ts'
import type { Transform } from '../language/transforms.ts'
import type { TypedGraph } from '../model/typed.ts'
import { actionCapability, type HostActions } from '../operations/actions/registry.ts'
import { middlewareNames } from '../operations/make-engine.ts'
import { pipelineParts, routingOf } from './assemble.ts'
import { pipelineLanguage } from './language.ts'
import { pipelineReader } from './reader.ts'
import { PIPELINE_RUN_OPTIONS } from './run-options.ts'
import { pipelineView } from './view.ts'

/** What a host adds to pipelines. */
export interface PipelineOptions {
  /** Handlers, by the type that they take. */
  readonly handlers?: HandlerRegistry
  /** Operations that `defineOperation` made, beside those of Reflex. Throws `R1165` for one that does not fit. */
  readonly operations?: readonly Operation[]
  /** Actions by name, beside the built-in ones; each goes before one of the same name. Giving one is allowing it. */
  readonly actions?: HostActions
  /** Commands and functions around pipelines and their nodes, where they have none of their own. */
  readonly hooks?: RunHooks
  /** Around calls of tools, where neither node nor graph has hooks of its own. */
  readonly toolHooks?: ToolHooks
  /** Tells the models what happened before, in place of the built-in text. */
  readonly summarise?: Summariser
  /** A trusted author of a pipeline may switch its mandatory middleware off. Never by default. */
  readonly allowDisableMiddleware?: boolean
  /** Sessions, memory and search; sessions and memory live in the store where there is none. */
  readonly services?: PipelineServices
  /** Middleware that pipelines may ask for by name. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware>
  /** Middleware around every node of every pipeline, after the mandatory seven. */
  readonly alwaysMiddleware?: readonly HostMiddleware[]
  /** `lenient`: a failure that nothing catches follows the edges without a condition. Otherwise it ends the run. */
  readonly onUnroutedFailure?: 'fail' | 'lenient'
  /** `fail`: a stage that succeeds and has no edge to follow fails the run. Otherwise it ends the run as an exit does. */
  readonly deadEnd?: 'success' | 'fail'
  /** Changes of every pipeline that is read. */
  readonly transforms?: readonly Transform[]
}

const FUNCTION_OR_OBJECT = anyOf(FUNCTION, OBJECT)

/** The kind of pipelines. */
export const pipelineModule: KindModule<'pipeline', PipelineOptions, TypedGraph, typeof PIPELINE_RUN_OPTIONS> = {
  name: 'pipeline',
  language: pipelineLanguage,
  view: pipelineView,
  faults: [dotFaults, languageFaults, compileFaults, lintFaults, pipelineFaults],
  hostOptions: options({
    handlers: objectWith('a registry of handlers', 'needs', 'facts'),
    operations: listOf(OBJECT),
    actions: recordOf(anyOf(FUNCTION, objectWith('an action', 'run'))),
    hooks: OBJECT,
    toolHooks: OBJECT,
    summarise: FUNCTION,
    allowDisableMiddleware: FLAG,
    services: OBJECT,
    middleware: instanceOf('a Map of middleware', Map),
    alwaysMiddleware: listOf(FUNCTION_OR_OBJECT),
    onUnroutedFailure: oneOf('fail', 'lenient'),
    deadEnd: oneOf('success', 'fail'),
    transforms: listOf(FUNCTION_OR_OBJECT),
  }),
  runOptions: PIPELINE_RUN_OPTIONS,
  folder: {
    keep: (runtime, run, settings) => new FolderWriter(runtime, run, settings).ready,
    beginsAt(def, { resumeFrom, force }: RunOptionValues<typeof PIPELINE_RUN_OPTIONS>, { secret }) {
      return resumeFrom === undefined ? {} : resumeArgument(openCheckpoint(resumeFrom, secret), def, { force })
    },
  },
  grants: ({ handlers, actions = {} }) => [...(handlers?.needs() ?? []), ...Object.keys(actions).map(actionCapability)],
  make(world, host = {}) {
    const { handlers, operations, transforms, actions, middleware, alwaysMiddleware } = host
    const { kind, ports } = pipelineParts(settingsFor(world, host))
    return {
      kind,
      reader: pipelineReader({
        handlers,
        operations,
        transforms,
        actions,
        tools: () => world.tools.names(),
        models: world.modelFindings,
        middleware: middlewareNames({ middleware, always: alwaysMiddleware }),
      }),
      ports,
      uses: ['model', 'ledger', ...Object.keys(ports)],
    }
  },
}

function settingsFor(world: KindWorld, host: PipelineOptions): Parameters<typeof pipelineParts>[0] {
  const {
    handlers,
    operations,
    actions,
    services,
    hooks,
    toolHooks,
    summarise,
    allowDisableMiddleware,
    middleware = new Map(),
    alwaysMiddleware,
  } = host
  const { store, policy, tools, labels, isProgram, reserved } = world
  return {
    handlers,
    operations,
    actions,
    services,
    routing: routingOf(host),
    hooks,
    toolHooks,
    summarise,
    allowDisableMiddleware,
    store,
    middleware,
    ...(alwaysMiddleware === undefined ? {} : { always: alwaysMiddleware }),
    policy,
    tools,
    labels,
    isProgram,
    reserved,
    now: () => world.host.now(),
  }
}
