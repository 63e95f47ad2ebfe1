import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { progressToGoal } from '../../../../src/kinds/skill/gate/progress.ts'
import { type RankedSkill, rankSkills } from '../../../../src/kinds/skill/gate/rank.ts'
import { DEPLOY, decideOn, skillOf, snapshot } from './support.ts'

const EQUAL: RankedSkill = { id: 'b', version: '1.0.0', normalised: 860_000, relevance: 0, progress: 0, followed: 0, successes: 0 }
const transitions = { executed: 8, skills: 2 }

describe('the order of skills', () => {
  // proves: skill 59
  it.each([
    ['score', { normalised: 860_001 }, [860_001, 860_000]],
    ['relevance', { relevance: 2 }, [2, 0]],
    ['progress', { progress: 1 }, [1, 0]],
    ['transition', { followed: 3 }, [400_000, 100_000]],
    ['runs', { successes: 2 }, [2, 0]],
    ['version', { version: '1.0.1' }, ['1.0.1', '1.0.0']],
    ['id', {}, ['a', 'b']],
  ] as const)('is decided by the %s if all before it is equal', (rule, changes, values) => {
    const better = { ...EQUAL, id: rule === 'id' ? 'a' : 'c', ...changes }
    const { order, tie_break } = rankSkills([EQUAL, better], { epsilon: 0, transitions })
    expect(order).toEqual([better, EQUAL])
    expect(tie_break).toEqual([{ first: `${better.id}@${better.version}`, second: 'b@1.0.0', rule, values }])
  })

  it('compares versions as numbers', () => {
    const [first] = rankSkills([EQUAL, { ...EQUAL, version: '1.10.0' }, { ...EQUAL, version: '1.9.0' }], { epsilon: 0, transitions }).order
    expect(first?.version).toBe('1.10.0')
  })

  // proves: skill 60
  it('takes scores within epsilon for equal', () => {
    const low = { ...EQUAL, id: 'low', normalised: 820_000, progress: 1 }
    expect(rankSkills([EQUAL, low], { epsilon: 50_000, transitions }).tie_break[0]).toMatchObject({ first: 'low@1.0.0', rule: 'progress' })
    expect(rankSkills([EQUAL, low], { epsilon: 0, transitions }).tie_break[0]).toMatchObject({ first: 'b@1.0.0', rule: 'score' })
  })

  it('compares a chain of near scores with the highest of its group', () => {
    const chain = [860_000, 820_000, 780_000].map((normalised, i) => ({ ...EQUAL, id: `c${i}`, normalised, progress: i }))
    const { order } = rankSkills(chain, { epsilon: 50_000, transitions })
    expect(order.map(({ id }) => id)).toEqual(['c1', 'c0', 'c2'])
  })

  it('does not depend on the order in which skills are given', () => {
    const some = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        version: fc.constantFrom('1.0.0', '1.0.1'),
        normalised: fc.nat(9),
        relevance: fc.nat(2),
        progress: fc.nat(2),
        followed: fc.nat(2),
        successes: fc.nat(2),
      }),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(some, fc.nat(4), (skills, epsilon) => {
        const ranked = (given: readonly RankedSkill[]) => rankSkills(given, { epsilon, transitions })
        expect(ranked([...skills].reverse())).toEqual(ranked(skills))
      }),
    )
  })

  // proves: skill 61
  it('changes no verdict: a decision does not read it', () => {
    const record = decideOn({})
    expect(JSON.stringify(record)).not.toContain('transition')
    expect(decideOn({}, { hostFacts: { followed: 100 } })).toEqual(record)
  })
})

describe('progress to the goal', () => {
  const { manifest } = skillOf(DEPLOY)
  const board = (goal: readonly string[] | undefined, work = {}) => ({
    ...snapshot().board,
    ctx: goal === undefined ? {} : { goal_postconditions: goal },
    work,
  })
  const goal = ['work.endpoint', 'updated:appservice_image', 'sent:mail', 'work.endpoint']

  it('counts what a skill brings about and is unmet', () => {
    expect(progressToGoal(manifest, board(goal), new Set())).toBe(2)
    expect(progressToGoal(manifest, board(goal, { endpoint: 'https://a' }), new Set())).toBe(1)
    expect(progressToGoal(manifest, board(goal, { endpoint: null }), new Set(['updated:appservice_image']))).toBe(1)
    expect(progressToGoal(manifest, board(undefined), new Set())).toBe(0)
  })
})
