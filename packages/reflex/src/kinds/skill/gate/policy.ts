import { type DecisionRecord, type GateSnapshot, NOT_EVALUATED, type PolicyResult, type ReasonCode } from '../model/decision.ts'
import type { GateFeatures } from './features.ts'
import type { BoundSkill } from './skill.ts'

type Rule = PolicyResult['rules'][number]

/** The rules in the order in which they are asked, and the reason of a denial by each. */
const REASONS: readonly (readonly [rule: string, reason: ReasonCode])[] = [
  ['allow_roles', 'policy.role'],
  ['deny_if', 'policy.deny_if'],
  ['secret_in_args', 'policy.secret'],
  ['residency', 'policy.residency'],
  ['shell', 'policy.shell'],
  ['require_confirmation', 'policy.confirmation'],
]

/**
 * Asks the policy: roles, `deny_if`, the built-in rules, and the verdict of a control plane (reference skill 1.8). All rules are asked, so
 * that a denial lists every reason. A denial wins: a remote verdict that allows cannot lift it. An expression that cannot be evaluated
 * denies. With the mode `advise` the result is the same, and `enforced` is false.
 */
export function askPolicy(skill: BoundSkill, snapshot: GateSnapshot, features: GateFeatures): PolicyResult {
  const { remote, policyMode: mode } = snapshot
  const rules = [
    ...roleRule(skill, snapshot),
    ...denyRules(skill, features),
    secretRule(features),
    ...residencyRule(snapshot, features),
    ...shellRule(skill, features),
    ...confirmationRule(skill, snapshot, features),
    ...remoteRule(skill, snapshot),
  ]
  const ok = rules.every(({ verdict }) => verdict === 'allow')
  return { ok, mode, enforced: mode === 'enforce', rules, ...(remote === undefined ? {} : { remote }) }
}

/** Returns the reasons of a denial by the policy, in the order of the rules. */
export function policyReasons({ rules, remote }: PolicyResult): readonly ReasonCode[] {
  const broken = new Set(rules.filter(({ verdict }) => verdict !== 'allow').map(({ rule }) => rule.split(':', 1)[0] ?? ''))
  const local = REASONS.flatMap(([rule, reason]) => (broken.has(rule) ? [reason] : []))
  return broken.has('remote') && remote !== undefined ? [...local, remoteReason(remote.verdict)] : local
}

function remoteReason(verdict: string): ReasonCode {
  if (verdict === 'needs_promotion') return 'policy.needs_promotion'
  return verdict === 'unavailable' ? 'policy.unavailable' : 'policy.remote_deny'
}

/** Returns the fingerprint that a person has to confirm if nothing else denies the execution; otherwise undefined. */
export function openConfirmation({ verdict, policy }: Pick<DecisionRecord, 'verdict' | 'policy'>): string | undefined {
  if (verdict !== 'denied' || policy === NOT_EVALUATED) return undefined
  const [rule, ...others] = policy.rules.filter((one) => one.verdict !== 'allow')
  return rule?.verdict === 'ask' && others.length === 0 ? rule.detail : undefined
}

function roleRule({ manifest }: BoundSkill, { principal }: GateSnapshot): Rule[] {
  const { allow_roles } = manifest.policy
  if (allow_roles.length === 0) return []
  const role = allow_roles.find((one) => principal.roles.includes(one))
  if (role !== undefined) return [{ rule: 'allow_roles', verdict: 'allow', detail: role }]
  return [{ rule: 'allow_roles', verdict: 'deny', detail: `needs the role ${allow_roles.join(' or ')}` }]
}

function denyRules({ denyIf }: BoundSkill, features: GateFeatures): Rule[] {
  return denyIf.map((compiled) => {
    const result = features.rule(compiled)
    const rule = `deny_if: ${compiled.text}`
    if ('error' in result) return { rule, verdict: 'deny', detail: `it cannot be evaluated: ${result.error}` }
    return { rule, verdict: result.value ? 'deny' : 'allow' }
  })
}

/** The detail names the slots, and never their values. */
function secretRule(features: GateFeatures): Rule {
  const names = features.secrets()
  if (names.length === 0) return { rule: 'secret_in_args', verdict: 'allow' }
  return { rule: 'secret_in_args', verdict: 'deny', detail: `a secret is in ${names.join(', ')}` }
}

/** `policy.residency` on the blackboard names the regions in which data may be; the fact `region` of the host is where it would be. */
function residencyRule({ facts }: GateSnapshot, features: GateFeatures): Rule[] {
  const { residency: allowed } = features.policy()
  if (allowed === undefined) return []
  const region = own(facts, 'region')
  const regions = Array.isArray(allowed) ? allowed : [allowed]
  const here = Array.isArray(region) ? region : [region]
  const ok = here.every((one) => one !== undefined && regions.includes(one))
  return [
    {
      rule: 'residency',
      verdict: ok ? 'allow' : 'deny',
      detail: `data may be in ${regions.join(', ')}, not in ${here.join(', ') || 'an unknown region'}`,
    },
  ]
}

function shellRule({ manifest }: BoundSkill, features: GateFeatures): Rule[] {
  if (!manifest.plan.steps.some(({ shell }) => shell)) return []
  const isForbidden = features.policy().forbidsShell
  if (manifest.policy.allow_shell && !isForbidden) return [{ rule: 'shell', verdict: 'allow' }]
  return [
    {
      rule: 'shell',
      verdict: 'deny',
      detail: isForbidden ? 'the policy of this host forbids a shell' : 'the manifest does not allow a shell',
    },
  ]
}

function confirmationRule({ manifest }: BoundSkill, { confirmed }: GateSnapshot, features: GateFeatures): Rule[] {
  if (!manifest.policy.require_confirmation) return []
  const fingerprint = features.fingerprint()
  return [{ rule: 'require_confirmation', verdict: confirmed.includes(fingerprint) ? 'allow' : 'ask', detail: fingerprint }]
}

/** Without a verdict, a skill that changes nothing outside may run: the control plane is down, and nothing can be harmed. */
function remoteRule({ hasEffects }: BoundSkill, { remote }: GateSnapshot): Rule[] {
  if (remote === undefined) return []
  const { verdict, reason } = remote
  const isAllowed = verdict === 'allow' || (verdict === 'unavailable' && !hasEffects)
  return [{ rule: 'remote', verdict: isAllowed ? 'allow' : 'deny', detail: reason }]
}

function own<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined
}
