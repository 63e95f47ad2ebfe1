// proves: skill 167, skill 168, skill 170
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { decodeSkill } from '../../src/kinds/skill/manifest/read-skill.ts'
import { manifestJson } from '../../src/kinds/skill/manifest/canonical.ts'
import type { SkillTool } from '../../src/kinds/skill/model/skill-tool.ts'
import type { SkillDraft } from '../../src/learn/compile/compile-pattern.ts'
import { decodeCase } from '../../src/learn/ci/case.ts'
import { testSkill } from '../../src/learn/ci/test-skill.ts'
import { learn, type LearnOptions } from '../../src/learn/compile/learn.ts'
import { logged, type LoggedCall, type LoggedFacts, stored, toolFacts } from './logged.ts'

const NEIGHBOURS = ['u', 'v', 'w', 'x', 'y'] as const
const READS: SkillTool = { name: 'term.exec', sideEffects: 'none', idempotent: true, commandLine: 'cmd' }
const CHANGES: SkillTool = { name: 'term.exec', sideEffects: 'external', idempotent: false, commandLine: 'cmd' }

const exec = (cmd: string, result: Json = { code: 0 }): LoggedCall => ({ tool: 'term.exec', args: { cmd }, result })

const deploy = (i: number): readonly LoggedCall[] => [
  exec(`az webapp show --name app${i}`, { tag: `v${i}` }),
  exec(`az webapp tag set --name app${i} --to v${i} --note 'it''s {{new}}'`),
]

async function drafts(
  options: Partial<LearnOptions> = {},
  make: (i: number) => readonly LoggedCall[] = deploy,
  facts: LoggedFacts = {},
  runs = 24,
): Promise<readonly SkillDraft[]> {
  const read = Array.from({ length: runs }, (_, i) =>
    logged(`run${i}`, [{ tool: NEIGHBOURS[i % 5] ?? '' }, ...make(i), { tool: NEIGHBOURS[(i + 2) % 5] ?? '' }], {
      text: `please tag app${i} again`,
      labels: { env: 'staging', conversation: `c${i}` },
      ...facts,
    }),
  )
  const others = Array.from({ length: 10 }, (_, i) => logged(`other${i}`, [{ tool: 'chat' }], { text: `please chat about number ${i}` }))
  const learned = await learn(() => stored([...read, ...others]), { owner: 'ana', tools: toolFacts, host: { tools: [READS] }, ...options })
  return learned.drafts
}

async function only(
  options?: Partial<LearnOptions>,
  make?: (i: number) => readonly LoggedCall[],
  facts?: LoggedFacts,
  runs?: number,
): Promise<SkillDraft> {
  const [draft, ...more] = await drafts(options, make, facts, runs)
  if (draft === undefined || more.length > 0) throw new Error(`${more.length} drafts too many`)
  return draft
}

const codes = ({ findings }: SkillDraft): readonly (string | undefined)[] => findings.map(({ rule, code }) => rule ?? code)

describe('the draft of a skill', () => {
  it('is a manifest that passes its own checks, for a pattern that changes nothing', async () => {
    const draft = await only()
    const { manifest } = draft
    expect(codes(draft)).toEqual(['W_TIMEOUT_SUM'])
    expect(draft.state).toBe('candidate')
    expect(manifest).toMatchObject({
      id: 'mined.az.show_webapp',
      version: '1.0.0',
      owner: 'ana',
      compat: { env: 'staging' },
      signature: { inputs: [{ name: 'name', type: 'string', required: true, pattern: '[a-z0-9]{2,10}' }] },
      activation: { required_slots: ['name'], goal_labels: ['again-tag'], keywords_any: ['again'] },
      policy: { require_confirmation: false },
      provenance: { support: 24 / 34, success: 1, cost_unit: 'usd' },
    })
    expect(manifest.activation.tau).toBeUndefined()
    expect(manifest.plan.steps.map(({ args }) => args.cmd)).toEqual([
      'az webapp show --name {{name}}',
      "az webapp tag set --name {{name}} --to {{steps.s0.result.tag}} --note 'its \\{{new}}'",
    ])
    expect(manifest.provenance.mined_from_traces?.[0]).toBe('run0/0@3-4')
    expect(manifest.plan).toMatchObject({ budget: { max_latency_ms: 1_000 }, steps: [{ timeout_ms: 1_000 }, {}] })
  })

  it('passes the tests that were made with it, if it changes nothing', async () => {
    const { manifest, cases } = await only()
    const { skill } = decodeSkill(manifestJson(manifest), { tools: [READS] })
    if (skill === undefined) throw new Error('the draft is not valid')
    const report = await testSkill(
      skill,
      cases.map(([path, unit]) => decodeCase(unit, path)),
      { tools: [READS] },
    )
    expect(report.cases.filter(({ passed }) => !passed)).toEqual([])
    expect(report).toMatchObject({ passed: true, unit: { passed: 5, of: 5 } })
  })

  it('renders the occurrences that were held back as they were recorded', async () => {
    const { manifest, cases } = await only()
    const { skill } = decodeSkill(manifestJson(manifest), { tools: [READS] })
    expect(cases).toHaveLength(5)
    expect(skill?.steps).toHaveLength(2)
    expect(manifest.tests.unit_cases).toEqual(cases.map(([path]) => path))
    for (const [, { propose, expect: expected, tools }] of cases) {
      const scope = { slots: propose.inputs, steps: Object.fromEntries(tools.map(({ result }, i) => [`s${i}`, { result }])) }
      for (const [i, step] of (skill?.steps ?? []).entries()) {
        const rendered = step.args.render({ ...scope, ctx: {}, env: {}, work: {}, exec: {} })
        expect(rendered).toMatchObject({ ok: true, value: expected.calls[i]?.args })
      }
    }
  })

  it('stays a draft if nothing undoes what it changes, and asks before it runs', async () => {
    const draft = await only({ host: { tools: [CHANGES] } })
    expect(draft.state).toBe('draft')
    expect(new Set(codes(draft))).toEqual(new Set(['E_COMPENSATION_REQUIRED', 'W_TIMEOUT_SUM']))
    expect(draft.manifest).toMatchObject({
      plan: { idempotence_key: 'mined.az.show_webapp:{{name}}', compensation: [] },
      policy: { require_confirmation: true },
      effects: { external: ['show:az_webapp', 'set:az_webapp_tag'] },
    })
    const unknown = await only({ host: { tools: [] } })
    expect(unknown.state).toBe('draft')
  })

  it('passes the tests that were made with it, if a person has only completed it: a test confirms by itself', async () => {
    const { manifest, cases } = await only({ host: { tools: [CHANGES] } })
    const plan = { ...manifest.plan, compensation: 'none', irreversible_reason: 'a tag stays' } as const
    const { skill } = decodeSkill(manifestJson({ ...manifest, plan }), { tools: [CHANGES] })
    if (skill === undefined) throw new Error('the draft is not valid')
    const units = cases.map(([path, unit]) => decodeCase(unit, path))
    const report = await testSkill(skill, units, { tools: [CHANGES] })
    expect(skill.manifest.policy.require_confirmation).toBe(true)
    expect(report.cases.filter(({ passed }) => !passed)).toEqual([])
    expect(report).toMatchObject({ passed: true, unit: { passed: 5, of: 5 } })
  })

  it('compensates with the calls that tools declare', async () => {
    const undo = { tool: 'revert', args: { args: '{{args.cmd}}', from: 'to {{result.tag}}' } }
    const draft = await only({
      host: {
        tools: [
          { ...CHANGES, undo },
          { ...READS, name: 'revert', commandLine: undefined as never },
        ],
      },
    })
    expect(draft.manifest.plan.compensation).toMatchObject([
      {
        when: 'partial_failure',
        for_step: 's0',
        tool: 'revert',
        args: { args: 'az webapp show --name {{name}}', from: 'to {{steps.s0.result.tag}}' },
      },
      { for_step: 's1' },
    ])
    expect(draft.state).toBe('candidate')
  })

  it('needs a person where the calls need a shell, and where there are few of them', async () => {
    const shell = await only({}, (i) => [exec(`git pull && git log --author app${i}`), exec(`git tag --force app${i}`)])
    expect(shell.state).toBe('draft')
    expect(codes(shell).join()).toContain('SHELL')
    const few = await only({}, deploy, {}, 8)
    expect(few.state).toBe('draft')
    expect(codes(few)).toContain('R1487')
  })

  it('has outputs that later calls used, and inputs from the blackboard', async () => {
    const make = (i: number): readonly LoggedCall[] => [
      { tool: 'find', args: { app: `app${i}` }, result: { id: `id-${i}` } },
      { tool: 'open', args: { id: `id-${i}` }, result: JSON.stringify({ url: `https://a.example/${i}`, other: 1 }) },
      { tool: 'read', args: { url: `https://a.example/${i}` }, result: { answer: `answer-${i}` } },
    ]
    const read = (name: string): SkillTool => ({ name, sideEffects: 'none', idempotent: true })
    const tools = ['find', 'open', 'read'].map(read)
    const draft = await only({ host: { tools } }, make, {
      board: { 'ctx.app': 'app' },
      final: Array.from({ length: 24 }, (_, i) => `answer-${i}`).join(' '),
    })
    expect(draft.manifest).toMatchObject({
      signature: { outputs: [{ name: 'answer', type: 'string' }] },
      plan: {
        result_map: { answer: '{{steps.s2.result.answer}}' },
        steps: [{}, { capture: { 'work.s1_url': { json: true, pointer: '/url' } } }, { args: { url: '{{work.s1_url}}' } }],
      },
      effects: { writes: ['work.s1_url'] },
    })
    expect(draft.state).toBe('candidate')
  })

  it('is nothing new for a known pattern, its next version after a change, and an update of a near duplicate', async () => {
    const first = await only()
    const known = { ...first.manifest, id: 'azure.tag', title: 'Tag an app' }
    const renamed = (key: string): SkillDraft['manifest'] => ({ ...known, provenance: { ...known.provenance, pattern: key } })
    const again = await only({ known: [{ ...first.manifest }] })
    expect(again).toMatchObject({ novelty: { is: 'known', id: 'mined.az.show_webapp', version: '1.0.0' }, manifest: first.manifest })
    const owner = await only({ known: [known], owner: 'ben' })
    expect(owner).toMatchObject({ novelty: { is: 'update', id: 'azure.tag', because: 'same_pattern' }, manifest: { id: 'azure.tag' } })
    expect(await only({ known: [renamed('another')] })).toMatchObject({ manifest: { id: 'azure.tag' } })
    const other = { ...known, id: first.manifest.id, provenance: {}, extra: {} }
    expect((await only({ known: [other] })).manifest.id).toMatch(/^mined\.az\.show_webapp_[0-9a-f]{4}$/)
  })

  it('shows three occurrences and the saving, and nothing of it is active', async () => {
    const draft = await only()
    expect(draft.evidence).toHaveLength(3)
    expect(draft.evidence[0]).toMatchObject({ source: { run: 'run0', strand: '0', records: [3, 4] }, slots: { name: 'app0' } })
    expect(draft.saving).toMatchObject({
      unit: 'usd',
      before: expect.closeTo(0.008, 9) as number,
      after: expect.closeTo(0.004, 9) as number,
      delta: expect.closeTo(-0.5, 9) as number,
    })
    expect(['draft', 'candidate']).toContain(draft.state)
  })
})
