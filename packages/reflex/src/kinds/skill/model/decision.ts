import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { ScoreFeature } from './manifest.ts'
import type { SkillProposal } from './proposal.ts'

/** The states of a version of a skill in a project and environment (reference skill 1.24). */
export const SKILL_STATES = ['draft', 'candidate', 'tested', 'active', 'deprecated', 'quarantined', 'evicted', 'unbound'] as const
export type SkillState = (typeof SKILL_STATES)[number]

/** Why a proposal was not carried out. The parts after a point are names: `compat.env`, `state.draft`, `admission.cooldown`. */
export type ReasonCode =
  | 'unknown_skill'
  | `compat.${string}`
  | `state.${string}`
  | 'tool_missing'
  | 'slot_missing'
  | 'slot_invalid'
  | 'invariant_false'
  | 'invariant_error'
  | 'below_tau'
  | 'policy.role'
  | 'policy.deny_if'
  | 'policy.secret'
  | 'policy.residency'
  | 'policy.shell'
  | 'policy.confirmation'
  | 'policy.remote_deny'
  | 'policy.needs_promotion'
  | 'policy.unavailable'
  | `admission.${AdmissionDenial}`
  /** It was approved, and the host only looks at what skills would do. */
  | 'mode.shadow'
  | 'approved'

export type AdmissionDenial =
  | 'cooldown'
  | 'concurrency'
  | 'idempotence_in_progress'
  | 'idempotence_unknown'
  | 'idempotence_conflict'
  | 'budget'

/** Where the value of a slot came from. */
export type SlotSource = 'proposal' | 'binding' | 'extractor' | 'parser' | 'default' | 'missing'

export interface SlotCheck {
  readonly name: string
  readonly source: SlotSource
  readonly valid: boolean
  readonly reason?: string
}

export const NOT_EVALUATED = 'not_evaluated'
type Stage<Done> = Done | typeof NOT_EVALUATED

export interface CompatResult {
  readonly ok: boolean
  readonly checks: readonly { readonly key: string; readonly want: Json; readonly have: Json; readonly ok: boolean }[]
}

export interface PreconditionResult {
  readonly ok: boolean
  readonly state: SkillState
  readonly tools: readonly { readonly name: string; readonly ok: boolean }[]
  readonly slots: readonly SlotCheck[]
  /** Not evaluated while a slot has no valid value: an expression must not judge arguments that are not there. */
  readonly invariants: Stage<readonly { readonly expr: string; readonly value: boolean | 'error'; readonly error?: string }[]>
}

/** All numbers but the weights are integers of millionths, so that no comparison depends on how a float is rounded. */
export interface ScoreResult {
  readonly ok: boolean
  readonly features: Readonly<Record<ScoreFeature, number>>
  readonly matched: { readonly label?: string; readonly keyword?: string }
  readonly weights: Readonly<Record<ScoreFeature, number>>
  readonly raw: number
  readonly max: number
  readonly normalised: number
  readonly tau_raw: number
  readonly tau_normalised: number
  readonly tau_source: 'manifest' | 'sdk' | 'policy'
  readonly stats: { readonly successes: number; readonly runs: number }
}

export interface PolicyResult {
  readonly ok: boolean
  readonly mode: 'enforce' | 'advise'
  /** False if a denial is only advice. */
  readonly enforced: boolean
  readonly rules: readonly { readonly rule: string; readonly verdict: 'allow' | 'deny' | 'ask'; readonly detail?: string }[]
  readonly remote?: { readonly verdict: string; readonly reason: string; readonly cached: boolean; readonly age_s: number }
}

export interface AdmissionResult {
  readonly verdict: 'admitted' | 'short_circuit' | AdmissionDenial
  readonly retry_after_ms?: number
  readonly key_hash?: string
}

/** How a version was chosen among those that share the calls of a skill: the fraction of the caller is below the shares up to its own. */
export interface Rollout {
  readonly experiment: string
  /** Millionths, as `share`. */
  readonly fraction: number
  readonly share: number
}

/** What one execution of a skill is expected to save. */
export interface Saving {
  /** Calls of the model. */
  readonly calls: number
  /** The share of the cost, as mining has measured it in `unit`. */
  readonly share?: number
  readonly unit?: 'usd' | 'tokens' | 'calls'
}

/** The verdict of the gate where nothing is carried out whatever it is. */
export interface ShadowDecision {
  readonly verdict: 'approved' | 'denied' | 'clarify'
  readonly reason: ReasonCode
  /** Absent for what was not approved. */
  readonly saves?: Saving
}

/** A recorded answer of a function of the host: its result, or why it failed. */
export type FunctionResult =
  | { readonly fn: string; readonly args_hash: string; readonly result: Json }
  | { readonly fn: string; readonly args_hash: string; readonly error: string }

/** A recorded answer of a parser, by the key of its request (reference skill 1.11). */
export interface ParserAnswer {
  readonly key: string
  /** The model that answered, as its provider names it. */
  readonly model?: string
  /** The text of its reply; absent if the parser timed out or could not be asked. */
  readonly output?: string
}

/** The verdict on one proposal and everything that led to it (reference skill 1.8). A replay compares it whole. */
export interface DecisionRecord {
  readonly v: 1
  readonly proposal: {
    readonly carrier: SkillProposal['carrier']
    readonly skill_ref: string
    readonly inputs_hash: string
    readonly why?: string
  }
  readonly skill: { readonly id: string; readonly version: string; readonly content_hash: string } | null
  /** ISO 8601, from the snapshot. */
  readonly now: string
  readonly compat: Stage<CompatResult>
  readonly preconditions: Stage<PreconditionResult>
  /** `not_applicable` where a program calls the skill: there is no text of a user to score. */
  readonly score: Stage<ScoreResult> | 'not_applicable'
  readonly policy: Stage<PolicyResult>
  readonly admission?: AdmissionResult
  /** Absent if one version gets all calls, or the caller names a version. */
  readonly rollout?: Rollout
  /** Absent unless the host is in the mode `shadow`. */
  readonly shadow?: ShadowDecision
  /** `deprecated`: the caller names a version that is going away. */
  readonly warning?: 'deprecated'
  readonly fn_results: readonly FunctionResult[]
  readonly verdict: 'approved' | 'denied' | 'clarify'
  readonly reason: ReasonCode
  /** The slots without a value, for a question. */
  readonly missing?: readonly string[]
  /** The ids of active skills that are spelt nearly like an unknown one, the nearest first. */
  readonly nearest?: readonly string[]
}

/** Everything that a decision reads. It is data: the decision is a pure function of it and the manifest. */
export interface GateSnapshot {
  /** ISO 8601. */
  readonly now: string
  readonly project: string
  /** The facts of the host that `compat` is matched against. */
  readonly facts: Readonly<Record<string, string | readonly string[]>>
  readonly principal: { readonly id: string; readonly roles: readonly string[] }
  /** The state of this version. */
  readonly state: SkillState
  readonly rollout?: Rollout
  /** The tools that are there and not cut off. */
  readonly tools: readonly string[]
  /** The roots `ctx`, `env`, `work`, `policy`. */
  readonly board: Readonly<Record<'ctx' | 'env' | 'work' | 'policy', JsonObject>>
  /** Facts under a name of their own, such as `az`. */
  readonly hostFacts: JsonObject
  /** The text of the user in this turn; absent where a program calls. */
  readonly userText?: string
  /** The labels of the turn, if the host states them. */
  readonly goalLabels?: readonly string[]
  /** Executions of this id and major version, at most 20 of the last 30 days, without those denied or short-circuited. */
  readonly stats: { readonly successes: number; readonly runs: number }
  /** The normalised threshold of the host. */
  readonly tau: number
  readonly policyMode: 'enforce' | 'advise'
  /** The recorded answers of functions of the host; a function without one is an error of its expression. */
  readonly functionResults: readonly FunctionResult[]
  /** The recorded answers of parsers; absent if none was asked. */
  readonly parsed?: readonly ParserAnswer[]
  /** `client`: the answer of another model than the pinned one counts as well. Absent: `pinned`. */
  readonly parserModel?: 'pinned' | 'client'
  /** The fingerprints of arguments that a person has confirmed. */
  readonly confirmed: readonly string[]
  readonly remote?: {
    readonly verdict: 'allow' | 'deny' | 'needs_promotion' | 'unavailable'
    readonly reason: string
    readonly cached: boolean
    readonly age_s: number
  }
}
