import { isList, type Json } from '../../../kernel/index.ts'
import { type DecisionRecord, NOT_EVALUATED, type ReasonCode } from '../model/decision.ts'
import { type Manifest, SCORE_FEATURES } from '../model/manifest.ts'
import { decimal } from './millionths.ts'
import { policyReasons } from './policy.ts'
import { preconditionReasons } from './preconditions.ts'
import { type ScoreRemedy, scoreRemedy } from './score-remedy.ts'

/** A stage of a decision in words. `not_asked`: an earlier stage has decided, or there is nothing to score. */
export interface StageExplanation {
  readonly stage: 'compat' | 'preconditions' | 'score' | 'policy'
  readonly result: 'ok' | 'no' | 'not_asked'
  /** `3.75 of 5.50 = 0.682, needs 0.850 (project τ)`. */
  readonly text: string
  readonly details: readonly string[]
}

/** Why a proposal was carried out or not, as `reflex skill why` shows it. */
export interface DecisionExplanation {
  readonly reasons: readonly ReasonCode[]
  readonly stages: readonly StageExplanation[]
  /** What would have let the score pass. */
  readonly remedy?: ScoreRemedy
}

/** Explains a decision from its record. `manifest` is that of the decision; it names examples of keywords and labels. */
export function explainDecision(record: DecisionRecord, manifest?: Pick<Manifest, 'activation'>): DecisionExplanation {
  const { score } = record
  const remedy = typeof score === 'string' || manifest === undefined ? undefined : scoreRemedy(score, manifest)
  return {
    reasons: decisionReasons(record),
    stages: [explainCompat(record), explainPreconditions(record), explainScore(record), explainPolicy(record)],
    ...(remedy === undefined ? {} : { remedy }),
  }
}

/** Returns every reason of the stage that has decided; its own reason if no stage has. */
export function decisionReasons({ compat, preconditions, score, policy, proposal, reason }: DecisionRecord): readonly ReasonCode[] {
  if (compat !== NOT_EVALUATED && !compat.ok) return compat.checks.flatMap(({ ok, key }): ReasonCode[] => (ok ? [] : [`compat.${key}`]))
  if (preconditions !== NOT_EVALUATED && !preconditions.ok) return preconditionReasons(proposal, preconditions)
  if (typeof score !== 'string' && !score.ok) return ['below_tau']
  return policy !== NOT_EVALUATED && !policy.ok ? policyReasons(policy) : [reason]
}

function notAsked(stage: StageExplanation['stage'], text = ''): StageExplanation {
  return { stage, result: 'not_asked', text, details: [] }
}

function explainCompat({ compat }: DecisionRecord): StageExplanation {
  if (compat === NOT_EVALUATED) return notAsked('compat')
  const wrong = compat.checks.filter(({ ok }) => !ok)
  const text = compat.checks.map(({ key, have }) => `${key} ${valueText(have)}`).join(', ')
  const details = wrong.map(({ key, want, have }) => `${key} must be ${valueText(want)}, and is ${valueText(have)}`)
  return { stage: 'compat', result: result(compat.ok), text: text === '' ? 'the skill states none' : text, details }
}

function explainPreconditions({ preconditions }: DecisionRecord): StageExplanation {
  if (preconditions === NOT_EVALUATED) return notAsked('preconditions')
  const { ok, state, tools, slots, invariants } = preconditions
  const there = tools.filter((tool) => tool.ok).length
  const filled = slots.filter(({ valid, source }) => valid && source !== 'missing').map(({ name }) => name)
  const details = [
    ...(state === 'active' ? [] : [`the version is ${state}`]),
    ...tools.flatMap((tool) => (tool.ok ? [] : [`the tool ${tool.name} is not available`])),
    ...slots.flatMap((slot) =>
      slot.valid ? [] : [`${slot.name} ${slot.source === 'missing' ? 'is missing' : 'is invalid'}${because(slot.reason)}`],
    ),
    ...(invariants === NOT_EVALUATED
      ? ['the invariants are not evaluated: a slot has no valid value']
      : invariants.flatMap(({ expr, value, error }) => (value === true ? [] : [`${expr} is ${value}${because(error)}`]))),
  ]
  return { stage: 'preconditions', result: result(ok), text: [`${there} of ${tools.length} tools`, ...filled].join(', '), details }
}

const THRESHOLDS = { manifest: 'τ of the skill', sdk: 'project τ', policy: 'min_tau of the policy' } as const

function explainScore({ score }: DecisionRecord): StageExplanation {
  if (typeof score === 'string') return notAsked('score', score === 'not_applicable' ? 'a program calls; there is no text of a user' : '')
  const { ok, raw, max, normalised, tau_normalised, tau_source, weights, features, matched, stats } = score
  const text = `${decimal(raw, 2)} of ${decimal(max, 2)} = ${decimal(normalised, 3)}, needs ${decimal(tau_normalised, 3)} (${THRESHOLDS[tau_source]})`
  const weighted = SCORE_FEATURES.filter((feature) => weights[feature] > 0)
  const shares = weighted.map((feature) => `${feature} ${points(weights[feature] * features[feature])}`).join(' · ')
  const found = [
    ...(matched.label === undefined ? [] : [`label “${matched.label}”`]),
    ...(matched.keyword === undefined ? [] : [`keyword “${matched.keyword}”`]),
    `${stats.successes} of ${stats.runs} recent executions succeeded`,
  ].join(' · ')
  return { stage: 'score', result: result(ok), text, details: [shares, found] }
}

function points(value: number): string {
  return value === 0 ? '0' : decimal(value, 2)
}

function explainPolicy({ policy }: DecisionRecord): StageExplanation {
  if (policy === NOT_EVALUATED) return notAsked('policy')
  const details = policy.rules.flatMap(({ rule, verdict, detail }) =>
    verdict === 'allow' ? [] : [`${rule}: ${verdict}${because(detail)}`],
  )
  const advice = policy.enforced ? '' : ', as advice only'
  return { stage: 'policy', result: result(policy.ok), text: `${policy.rules.length} rules${advice}`, details }
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`
}

function result(ok: boolean): 'ok' | 'no' {
  return ok ? 'ok' : 'no'
}

function valueText(value: Json): string {
  if (value === null) return 'unknown'
  return isList(value) ? value.map(valueText).join(' or ') : typeof value === 'string' ? value : JSON.stringify(value)
}
