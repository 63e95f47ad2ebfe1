// proves: skill 1, skill 35
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { manifestJson } from '../../../../src/kinds/skill/manifest/canonical.ts'
import { readSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import type { ExpressionFunction } from '../../../../src/text/index.ts'
import { tool } from '../skills.ts'

const FOLDER = resolve(import.meta.dirname, '../../../../../../cases/skill/samples')
const sample = (name: string): string => readFileSync(resolve(FOLDER, name, 'deploy.skill.json'), 'utf8')

const FUNCTIONS: readonly ExpressionFunction[] = [
  { name: 'deploy_window', params: ['string'], returns: 'string', call: (env) => (env === 'staging' ? 'open' : 'closed') },
  { name: 'risk_scan', params: ['map'], returns: 'string', call: (args) => (JSON.stringify(args).includes('prod') ? 'high' : 'low') },
]
const HOST = {
  tools: [tool('term.exec', { commandLine: 'cmd' }), tool('tests.run', { sideEffects: 'none' })],
  functions: FUNCTIONS,
  facts: ['az'],
  prompts: (name: string) => (name === 'prompts/app_name_extract.v1' ? 'Find the name of the app.' : undefined),
}

describe('the sample of the seed', () => {
  it('fails as it stands: a host that a value can change, and a compensation that nothing feeds', () => {
    const { skill, findings } = readSkill(sample('seed-raw'), 'deploy.skill.json', HOST)
    expect(skill).toBeUndefined()
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ rule, path }) => [rule, path])).toEqual([
      ['E_TEMPLATE_REF', '/plan/compensation/0/args/cmd'],
      ['E_URL_AUTHORITY', '/plan/result_map/endpoint'],
      ['E_URL_AUTHORITY', '/plan/steps/2/args/cmd'],
    ])
    const warnings = findings.filter(({ severity }) => severity === 'warning')
    expect(new Set(warnings.map(({ rule }) => rule))).toEqual(new Set(['W_UNTYPED_SLOT']))
  })

  it('is valid with typed slots, a captured image and a second restart', () => {
    const { skill, findings } = readSkill(sample('seed'), 'deploy.skill.json', HOST)
    expect(findings).toEqual([])
    expect(skill?.unbound).toEqual({ tools: [], functions: [], facts: [] })
    expect(skill?.hasEffects).toBe(true)
    expect(skill?.manifest.llm_support.parsers[0]?.prompt_sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is valid without a host, and its stored form is a valid manifest', () => {
    const { skill, findings } = readSkill(sample('seed'))
    expect(findings).toEqual([])
    expect(skill?.unbound).toEqual({ tools: ['term.exec'], functions: ['deploy_window', 'risk_scan'], facts: ['az'] })
    const stored = skill === undefined ? '' : JSON.stringify(manifestJson(skill.manifest))
    expect(stored).not.toContain('Facts of the host')
    expect(readSkill(stored).skill?.hash).toBe(skill?.hash)
  })

  it('has conditions that are decided by the facts and the functions of the host', () => {
    const { skill } = readSkill(sample('seed'), 'deploy.skill.json', HOST)
    const holds = (variables: Record<string, Json>) => (rule: { expression: { evaluate(given: Map<string, Json>): unknown } }) =>
      rule.expression.evaluate(new Map(Object.entries(variables)))
    const open = { az: { account: { subscription: 'a' } }, ctx: { subscription: 'a' } }
    expect(skill?.invariants.map(holds(open))).toEqual([
      { ok: true, value: true },
      { ok: true, value: true },
    ])
    expect(skill?.invariants.map(holds({ ...open, ctx: {} }))[0]).toMatchObject({ ok: false, failure: { reason: 'field' } })
    expect(skill?.denyIf.map(holds({ args: { app_name: 'pay-prod' } }))).toEqual([{ ok: true, value: true }])
    expect(skill?.denyIf.map(holds({ args: { app_name: 'pay-stg' } }))).toEqual([{ ok: true, value: false }])
  })
})
