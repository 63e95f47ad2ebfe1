import type { AttributeFacts } from '../model/attribute.ts'
import type { Dispatch, OperationFacts } from '../model/operation-facts.ts'
import type { Handler } from './handler.ts'

/** An operation of a pipeline: its facts, known before it is executed, and the function that executes it. */
export interface Operation<Parameters extends AttributeFacts = AttributeFacts, Dispatched extends readonly Dispatch[] = readonly Dispatch[]>
  extends OperationFacts<Parameters, Dispatched> {
  /**
   * Executes a node: a function of the node's context that returns an outcome, or a generator that yields its requests. It is
   * restarted for each answer, after a crash and in a replay, and must then do the same.
   */
  readonly run: Handler
}

/**
 * Describes an operation in one place. Pass it to `Reflex`, `run`, `validate` or `compileGraph` in `operations`: they then know
 * its type names, attributes, capabilities, taint and help, and `AttributesOf` has the types of its attributes. A wrong
 * description is refused with `R1165` when the list of operations is used.
 */
export function defineOperation<const Parameters extends AttributeFacts, const Dispatched extends readonly Dispatch[]>(
  operation: Operation<Parameters, Dispatched>,
): Operation<Parameters, Dispatched> {
  return operation
}
