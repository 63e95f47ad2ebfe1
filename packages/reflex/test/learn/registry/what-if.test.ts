// proves: skill 149
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/kernel/index.ts'
import { decodeSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import { SkillMaker } from '../../../src/kinds/skill/plan/skill-program.ts'
import { skillHost } from '../../../src/kinds/skill/plan/skill-host.ts'
import { manifestJson } from '../../../src/kinds/skill/manifest/canonical.ts'
import { whatIf } from '../../../src/learn/registry/what-if.ts'
import { decisionsOf, note, type Released, released } from './world.ts'

const TEXTS = ['please help', 'the note', 'read the diary', 'read the note in the diary', '']
const activation = { goal_labels: ['diary'], keywords_any: ['note'], score_weights: { goal_label: 3, keyword_hit: 1, recent_success: 1 } }
const SKILL = note('1.0.0', { activation, policy: { allow_roles: ['reader'], deny_if: [] } })

/** What a wrapped agent says of a proposal of its model. */
async function propose({ reflex }: Released, id: string, text: string | undefined): Promise<void> {
  const program = await reflex.library.named('skill:app.note', reflex.workdir)
  const proposal = text === undefined ? {} : { _proposal: { carrier: 'text', user_text: text } }
  const settings = { actor: 'ana', simulated: false, trust: 'trusted', workdir: reflex.workdir, folder: reflex.workdir } as const
  const run = await reflex.runtime.start(program, { id, args: proposal, settings })
  await run.idle()
}

/** The verdicts of real runs of a host. */
async function verdicts(
  tau: number,
  policyMode: 'enforce' | 'advise',
  roles: readonly string[],
  source: JsonObject = SKILL,
): Promise<readonly string[]> {
  const one = released({ skill: { tau, policyMode, principal: { id: 'ana', roles } } })
  await one.activate(source)
  const found: string[] = []
  for (const [i, text] of TEXTS.entries()) {
    await propose(one, `real-${i}`, text)
    const [decision] = await decisionsOf(one, `real-${i}`)
    found.push(`${decision?.verdict} ${decision?.reason}`)
  }
  return found
}

async function recorded(roles: readonly string[] = ['reader']): Promise<Released> {
  const one = released({ skill: { tau: 0.6, principal: { id: 'ana', roles } } })
  await one.activate(SKILL)
  for (const [i, text] of TEXTS.entries()) await propose(one, `real-${i}`, text)
  return one
}

it.each([0.1, 0.3, 0.59, 0.6, 0.7, 0.8, 0.95, 1])(
  'with the threshold %d exactly the decisions are reported that a host with it makes otherwise',
  async (tau) => {
    const one = await recorded()
    const before = await verdicts(0.6, 'enforce', ['reader'])
    const after = await verdicts(tau, 'enforce', ['reader'])
    for (const i of TEXTS.keys()) {
      const { decisions, changed } = await whatIf(one.reflex, `real-${i}`, { tau })
      const sides = changed.map(({ recorded: was, decided }) => [`${was.verdict} ${was.reason}`, `${decided.verdict} ${decided.reason}`])
      expect([decisions, sides]).toEqual([1, before[i] === after[i] ? [] : [[before[i], after[i]]]])
    }
  },
)

it('another policy and another manifest change what they change, and nothing is performed or written', async () => {
  const one = await recorded([])
  const calls = [...one.calls]
  const rows = await one.reflex.runs()
  const after = await verdicts(0.6, 'advise', [])
  const flipped = await whatIf(one.reflex, 'real-3', { policyMode: 'advise' })
  expect(flipped.changed).toMatchObject([
    { recorded: { verdict: 'denied', reason: 'policy.role' }, decided: { verdict: 'approved', version: '1.0.0' } },
  ])
  expect(after[3]).toBe('approved approved')
  const { skill } = decodeSkill(note('1.1.0', { activation }), { tools: [{ name: 'notes.read', sideEffects: 'none', idempotent: true }] })
  const maker = new SkillMaker(skillHost({}, 'acme'), () => [{ name: 'notes.read', sideEffects: 'none', idempotent: true }])
  const other = skill === undefined ? undefined : maker.compile(manifestJson(skill.manifest))
  expect((await whatIf(one.reflex, 'real-3', { skill: () => other })).changed).toMatchObject([
    { decided: { verdict: 'approved', version: '1.1.0' } },
  ])
  expect((await whatIf(one.reflex, 'real-3', {})).changed).toEqual([])
  expect([one.calls, await one.reflex.runs()]).toEqual([calls, rows])
})

it('a run without a decision has nothing to decide again', async () => {
  const one = released()
  const flow = { id: 'flow', entry: 'a', nodes: { a: { id: 'a', spec: {} } }, edges: [] }
  const run = await one.reflex.run(flow, { id: 'plain' })
  await expect(whatIf(one.reflex, run.id, { tau: 0.5 })).rejects.toMatchObject({ code: 'R1497' })
})
