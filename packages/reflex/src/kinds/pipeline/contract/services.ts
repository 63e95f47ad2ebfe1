import type { Json, JsonObject } from '../../../kernel/index.ts'

/** What a function of a service may know beside its arguments. */
export interface ServiceCall {
  /** Whose session, memory or goals. */
  readonly agent: string
  readonly run: string
  /** The same when the call is repeated after a crash: what is done twice under one key counts once. */
  readonly key: string
  /** When the node began: milliseconds since the epoch. */
  readonly now: number
  /** Aborted when the node is given up. */
  readonly signal: AbortSignal
  /** The label of the arguments, as the engine keeps it; absent where an agent reads them again with the label that it would read anyway. */
  readonly label?: Json
}

/**
 * One function of a service: named arguments in, JSON out. What it throws fails the node, and so does an answer
 * `{ error: "why" }` (reference pipeline 4.6.2).
 */
export type ServiceFunction = (args: JsonObject, call: ServiceCall) => unknown

/** A service of a host: some of its functions. One that is missing does nothing, and its node is a success without updates. */
export type Adapter = Readonly<Record<string, ServiceFunction>>

/** What a session of an agent can be asked (reference pipeline 4.6.2). */
export interface SessionAdapter {
  readonly recall_goals?: ServiceFunction
  readonly recall_intents?: ServiceFunction
  readonly recall_beliefs?: ServiceFunction
  /** `{query, limit}`: the memories that fit, as a list. */
  readonly memory_recall?: ServiceFunction
  /** `{messages, mode}`: `{content}` or `{tool_calls}`. */
  readonly llm_call?: ServiceFunction
  /** `{tool_calls}`: a list of results, in their order. */
  readonly tool_dispatch?: ServiceFunction
  readonly memory_update?: ServiceFunction
  readonly checkpoint?: ServiceFunction
  readonly background_checks?: ServiceFunction
  readonly route_actions?: ServiceFunction
  readonly route_intents?: ServiceFunction
  readonly apply_identity_insights?: ServiceFunction
  readonly update_goals?: ServiceFunction
  readonly store_decompositions?: ServiceFunction
  readonly process_proposal_decisions?: ServiceFunction
  readonly prune_stale_intents?: ServiceFunction
  readonly consolidate?: ServiceFunction
  readonly update_working_memory?: ServiceFunction
}

/** What a memory can be asked (reference pipeline 4.7, 4.8). */
export interface MemoryAdapter {
  /** `{query, limit}`: a list of memories, the best first. */
  readonly recall?: ServiceFunction
  readonly working_load?: ServiceFunction
  readonly stats?: ServiceFunction
  readonly consolidate?: ServiceFunction
  /** `{content, metadata}`: what is remembered. */
  readonly index?: ServiceFunction
  readonly working_save?: ServiceFunction
}

/** A search of the web; nothing is built in. */
export interface SearchAdapter {
  /** `{query, count, freshness, provider}`: a list of `{rank, title, url, snippet, age}`. */
  readonly search?: ServiceFunction
}

/**
 * A council of a host: it may take as long as it likes (reference pipeline 4.6.1). A proposal without a decision is pending; the run
 * waits, over restarts, until `check` has a decision, or somebody sends one: the message `consensus.<proposal_id>` with `approved`,
 * `rejected` or `deadlock`.
 */
export interface ConsensusAdapter {
  /** `{text, evaluators, quorum}`: `{proposal_id}`, and `{decision, recommendation}` where it is decided at once. Called again under the same key after a crash. */
  readonly propose: ServiceFunction
  /** `{proposal_id}`: `{decision, recommendation}`, or anything without a decision while the proposal is pending. Asked ever more rarely, at least every ten minutes. */
  readonly check?: ServiceFunction
}

/** The services of a host. Without one, sessions and memory live in ledgers of the store, and there is no search. */
export interface PipelineServices {
  readonly session?: SessionAdapter
  readonly memory?: MemoryAdapter
  readonly search?: SearchAdapter
  /** Decides in place of the council of this process. */
  readonly consensus?: ConsensusAdapter
  /** Subjects of evaluations by their names: `{id, input, metadata}` to what is judged (reference pipeline 4.3.6). */
  readonly eval?: Adapter
}

/** How a service answers: with a value, or not at all. `own`: nobody was given, so the engine does it itself. */
export type ServiceAnswer = { readonly value: Json } | { readonly missing: true } | { readonly own: true }
