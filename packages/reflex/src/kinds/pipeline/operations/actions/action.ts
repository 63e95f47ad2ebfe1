import type { FaultData } from '../../../../kernel/journal/fault.ts'
import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import type { Answer, Ask, Scene, Settled } from '../../contract/handler.ts'
import type { Given } from '../../model/action-parameters.ts'

/** What an action came to, and the context keys that it writes beside its result. A negative finding is a result and no failure (reference pipeline 4.5). */
export type Acted = { readonly result: Json; readonly updates?: JsonObject } | Problem

/** Why an action could not do what it was asked; with `passes`, trying again may help. */
export interface Problem {
  readonly problem: string
  readonly passes?: true
  readonly updates?: JsonObject
}

/** An action under way: it asks for what it needs from outside and returns what it came to. */
export type Acting = Generator<Ask, Acted, Answer>

/** An action: a function of the scene, its parameters and the answers alone, as handlers are. */
export type Action = (scene: Scene, given: Given) => Acted | Acting

/** The problem that a failed effect is. */
export function problemOf({ message, verdict }: FaultData): Problem {
  return verdict === 'retry' ? { problem: message, passes: true } : { problem: message }
}

/** What an effect answered, or the problem that it is. */
export function settledOr(settled: Settled): { readonly ok: Json } | Problem {
  return settled.error === undefined ? { ok: settled.ok } : problemOf(settled.error)
}
