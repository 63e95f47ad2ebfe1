import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { Manifest } from '../../../src/kinds/skill/model/manifest.ts'
import { agentSkillName, skillFolder } from '../../../src/learn/formats/skill-markdown.ts'

const TEXT = readFileSync(resolve(import.meta.dirname, '../../../../../cases/skill/manifest/base.json'), 'utf8')

const TOOLS = ['read', 'set', 'restart'].map((name) => ({ name, sideEffects: 'none' as const, idempotent: true }))

function manifest(changes: Partial<Manifest> = {}): Manifest {
  const { skill, findings } = readSkill(TEXT, undefined, { tools: TOOLS })
  if (skill === undefined) throw new Error(String(findings[0]))
  return { ...skill.manifest, ...changes }
}

function textsOf(skill: Manifest): readonly string[] {
  return skillFolder(skill).files.map(([, content]) => content)
}

/** Returns the fields of the front matter as a reader of Agent Skills sees them. */
function front(text: string): Record<string, string> {
  const [, head = ''] = text.split('---\n')
  return Object.fromEntries(
    head.split('\n').flatMap((line) => {
      const [, key, value = ''] = /^([a-z]+): (.*)$/.exec(line) ?? []
      return key === undefined ? [] : [[key, value.startsWith('"') ? (JSON.parse(value) as string) : value]]
    }),
  )
}

describe('a skill as an Agent Skill', () => {
  test.each([
    ['deploy.azure_webapp', 'deploy-azure-webapp'],
    ['mined.a..b__c', 'mined-a-b-c'],
    ['-x-', 'x'],
    ['claude.refund.anthropic_order', 'refund-order'],
    ['claude', expect.stringMatching(/^skill-[0-9a-f]{8}$/)],
    ['a.'.repeat(60), expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/)],
  ])('%s has a name that readers accept', (id, expected) => {
    const name = agentSkillName(id)
    expect(name).toEqual(expected)
    expect(name.length).toBeLessThanOrEqual(64)
  })

  test('has a folder of its name, a text with every step, and a manifest that is read again', () => {
    const { name, files } = skillFolder(manifest())
    expect(files.map(([file]) => file)).toEqual(['SKILL.md', `${name}.skill.json`])
    const [text = '', json = ''] = files.map(([, content]) => content)
    expect(front(text)).toMatchObject({ name, description: expect.stringMatching(/^.{1,1024}$/) as string })
    for (const { tool } of manifest().plan.steps) expect(text).toContain(`Call \`${tool}\``)
    expect(readSkill(json, undefined, { tools: TOOLS }).skill?.manifest).toEqual(manifest())
    expect(skillFolder(manifest())).toEqual({ name, files })
  })

  test('has a description of at most 1024 characters without marks of XML, whatever the manifest says', () => {
    for (const description of ['', '<b>bold</b>\n---\nname: other', '𝒳'.repeat(2000), 'a "quote" and \\']) {
      const [text = ''] = textsOf(manifest({ description, title: '' }))
      const said = front(text)['description'] ?? ''
      expect(said.length).toBeGreaterThan(0)
      expect(said.length).toBeLessThanOrEqual(1024)
      expect(said).not.toMatch(/[<>\n]/)
      expect(text.split('\n---\n')).toHaveLength(2)
    }
  })

  test('keeps values in their code: a fence is longer than the backticks in it', () => {
    const [step, ...rest] = manifest().plan.steps
    if (step === undefined) throw new Error('no step')
    const plan = { ...manifest().plan, steps: [{ ...step, args: { text: '```\n# Not a title' } }, ...rest] }
    const [text = ''] = textsOf(manifest({ plan }))
    expect(text).toContain('````json')
  })
})
