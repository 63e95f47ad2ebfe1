import type { ExpressionFunction } from '../../../text/index.ts'
import {
  type CompatResult,
  type DecisionRecord,
  type FunctionResult,
  type GateSnapshot,
  NOT_EVALUATED,
  type ReasonCode,
} from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { FilledSlots } from '../model/slots.ts'
import { LiveAnswers, RecordedAnswers } from './answers.ts'
import type { GateFeatures } from './features.ts'
import { compatOf } from './host-compat.ts'
import { askPolicy, policyReasons } from './policy.ts'
import { checkPreconditions, preconditionReasons } from './preconditions.ts'
import { ReadFeatures } from './read-features.ts'
import { scoreOf } from './score.ts'
import { hashOf } from './sha256.ts'
import type { BoundSkill } from './skill.ts'

/** What the stages have found, before it is a record. */
type Verdict = Pick<DecisionRecord, 'compat' | 'preconditions' | 'score' | 'policy' | 'verdict' | 'reason' | 'missing'>

/** A program that calls a skill brings no text of a user: there is nothing to score. */
const NOT_APPLICABLE = 'not_applicable'
/** The text of a proposal that a record keeps, in UTF-16 units. */
const LONGEST_WHY = 280

/**
 * Decides on one proposal: compat, preconditions, score, policy, in this order, and no further than the first that fails (seed skill 6,
 * reference skill 1.8). It is a pure function: it reads no clock, calls no function of the host and throws nothing, so a replay makes the
 * same record. Admission, which depends on other executions, comes after it.
 */
export function decide(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal): DecisionRecord {
  return decideBy(skill, snapshot, proposal, readFeatures(skill, snapshot, proposal))
}

/** Returns what decisions read out of contents. No function of the host is called: a snapshot has their answers. */
export function readFeatures(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal): ReadFeatures {
  return new ReadFeatures(skill, snapshot, proposal, new RecordedAnswers(snapshot.functionResults))
}

/**
 * Decides with the functions of the host, and returns their answers, so that `decide` makes the same decision from a snapshot that has them.
 * Each call is made once, whatever its expressions repeat; one that throws is answered with its reason, and its expression fails closed.
 */
export function dryRun(
  skill: BoundSkill,
  snapshot: GateSnapshot,
  proposal: SkillProposal,
  functions: readonly ExpressionFunction[],
): readonly FunctionResult[] {
  const answers = new LiveAnswers(functions)
  decideBy(skill, snapshot, proposal, new ReadFeatures(skill, snapshot, proposal, answers))
  return answers.results
}

/** Decides by what was read out of contents: equal features give an equal decision, also where the contents are not there any more. */
export function decideBy(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal, features: GateFeatures): DecisionRecord {
  const found = runStages(skill, snapshot, proposal, features)
  const { id, version } = skill.manifest
  const { carrier, skill_ref, inputs, why } = proposal
  return {
    v: 1,
    proposal: {
      carrier,
      skill_ref,
      inputs_hash: hashOf(inputs),
      ...(why === undefined ? {} : { why: why.slice(0, LONGEST_WHY) }),
    },
    skill: { id, version, content_hash: skill.hash },
    now: snapshot.now,
    ...found,
    ...(snapshot.rollout === undefined ? {} : { rollout: snapshot.rollout }),
    ...(snapshot.state === 'deprecated' && found.verdict === 'approved' ? { warning: 'deprecated' } : {}),
    fn_results: features.results(),
  }
}

function runStages(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal, features: GateFeatures): Verdict {
  const open = { preconditions: NOT_EVALUATED, score: NOT_EVALUATED, policy: NOT_EVALUATED } as const
  const compat = compatOf(skill.manifest, snapshot)
  if (!compat.ok) return denied({ ...open, compat }, compatReason(compat))
  const slots = features.slots()
  const preconditions = checkPreconditions(skill, snapshot, proposal, features)
  const reasons = preconditionReasons(proposal, preconditions)
  const [failure] = reasons
  if (failure !== undefined) {
    const missing = skill.manifest.signature.inputs.map(({ name }) => name).filter((name) => isMissing(name, slots, skill))
    const isQuestion = reasons.every((reason) => reason === 'slot_missing') && missing.length > 0 && !lacksData(slots, missing)
    const found = { ...open, compat, preconditions }
    return { ...denied(found, failure), ...(isQuestion ? { verdict: 'clarify' } : {}), ...(missing.length > 0 ? { missing } : {}) }
  }
  const score: Verdict['score'] = snapshot.userText === undefined ? NOT_APPLICABLE : scoreOf(skill, snapshot, features.cues())
  if (typeof score !== 'string' && !score.ok) return denied({ ...open, compat, preconditions, score }, 'below_tau')
  const policy = askPolicy(skill, snapshot, features)
  const all = { compat, preconditions, score, policy }
  if (!policy.ok && policy.enforced) return denied(all, policyReasons(policy)[0] ?? 'policy.deny_if')
  return { ...all, verdict: 'approved', reason: 'approved' }
}

function denied(found: Omit<Verdict, 'verdict' | 'reason' | 'missing'>, reason: ReasonCode): Verdict {
  return { ...found, verdict: 'denied', reason }
}

function compatReason({ checks }: CompatResult): ReasonCode {
  return `compat.${checks.find(({ ok }) => !ok)?.key ?? ''}`
}

function isMissing(name: string, { checks }: FilledSlots, { required }: BoundSkill): boolean {
  return required.has(name) && checks.some((check) => check.name === name && check.source === 'missing')
}

/** True if something other than a slot is missing: nobody can be asked for a value of the blackboard. */
function lacksData({ checks }: FilledSlots, missing: readonly string[]): boolean {
  return checks.some(({ name, valid }) => !valid && !missing.includes(name))
}
