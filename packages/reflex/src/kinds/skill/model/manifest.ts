import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { Slot, SlotOutput } from './slot.ts'

/**
 * A manifest with all defaults in place, as it is stored: its hash is that of its canonical JSON, and nothing edits it afterwards (seed skill 3, 16;
 * reference skill 1.3). The names of keys are those of the file.
 */
export interface Manifest {
  readonly schema: 'reflex.capability/1'
  readonly id: string
  /** SemVer 2.0. */
  readonly version: string
  readonly title: string
  readonly description: string
  readonly owner: string
  readonly scope: 'project' | 'org'
  /** Facts of the host that must hold: equality, membership, `*`, and ranges for `toolset`. */
  readonly compat: Readonly<Record<string, string | readonly string[]>>
  readonly signature: Signature
  readonly preconditions: {
    readonly tools_available: readonly string[]
    /** Names of slots and paths of the blackboard. */
    readonly data_present: readonly string[]
    /** CEL expressions. */
    readonly invariants: readonly string[]
  }
  readonly plan: Plan
  readonly effects: {
    /** Paths under `work.`. */
    readonly writes: readonly string[]
    /** Tokens of the form `verb:noun`. */
    readonly external: readonly string[]
  }
  readonly activation: Activation
  readonly llm_support: { readonly parsers: readonly SlotParser[]; readonly extractors: readonly SlotExtractor[] }
  readonly policy: SkillPolicy
  readonly tests: SkillTests
  readonly provenance: Provenance
  /** How versions share calls, and when one is promoted or rolled back; absent: the active version gets all. */
  readonly rollout?: RolloutRule
  /** Keys that begin with `x_`, which mean nothing to Reflex but `x_keep`. */
  readonly extra: JsonObject
}

export interface Signature {
  readonly inputs: readonly Slot[]
  readonly outputs: readonly SlotOutput[]
  readonly blackboard_bindings: {
    /** Path of the blackboard by slot. */
    readonly inputs: Readonly<Record<string, string>>
    /** Path under `work.` by output. */
    readonly outputs: Readonly<Record<string, string>>
  }
}

export interface Plan {
  /** A template. Absent in a skill that changes nothing. */
  readonly idempotence_key?: string
  readonly idempotence_ttl_s: number
  readonly budget: { readonly max_cost_usd: number; readonly max_latency_ms: number }
  readonly steps: readonly PlanStep[]
  /** A step that tells whether a stored success still holds. */
  readonly verify?: PlanStep
  readonly compensation: readonly Compensation[] | 'none'
  readonly irreversible_reason?: string
  /** A template for each output. */
  readonly result_map: Readonly<Record<string, Json>>
}

export interface PlanStep {
  readonly id: string
  /** The name of a tool, or `kind:id` of a program. */
  readonly tool: string
  readonly args: JsonObject
  readonly timeout_ms: number
  /** CEL expressions. */
  readonly guards: readonly string[]
  readonly on_guard_false: 'stop' | 'skip'
  /** What is copied from the result, by path under `work.`. */
  readonly capture: Readonly<Record<string, Extractor>>
  readonly retry: { readonly max: number; readonly backoff_ms: number }
  readonly shell: boolean
}

/** The reasons for which a plan stops; `any` and `partial_failure` match all. */
export const COMPENSATION_CAUSES = ['partial_failure', 'timeout', 'budget_exceeded', 'cancelled', 'any'] as const

export interface Compensation {
  readonly when: (typeof COMPENSATION_CAUSES)[number]
  /** The step that it undoes. Absent: it stands for the whole plan. */
  readonly for_step?: string
  readonly tool: string
  readonly args: JsonObject
  readonly timeout_ms: number
  readonly guards: readonly string[]
}

/** What is taken out of a result or a text. It is total: what it does not find is absent. */
export type Extractor =
  | string
  | { readonly regex: string; readonly group?: number }
  | { readonly line: number }
  | { readonly json: true; readonly pointer: string }

export interface Activation {
  readonly required_slots: readonly string[]
  readonly goal_labels: readonly string[]
  readonly keywords_any: readonly string[]
  readonly score_weights: Readonly<Record<ScoreFeature, number>>
  /** In raw points; absent: the normalised threshold of the host holds. */
  readonly tau?: number
  readonly cooldown_s: number
  readonly max_concurrency: number
}

export const SCORE_FEATURES = ['goal_label', 'keyword_hit', 'entity_type', 'recent_success'] as const
export type ScoreFeature = (typeof SCORE_FEATURES)[number]

export interface SlotParser {
  readonly name: string
  readonly model: string
  readonly temperature: 0
  readonly prompt_ref: string
  /** The SHA-256 of the prompt when the manifest was registered. */
  readonly prompt_sha256?: string
  readonly inputs: readonly string[]
  /** Names of slots. */
  readonly outputs: readonly string[]
}

/** A rule that fills a slot without a model, tried before any parser. */
export interface SlotExtractor {
  readonly slot: string
  /** `user_text`, or a path of the blackboard. */
  readonly from: string
  readonly take:
    | { readonly regex: string; readonly group?: number }
    | { readonly enum: readonly string[] }
    | { readonly json_pointer: string }
}

export interface SkillPolicy {
  readonly allow_roles: readonly string[]
  /** CEL expressions. */
  readonly deny_if: readonly string[]
  readonly allow_shell: boolean
  readonly require_confirmation: boolean
  /** Normalised. It raises the threshold, and never lowers it. */
  readonly min_tau?: number
}

export interface SkillTests {
  /** Paths inside the folder of the skill. */
  readonly unit_cases: readonly string[]
  readonly fuzz: { readonly count: number; readonly mutations: readonly string[]; readonly seed: number }
  readonly expected: { readonly pass_rate_unit: number; readonly pass_rate_fuzz: number }
}

/** Where a mined skill comes from. `delta_*` are ratios minus one: −0.42 is a cost of 0.58 of the baseline. */
export interface Provenance {
  readonly mined_from_traces?: readonly string[]
  readonly support?: number
  readonly success?: number
  readonly delta_cost?: number
  readonly delta_p95?: number
  readonly miner?: { readonly version: string; readonly params_hash: string }
  readonly cost_unit?: 'usd' | 'tokens' | 'calls'
  /** The hash of the mined pattern: the identity of the skill until a person renames it. */
  readonly pattern?: string
}

export interface RolloutRule {
  /** The name that splits the conversations of an experiment. */
  readonly experiment: string
  /** The share of each other version, from 0 to 1. */
  readonly shares: readonly { readonly version: string; readonly share: number }[]
  /** Promotes after so many executions with at least this rate of success, and rolls back below the other. */
  readonly promote?: { readonly runs: number; readonly success: number }
  readonly rollback?: { readonly runs: number; readonly success: number }
}
