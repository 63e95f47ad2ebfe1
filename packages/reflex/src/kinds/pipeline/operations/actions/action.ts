import type { FaultData, Json, JsonObject } from '../../../../kernel/index.ts'
import type { Answer, Ask, NodeContext, Settled } from '../../contract/handler.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

/**
 * The result of an action, and the context keys that it writes in addition. A negative finding is a result, not a failure
 * (reference pipeline 4.5).
 */
export type ActionResult = { readonly result: Json; readonly updates?: JsonObject } | ActionProblem

/** The reason why an action failed. `transient`: a retry may help. */
export interface ActionProblem {
  readonly problem: string
  readonly transient?: true
  readonly updates?: JsonObject
}

/** A running action: it yields its requests and returns its result. */
export type ActionSteps = Generator<Ask, ActionResult, Answer>

/** An action: a function of the node's context, its parameters and the answers, like a handler. */
export type Action = (context: NodeContext, params: ParameterValues) => ActionResult | ActionSteps

/** Converts the error of an effect to a problem. */
export function problemOf({ message, verdict }: FaultData): ActionProblem {
  return verdict === 'retry' ? { problem: message, transient: true } : { problem: message }
}

/** Returns the result of an effect, or its error as a problem. */
export function okOrProblem(settled: Settled): { readonly ok: Json } | ActionProblem {
  return settled.error === undefined ? { ok: settled.ok } : problemOf(settled.error)
}
