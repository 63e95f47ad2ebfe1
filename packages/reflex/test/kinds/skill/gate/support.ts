import type { JsonObject } from '../../../../src/kernel/index.ts'
import { decide } from '../../../../src/kinds/skill/gate/decide.ts'
import { type FunctionSignature, functionTable } from '../../../../src/kinds/skill/gate/functions.ts'
import { type BoundSkill, bindSkill } from '../../../../src/kinds/skill/gate/skill.ts'
import { decodeSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import type { DecisionRecord, GateSnapshot } from '../../../../src/kinds/skill/model/decision.ts'
import type { SkillProposal } from '../../../../src/kinds/skill/model/proposal.ts'

/** The tools of the host of these tests: one reads, one changes something outside. */
export const TOOLS = [
  { name: 'app.show', sideEffects: 'none', idempotent: true },
  { name: 'app.deploy', sideEffects: 'external', idempotent: true },
] as const

/** The functions that the seed's manifest calls. */
export const FUNCTIONS: readonly FunctionSignature[] = [
  { name: 'deploy_window', params: ['string'], returns: 'string' },
  { name: 'risk_scan', params: ['map'], returns: 'string' },
]

/** The skill of the seed, with plans that this host can carry out. */
export const DEPLOY = {
  id: 'deploy.container.appservice',
  version: '1.3.0',
  owner: 'team-platform',
  description: 'Deploys a container image to an App Service.',
  compat: { env: ['staging'], toolset: 'v6', repo: 'github.com/acme/payments' },
  signature: {
    inputs: [
      { name: 'app_name', type: 'hostname_label', description: 'Which App Service?' },
      { name: 'image_tag', type: 'image_ref' },
    ],
    outputs: [{ name: 'endpoint', type: 'url' }],
    blackboard_bindings: { inputs: { app_name: 'ctx.appservice', image_tag: 'work.image_tag' }, outputs: { endpoint: 'work.endpoint' } },
  },
  preconditions: {
    tools_available: ['app.deploy'],
    data_present: ['app_name', 'image_tag'],
    invariants: ['az.account.subscription == ctx.subscription', "deploy_window('staging') == 'open'"],
  },
  plan: {
    idempotence_key: 'deploy:{{app_name}}:{{image_tag}}',
    steps: [{ id: 'set', tool: 'app.deploy', args: { name: '{{app_name}}', image: '{{image_tag}}' } }],
    compensation: 'none',
    irreversible_reason: 'the image before is not known',
    result_map: { endpoint: 'https://{{app_name}}.azurewebsites.net' },
  },
  effects: { writes: ['work.endpoint'], external: ['updated:appservice_image'] },
  activation: {
    goal_labels: ['deploy', 'appservice'],
    keywords_any: ['deploy', 'release', 'push image'],
    score_weights: { goal_label: 3, keyword_hit: 1, recent_success: 1.5 },
    tau: 3.5,
  },
  policy: { allow_roles: ['ReleaseManager'], deny_if: ["risk_scan(args) == 'high'"] },
}

/** A skill that only reads and needs nothing. */
export const SHOW = {
  id: 'app.status',
  version: '1.0.0',
  owner: 'team-platform',
  description: 'Shows the status of an app.',
  compat: {},
  signature: { inputs: [] as readonly unknown[] },
  plan: { steps: [{ tool: 'app.show', args: {} }] },
  preconditions: { tools_available: ['app.show'] },
  activation: { goal_labels: ['status'], keywords_any: ['status'], score_weights: { goal_label: 3, keyword_hit: 1, recent_success: 1.5 } },
}

/** Compiles a manifest for the host of these tests. Throws what is wrong with it. */
export function skillOf(manifest: object, signatures: readonly FunctionSignature[] = FUNCTIONS): BoundSkill {
  const functions = functionTable(signatures)
  const host = { tools: TOOLS, functions: functions.expressionFunctions, facts: ['az'] }
  const { skill, findings } = decodeSkill(manifest, host)
  if (skill === undefined) throw new Error(findings.map(String).join('\n'))
  return bindSkill(skill, functions)
}

/** A snapshot in which the skill of the seed is approved. */
export function snapshot(changes: Partial<GateSnapshot> = {}): GateSnapshot {
  return {
    now: '2026-01-01T00:00:00Z',
    project: 'acme/payments',
    facts: { env: 'staging', toolset: 'v6', repo: 'github.com/acme/payments' },
    principal: { id: 'ana', roles: ['ReleaseManager'] },
    state: 'active',
    tools: ['app.show', 'app.deploy'],
    board: { ctx: { subscription: 's1' }, env: {}, work: {}, policy: {} },
    hostFacts: { az: { account: { subscription: 's1' } } },
    userText: 'Deploy latest to staging',
    stats: { successes: 0, runs: 0 },
    tau: 0.85,
    policyMode: 'enforce',
    functionResults: [],
    confirmed: [],
    ...changes,
  }
}

export function proposal(inputs: JsonObject = {}, changes: Partial<SkillProposal> = {}): SkillProposal {
  return { carrier: 'text', skill_ref: 'deploy.container.appservice', inputs, ...changes }
}

export const INPUTS = { app_name: 'pay-stg', image_tag: 'acr.io/pay:abc' }

/** Decides on a manifest whose only peculiarity is what the test is about: it reads, and its score always suffices. */
export function decideOn(manifest: object, changes: Partial<GateSnapshot> = {}, inputs: JsonObject = {}): DecisionRecord {
  return decide(skillOf({ ...SHOW, ...manifest }), snapshot({ userText: 'status', ...changes }), proposal(inputs, { skill_ref: SHOW.id }))
}
