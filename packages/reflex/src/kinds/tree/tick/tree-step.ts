import type { JsonObject, StepContext } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { StandIns, type Substitutes } from '../compile/substitutes.ts'

/** A step of a frame that runs a tree. */
export type TreeStep = StepContext<CompiledTree>

/** What a run of a tree is told when it begins, besides values of its blackboard. */
export interface TreeArgs {
  /** True: it stays open for events after its root has answered, and a message `close` ends it. */
  readonly _stays?: boolean
  /** Commands that debug it from its first tick on. */
  readonly _debug?: readonly JsonObject[string][]
  /** The first event. */
  readonly _event?: JsonObject[string]
  /** What stands in place of nodes, in a test. */
  readonly _substitute?: JsonObject
  /** What has failed, for a tree that recovers another one. */
  readonly _failure_context?: JsonObject
  /** False: its host runs the recovery tree. */
  readonly _recovers?: boolean
}

/** Returns what a run of a tree was told when it began. */
export function argsOf({ args }: TreeStep): {
  readonly stays: boolean
  readonly event: TreeArgs['_event']
  readonly debug: NonNullable<TreeArgs['_debug']>
  readonly failureContext: JsonObject | undefined
  readonly recovers: boolean
  readonly values: JsonObject
} {
  const {
    _stays: stays,
    _event: event,
    _debug: debug = [],
    _substitute: _,
    _failure_context: failureContext,
    _recovers,
    ...values
  } = (args ?? {}) as TreeArgs
  return { stays: stays === true, event, debug, failureContext, recovers: failureContext === undefined && _recovers !== false, values }
}

/** Returns what stands in place of nodes in a run that is a test; undefined in every other run. */
export function standInsOf({ args }: TreeStep): StandIns | undefined {
  const { _substitute: given } = (args ?? {}) as TreeArgs
  return given === undefined ? undefined : new StandIns(given as Substitutes)
}
