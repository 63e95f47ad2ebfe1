import type { Json, Traits } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import type { Preparation, PreparationRound } from '../kinds/workflow/preparation.ts'
import type { Decision, DecisionAgent, DecisionContext } from '../kinds/workflow/types.ts'

/** What is known of a run before a decision is made. */
export interface AgentPlace {
  readonly run: string
  /** The settings of the run; an engine that a program drives by itself has no more than the facts that the kernel reads. */
  readonly settings: RunSettings
  /** True if nobody vouches for the text of the workflow, or of a program that called it. */
  readonly untrusted: boolean
  /** The results of tools and files that this decision has so far; absent where nothing performs such calls. */
  readonly prepared?: readonly PreparationRound[] | undefined
}

/** What whoever decides gets beside the context. */
export interface AgentCall extends AgentPlace {
  /** Aborted when the decision is no longer wanted. */
  readonly signal: AbortSignal
  /** The idempotency key: the same when the decision is made again after a crash. */
  readonly key: string
  /** Reports progress to observers. A delta that begins again replaces what came before. */
  part(delta: Json, begins?: boolean): void
}

/** A decision agent that says beforehand what its decision will do and need. */
export interface RunnableAgent extends DecisionAgent {
  /** Throws a fault when it cannot decide. Without `call` nothing aborts it. */
  resolve(context: DecisionContext, call?: AgentCall): Promise<Decision>
  /** The same, where the calls of a preparation are performed: the agent is asked again with their results. */
  prepare?(context: DecisionContext, call: AgentCall): Promise<Decision | Preparation>
  /** Facts of this decision, for the policy and for what happens after a crash. Never throws and performs nothing. */
  traits?(context: DecisionContext, place?: AgentPlace): Traits
  /** Whether it has something to say at this node; one without this decides everywhere. */
  handles?(context: DecisionContext): boolean
}

/**
 * A decision that needs something which is not here: it fails, but where it was here before a crash, nobody knows what it has
 * done.
 */
export const MISSING: Traits = { leaves: false, repeat: 'ask' }

/** A decision that touches nothing outside. */
export const PURE: Traits = { leaves: false, repeat: 'free' }
