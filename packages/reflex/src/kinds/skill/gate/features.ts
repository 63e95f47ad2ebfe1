import type { Json } from '../../../kernel/index.ts'
import type { CompiledRule } from '../manifest/compiled.ts'
import type { FunctionResult } from '../model/decision.ts'
import type { FilledSlots } from '../model/slots.ts'
import type { RuleResult } from './rules.ts'
import type { CueMatches } from './score.ts'

/** What a decision was made from where the contents themselves are not kept. */
export interface RecordedFeatures {
  readonly slots?: FilledSlots
  /** By the texts of the conditions. */
  readonly rules: Readonly<Record<string, RuleResult>>
  readonly cues?: CueMatches
  /** The names of slots that hold a secret. */
  readonly secrets?: readonly string[]
  readonly fingerprint?: string
  readonly policy?: { readonly forbidsShell: boolean; readonly residency?: Json }
  readonly results: readonly FunctionResult[]
  /** True if a function of the host was not asked, because its arguments were not known yet. */
  readonly lacks: boolean
}

/** What a decision reads out of contents: the text of the user, values of slots and of the blackboard. Each is read when a stage asks for it. */
export interface GateFeatures {
  slots(): FilledSlots
  rule(rule: CompiledRule): RuleResult
  cues(): CueMatches
  secrets(): readonly string[]
  fingerprint(): string
  policy(): NonNullable<RecordedFeatures['policy']>
  results(): readonly FunctionResult[]
}

/** Returns the features that a record has. One that it does not have is as if nothing had been found. */
export function keptFeatures(recorded: RecordedFeatures): GateFeatures {
  const { slots = { values: {}, checks: [] }, rules, cues = { entity: 0 }, secrets = [], results } = recorded
  const { fingerprint = '', policy = { forbidsShell: false } } = recorded
  return {
    slots: () => slots,
    rule: ({ text }) => (Object.hasOwn(rules, text) ? rules[text] : undefined) ?? { error: 'it was not evaluated' },
    cues: () => cues,
    secrets: () => secrets,
    fingerprint: () => fingerprint,
    policy: () => policy,
    results: () => results,
  }
}
