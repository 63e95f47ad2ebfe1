import type { Json, JsonObject } from '../../../kernel/index.ts'

/** The context of a service call. */
export interface ServiceCall {
  /** The agent that owns the session, memory or goals. */
  readonly agent: string
  readonly run: string
  /** The same key when the call is repeated after a crash: work done twice under one key must count once. */
  readonly key: string
  /** The start of the node in milliseconds since the epoch. */
  readonly now: number
  /** Aborted when the node is stopped. */
  readonly signal: AbortSignal
  /** The packed label of the arguments; absent if it is the label that a value gets anyway when it is read again. */
  readonly label?: Json
}

/**
 * A function of a service: takes named arguments and returns JSON. An error that it throws fails the node, like an answer `{
 * error: "why" }` (reference pipeline 4.6.2).
 */
export type ServiceFunction = (args: JsonObject, call: ServiceCall) => unknown

/** A service of a host with some of its functions. A missing function does nothing: its node succeeds without updates. */
export type Adapter = Readonly<Record<string, ServiceFunction>>

/** The functions of an agent's session (reference pipeline 4.6.2). */
export interface SessionAdapter {
  readonly recall_goals?: ServiceFunction
  readonly recall_intents?: ServiceFunction
  readonly recall_beliefs?: ServiceFunction
  /** `{query, limit}`: returns the matching memories as a list. */
  readonly memory_recall?: ServiceFunction
  /** `{messages, mode}`: returns `{content}` or `{tool_calls}`. */
  readonly llm_call?: ServiceFunction
  /** `{tool_calls}`: returns a list of results in the same order. */
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

/** The functions of a memory (reference pipeline 4.7, 4.8). */
export interface MemoryAdapter {
  /** `{query, limit}`: returns a list of memories, the best first. */
  readonly recall?: ServiceFunction
  readonly working_load?: ServiceFunction
  readonly stats?: ServiceFunction
  readonly consolidate?: ServiceFunction
  /** `{content, metadata}`: stores a memory. */
  readonly index?: ServiceFunction
  readonly working_save?: ServiceFunction
}

/** A web search; there is no built-in one. */
export interface SearchAdapter {
  /** `{query, count, freshness, provider}`: returns a list of `{rank, title, url, snippet, age}`. */
  readonly search?: ServiceFunction
}

/**
 * A council of a host, without a time limit (reference pipeline 4.6.1). A proposal without a decision is pending. The run
 * waits, also over restarts, until `check` returns a decision or somebody sends one: the message `consensus.<proposal_id>` with
 * `approved`, `rejected` or `deadlock`.
 */
export interface ConsensusAdapter {
  /**
   * `{text, evaluators, quorum}`: returns `{proposal_id}`, and `{decision, recommendation}` if it is decided at once. Called
   * again with the same key after a crash.
   */
  readonly propose: ServiceFunction
  /**
   * `{proposal_id}`: returns `{decision, recommendation}`, or a value without a decision while the proposal is pending. Called
   * at growing intervals of at most ten minutes.
   */
  readonly check?: ServiceFunction
}

/** The services of a host. Without them, sessions and memory are stored in ledgers of the store, and there is no search. */
export interface PipelineServices {
  readonly session?: SessionAdapter
  readonly memory?: MemoryAdapter
  readonly search?: SearchAdapter
  /** Decides instead of the council of this process. */
  readonly consensus?: ConsensusAdapter
  /** Subjects of evaluations by name: from `{id, input, metadata}` to the value to judge (reference pipeline 4.3.6). */
  readonly eval?: Adapter
}

/** The answer of a service: a value, or `missing`. `own`: the host has no service, so the engine performs the operation itself. */
export type ServiceAnswer = { readonly value: Json } | { readonly missing: true } | { readonly own: true }
