import { anyOf, FLAG, FUNCTION, instanceOf, listOf, OBJECT, objectWith, oneOf, options, recordOf } from '../../../text/index.ts'
import type { Operation } from '../contract/define-operation.ts'
import type { PipelineServices } from '../contract/services.ts'
import type { HostMiddleware } from '../engine/asynchronous.ts'
import type { HandlerRegistry } from '../engine/custom.ts'
import type { RunHooks, Summariser, ToolHooks } from '../engine/host-hooks.ts'
import type { Transform } from '../language/transforms.ts'
import type { HostActions } from '../operations/actions/registry.ts'

/** What a host adds to pipelines. */
export interface PipelineOptions {
  /** Handlers, by the type that they take. */
  readonly handlers?: HandlerRegistry
  /** Operations that `defineOperation` made, beside those of Reflex. One that does not fit is refused with `R1165` when a pipeline is first met. */
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

/** The form of the options. */
export const HOST_OPTIONS = options({
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
})
