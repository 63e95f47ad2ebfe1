import type { EffectAnswer, Json, Traits } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import type { Preparation, PreparationRound } from '../kinds/workflow/step/preparation.ts'
import type { Decision, DecisionAgent, DecisionContext } from '../kinds/workflow/index.ts'

/** Facts of a run before a decision is made. */
export interface AgentPlace {
  readonly run: string
  /** The settings of the run; an engine that a program drives by itself has no more than the facts that the kernel reads. */
  readonly settings: RunSettings
  /** True if the text of the workflow, or of a program that called it, is untrusted. */
  readonly untrusted: boolean
  /** The results of tools and files that this decision has so far; absent where nothing performs such calls. */
  readonly prepared?: readonly PreparationRound[] | undefined
}

/** The call of an agent: everything it gets besides the context. */
export interface AgentCall extends AgentPlace {
  /** Aborted when the decision is no longer wanted. */
  readonly signal: AbortSignal
  /** The idempotency key. It is the same when the decision is repeated after a crash. */
  readonly key: string
  /** The answers to questions that this decision has asked so far; absent where nothing records them. */
  readonly answers?: readonly EffectAnswer[] | undefined
  /** True if a person has allowed a grant for this node, or its use is counted for this execution of the node. */
  isPermitted(grant: string): boolean
  /** Reports progress to observers. With `begins`, the delta replaces all earlier ones. */
  part(delta: Json, begins?: boolean): void
}

/** A decision agent that declares beforehand what its decision does and needs. */
export interface RunnableAgent extends DecisionAgent {
  /** Decides. Throws a fault if it cannot decide. Without `call`, nothing aborts the decision. */
  resolve(context: DecisionContext, call?: AgentCall): Promise<Decision>
  /** Decides, or asks for calls of tools first: their results are in the next call. Used if the calls of a preparation are performed. */
  prepare?(context: DecisionContext, call: AgentCall): Promise<Decision | Preparation>
  /** Returns the facts of this decision, for the policy and for a repeat after a crash. Never throws and performs nothing. */
  traits?(context: DecisionContext, place?: AgentPlace): Traits
  /** True if the agent decides at this node. An agent without this function decides at every node. */
  handles?(context: DecisionContext): boolean
}

/**
 * The traits of a decision that needs something that is missing. The decision fails. If the thing was there before a crash, the
 * effects of the decision are unknown.
 */
export const MISSING: Traits = { leaves: false, repeat: 'ask' }

/** The traits of a decision that has no effect outside. */
export const PURE: Traits = { leaves: false, repeat: 'free' }
