import { isSealed } from '../../../policy/index.ts'
import type { CompiledRule } from '../manifest/compiled.ts'
import type { FunctionResult, GateSnapshot } from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { FilledSlots } from '../model/slots.ts'
import { type FunctionAnswers, lacksAnswers } from './answers.ts'
import type { GateFeatures, RecordedFeatures } from './features.ts'
import { evaluateRule, type RuleResult, variablesOf } from './rules.ts'
import { type CueMatches, matchCues } from './score.ts'
import { holdsSecret } from './secrets.ts'
import { hashOf } from './sha256.ts'
import type { BoundSkill } from './skill.ts'
import { fillSlots } from './slots.ts'

/** Features that are read out of the contents of a decision. */
export class ReadFeatures implements GateFeatures {
  readonly #skill: BoundSkill
  readonly #snapshot: GateSnapshot
  readonly #proposal: SkillProposal
  readonly #answers: FunctionAnswers
  readonly #rules = new Map<string, RuleResult>()
  #slots: FilledSlots | undefined
  #cues: CueMatches | undefined
  #secrets: readonly string[] | undefined
  #fingerprint: string | undefined
  #policy: RecordedFeatures['policy']

  constructor(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal, answers: FunctionAnswers) {
    this.#skill = skill
    this.#snapshot = snapshot
    this.#proposal = proposal
    this.#answers = answers
  }

  slots(): FilledSlots {
    return (this.#slots ??= fillSlots(this.#skill, this.#snapshot, this.#proposal))
  }

  rule(rule: CompiledRule): RuleResult {
    const { tools, principal, hostFacts, board } = this.#snapshot
    const context = { answers: this.#answers, tools, roles: principal.roles }
    // What expressions read: the roots, and the facts of the host under names of their own, which cannot hide a root.
    const variables = variablesOf({ ...hostFacts, ...board, args: this.slots().values, principal })
    const result = this.#skill.functions.during(context, () => evaluateRule(rule, variables))
    this.#rules.set(rule.text, result)
    return result
  }

  cues(): CueMatches {
    return (this.#cues ??= matchCues(this.#skill, this.#snapshot))
  }

  secrets(): readonly string[] {
    const { values } = this.slots()
    return (this.#secrets ??= Object.keys(values).filter((name) => !isSealed(values[name]) && holdsSecret(values[name] ?? null)))
  }

  fingerprint(): string {
    return (this.#fingerprint ??= confirmationFingerprint(this.#skill, this.slots().values))
  }

  policy(): NonNullable<RecordedFeatures['policy']> {
    const { policy } = this.#snapshot.board
    const residency = Object.hasOwn(policy, 'residency') ? policy['residency'] : undefined
    const forbidsShell = Object.hasOwn(policy, 'allow_shell') && policy['allow_shell'] === false
    return (this.#policy ??= { forbidsShell, ...(residency === undefined ? {} : { residency }) })
  }

  results(): readonly FunctionResult[] {
    return this.#answers.results
  }

  /** Returns everything that was read so far. */
  recorded(): RecordedFeatures {
    const read = { slots: this.#slots, cues: this.#cues, secrets: this.#secrets, fingerprint: this.#fingerprint, policy: this.#policy }
    const known = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
    const results = this.results()
    return { ...known, rules: Object.fromEntries(this.#rules), results, lacks: lacksAnswers(results) }
  }
}

/** Returns the fingerprint of a skill with its arguments, for the confirmation by a person: another version or value needs another one. */
export function confirmationFingerprint({ manifest, hash }: Pick<BoundSkill, 'manifest' | 'hash'>, values: FilledSlots['values']): string {
  return hashOf([manifest.id, hash, values])
}
