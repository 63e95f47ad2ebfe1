import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Program } from '../../../../src/kernel/index.ts'
import { skillLanguage } from '../../../../src/kinds/skill/face/language.ts'
import { skillReader } from '../../../../src/kinds/skill/face/reader.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { changed, HOST } from '../skills.ts'

const CASES = resolve(import.meta.dirname, '../../../../../../cases/skill')
const SEED = readFileSync(resolve(CASES, 'samples/seed/deploy.skill.json'), 'utf8')
const BASE = JSON.parse(readFileSync(resolve(CASES, 'manifest/base.json'), 'utf8')) as object

const PROMPTS = { 'prompts/app_name_extract.v1': 'Which?', 'prompts/note.v1': 'Which?' }
const reader = skillReader(new SkillMaker(skillHost({ prompts: PROMPTS }, 'test'), () => HOST.tools ?? []), String)

describe('the language of skills', () => {
  it('formats a manifest, and keeps its comments and its meaning', () => {
    const { text = '', findings } = skillLanguage.format(SEED.replaceAll('  ', ' '))
    expect(findings).toEqual([])
    expect(text).toContain('// Facts of the host that must hold.')
    expect(skillLanguage.format(text).text).toBe(text)
    expect(reader.read(text, 'a.skill.json', {})).toMatchObject({
      program: { id: 'deploy.container.appservice', version: '1.3.0' },
    })
  })

  it('finds a step, a compensation, and the plan for anything else', () => {
    const line = (node: string): string | undefined => SEED.split('\n')[(skillLanguage.locate?.(SEED, 'a', { node }).line ?? 0) - 1]
    const place = (node: string): string | undefined => skillLanguage.locate?.(SEED, 'a', { node }).path
    expect(place('set_image')).toBe('/plan/steps/1')
    expect(place('compensation[1]')).toBe('/plan/compensation/1')
    expect(line('compensation[1]')).toContain('az webapp restart')
    expect(place('none')).toBe('/plan')
    expect(skillLanguage.locate?.('{', 'a', { node: 'x' })).toMatchObject({ line: 1 })
  })

  it('owns texts that name the format, and no others', () => {
    expect(skillLanguage.owns(SEED)).toBe(true)
    expect(skillLanguage.owns('{ "kind": "cluster" }')).toBe(false)
  })

  it('publishes the schema of its files', async () => {
    expect(await skillLanguage.schemas?.[0]?.schema()).toMatchObject({
      $id: 'urn:reflex:skill',
      required: expect.arrayContaining(['id', 'plan']) as unknown,
    })
  })
})

describe('the reader of skills', () => {
  it('accepts a manifest that is a value, and its stored form', async () => {
    const read = await reader.accept?.(BASE)
    expect(read).toMatchObject({ program: { id: 'deploy.app' }, findings: [] })
    expect(await reader.accept?.(read?.program?.source)).toMatchObject({ program: { source: read?.program?.source } })
    expect(await reader.accept?.({ kind: 'cluster' })).toBeUndefined()
  })

  it('warns of a called program that does not exist', async () => {
    const text = JSON.stringify(changed(BASE, { set: { '/plan/steps/1/tool': 'workflow:reveiw' } }), undefined, 2)
    const read = await reader.read(text, 'a.skill.json', { lookup: () => undefined, names: () => ['review'] })
    expect(read.findings).toMatchObject([{ rule: 'W_UNBOUND', path: '/plan/steps/1/tool', fix: 'write "workflow:review"' }])
    expect(read.program).toBeDefined()
    const found = await reader.read(text, 'a.skill.json', { lookup: () => ({}) as Program })
    expect(found.findings).toEqual([])
  })

  it('takes inputs as values of slots', async () => {
    const { program } = (await reader.accept?.(BASE)) ?? {}
    const inputs = (input: Record<string, string>): unknown => reader.inputs?.(program?.def as never, input, Object.keys(input))
    expect(inputs({ app: 'pay', count: '3' })).toEqual({ app: 'pay', count: 3 })
    expect(() => inputs({ app: 'a b' })).toThrow('is not a label of a host name')
    expect(() => inputs({ ap: 'pay' })).toThrow('did you mean "app"?')
  })
})
