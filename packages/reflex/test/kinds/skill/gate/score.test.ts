import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCues } from '../../../../src/kinds/skill/gate/cues.ts'
import { scoreSkill } from '../../../../src/kinds/skill/gate/score.ts'
import { readWords, stem } from '../../../../src/kinds/skill/gate/words.ts'
import type { GateSnapshot, ScoreResult } from '../../../../src/kinds/skill/model/decision.ts'
import { DEPLOY, decideOn, SHOW, skillOf, snapshot } from './support.ts'

const WISH = 'Deploy latest to staging'
const LABEL_ONLY = 'Deployment to staging'
const { activation } = DEPLOY
const { tau: _tau, ...withoutTau } = activation
const points = skillOf(DEPLOY)
const share = skillOf({ ...DEPLOY, activation: withoutTau })

function score(skill: typeof points, userText: string, successes: number, runs: number, changes: Partial<GateSnapshot> = {}): ScoreResult {
  return scoreSkill(skill, { ...snapshot(changes), userText, stats: { successes, runs } })
}

describe('the score', () => {
  // proves: skill 48
  it.each([
    ['goal and keyword, never run', WISH, 0, 0, 4_750_000, 863_636, true, true],
    ['goal only, never run', LABEL_ONLY, 0, 0, 3_750_000, 681_818, true, false],
    ['keyword only, 20 of 20', 'push image to the registry', 20, 20, 2_431_818, 442_149, false, false],
    ['goal and keyword, 0 of 20', WISH, 0, 20, 4_068_183, 739_670, true, false],
    ['goal only, 0 of 5', LABEL_ONLY, 0, 5, 3_214_286, 584_416, false, false],
    ['goal and keyword, 20 of 20', WISH, 20, 20, 5_431_818, 987_603, true, true],
  ])('is that of the table: %s', (_name, text, successes, runs, raw, normalised, overPoints, overShare) => {
    const own = score(points, text, successes, runs)
    expect(own).toMatchObject({ raw, max: 5_500_000, normalised, ok: overPoints, tau_raw: 3_500_000, tau_normalised: 636_364 })
    expect(score(share, text, successes, runs)).toMatchObject({
      raw,
      normalised,
      ok: overShare,
      tau_raw: 4_675_000,
      tau_normalised: 850_000,
    })
  })

  // proves: skill 48
  it('counts entities if they have a weight: a type-valid value in the text or on the blackboard', () => {
    const weights = { ...activation.score_weights, entity_type: 1 }
    const skill = skillOf({ ...DEPLOY, activation: { ...activation, score_weights: weights } })
    const text = `${LABEL_ONLY} of payments-stg, image acr.io/pay:abc.`
    expect(score(skill, text, 0, 0)).toMatchObject({
      raw: 4_750_000,
      max: 6_500_000,
      normalised: 730_769,
      ok: true,
      tau_normalised: 538_462,
    })
    expect(score(skill, 'Deployment, (one) “two”', 0, 0).features.entity_type).toBe(1_000_000)
    expect(score(skill, '?', 0, 0).features.entity_type).toBe(0)
    const board = { ...snapshot().board, work: { image_tag: 'acr.io/pay:abc' } }
    expect(score(skill, '?', 0, 0, { board }).features.entity_type).toBe(500_000)
    expect(score(points, text, 0, 0).features.entity_type).toBe(0)
  })

  // proves: skill 51
  it('takes its threshold from the manifest, else from the host, and a policy only raises it', () => {
    const cases = [
      [{}, undefined, 'sdk', 850_000],
      [{ tau: 3.5 }, undefined, 'manifest', 636_364],
      [{ tau: 3.5 }, 0.9, 'policy', 900_000],
      [{ tau: 3.5 }, 0.1, 'manifest', 636_364],
      [{}, 0.9, 'policy', 900_000],
    ] as const
    for (const [tau, min_tau, tau_source, tau_normalised] of cases) {
      const policy = min_tau === undefined ? {} : { policy: { min_tau } }
      const { score: found } = decideOn({ activation: { ...SHOW.activation, ...tau }, ...policy })
      expect(found).toMatchObject({ tau_source, tau_normalised })
    }
  })

  // proves: skill 50
  it('does not read what a model has written', () => {
    const signature = { inputs: [{ name: 'note', type: 'string', required: false }] }
    const scores = ['', 'status status status'].map((note) => decideOn({ signature }, { userText: 'Hello' }, { note }))
    expect(scores[0]?.score).toEqual(scores[1]?.score)
    expect(scores[1]?.reason).toBe('below_tau')
  })

  // proves: skill 49
  it('never denies for a feature that is higher', () => {
    const weight = fc.double({ min: 0, max: 1000, noNaN: true })
    const feature = fc.integer({ min: 0, max: 20 })
    const skills = fc.record({
      goal_label: weight,
      keyword_hit: weight,
      entity_type: weight,
      recent_success: weight,
      tau: fc.double({ min: 0.001, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(skills, fc.boolean(), fc.boolean(), feature, feature, fc.nat(3), (given, label, keyword, successes, runs, raised) => {
        const { tau, ...score_weights } = given
        const manifest = { ...points.manifest, activation: { ...points.manifest.activation, score_weights, tau: undefined } }
        const total = Math.max(successes, runs)
        const verdict = (withLabel: boolean, withKeyword: boolean, more: number, image: boolean): ScoreResult => {
          const { tau: _points, ...rest } = manifest.activation
          const userText = [withLabel ? 'deployment' : '', withKeyword ? 'push image' : '', image ? 'acr.io/x:1' : '?'].join(' ')
          const stats = { successes: Math.min(total, successes + more), runs: total }
          return scoreSkill({ manifest: { ...manifest, activation: rest }, cues: readCues(rest) }, { ...snapshot(), userText, stats, tau })
        }
        const before = verdict(label, keyword, 0, false)
        const after = verdict(label || raised === 0, keyword || raised === 1, raised === 2 ? 1 : 0, raised === 3)
        expect(after.normalised).toBeGreaterThanOrEqual(before.normalised)
        expect(!before.ok || after.ok).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the words of a text', () => {
  it.each([
    ['deploy', ['deploys', 'deployed', 'deploying', 'deployment', 'deployments', 'Deploy']],
    ['release', ['releases', 'released', 'releasing']],
    ['fix', ['fixes', 'fixed', 'fixing']],
    ['install', ['installs', 'installing']],
  ])('have one stem: %s', (word, forms) => {
    expect(new Set(forms.map((form) => stem(form.toLowerCase())))).toEqual(new Set([stem(word)]))
  })

  it('keep short words apart', () => {
    expect(['red', 'bed', 'ring', 'as', 'class', 'string'].map(stem)).toEqual(['red', 'bed', 'ring', 'as', 'clas', 'str'])
  })

  it.each([
    ['push image', 'please PUSH  image!', true],
    ['push image', 'pushed image', false],
    ['push image', 'push the image', false],
    ['部署', '请部署到预发布环境', true],
    ['ﬁx', 'fix it', true],
    ['café', 'cafe\u0301 offen', true],
    ['ad', 'load', false],
    ['!!!', 'anything!!!', false],
  ])('find the keyword %j in %j: %s', (keyword, text, found) => {
    const skill = { ...points, cues: readCues({ goal_labels: [], keywords_any: [keyword] }) }
    expect(scoreSkill(skill, { ...snapshot(), userText: text }).features.keyword_hit).toBe(found ? 1_000_000 : 0)
  })

  it('need all words of a label, and let the host state the labels instead', () => {
    const skill = { ...points, cues: readCues({ goal_labels: ['roll-back'], keywords_any: [] }) }
    const label = (userText: string, goalLabels?: readonly string[], ctx = {}) => {
      const board = { ...snapshot().board, ctx }
      return scoreSkill(skill, { ...snapshot({ board }), userText, ...(goalLabels === undefined ? {} : { goalLabels }) }).matched.label
    }
    expect(label('rolling it back')).toBe('roll-back')
    expect(label('roll it')).toBeUndefined()
    expect(label('roll it back', [])).toBeUndefined()
    expect(label('', ['Roll-Back'])).toBe('roll-back')
    expect(label('', undefined, { goal_labels: ['roll-back', 7] })).toBe('roll-back')
    expect(label('roll back', undefined, { goal_labels: ['other'] })).toBeUndefined()
  })

  it('of a very long text are counted up to a limit', () => {
    expect(readWords('a '.repeat(1_000_000)).spaced.length).toBeLessThan(70_000)
  })
})
