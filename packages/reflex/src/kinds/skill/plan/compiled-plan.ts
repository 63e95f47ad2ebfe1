import type { Fault, Json, JsonObject } from '../../../kernel/index.ts'
import type { RecordedFeatures } from '../gate/features.ts'
import type { DecisionRecord, GateSnapshot, ParserAnswer } from '../model/decision.ts'
import type { Path } from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { ProposalFacts } from './args.ts'

/** What a template or an extraction gives: a value, or why there is none. */
export type Rendered<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: Fault }

/** Everything that templates and expressions of a plan read. */
export interface PlanValues {
  readonly slots: Readonly<Record<string, Json>>
  readonly board: Readonly<Record<'ctx' | 'env' | 'work' | 'policy', JsonObject>>
  readonly hostFacts: JsonObject
  readonly principal: { readonly id: string; readonly roles: readonly string[] }
  /** The results of steps by id. */
  readonly steps: Readonly<Record<string, { readonly result: Json }>>
  readonly exec: { readonly id: string; readonly trace_id: string; readonly started_at: string; readonly attempt: number }
}

/** The parts of a call that no record has, as the port `tool` takes them: JSON paths into its arguments and its result. */
export interface HiddenPaths {
  /** Arguments that are names of secrets. */
  readonly secrets?: readonly Path[]
  /** Arguments with sensitive values, which are sealed. */
  readonly sealed?: readonly Path[]
  /** Parts of the result that become sensitive outputs. */
  readonly seals?: readonly Path[]
}

/** A step of a plan, or an undo, ready to be carried out. */
export interface PlannedCall {
  readonly id: string
  /** The name of a tool, or `kind:id` of a program. */
  readonly tool: string
  readonly isProgram: boolean
  /** True if the tool is not declared to change nothing. */
  readonly isEffectful: boolean
  /** True if a repeated call with the same arguments changes nothing more. */
  readonly isRepeatable: boolean
  readonly timeout: number
  readonly retries: number
  readonly backoff: number
  /** The most that one call costs, in US dollars; 0 if nothing is declared. */
  readonly estimatedCost: number
  readonly onGuardFalse: 'stop' | 'skip'
  readonly hidden?: HiddenPaths
  /** Slots without which it cannot be called; none for a call with guards, which may leave it out. */
  readonly needs?: readonly string[]
  /** Returns the first guard that does not hold, in words; undefined if all hold. An expression that fails does not hold. */
  guard(values: PlanValues): string | undefined
  args(values: PlanValues): Rendered<JsonObject>
  /** Returns what the step copies out of a result, by path under `work.`; a part that is not found is left out. */
  capture(result: Json): Readonly<Record<string, Json>>
}

/** An undo of a plan. */
export interface PlannedUndo extends PlannedCall {
  readonly when: string
  readonly forStep: string | undefined
}

/** What `skills.look` has found: everything outside that the gate reads. */
export interface LookResult extends Omit<GateSnapshot, 'board' | 'userText' | 'goalLabels' | 'parsed'> {
  readonly env: string
  /** `shadow`: nothing is carried out. */
  readonly mode?: 'shadow'
  /** Values below `ctx` and `env` that the host gives to every skill. */
  readonly seed?: JsonObject
  /** The prompts of its parsers, by their references; one that was changed since the manifest was kept is absent. */
  readonly prompts: Readonly<Record<string, string>>
  /** True if a control plane has a say. */
  readonly asks_control_plane?: boolean
  /** Who can confirm the execution of a skill that requires it: a person in the inbox, or the function of the host. Absent: nobody. */
  readonly asks_confirmation?: 'person' | 'host'
}

/** Everything that the gate decides on. */
export interface GateQuestion {
  readonly inputs: JsonObject
  readonly proposal: ProposalFacts
  readonly look: LookResult
  readonly board: PlanValues['board']
  /** What parsers have replied so far. */
  readonly parsed: readonly ParserAnswer[]
  /** The fingerprints that were confirmed in this execution; absent before anybody is asked. */
  readonly confirmed?: readonly string[]
  /** What the control plane said of these values; absent before it is asked. */
  readonly remote?: GateSnapshot['remote']
  /** True if the caller names this very version. */
  readonly isExact: boolean
}

/** A question to a model for values of slots, at temperature 0. */
export interface ParserQuestion {
  readonly key: string
  readonly model: string
  readonly prompt: string
  readonly inputs: JsonObject
}

/** The verdict of the gate, and the values of the slots if it approves or only a confirmation is missing. */
export interface GateAnswer {
  readonly decision: DecisionRecord
  readonly slots: JsonObject
  /** The fingerprint to confirm, if nothing but its confirmation is missing. */
  readonly unconfirmed?: string
  /** True if the decision needs a function of the host that was not asked, because its slots had no values yet. */
  readonly lacksAnswers?: boolean
}

/** A question for the values of slots: for a person, and slot by slot for a model. */
export interface SlotQuestion {
  readonly text: string
  /** The JSON Schema of an object with a value for each slot. */
  readonly schema: JsonObject
  readonly questions: readonly { readonly slot: string; readonly question: string }[]
}

/** A skill as its plan runs it. */
export interface PlanProgram {
  readonly manifest: Manifest
  readonly hash: string
  /** True if a step changes something. */
  readonly hasEffects: boolean
  readonly steps: readonly PlannedCall[]
  readonly verify: PlannedCall | undefined
  readonly undos: readonly PlannedUndo[]
  /** The idempotency key; undefined for a skill that changes nothing. */
  key(values: PlanValues): Rendered<string> | undefined
  outputs(values: PlanValues): Rendered<JsonObject>
  /** Returns the questions to models whose replies a decision needs and lacks. */
  parsers(question: GateQuestion): readonly ParserQuestion[]
  /** Returns what the decision reads out of contents, for a run whose records keep none. */
  features(question: GateQuestion): RecordedFeatures
  /** `features`: what was read out of contents, where the question does not have them any more. */
  decide(question: GateQuestion, features?: RecordedFeatures): GateAnswer
  ask(missing: readonly string[]): SlotQuestion
}
