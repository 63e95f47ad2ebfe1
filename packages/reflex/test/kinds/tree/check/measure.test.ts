import { expect, test } from 'vitest'
import { CORPUS } from '../../../../../../scripts/proof/trees/corpus.ts'
import { measureTrees, TREE_MISTAKES } from '../../../../../../scripts/proof/trees/measure.ts'
import { CORRECT, precision, recall } from '../../../../../../scripts/proof/measure.ts'
import { checkFaults } from '../../../../src/kinds/tree/check/faults.ts'

test('the checks of trees find every mistake that is made in right trees, and nothing else', { timeout: 60_000 }, () => {
  const corpus = CORPUS.filter(({ id }) => !id.startsWith('large'))
  expect(corpus.length).toBeGreaterThanOrEqual(25)
  const { scores, total, disagreements } = measureTrees(1, 7, corpus)
  expect(disagreements).toEqual([])
  expect(recall(total)).toBe(1)
  expect(precision(total)).toBeGreaterThanOrEqual(0.98)
  expect(scores.get(CORRECT)).toEqual({ programs: corpus.length, real: 0, told: 0, right: 0 })
  expect([...scores.keys()]).toEqual(expect.arrayContaining(Object.keys(TREE_MISTAKES)))
})

test('each finding has at least three mistakes that lead to it', () => {
  const text = Object.values(TREE_MISTAKES).map(String)
  for (const code of ['R1203', 'R1204', 'R1232', ...Object.keys(checkFaults.entries)])
    expect(text.filter((mistake) => mistake.includes(`${code} `)).length, code).toBeGreaterThanOrEqual(3)
})
