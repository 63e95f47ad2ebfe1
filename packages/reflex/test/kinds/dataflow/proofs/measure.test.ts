import { expect, test } from 'vitest'
import { GRAPHS } from '../../../../../../scripts/proof/graphs/corpus.ts'
import { GRAPH_MISTAKES, measureGraphs } from '../../../../../../scripts/proof/graphs/measure.ts'
import { CORRECT, precision, recall } from '../../../../../../scripts/proof/measure.ts'
import { proofFaults } from '../../../../src/kinds/dataflow/proofs/faults.ts'

test('the proofs find every mistake that is made in right graphs, and nothing else', { timeout: 120_000 }, () => {
  const { scores, total, disagreements } = measureGraphs(1, 7)
  expect(disagreements).toEqual([])
  expect(recall(total)).toBe(1)
  expect(precision(total)).toBeGreaterThanOrEqual(0.98)
  expect(scores.get(CORRECT)).toEqual({ programs: GRAPHS.length, real: 0, told: 0, right: 0 })
  expect([...scores.keys()]).toEqual(expect.arrayContaining(Object.keys(GRAPH_MISTAKES)))
})

test('each finding has at least three mistakes that lead to it', () => {
  const text = Object.values(GRAPH_MISTAKES).map(String)
  for (const code of Object.keys(proofFaults.entries))
    expect(text.filter((mistake) => mistake.includes(`${code} `)).length, code).toBeGreaterThanOrEqual(3)
})
