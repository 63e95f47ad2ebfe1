import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/kinds/skill/gate/decide.ts'
import { explainDecision } from '../../../../src/kinds/skill/gate/explain.ts'
import { codeOfReason, faults } from '../../../../src/kinds/skill/gate/faults.ts'
import type { GateSnapshot } from '../../../../src/kinds/skill/model/decision.ts'
import { decideOn, proposal, SHOW, skillOf, snapshot } from './support.ts'

const REFUND = {
  ...SHOW,
  id: 'refund.lost_parcel',
  compat: { env: 'staging', toolset: 'v6' },
  signature: { inputs: [{ name: 'order_id', type: 'string' }] },
  activation: {
    goal_labels: ['refund'],
    keywords_any: ['lost', 'carrier', 'parcel'],
    score_weights: { goal_label: 3, keyword_hit: 1, recent_success: 1.5 },
  },
}
const skill = skillOf(REFUND)

function explain(changes: Partial<GateSnapshot>) {
  const record = decide(skill, snapshot({ userText: 'Refund it', ...changes }), proposal({ order_id: 'A1' }, { skill_ref: REFUND.id }))
  return explainDecision(record, skill.manifest)
}

describe('the explanation of a decision', () => {
  it('names the number that would have passed', () => {
    const { stages, remedy, reasons } = explain({})
    expect(reasons).toEqual(['below_tau'])
    expect(stages.map(({ stage, result, text }) => `${stage} ${result} ${text}`.trim())).toEqual([
      'compat ok env staging, toolset v6',
      'preconditions ok 1 of 1 tools, order_id',
      'score no 3.75 of 5.50 = 0.682, needs 0.850 (project τ)',
      'policy not_asked',
    ])
    expect(stages[2]?.details).toEqual([
      'goal_label 3.00 · keyword_hit 0 · recent_success 0.75',
      'label “refund” · 0 of 0 recent executions succeeded',
    ])
    expect(remedy?.text).toBe('One keyword hit (“lost”, “carrier”) would make it 4.75 = 0.864 and pass.')
    expect(remedy).toMatchObject({ changes: [{ feature: 'keyword_hit', from: 0, to: 1_000_000 }], normalised: 863_636, passes: true })
  })

  it.each([
    [
      'two features together',
      { userText: 'Hello', tau: 0.85 },
      'One keyword hit (“lost”, “carrier”) and one goal label (“refund”) would make it 4.75 = 0.864 and pass.',
    ],
    ['successes', { userText: 'Refund the lost one', tau: 0.92 }, '2 more successful executions would make it 5.13 = 0.932 and pass.'],
    ['one success', { userText: 'Refund the lost one', tau: 0.89 }, '1 more successful execution would make it 5.00 = 0.909 and pass.'],
    [
      'everything',
      { userText: 'Hello', tau: 0.95 },
      'One keyword hit (“lost”, “carrier”) and one goal label (“refund”) and 20 more successful executions would make it 5.43 = 0.988 and pass.',
    ],
    [
      'nothing',
      { userText: 'Hello', tau: 0.999 },
      'No text can make it pass: the most that it can reach is 5.43 = 0.988, and it needs 0.999.',
    ],
  ])('finds what would have passed: %s', (_name, changes, text) => {
    expect(explain(changes).remedy?.text).toBe(text)
  })

  it('is true: a decision with the changes that it names passes', () => {
    expect(explain({ userText: 'Refund the lost one' }).reasons).toEqual(['approved'])
    const stats = { successes: 2, runs: 2 }
    expect(explain({ userText: 'Refund the lost one', tau: 0.92, stats }).reasons).toEqual(['approved'])
    expect(explain({ userText: 'Refund the lost one', tau: 0.92, stats: { successes: 1, runs: 1 } }).remedy).toBeDefined()
  })

  it('says what each stage lacks', () => {
    const [compat] = explain({ facts: { env: 'production' } }).stages
    expect(compat?.details).toEqual(['env must be staging, and is production', 'toolset must be v6, and is unknown'])
    const record = decideOn(
      { ...REFUND, preconditions: { tools_available: ['app.show'], invariants: ['1 == 2', 'ctx.x == 1'] } },
      { tools: [] },
      { order_id: 'A1' },
    )
    expect(explainDecision(record).stages[1]?.details).toEqual([
      'the tool app.show is not available',
      '1 == 2 is false',
      'ctx.x == 1 is error (no field "x" in ctx)',
    ])
    const question = decideOn(REFUND)
    expect(explainDecision(question).stages[1]?.details).toEqual([
      'order_id is missing',
      'the invariants are not evaluated: a slot has no valid value',
    ])
    const denied = decideOn({ policy: { allow_roles: ['Admin'] } })
    expect(explainDecision(denied).stages[3]).toMatchObject({
      result: 'no',
      text: '2 rules',
      details: ['allow_roles: deny (needs the role Admin)'],
    })
    const { userText: _text, ...called } = snapshot()
    expect(explainDecision(decide(skillOf(SHOW), called, proposal({}))).stages[2]?.text).toBe('a program calls; there is no text of a user')
  })

  it('has a code of the catalogue for each reason', () => {
    const reasons = [
      'unknown_skill',
      'compat.env',
      'state.draft',
      'tool_missing',
      'slot_missing',
      'slot_invalid',
      'invariant_false',
      'invariant_error',
      'below_tau',
      'policy.role',
      'admission.cooldown',
    ]
    expect(reasons.map(codeOfReason)).toEqual([
      'R1446',
      'R1447',
      'R1448',
      'R1449',
      'R1450',
      'R1450',
      'R1451',
      'R1451',
      'R1452',
      'R1453',
      'R1454',
    ])
    const listed = new Set(Object.values(faults.entries).flatMap((entry) => ('rules' in entry ? entry.rules : [])))
    for (const reason of reasons.filter((one) => !one.startsWith('compat'))) expect(listed).toContain(`skill ${reason}`)
  })
})
