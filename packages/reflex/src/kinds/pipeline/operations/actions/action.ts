import type { FaultData } from '../../../../kernel/journal/fault.ts'
import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import type { Answer, Ask, NodeContext, Settled } from '../../contract/handler.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

/** What an action came to, and the context keys that it writes beside its result. A negative finding is a result and no failure (reference pipeline 4.5). */
export type ActionResult = { readonly result: Json; readonly updates?: JsonObject } | ActionProblem

/** Why an action could not do what it was asked; with `passes`, trying again may help. */
export interface ActionProblem {
  readonly problem: string
  readonly transient?: true
  readonly updates?: JsonObject
}

/** An action under way: it asks for what it needs from outside and returns what it came to. */
export type ActionSteps = Generator<Ask, ActionResult, Answer>

/** An action: a function of the scene, its parameters and the answers alone, as handlers are. */
export type Action = (context: NodeContext, params: ParameterValues) => ActionResult | ActionSteps

/** The problem that a failed effect is. */
export function problemOf({ message, verdict }: FaultData): ActionProblem {
  return verdict === 'retry' ? { problem: message, transient: true } : { problem: message }
}

/** What an effect answered, or the problem that it is. */
export function okOrProblem(settled: Settled): { readonly ok: Json } | ActionProblem {
  return settled.error === undefined ? { ok: settled.ok } : problemOf(settled.error)
}
