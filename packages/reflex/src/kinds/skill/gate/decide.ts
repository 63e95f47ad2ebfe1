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
import { type FunctionAnswers, LiveAnswers, RecordedAnswers } from './answers.ts'
import { compatOf } from './host-compat.ts'
import { askPolicy, policyReasons } from './policy.ts'
import { checkPreconditions, preconditionReasons } from './preconditions.ts'
import { variablesOf } from './rules.ts'
import { scoreSkill } from './score.ts'
import { hashOf } from './sha256.ts'
import type { BoundSkill } from './skill.ts'
import { fillSlots } from './slots.ts'

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
  return decideWith(skill, snapshot, proposal, new RecordedAnswers(snapshot.functionResults))
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
  decideWith(skill, snapshot, proposal, answers)
  return answers.results
}

function decideWith(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal, answers: FunctionAnswers): DecisionRecord {
  const context = { answers, tools: snapshot.tools, roles: snapshot.principal.roles }
  const found = skill.functions.during(context, () => runStages(skill, snapshot, proposal))
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
    fn_results: answers.results,
  }
}

function runStages(skill: BoundSkill, snapshot: GateSnapshot, proposal: SkillProposal): Verdict {
  const open = { preconditions: NOT_EVALUATED, score: NOT_EVALUATED, policy: NOT_EVALUATED } as const
  const compat = compatOf(skill.manifest, snapshot)
  if (!compat.ok) return denied({ ...open, compat }, compatReason(compat))
  const slots = fillSlots(skill, snapshot, proposal)
  const variables = variablesOf(roots(snapshot, slots))
  const preconditions = checkPreconditions(skill, snapshot, proposal, slots, variables)
  const reasons = preconditionReasons(proposal, preconditions)
  const [failure] = reasons
  if (failure !== undefined) {
    const missing = skill.manifest.signature.inputs.map(({ name }) => name).filter((name) => isMissing(name, slots, skill))
    const isQuestion = reasons.every((reason) => reason === 'slot_missing') && missing.length > 0 && !lacksData(slots, missing)
    const found = { ...open, compat, preconditions }
    return { ...denied(found, failure), ...(isQuestion ? { verdict: 'clarify' } : {}), ...(missing.length > 0 ? { missing } : {}) }
  }
  const score: Verdict['score'] = snapshot.userText === undefined ? NOT_APPLICABLE : scoreSkill(skill, snapshot)
  if (typeof score !== 'string' && !score.ok) return denied({ ...open, compat, preconditions, score }, 'below_tau')
  const policy = askPolicy(skill, snapshot, slots.values, variables)
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

/** What expressions read: the roots, and the facts of the host under names of their own, which cannot hide a root. */
function roots({ board, principal, hostFacts: facts }: GateSnapshot, { values }: FilledSlots): Readonly<Record<string, unknown>> {
  return { ...facts, ...board, args: values, principal }
}

function isMissing(name: string, { checks }: FilledSlots, { required }: BoundSkill): boolean {
  return required.has(name) && checks.some((check) => check.name === name && check.source === 'missing')
}

/** True if something other than a slot is missing: nobody can be asked for a value of the blackboard. */
function lacksData({ checks }: FilledSlots, missing: readonly string[]): boolean {
  return checks.some(({ name, valid }) => !valid && !missing.includes(name))
}
