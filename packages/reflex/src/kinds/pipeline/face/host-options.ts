import { anyOf, FLAG, FUNCTION, instanceOf, listOf, OBJECT, objectWith, oneOf, options, recordOf } from '../../../text/index.ts'
import type { Operation } from '../contract/define-operation.ts'
import type { PipelineServices } from '../contract/services.ts'
import type { HostMiddleware } from '../engine/asynchronous.ts'
import type { HandlerRegistry } from '../engine/custom.ts'
import type { RunHooks, Summariser, ToolHooks } from '../engine/host-hooks.ts'
import type { Transform } from '../language/transforms.ts'
import type { HostActions } from '../operations/actions/registry.ts'

/** The extensions of a host for pipelines. */
export interface PipelineOptions {
  /** Handlers by node type. */
  readonly handlers?: HandlerRegistry
  /** Operations that `defineOperation` made, beside those of Reflex. One that does not fit is refused with `R1165` when a pipeline is first met. */
  readonly operations?: readonly Operation[]
  /**
   * Actions by name, in addition to the built-in ones. An action wins over a built-in one of the same name. An action given
   * here is allowed.
   */
  readonly actions?: HostActions
  /** Commands and functions around pipelines and nodes that have no hooks of their own. */
  readonly hooks?: RunHooks
  /** Run around calls of tools when neither the node nor the graph has tool hooks. */
  readonly toolHooks?: ToolHooks
  /** Writes the summary of earlier stages for models. Default: the built-in text. */
  readonly summarise?: Summariser
  /** Allows a trusted author to disable the mandatory middleware. Default: false. */
  readonly allowDisableMiddleware?: boolean
  /** Sessions, memory and search. Without them, sessions and memory are stored in the store. */
  readonly services?: PipelineServices
  /** Middleware that pipelines can request by name. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware>
  /** Middleware around every node of every pipeline, after the seven mandatory ones. */
  readonly alwaysMiddleware?: readonly HostMiddleware[]
  /** `lenient`: after a failure that no edge catches, the run follows an edge without a condition. Default `fail`: the run ends. */
  readonly onUnroutedFailure?: 'fail' | 'lenient'
  /** `fail`: a successful stage without an edge to follow fails the run. Default `success`: the run ends as at an exit. */
  readonly deadEnd?: 'success' | 'fail'
  /** Transforms applied to every pipeline that is read. */
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
