import { readFileSync } from 'node:fs'
import { composeBulletin } from '../packages/reflex/src/kinds/skill/bulletin/bulletin.ts'
import type { InstalledSkill } from '../packages/reflex/src/kinds/skill/bulletin/candidates.ts'
import { decide, dryRun } from '../packages/reflex/src/kinds/skill/gate/decide.ts'
import { functionTable } from '../packages/reflex/src/kinds/skill/gate/functions.ts'
import { type BoundSkill, bindSkill } from '../packages/reflex/src/kinds/skill/gate/skill.ts'
import { decodeSkill, readSkill } from '../packages/reflex/src/kinds/skill/manifest/read-skill.ts'
import type { GateSnapshot } from '../packages/reflex/src/kinds/skill/model/decision.ts'
import type { SkillProposal } from '../packages/reflex/src/kinds/skill/model/proposal.ts'
import type { ExpressionFunction } from '../packages/reflex/src/text/index.ts'
import type { Line } from './measure.ts'
import { wrapped } from './wrapped.ts'

/** The most active skills of a project (reference skill 1.24). */
const SKILLS = 500
const DECISIONS = 20_000
const BULLETINS = 300
const LOADS = 5

const FUNCTIONS: readonly ExpressionFunction[] = [
  { name: 'deploy_window', params: ['string'], returns: 'string', call: () => 'open' },
  { name: 'risk_scan', params: ['map'], returns: 'string', call: () => 'low' },
]
const TABLE = functionTable(FUNCTIONS)
const TOOLS = ['app.show', 'app.deploy']
const AREAS = ['payments', 'orders', 'search', 'billing', 'mail', 'stock', 'returns', 'reports', 'users', 'audit']
const VERBS = ['deploy', 'restart', 'scale', 'rollback', 'inspect', 'export', 'archive', 'refund', 'notify', 'verify']

/** A skill as large as that of the seed: two slots, three rules of CEL, two labels, three keywords. */
function manifest(i: number): object {
  const [area = '', verb = ''] = [AREAS[i % AREAS.length], VERBS[Math.floor(i / AREAS.length) % VERBS.length]]
  return {
    id: `${verb}.${area}.skill_${i}`,
    version: '1.3.0',
    owner: 'team-platform',
    description: `Runs ${verb} for ${area} and checks the result before it answers, number ${i}.`,
    compat: { env: ['staging'], toolset: '>=6', repo: 'github.com/acme/payments' },
    signature: {
      inputs: [
        { name: 'app_name', type: 'hostname_label' },
        { name: 'image_tag', type: 'image_ref' },
      ],
      outputs: [{ name: 'endpoint', type: 'url' }],
      blackboard_bindings: { inputs: { app_name: 'ctx.appservice' }, outputs: { endpoint: 'work.endpoint' } },
    },
    preconditions: {
      tools_available: ['app.deploy'],
      data_present: ['app_name', 'image_tag'],
      invariants: ['az.account.subscription == ctx.subscription', "deploy_window('staging') == 'open'"],
    },
    plan: {
      idempotence_key: `${verb}:{{app_name}}:{{image_tag}}`,
      steps: [{ id: 'set', tool: 'app.deploy', args: { name: '{{app_name}}', image: '{{image_tag}}' } }],
      compensation: 'none',
      irreversible_reason: 'the image before is not known',
      result_map: { endpoint: 'https://{{app_name}}.azurewebsites.net' },
    },
    effects: { writes: ['work.endpoint'], external: ['updated:appservice_image'] },
    activation: {
      goal_labels: [verb, area],
      keywords_any: [verb, `${verb} ${area}`, 'push image'],
      score_weights: { goal_label: 3, keyword_hit: 1, recent_success: 1.5 },
      tau: 3.5,
    },
    policy: { allow_roles: ['ReleaseManager'], deny_if: ["risk_scan(args) == 'high'", "principal.id == 'nobody'"] },
  }
}

function skills(): readonly BoundSkill[] {
  const tools = TOOLS.map((name) => ({ name, sideEffects: 'external', idempotent: true }) as const)
  return Array.from({ length: SKILLS }, (_, i) => {
    const { skill, findings } = decodeSkill(manifest(i), { tools, functions: TABLE.expressionFunctions, facts: ['az'] })
    if (skill === undefined) throw new Error(findings.map(String).join('\n'))
    return bindSkill(skill, TABLE)
  })
}

const SNAPSHOT: GateSnapshot = {
  now: '2026-01-01T00:00:00Z',
  project: 'acme/payments',
  facts: { env: 'staging', toolset: 'v6', repo: 'github.com/acme/payments' },
  principal: { id: 'ana', roles: ['ReleaseManager'] },
  state: 'active',
  tools: TOOLS,
  board: { ctx: { subscription: 's1', appservice: 'pay-stg' }, env: {}, work: {}, policy: {} },
  hostFacts: { az: { account: { subscription: 's1' } } },
  userText:
    'Deploy, restart, scale, inspect or verify the latest payments image and orders on staging, then export, refund and archive the rest',
  stats: { successes: 19, runs: 20 },
  tau: 0.85,
  policyMode: 'enforce',
  functionResults: [],
  confirmed: [],
}

const INPUTS = { app_name: 'pay-stg', image_tag: 'acr.io/pay:abc' }

/** The decision of the gate and the bulletin of a turn, with as many active skills as a project has at most, and the log of wrapped tools. */
export async function skill(line: Line): Promise<void> {
  loading(line)
  const all = skills()
  gate(line, all)
  bulletin(line, all)
  await wrapped(line)
}

/** Loads the manifests of a registry: each is read, checked, compiled and hashed (reference skill, checklist 19). */
function loading(line: Line): void {
  const sample = readFileSync(new URL('../cases/skill/samples/seed/deploy.skill.json', import.meta.url), 'utf8')
  const texts = Array.from({ length: SKILLS }, (_, i) => sample.replace('"deploy.container.appservice"', `"deploy.container.app${i}"`))
  const load = (): void => {
    const loaded = texts.filter((text) => readSkill(text).skill !== undefined).length
    if (loaded !== SKILLS) throw new Error(`${SKILLS - loaded} manifests were refused`)
  }
  report(line, `${SKILLS} manifests read and compiled`, eachOf(load, LOADS), 1, 'ms', 'aim 1,000 ms')
}

function gate(line: Line, all: readonly BoundSkill[]): void {
  const proposals = all.map(({ manifest: { id } }): SkillProposal => ({ carrier: 'text', skill_ref: id, inputs: INPUTS }))
  const [first, proposal] = [all[0], proposals[0]]
  if (first === undefined || proposal === undefined) return
  const snapshot = { ...SNAPSHOT, functionResults: dryRun(first, SNAPSHOT, proposal, FUNCTIONS) }
  let approved = 0
  const decideOn = (i: number): void => {
    const [one, proposed] = [all[i % SKILLS], proposals[i % SKILLS]]
    if (one !== undefined && proposed !== undefined && decide(one, snapshot, proposed).verdict === 'approved') approved++
  }
  report(line, 'gate decision, 4 rules of CEL', eachOf(decideOn, DECISIONS), 1e3, 'us', 'aim 50 us median; the seed asks 5 ms')
  line('  of which approved', `${((approved / (DECISIONS * 1.2)) * 100).toFixed(0)} %`, 'the others score too low')
  report(
    line,
    '  with the functions of the host asked',
    eachOf(() => dryRun(first, SNAPSHOT, proposal, FUNCTIONS), DECISIONS),
    1e3,
    'us',
    'what the port adds before it',
  )
  line('  bytes of its record', `${JSON.stringify(decide(first, snapshot, proposal)).length} B`, '')
}

function bulletin(line: Line, all: readonly BoundSkill[]): void {
  const installed = all.map(
    (one, i): InstalledSkill => ({ skill: one, state: 'active', stats: { successes: i % 20, runs: 20 }, followed: i % 7 }),
  )
  const options = {
    turn: 'turn',
    kCards: 5,
    carrier: 'text',
    epsilon: 0,
    transitions: { executed: 40, skills: SKILLS },
    done: new Set<string>(),
  } as const
  const { tokens, cards } = composeBulletin(installed, SNAPSHOT, options)
  const aim = `aim of the reference: 10 ms; ${cards.length} cards, ${tokens} tokens as estimated`
  report(
    line,
    `bulletin of ${SKILLS} skills`,
    eachOf(() => composeBulletin(installed, SNAPSHOT, options), BULLETINS),
    1,
    'ms',
    aim,
  )
}

interface Taken {
  /** Milliseconds of each call by the clock, in ascending order: on a busy machine, the tail is the machine. */
  readonly wall: readonly number[]
  /** Milliseconds of processor time of a call, on average. */
  readonly processor: number
}

/** Times each of so many calls. A fifth more calls come first, and do not count. */
function eachOf(call: (i: number) => unknown, count: number): Taken {
  for (let i = 0; i < count / 5; i++) call(i)
  const before = process.cpuUsage()
  const wall = Array.from({ length: count }, (_, i) => {
    const from = performance.now()
    call(i)
    return performance.now() - from
  })
  const { user, system } = process.cpuUsage(before)
  return { wall: wall.sort((a, b) => a - b), processor: (user + system) / 1000 / count }
}

function report(line: Line, name: string, { wall, processor }: Taken, factor: number, unit: string, aim: string): void {
  const at = (share: number): string => ((wall[Math.floor(wall.length * share)] ?? Number.NaN) * factor).toFixed(1)
  line(name, `${at(0.5)} ${unit}`, `p99 ${at(0.99)} ${unit}, processor ${(processor * factor).toFixed(1)} ${unit} on average; ${aim}`)
}
