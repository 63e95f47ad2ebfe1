import { readSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { CompiledSkill } from '../../../src/kinds/skill/manifest/compiled.ts'
import type { SkillTool } from '../../../src/kinds/skill/model/skill-tool.ts'
import { decodeCase, type UnitCase } from '../../../src/learn/ci/case.ts'
import { type CiReport, testSkill } from '../../../src/learn/ci/test-skill.ts'

export const TOOLS: readonly SkillTool[] = [
  { name: 'term.exec', sideEffects: 'external', idempotent: false, commandLine: 'cmd' },
  { name: 'orders.get', sideEffects: 'none', idempotent: true },
  { name: 'http.get', sideEffects: 'none', idempotent: true },
]

type Source = Readonly<Record<string, unknown>>

/** A manifest that sets the image of an app: it reads the image, sets another one, and puts the old one back if it fails. */
export const DEPLOY: Source = {
  id: 'app.set_image',
  version: '1.0.0',
  owner: 'ana',
  compat: { env: 'staging' },
  signature: {
    inputs: [
      { name: 'app', type: 'hostname_label' },
      { name: 'image', type: 'string', maxLength: 60 },
    ],
    outputs: [{ name: 'was', type: 'string' }],
  },
  preconditions: { tools_available: ['term.exec', 'orders.get'] },
  plan: {
    idempotence_key: 'set:{{app}}:{{image}}',
    budget: { max_cost_usd: 1, max_latency_ms: 10_000 },
    steps: [
      { id: 'read', tool: 'orders.get', args: { app: '{{app}}' }, capture: { 'work.was': '/image' } },
      { id: 'set', tool: 'term.exec', args: { cmd: 'setimage --app {{app}} {{image}}' } },
      { id: 'check', tool: 'orders.get', args: { app: '{{app}}' } },
    ],
    compensation: [{ when: 'any', for_step: 'set', tool: 'term.exec', args: { cmd: 'resetimage --app {{app}}' } }],
    result_map: { was: '{{app}}' },
  },
  effects: { writes: ['work.was'], external: ['set:image'] },
  activation: { keywords_any: ['image'], score_weights: { keyword_hit: 1 } },
  policy: { allow_roles: ['deployer'] },
  tests: { unit_cases: ['a.json'], fuzz: { count: 60 } },
}

export const CASE: Source = {
  name: 'sets an image',
  turn: { user: 'set the image of pay' },
  propose: { inputs: { app: 'pay', image: 'reg/pay:1' } },
  tools: [
    { tool: 'orders.get', match: { args: { app: 'pay' } }, result: { image: 'reg/pay:0' }, latency_ms: 20 },
    { tool: 'term.exec', match: { argv: ['setimage', '*'] }, result: { code: 0 }, latency_ms: 40 },
  ],
  expect: {
    verdict: 'approved',
    status: 'ok',
    calls: [{ tool: 'orders.get' }, { tool: 'term.exec', argv: ['setimage', '--app', 'pay', 'reg/pay:1'] }, { tool: 'orders.get' }],
    outputs: { was: 'pay' },
    writes: { 'work.was': 'reg/pay:0' },
    compensations: [],
  },
}

/** Puts a value at a path of a source: `plan.steps.1.args`. */
export function withPart(source: Source, path: string, value: unknown): Source {
  const copy = structuredClone(source) as Record<string, unknown>
  const parts = path.split('.')
  let at = copy
  for (const part of parts.slice(0, -1)) at = at[part] as Record<string, unknown>
  at[parts.at(-1) ?? ''] = value
  return copy
}

export function compiled(source: Source): CompiledSkill {
  const { skill, findings } = readSkill(JSON.stringify(source), 'x.skill.json', { tools: TOOLS })
  if (skill === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return skill
}

export function caseOf(source: Source = CASE): UnitCase {
  return decodeCase(source, 'a.json')
}

/** Tests a skill with one mutation alone, and returns the problems of its cases. */
export async function fuzzed(source: Source, mutation: string, count = 3, unit: Source = CASE): Promise<CiReport['cases']> {
  const skill = compiled(withPart(source, 'tests.fuzz', { count, mutations: [mutation], seed: 7 }))
  const { cases } = await testSkill(skill, [caseOf(unit)], { tools: TOOLS })
  return cases.filter(({ sort }) => sort === 'fuzz')
}
