import { type GateSnapshot, NOT_EVALUATED, type PreconditionResult, type ReasonCode, type SkillState } from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { GateFeatures } from './features.ts'
import { readSkillRef } from './skill-ref.ts'
import type { BoundSkill } from './skill.ts'

/**
 * Checks what must hold before a skill is scored: its state, its tools, its slots and its invariants (reference skill 1.8). All four are
 * reported. Invariants are not evaluated while a slot has no valid value, because they would judge arguments that are not there.
 */
export function checkPreconditions(
  skill: BoundSkill,
  { state, tools: available }: GateSnapshot,
  proposal: SkillProposal,
  features: GateFeatures,
): PreconditionResult {
  const { checks: slots } = features.slots()
  const tools = skill.manifest.preconditions.tools_available.map((name) => ({ name, ok: available.includes(name) }))
  const invariants = slots.every(({ valid }) => valid) ? evaluateInvariants(skill, features) : NOT_EVALUATED
  const holds = invariants !== NOT_EVALUATED && invariants.every(({ value }) => value === true)
  return { ok: holds && tools.every(({ ok }) => ok) && isRunnable(state, proposal), state, tools, slots, invariants }
}

function evaluateInvariants({ invariants }: BoundSkill, features: GateFeatures): Exclude<PreconditionResult['invariants'], string> {
  return invariants.map((rule) => {
    const result = features.rule(rule)
    return { expr: rule.text, ...('error' in result ? { value: 'error', error: result.error } : { value: result.value }) }
  })
}

/** Returns the reasons why preconditions fail, in their order: state, tools, slots, invariants. Empty if they hold. */
export function preconditionReasons(
  proposal: Pick<SkillProposal, 'skill_ref'>,
  { state, tools, slots, invariants }: PreconditionResult,
): readonly ReasonCode[] {
  const reasons: ReasonCode[] = []
  if (!isRunnable(state, proposal)) reasons.push(stateReason(state, proposal))
  if (tools.some(({ ok }) => !ok)) reasons.push('tool_missing')
  if (slots.some(({ valid, source }) => !valid && source !== 'missing')) reasons.push('slot_invalid')
  if (slots.some(({ valid, source }) => !valid && source === 'missing')) reasons.push('slot_missing')
  if (invariants !== NOT_EVALUATED) {
    if (invariants.some(({ value }) => value === false)) reasons.push('invariant_false')
    if (invariants.some(({ value }) => value === 'error')) reasons.push('invariant_error')
  }
  return reasons
}

/** Returns true if the state allows an execution: a deprecated version only for a proposal that names it (reference skill 1.24). */
export function isRunnable(state: SkillState, { skill_ref }: Pick<SkillProposal, 'skill_ref'>): boolean {
  return state === 'active' || (state === 'deprecated' && isExact(skill_ref))
}

/** The states in which a version has its own reason; of any other, a proposal that names it learns that it is not the active one. */
const TELLING: ReadonlySet<SkillState> = new Set<SkillState>(['quarantined', 'evicted', 'unbound', 'deprecated'])

function stateReason(state: SkillState, { skill_ref }: Pick<SkillProposal, 'skill_ref'>): ReasonCode {
  return isExact(skill_ref) && !TELLING.has(state) ? 'state.not_active' : `state.${state}`
}

function isExact(ref: string): boolean {
  return readSkillRef(ref)?.version !== undefined
}
