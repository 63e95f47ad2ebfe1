import type { AttributeFacts } from '../model/attribute.ts'
import type { Dispatch, OperationFacts } from '../model/operation-facts.ts'
import type { Handler } from './handler.ts'

/** An operation of a pipeline: everything that is known of it before it is executed, and the function that executes it. */
export interface Operation<Parameters extends AttributeFacts = AttributeFacts, Dispatched extends readonly Dispatch[] = readonly Dispatch[]>
  extends OperationFacts<Parameters, Dispatched> {
  /**
   * Executes a node: a function of the node's context that gives an outcome, or a generator that yields what it needs from outside.
   * It is begun again for each answer, after a crash and in a replay, and must then do the same.
   */
  readonly run: Handler
}

/**
 * Describes an operation in one place. Hand it to `Reflex`, `run`, `validate` or `compileGraph` as one of their `operations`: its type
 * names, attributes, capabilities, taint and help are known there from then on, and `AttributesOf` has the types of its attributes.
 * A description that is wrong is refused with `R1165` where the list of operations is used.
 */
export function defineOperation<const Parameters extends AttributeFacts, const Dispatched extends readonly Dispatch[]>(
  operation: Operation<Parameters, Dispatched>,
): Operation<Parameters, Dispatched> {
  return operation
}
