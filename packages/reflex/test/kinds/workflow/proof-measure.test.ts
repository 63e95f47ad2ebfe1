import { expect, test } from 'vitest'
import { CORRECT, measure, precision, recall } from '../../../../../scripts/proof/measure.ts'

test('proofs find every mistake in generated programs, and nothing else', { timeout: 60_000 }, async () => {
  const { scores, total, disagreements } = await measure(30, 7)
  expect(disagreements.map(({ seed, kind, missed, wrong }) => ({ seed, kind, missed, wrong }))).toEqual([])
  expect(recall(total)).toBe(1)
  expect(precision(total)).toBeGreaterThanOrEqual(0.98)
  expect(scores.get(CORRECT)).toEqual({ programs: 30, real: 0, told: 0, right: 0 })
  for (const [kind, { programs }] of scores) expect(programs, kind).toBeGreaterThan(0)
})
