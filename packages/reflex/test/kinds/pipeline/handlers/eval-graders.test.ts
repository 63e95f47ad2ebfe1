import { type Arbitrary, assert, constantFrom, jsonValue, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { grade as gradeBy, GRADER_NAMES } from '../../../../src/kinds/pipeline/operations/evaluation/graders.ts'
import { chooseGraders } from '../../../../src/kinds/pipeline/operations/evaluation/choose-graders.ts'
import type { Grade } from '../../../../src/kinds/pipeline/operations/evaluation/grade.ts'
import { BUILT_IN_OPERATIONS } from '../../../../src/kinds/pipeline/operations/built-in.ts'

const grade = (name: string, actual: Json, expected: Json): Grade | undefined => gradeBy(name, actual, expected, BUILT_IN_OPERATIONS)

describe('graders', () => {
  // proves: pipeline 4.3.6c
  test.each<[name: string, actual: Json, expected: Json, score: number, passed: boolean]>([
    ['exact_match', 'yes\n', 'yes', 1, true],
    ['exact_match', 'Yes', 'yes', 0, false],
    ['exact_match', { a: 1, b: [2] }, { b: [2], a: 1 }, 1, true],
    ['exact_match', '4', 4, 1, true],
    ['contains', 'red and blue', 'blue', 1, true],
    ['contains', 'red and blue', ['red', 'green'], 0.5, false],
    ['contains', 'red and blue', { contains: ['red', 'blue'] }, 1, true],
    ['contains', 'red', null, 0, false],
    ['regex', 'order 66', '\\d+', 1, true],
    ['regex', 'order', { regex: '^\\d' }, 0, false],
    ['regex', 'x', { pattern: '(' }, 0, false],
    ['regex', 'x', null, 0, false],
    ['json_valid', '{"a":1}', null, 1, true],
    ['json_valid', '{a:1}', null, 0, false],
    ['json_valid', { a: 1 }, null, 1, true],
    ['json_valid', null, null, 0, false],
    ['embedding_similarity', 'x', 'x', 0, false],
    ['compile_check', 'x', null, 0, false],
    ['functional_test', 'x', null, 0, false],
    ['code_quality', 'x', null, 0, false],
  ])('%s of %j, expected %j: %f', (name, actual, expected, score, passed) => {
    expect(grade(name, actual, expected)).toMatchObject({ score, passed })
  })

  test('a pattern that would hang others does not', () => {
    expect(grade('regex', `${'a'.repeat(40_000)}!`, '(a+)+$')?.passed).toBe(false)
  })

  // proves: pipeline 4.3.6c
  test('dot_diff goes by nodes, edges, types and prompts, not by names', () => {
    const one = 'digraph a { start [shape=Mdiamond] x [prompt="write the report"] done [shape=Msquare] start -> x -> done }'
    const same = 'digraph b { s [shape=Mdiamond] y [prompt="write the report"] e [shape=Msquare] s -> y -> e }'
    expect(grade('dot_diff', `Here:\n\`\`\`dot\n${same}\n\`\`\``, one)).toEqual({
      score: 1,
      passed: true,
      detail: 'nodes 1.00, edges 1.00, handlers 1.00, prompts 1.00',
    })
    const less = 'digraph c { s [shape=Mdiamond] e [shape=Msquare] s -> e }'
    // nodes 2 of 3, edges 1 of 2, types 2 of 3, no words in common
    expect(grade('dot_diff', less, one)).toMatchObject({ score: expect.closeTo((2 / 3 + 1 / 2 + 2 / 3 + 0) / 4) as number, passed: false })
    expect(grade('dot_diff', 'no pipeline', one)).toMatchObject({ score: 0, passed: false, detail: 'the answer is not a pipeline' })
  })

  test('every grader gives a score in [0, 1] and never throws', () => {
    const value = jsonValue({ maxDepth: 2 }) as Arbitrary<Json>
    assert(
      property(constantFrom(...GRADER_NAMES), value, value, (name, actual, expected) => {
        const { score = -1 } = grade(name, actual, expected) ?? {}
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('graders that a node chooses', () => {
  const graded = (names: readonly string[], actual: Json, expected: Json): readonly (readonly [string, Grade])[] | string => {
    const chosen = chooseGraders(names, BUILT_IN_OPERATIONS)
    return 'problem' in chosen ? chosen.problem : chosen.map((one) => [one.name, one.grade(actual, expected)])
  }

  // proves: pipeline 4.3.6c
  test('a composite joins those beside it, by their mean', () => {
    const found = graded(['exact_match', 'contains', 'composite'], 'red and blue', 'blue')
    expect(found).toEqual([
      ['exact_match', { score: 0, passed: false, detail: 'different' }],
      ['contains', { score: 1, passed: true, detail: 'all found' }],
      ['composite', { score: 0.5, passed: true, detail: 'exact_match 0.00, contains 1.00' }],
    ])
  })

  test.each<[string, score: number, passed: boolean]>([
    ['composite:all_pass', 0.5, false],
    ['composite:any_pass', 1, true],
    ['composite:weighted_avg', 0.5, true],
    ['composite:weighted_avg:exact_match*3+contains', 0.25, false],
    ['composite:any_pass:exact_match', 0, false],
    ['composite:all_pass:contains+json_valid*0', 1, false],
  ])('%s', (name, score, passed) => {
    const found = graded(['exact_match', 'contains', name], 'red and blue', 'blue')
    expect(typeof found === 'string' ? found : found.at(-1)?.[1]).toMatchObject({ score, passed })
  })

  test.each([
    [['exact_mach'], 'did you mean "exact_match"?'],
    [['composite'], 'a composite needs other graders'],
    [['composite:some:regex'], 'the combination of a composite must be'],
    [['composite:all_pass:regex*much'], 'the weight of regex'],
    [['composite:all_pass:regex*-1'], 'the weight of regex'],
    [['composite:all_pass:nonsense'], 'there is no grader "nonsense"'],
  ])('%j is refused', (names, why) => {
    expect(graded(names, '', '')).toContain(why)
  })
})
