// proves: skill 2, skill 4, skill 10, skill 11, skill 12, skill 14, skill 18
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { templateFaults } from '../../../../src/kinds/skill/templates/faults.ts'
import { manifestFaults } from '../../../../src/kinds/skill/manifest/faults.ts'
import { readSkill, type SkillHost } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import { RULES } from '../../../../src/kinds/skill/manifest/rules.ts'
import { TEMPLATE_RULES } from '../../../../src/kinds/skill/templates/problem.ts'
import { faults as textFaults } from '../../../../src/text/faults.ts'
import { changed, HOST, tool } from '../skills.ts'

const FOLDER = resolve(import.meta.dirname, '../../../../../../cases/skill/manifest')
const BASE = readFileSync(resolve(FOLDER, 'base.json'), 'utf8')

/** A manifest that breaks one rule: the base with some values replaced or removed, and what is found in it, by path. */
interface RuleCase {
  readonly about: string
  readonly set?: Readonly<Record<string, unknown>>
  readonly remove?: readonly string[]
  readonly host?: { readonly tools?: readonly string[]; readonly prompts?: Readonly<Record<string, string>> }
  readonly findings: readonly (readonly [rule: string, path: string])[]
}

const cases = readdirSync(resolve(FOLDER, 'rules'))
  .toSorted()
  .map((name) => [name.replace('.json', ''), JSON.parse(readFileSync(resolve(FOLDER, 'rules', name), 'utf8')) as RuleCase] as const)

function hostOf({ host = {} }: RuleCase): SkillHost {
  const { prompts } = host
  return {
    ...HOST,
    tools: [...(HOST.tools ?? []), ...(host.tools ?? []).map((name) => tool(name))],
    ...(prompts === undefined ? {} : { prompts: (name: string) => prompts[name] }),
  }
}

describe('the rules of manifests', () => {
  it('are not broken by the base of the cases', () => {
    expect(readSkill(BASE, 'base.skill.json', HOST).findings).toEqual([])
  })

  it.each(cases)('%s', (_, one) => {
    const text = JSON.stringify(changed(JSON.parse(BASE), one), undefined, 2)
    const { skill, findings } = readSkill(text, 'case.skill.json', hostOf(one))
    expect(findings.map(({ rule, path }) => [rule, path])).toEqual(one.findings)
    expect(skill === undefined).toBe(findings.some(({ severity }) => severity === 'error'))
    for (const { fix, line, code, message } of findings) {
      expect(fix).not.toBe('')
      expect(line).toBeGreaterThan(0)
      expect(message).not.toContain('undefined')
      expect(code).toMatch(/^R1[04]\d\d$/)
    }
  })

  it('each have a case and an entry in the catalogue', () => {
    const found = new Set(cases.flatMap(([, { findings }]) => findings.map(([rule]) => rule)))
    const elsewhere = ['E_TYPE']
    const rules = [...Object.keys(RULES), ...Object.keys(TEMPLATE_RULES)]
    expect(rules.filter((rule) => !found.has(rule) && !elsewhere.includes(rule))).toEqual([])
    const explained = [manifestFaults, templateFaults, textFaults].flatMap(({ entries }) =>
      Object.values(entries).flatMap((entry) => ('rules' in entry ? entry.rules : [])),
    )
    expect([...found, ...elsewhere].filter((rule) => !explained.includes(`skill ${rule}`))).toEqual([])
  })
})
